/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "atomics.cu"
#endif
#include ANSWER

static void count(const std::vector<unsigned char> &values, int blocks, int threads)
{
	std::vector<int> expected(64);
	for (unsigned char value : values)
		expected[value]++;
	int n = (int)values.size();
	int *bins = cudasim_device_copy(std::vector<int>(64));
	histogram<<<blocks, threads>>>(cudasim_device_copy(values), n, bins);
	cudasim_assert_equal(bins, expected, 64);
}

/* All threads add to one counter. */
static void one_bin(void **)
{
	count(std::vector<unsigned char>(1000, 5), 4, 128);
}

static void many_bins(void **)
{
	count(cudasim_random(unsigned char, 3000, 0, 63), 8, 64);
}

/* Fewer values than threads, and many more. */
static void few_and_many(void **)
{
	count({63, 0, 63}, 3, 96);
	count(cudasim_random(unsigned char, 5000, 0, 63), 2, 64);
}

/* Two launches add to the same bins. */
static void adds_to_what_is_there(void **)
{
	std::vector<int> expected(64, 1000);
	expected[1] += 4;
	expected[2] += 2;
	int *bins = cudasim_device_copy(std::vector<int>(64, 1000));
	unsigned char *values = cudasim_device_copy(std::vector<unsigned char>{1, 2, 1});
	histogram<<<1, 64>>>(values, 3, bins);
	histogram<<<1, 64>>>(values, 3, bins);
	cudasim_assert_equal(bins, expected, 64);
}

/* Each of two blocks adds to each of 64 bins once, whatever the number of values. */
static void counts_in_shared_memory(void **)
{
	unsigned char *values = cudasim_device_copy(std::vector<unsigned char>(4096, 9));
	int *bins = cudasim_device_copy(std::vector<int>(64));
	cudasim_work work = cudasim_measure([&] { histogram<<<2, 64>>>(values, 4096, bins); });
	cudasim_assert_at_most(work, bytes_stored, 2 * 64 * sizeof(int));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_bin),
		cmocka_unit_test(many_bins),
		cmocka_unit_test(few_and_many),
		cmocka_unit_test(adds_to_what_is_there),
		cmocka_unit_test(counts_in_shared_memory),
	};
	return cudasim_run_tests(tests, argc, argv);
}
