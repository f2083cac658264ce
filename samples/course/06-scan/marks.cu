/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "scan.cu"
#endif
#include ANSWER

static void scan_of(const std::vector<int> &in)
{
	int n = (int)in.size(), sum = 0;
	std::vector<int> expected(n);
	for (int i = 0; i < n; i++)
		expected[i] = sum += in[i];
	int *out = cudasim_device_array(int, n);
	scan<<<1, 256>>>(cudasim_device_copy(in), out, n);
	cudasim_assert_equal(out, expected, n);
}

static void four_values(void **)
{
	int *out = cudasim_device_array(int, 4);
	scan<<<1, 256>>>(cudasim_device_copy(std::vector<int>{3, 1, 7, 0}), out, 4);
	cudasim_assert_equal(out, std::vector<int>{3, 4, 11, 11}, 4);
}

static void one_value(void **)
{
	int *out = cudasim_device_array(int, 1);
	scan<<<1, 256>>>(cudasim_device_copy(std::vector<int>{-5}), out, 1);
	cudasim_assert_equal(out, std::vector<int>{-5}, 1);
}

static void whole_block(void **)
{
	scan_of(cudasim_random(int, 256, -1000, 1000));
}

static void odd_number(void **)
{
	scan_of(cudasim_random(int, 173, -1000, 1000));
}

/* 8 steps of 256 threads with two loads each, and one load for the result; adding all earlier
 * values in each thread takes 32896 loads. */
static void few_steps(void **)
{
	int *in = cudasim_device_copy(std::vector<int>(256, 1));
	int *out = cudasim_device_array(int, 256);
	cudasim_work work = cudasim_measure([&] { scan<<<1, 256>>>(in, out, 256); });
	cudasim_assert_at_most(work, shared_bytes_loaded, (8 * 2 + 1) * 256 * sizeof(int));
	cudasim_assert_at_most(work, bytes_loaded, 2 * 256 * sizeof(int));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_values),
		cmocka_unit_test(one_value),
		cmocka_unit_test(whole_block),
		cmocka_unit_test(odd_number),
		cmocka_unit_test(few_steps),
	};
	return cudasim_run_tests(tests, argc, argv);
}
