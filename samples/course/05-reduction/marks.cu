/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "reduction.cu"
#endif
#include ANSWER

static void sums_of(const std::vector<int> &in)
{
	int n = (int)in.size(), blocks = (n + 255) / 256;
	std::vector<int> expected(blocks);
	for (int i = 0; i < n; i++)
		expected[i / 256] += in[i];
	int *sums = cudasim_device_array(int, blocks);
	block_sums<<<blocks, 256>>>(cudasim_device_copy(in), n, sums);
	cudasim_assert_equal(sums, expected, blocks);
}

/* 1 + 2 + ... + 256 */
static void one_block(void **)
{
	std::vector<int> in(256);
	for (int i = 0; i < 256; i++)
		in[i] = i + 1;
	int *sums = cudasim_device_array(int, 1);
	block_sums<<<1, 256>>>(cudasim_device_copy(in), 256, sums);
	cudasim_assert_equal(sums, std::vector<int>{32896}, 1);
}

static void many_blocks(void **)
{
	sums_of(cudasim_random(int, 4 * 256, -1000, 1000));
}

/* The array has more elements than n: those do not belong to the sum. */
static void few_values(void **)
{
	int *sums = cudasim_device_array(int, 1);
	block_sums<<<1, 256>>>(cudasim_device_copy(std::vector<int>(256, 1)), 100, sums);
	cudasim_assert_equal(sums, std::vector<int>{100}, 1);
	sums_of(cudasim_random(int, 300, -1000, 1000));
}

/* A barrier after the load and one after each of 8 steps. One thread that adds everything, or
 * each second thread, lets warps diverge more often than a tree of halves: there the last 5 steps
 * do, and the store. */
static void is_a_tree(void **)
{
	int *in = cudasim_device_copy(std::vector<int>(256, 1));
	int *sums = cudasim_device_array(int, 1);
	cudasim_work work = cudasim_measure([&] { block_sums<<<1, 256>>>(in, 256, sums); });
	cudasim_assert_equal(sums, std::vector<int>{256}, 1);
	cudasim_assert_at_most(work, barriers_per_thread, 1 + 8 + 1);
	cudasim_assert_at_most(work, divergent_branches, 20);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_block),
		cmocka_unit_test(many_blocks),
		cmocka_unit_test(few_values),
		cmocka_unit_test(is_a_tree),
	};
	return cudasim_run_tests(tests, argc, argv);
}
