/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "matrix.cu"
#endif
#include ANSWER

static void launch(const float *a, const float *b, float *c, int m, int k, int n)
{
	product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, k, n);
}

/* Small integers, so that every order of the additions gives the same floats. */
static void product_of(int m, int k, int n)
{
	std::vector<int> a = cudasim_random(int, m * k, -9, 9), b = cudasim_random(int, k * n, -9, 9);
	std::vector<float> expected(m * n), fa(a.begin(), a.end()), fb(b.begin(), b.end());
	for (int row = 0; row < m; row++)
		for (int column = 0; column < n; column++) {
			int sum = 0;
			for (int i = 0; i < k; i++)
				sum += a[row * k + i] * b[i * n + column];
			expected[row * n + column] = (float)sum;
		}
	float *c = cudasim_device_array(float, m * n);
	launch(cudasim_device_copy(fa), cudasim_device_copy(fb), c, m, k, n);
	cudasim_assert_equal(c, expected, m * n);
}

/* (1 2; 3 4) (5 6; 7 8) */
static void two_by_two(void **)
{
	float *a = cudasim_device_copy(std::vector<float>{1, 2, 3, 4});
	float *b = cudasim_device_copy(std::vector<float>{5, 6, 7, 8});
	float *c = cudasim_device_array(float, 4);
	launch(a, b, c, 2, 2, 2);
	cudasim_assert_equal(c, std::vector<float>{19, 22, 43, 50}, 4);
}

static void whole_tiles(void **)
{
	product_of(32, 48, 16);
}

static void odd_sizes(void **)
{
	product_of(17, 33, 20);
	product_of(1, 40, 1);
	product_of(40, 1, 3);
}

/* Four blocks, each of which loads two pairs of tiles. */
static void loads_tiles(void **)
{
	float *a = cudasim_device_copy(std::vector<float>(32 * 32, 1));
	float *b = cudasim_device_copy(std::vector<float>(32 * 32, 1));
	float *c = cudasim_device_array(float, 32 * 32);
	cudasim_work work = cudasim_measure([&] { launch(a, b, c, 32, 32, 32); });
	cudasim_assert_at_most(work, bytes_loaded, 4 * 2 * 2 * 256 * sizeof(float));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_by_two),
		cmocka_unit_test(whole_tiles),
		cmocka_unit_test(odd_sizes),
		cmocka_unit_test(loads_tiles),
	};
	return cudasim_run_tests(tests, argc, argv);
}
