/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "race.cu"
#endif
#include ANSWER

/* The definition, one step after the other. */
static void smooth_of(const std::vector<int> &in, int steps)
{
	int n = (int)in.size();
	std::vector<int> expected = in;
	for (int s = 0; s < steps; s++)
		for (int i = n - 1; i > 0; i--)
			expected[i] = (expected[i - 1] + expected[i]) / 2;
	int *values = cudasim_device_copy(in);
	smooth<<<1, n>>>(values, n, steps);
	cudasim_assert_equal(values, expected, n);
}

/* Four values by hand: 8 0 0 0 becomes 8 4 0 0, then 8 6 2 0. */
static void smooth_four(void **)
{
	int *values = cudasim_device_copy(std::vector<int>{8, 0, 0, 0});
	smooth<<<1, 4>>>(values, 4, 2);
	cudasim_assert_equal(values, std::vector<int>{8, 6, 2, 0}, 4);
}

static void smooth_many_warps(void **)
{
	smooth_of(cudasim_random(int, 256, 0, 1000000), 5);
}

static void smooth_no_step(void **)
{
	smooth_of({3, 1, 2}, 0);
}

static void shift_one_block(void **)
{
	int *values = cudasim_device_copy(std::vector<int>{1, 2, 3, 4, 5});
	shift_in_place(values, cudasim_device_array(int, 5), 5);
	cudasim_assert_equal(values, std::vector<int>{2, 3, 4, 5, 1}, 5);
}

static void shift_many_blocks(void **)
{
	std::vector<int> in(1000), expected(1000);
	for (int i = 0; i < 1000; i++) {
		in[i] = 7 * i;
		expected[i] = i < 999 ? 7 * (i + 1) : 0;
	}
	int *values = cudasim_device_copy(in);
	shift_in_place(values, cudasim_device_array(int, 1000), 1000);
	cudasim_assert_equal(values, expected, 1000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smooth_four),
		cmocka_unit_test(smooth_many_warps),
		cmocka_unit_test(smooth_no_step),
		cmocka_unit_test(shift_one_block),
		cmocka_unit_test(shift_many_blocks),
	};
	return cudasim_run_tests(tests, argc, argv);
}
