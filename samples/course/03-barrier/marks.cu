/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "barrier.cu"
#endif
#include ANSWER

/* 0 .. n - 1, each block of 128 turned by one place. */
static void turn_of(int n)
{
	std::vector<int> in(n), expected(n);
	for (int i = 0; i < n; i++) {
		int first = i / 128 * 128, here = std::min(128, n - first);
		in[i] = i;
		expected[i] = first + (i - first + 1) % here;
	}
	int *values = cudasim_device_copy(in);
	turn<<<(n + 127) / 128, 128>>>(values, n);
	cudasim_assert_equal(values, expected, n);
}

static void turn_one_block(void **)
{
	turn_of(128);
}

static void turn_many_blocks(void **)
{
	turn_of(512);
}

/* 3 values: 1, 2, 0. Then a last block of 72. */
static void turn_few_values(void **)
{
	int *values = cudasim_device_copy(std::vector<int>{10, 20, 30});
	turn<<<1, 128>>>(values, 3);
	cudasim_assert_equal(values, std::vector<int>{20, 30, 10}, 3);
	turn_of(200);
}

/* The first 32 are 1 .. 32, whose sum is 528. */
static void subtract_sum_of_one_warp(void **)
{
	std::vector<int> in(96), expected(96);
	for (int i = 0; i < 96; i++) {
		in[i] = i + 1;
		expected[i] = i + 1 - 528;
	}
	int *out = cudasim_device_array(int, 96);
	subtract_sum<<<1, 96>>>(cudasim_device_copy(in), out);
	cudasim_assert_equal(out, expected, 96);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turn_one_block),
		cmocka_unit_test(turn_many_blocks),
		cmocka_unit_test(turn_few_values),
		cmocka_unit_test(subtract_sum_of_one_warp),
	};
	return cudasim_run_tests(tests, argc, argv);
}
