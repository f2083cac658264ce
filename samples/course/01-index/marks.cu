/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "index.cu"
#endif
#include ANSWER

static void scale_in_one_block(void **)
{
	int *values = cudasim_device_copy(std::vector<int>{1, 2, 3, 4});
	scale<<<1, 4>>>(values, 4, 10);
	cudasim_assert_equal(values, std::vector<int>{10, 20, 30, 40}, 4);
}

static void scale_in_many_blocks(void **)
{
	std::vector<int> in(256), expected(256);
	for (int i = 0; i < 256; i++) {
		in[i] = i;
		expected[i] = 3 * i;
	}
	int *values = cudasim_device_copy(in);
	scale<<<4, 64>>>(values, 256, 3);
	cudasim_assert_equal(values, expected, 256);
}

/* 96 threads for 70 values. Of the array's 80 elements the last ten are not to be scaled. */
static void scale_leaves_the_rest(void **)
{
	int *values = cudasim_device_copy(std::vector<int>(80, 7));
	scale<<<3, 32>>>(values, 70, 2);
	std::vector<int> expected(80, 14);
	for (int i = 70; i < 80; i++)
		expected[i] = 7;
	cudasim_assert_equal(values, expected, 80);
}

/* 5 x 3 pixels in rows of 8; blocks of 4 x 2 threads. */
static void brighten_an_image(void **)
{
	int *pixels = cudasim_device_copy(std::vector<int>{
		0, 1, 2, 3, 4, -1, -1, -1,
		5, 6, 7, 8, 9, -1, -1, -1,
		10, 11, 12, 13, 14, -1, -1, -1,
	});
	brighten<<<dim3(2, 2), dim3(4, 2)>>>(pixels, 5, 3, 8, 100);
	cudasim_assert_equal(pixels, std::vector<int>{
		100, 101, 102, 103, 104, -1, -1, -1,
		105, 106, 107, 108, 109, -1, -1, -1,
		110, 111, 112, 113, 114, -1, -1, -1,
	}, 24);
}

/* One row of 40 pixels, then one column of 40. */
static void brighten_a_line(void **)
{
	int *row = cudasim_device_copy(std::vector<int>(40, 1));
	brighten<<<dim3(5, 1), dim3(8, 4)>>>(row, 40, 1, 40, 1);
	cudasim_assert_equal(row, std::vector<int>(40, 2), 40);
	int *column = cudasim_device_copy(std::vector<int>(40, 1));
	brighten<<<dim3(1, 10), dim3(8, 4)>>>(column, 1, 40, 1, 1);
	cudasim_assert_equal(column, std::vector<int>(40, 2), 40);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scale_in_one_block),
		cmocka_unit_test(scale_in_many_blocks),
		cmocka_unit_test(scale_leaves_the_rest),
		cmocka_unit_test(brighten_an_image),
		cmocka_unit_test(brighten_a_line),
	};
	return cudasim_run_tests(tests, argc, argv);
}
