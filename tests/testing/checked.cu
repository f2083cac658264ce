/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that pass, and that the checkers have something to say of: each finding has to fail
 * the test that made it, and no other. */
#include <cudasim/test.h>

__global__ static void reverse(int *p, bool waits)
{
	__shared__ int s[64];
	s[threadIdx.x] = p[threadIdx.x];
	if (waits)
		__syncthreads();
	else
		__syncwarp();
	p[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ static void touch(int *p, int at)
{
	p[at] = 1;
}

static void right_before(void **)
{
	reverse<<<1, 64>>>(cudasim_device_array(int, 64), true);
}

static void races(void **)
{
	reverse<<<1, 64>>>(cudasim_device_array(int, 64), false);
}

static void right_between(void **)
{
	int *p;
	assert_int_equal(cudaMalloc(&p, ~(size_t)0), cudaErrorMemoryAllocation);
	cudaGetLastError();
}

static void far_out(void **)
{
	int *p;
	cudasim_need(cudaMalloc(&p, 100));
	touch<<<1, 1>>>(p, 30);
	cudasim_need(cudaDeviceSynchronize());
	cudasim_need(cudaFree(p));
}

static void right_after(void **)
{
	touch<<<1, 1>>>(cudasim_device_array(int, 64), 63);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_before), cmocka_unit_test(races),
		cmocka_unit_test(right_between), cmocka_unit_test(far_out),
		cmocka_unit_test(right_after),
	};
	return cudasim_run_tests(tests, argc, argv);
}
