/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#include "scale.cuh"

static void scale_is_held_to_a_byte(void **)
{
	cudasim_assert_equal(cudasim_call(scale, 100, 1.5f), 150);
	cudasim_assert_equal(cudasim_call(scale, 200, 1.5f), 255);
	cudasim_assert_equal(cudasim_call(scale, 200, -1.0f), 0);
}

static void scale_all_leaves_the_rest(void **)
{
	int *values = cudasim_device_copy(std::vector<int>{10, 20, 30, 40});
	scale_all<<<1, 32>>>(values, 3, 2.0f);
	cudasim_assert_equal(values, std::vector<int>{20, 40, 60, 40}, 4);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scale_is_held_to_a_byte),
		cmocka_unit_test(scale_all_leaves_the_rest),
	};
	return cudasim_run_tests(tests, argc, argv);
}
