/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "shuffle.cu"
#endif
#include ANSWER

/* What each lane passes: 100, 101, ... in the first warp, 200, 201, ... in the second. */
static __device__ int input()
{
	return 100 * (threadIdx.x / 32 + 1) + threadIdx.x % 32;
}

static __device__ int sum_of_input()
{
	return warp_sum(input());
}

static __device__ int rotated_input(int by)
{
	return rotate(input(), by);
}

static __device__ int scan_of_input()
{
	return warp_scan(input());
}

/* 32 * 100 + 496 and 32 * 200 + 496, in all lanes. */
static void sum_in_every_lane(void **)
{
	auto sums = cudasim_call_grid(1, 64, sum_of_input);
	for (int t = 0; t < 64; t++)
		cudasim_assert_equal(sums[t], t < 32 ? 3696 : 6896);
}

static void rotate_by_one_and_more(void **)
{
	for (int by : {0, 1, 5, 31, 32, 33}) {
		auto rotated = cudasim_call_grid(1, 64, rotated_input, by);
		for (int t = 0; t < 64; t++)
			cudasim_assert_equal(rotated[t], 100 * (t / 32 + 1) + (t + by) % 32);
	}
}

static void scan_of_each_warp(void **)
{
	auto sums = cudasim_call_grid(1, 64, scan_of_input);
	for (int t = 0, sum = 0; t < 64; t++) {
		sum = (t % 32 ? sum : 0) + 100 * (t / 32 + 1) + t % 32;
		cudasim_assert_equal(sums[t], sum);
	}
}

static __global__ void all_three(int *out)
{
	int value = warp_sum(threadIdx.x) + rotate(threadIdx.x, 3) + warp_scan(threadIdx.x);
	out[threadIdx.x] = value;
}

/* Registers only: the 32 stores are those of the kernel above. */
static void no_memory(void **)
{
	int *out = cudasim_device_array(int, 32);
	cudasim_work work = cudasim_measure([&] { all_three<<<1, 32>>>(out); });
	cudasim_assert_at_most(work, shared_bytes_loaded, 0);
	cudasim_assert_at_most(work, shared_bytes_stored, 0);
	cudasim_assert_at_most(work, bytes_stored, 32 * sizeof(int));
	cudasim_assert_at_most(work, barriers_per_thread, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sum_in_every_lane),
		cmocka_unit_test(rotate_by_one_and_more),
		cmocka_unit_test(scan_of_each_warp),
		cmocka_unit_test(no_memory),
	};
	return cudasim_run_tests(tests, argc, argv);
}
