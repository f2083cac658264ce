/* SPDX-License-Identifier: Apache-2.0 */
/* One test for each way of being wrong, between two that are right: each must fail by
 * itself, with a message that names the cause (wrong.expected). */
#include <cassert>
#include <cudasim/test.h>

__device__ static double half_of(double x)
{
	return x / 2;
}

__global__ static void fill(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = i;
}

__global__ static void asserts(int limit)
{
	assert((int)threadIdx.x != limit);
}

__global__ static void expects(const int *p)
{
	CUDASIM_ASSERT_EQ(p[threadIdx.x], (int)threadIdx.x);
}

__global__ static void waits_for_nobody(int *p)
{
	__shared__ int here;
	if (threadIdx.x == 0)
		here = 0;
	if (threadIdx.x < 32)
		asm volatile("barrier.sync 1, 64;");
	p[threadIdx.x] = here;
}

__global__ static void spins(volatile int *flag)
{
	while (!*flag)
		;
}

static void right_before(void **)
{
	cudasim_assert_equal(cudasim_call(half_of, 3.0), 1.5);
}

static void wrong_value(void **)
{
	cudasim_assert_equal(cudasim_call(half_of, 3.0), 1.25);
}

static void wrong_element(void **)
{
	int *p = cudasim_device_array(int, 8);
	fill<<<1, 8>>>(p, 8);
	cudasim_assert_equal(p, std::vector<int>{0, 1, 2, 33, 4, 5, 66, 7}, 8);
}

static void out_of_bounds(void **)
{
	int *p = cudasim_device_array(int, 100);
	fill<<<1, 128>>>(p, 102);
}

static void illegal_address(void **)
{
	fill<<<1, 4>>>((int *)nullptr, 4);
}

static void device_assert(void **)
{
	asserts<<<1, 32>>>(5);
}

static void device_expectation(void **)
{
	int *p = cudasim_device_array(int, 64);
	fill<<<1, 64>>>(p, 64);
	cudasim_need(cudaMemset(p + 10, 0xff, 3 * sizeof(int)));
	expects<<<2, 64>>>(p);
}

static void deadlock(void **)
{
	int *p = cudasim_device_array(int, 64);
	waits_for_nobody<<<1, 64>>>(p);
}

static void leak(void **)
{
	void *p;
	cudasim_need(cudaMalloc(&p, 1000));
}

static void time_out(void **)
{
	int *flag = cudasim_device_array(int, 1);
	cudasim_need(cudaMemset(flag, 0, sizeof *flag));
	spins<<<1, 1>>>(flag);
}

static void host_dies(void **)
{
	std::abort();
}

static void right_after(void **)
{
	cudasim_assert_equal(cudasim_call(half_of, 5.0), 2.5);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_before),
		cmocka_unit_test(wrong_value),
		cmocka_unit_test(wrong_element),
		cmocka_unit_test(out_of_bounds),
		cmocka_unit_test(illegal_address),
		cmocka_unit_test(device_assert),
		cmocka_unit_test(device_expectation),
		cmocka_unit_test(deadlock),
		cmocka_unit_test(leak),
		cmocka_unit_test(time_out),
		cmocka_unit_test(host_dies),
		cmocka_unit_test(right_after),
	};
	return cudasim_run_tests(tests, argc, argv);
}
