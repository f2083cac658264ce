/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "tiles.cu"
#endif
#include ANSWER

/* The definition, element by element. */
static std::vector<int> expected_sums(const std::vector<int> &in)
{
	std::vector<int> ret(in.size());
	for (int i = 0; i < (int)in.size(); i++)
		for (int j = std::max(0, i - 3); j <= std::min((int)in.size() - 1, i + 3); j++)
			ret[i] += in[j];
	return ret;
}

static void sums(const std::vector<int> &in)
{
	int n = (int)in.size();
	int *out = cudasim_device_array(int, n);
	window_sum<<<(n + 63) / 64, 64>>>(cudasim_device_copy(in), out, n);
	cudasim_assert_equal(out, expected_sums(in), n);
}

static void one_element(void **)
{
	int *out = cudasim_device_array(int, 1);
	window_sum<<<1, 64>>>(cudasim_device_copy(std::vector<int>{5}), out, 1);
	cudasim_assert_equal(out, std::vector<int>{5}, 1);
}

static void ten_ones(void **)
{
	int *out = cudasim_device_array(int, 10);
	window_sum<<<1, 64>>>(cudasim_device_copy(std::vector<int>(10, 1)), out, 10);
	cudasim_assert_equal(out, std::vector<int>{4, 5, 6, 7, 7, 7, 7, 6, 5, 4}, 10);
}

static void across_blocks(void **)
{
	sums(cudasim_random(int, 256, -1000, 1000));
}

/* The last block has few elements, or its right halo ends within the array. */
static void odd_sizes(void **)
{
	sums(cudasim_random(int, 130, -1000, 1000));
	sums(cudasim_random(int, 65, -1000, 1000));
	sums(cudasim_random(int, 63, -1000, 1000));
}

/* Each of four blocks loads 64 elements and two halos of 3, not 7 elements for each thread. */
static void loads_once(void **)
{
	int *in = cudasim_device_copy(std::vector<int>(256, 1));
	int *out = cudasim_device_array(int, 256);
	cudasim_work work = cudasim_measure([&] { window_sum<<<4, 64>>>(in, out, 256); });
	cudasim_assert_at_most(work, bytes_loaded, 4 * (64 + 2 * 3) * sizeof(int));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_element),
		cmocka_unit_test(ten_ones),
		cmocka_unit_test(across_blocks),
		cmocka_unit_test(odd_sizes),
		cmocka_unit_test(loads_once),
	};
	return cudasim_run_tests(tests, argc, argv);
}
