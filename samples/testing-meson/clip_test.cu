/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#include "clip.cuh"

static void clip_cuts_both_ends(void **)
{
	segment s = cudasim_call(clip, segment{-1.0f, 9.0f}, 0.0f, 5.0f);
	cudasim_assert_equal(s.from, 0.0f);
	cudasim_assert_equal(s.to, 5.0f);
}

static void length_counts_what_is_inside(void **)
{
	std::vector<segment> segments = {{0, 1}, {-5, 2}, {4, 8}, {6, 7}};
	float *length = cudasim_device_array(float, 1);
	clipped_length<<<1, 64>>>(cudasim_device_copy(segments), 4, 0, 5, length);
	cudasim_assert_equal(length, std::vector<float>{1 + 2 + 1}, 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clip_cuts_both_ends),
		cmocka_unit_test(length_counts_what_is_inside),
	};
	return cudasim_run_tests(tests, argc, argv);
}
