/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of texture fetches, against values worked out by hand from the CUDA C++
 * Programming Guide ("Texture Fetching") and IEEE 754. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "texture.h"

static uint32_t bits(float f)
{
	uint32_t b;
	memcpy(&b, &f, sizeof b);
	return b;
}

/* No weight is lost to rounding, in whatever part. */
static void weights_always_add_up(void **state)
{
	(void)state;
	for (uint32_t x = 0; x < 256; x += 5) {
		for (uint32_t y = 0; y < 256; y += 3) {
			for (uint32_t z = 0; z < 256; z += 17) {
				uint32_t w[8], sum = 0;
				filter_weights(256, x, y, z, w);
				for (unsigned k = 0; k < 8; k++)
					sum += w[k];
				assert_int_equal(sum, 256);
			}
		}
	}
}

static void half_way_between_two_floats_is_their_mean(void **state)
{
	(void)state;
	const uint32_t values[4] = {bits(1), bits(3), 0, 0}, weights[4] = {128, 128, 0, 0};
	assert_int_equal(filter_floats(values, weights, 4, WAY_FLOAT), bits(2));
	const uint32_t negative[4] = {bits(-1), bits(0.5f), 0, 0}, quarter[4] = {192, 64, 0, 0};
	assert_int_equal(filter_floats(negative, quarter, 4, WAY_FLOAT), bits(-0.625f));
}

/* (1 + 2^-10 + 1) / 2 lies between two halves. */
static void ties_of_halves_go_away_from_zero(void **state)
{
	(void)state;
	const uint32_t values[4] = {bits(1), bits(1 + 0x1p-10f), 0, 0};
	const uint32_t weights[4] = {128, 128, 0, 0};
	assert_int_equal(filter_floats(values, weights, 4, WAY_HALF), bits(1 + 0x1p-10f));
}

static void infinities_and_nan_pass_a_filter(void **state)
{
	(void)state;
	const uint32_t values[4] = {bits(INFINITY), bits(1), 0, 0}, weights[4] = {1, 255, 0, 0};
	assert_int_equal(filter_floats(values, weights, 4, WAY_FLOAT), bits(INFINITY));
	const uint32_t unused[4] = {bits(INFINITY), bits(1), 0, 0}, none[4] = {0, 256, 0, 0};
	assert_int_equal(filter_floats(unused, none, 4, WAY_FLOAT), bits(1));
}

static void points_go_by_the_address_mode(void **state)
{
	(void)state;
	assert_int_equal(axis_point(-1.5f, 4, false, cudaAddressModeClamp).index[0], 0);
	assert_int_equal(axis_point(9, 4, false, cudaAddressModeClamp).index[0], 3);
	assert_int_equal(axis_point(4, 4, false, cudaAddressModeBorder).index[0], -1);
	assert_int_equal(axis_point(1.25f, 4, true, cudaAddressModeWrap).index[0], 1);
	assert_int_equal(axis_point(-0.25f, 4, true, cudaAddressModeWrap).index[0], 3);
	assert_int_equal(axis_point(1.25f, 4, true, cudaAddressModeMirror).index[0], 2);
	assert_int_equal(axis_point(-0.25f, 4, true, cudaAddressModeMirror).index[0], 0);
	assert_int_equal(axis_point(NAN, 4, false, cudaAddressModeClamp).index[0], 0);
	assert_int_equal(axis_point(3e38f, 4, false, cudaAddressModeClamp).index[0], 3);
}

static void linear_filters_stand_between_texel_centres(void **state)
{
	(void)state;
	struct axis a = axis_linear(1.75f, 4, false, cudaAddressModeClamp);
	assert_int_equal(a.index[0], 1);
	assert_int_equal(a.index[1], 2);
	assert_int_equal(a.weight, 64);
	a = axis_linear(0.25f, 4, true, cudaAddressModeWrap); /* texel 1 begins */
	assert_int_equal(a.index[0], 0);
	assert_int_equal(a.index[1], 1);
	assert_int_equal(a.weight, 128);
	a = axis_linear(0, 4, true, cudaAddressModeWrap);
	assert_int_equal(a.index[0], 3);
	assert_int_equal(a.index[1], 0);
}

static void halves_are_read_exactly(void **state)
{
	(void)state;
	assert_int_equal(half_to_float(0x3c00), bits(1));
	assert_int_equal(half_to_float(0xc500), bits(-5));
	assert_int_equal(half_to_float(0x0001), bits(0x1p-24f));
	assert_int_equal(half_to_float(0x7c00), bits(INFINITY));
	assert_int_equal(half_to_float(0x8000), bits(-0.0f));
}

static void axes_have_their_faces(void **state)
{
	(void)state;
	const float directions[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
					{0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
	for (unsigned face = 0; face < 6; face++) {
		const float *d = directions[face];
		struct cube_place at = cube_place(d[0], d[1], d[2]);
		assert_int_equal(at.face, face);
		assert_true(at.x == 0.5 && at.y == 0.5);
	}
}

/* Over an edge and back again. */
static void neighbours_of_faces_are_mutual(void **state)
{
	(void)state;
	for (unsigned face = 0; face < 6; face++) {
		for (int side = 0; side < 4; side++) {
			unsigned f = face;
			int32_t x = side == 0   ? -1
				    : side == 1 ? 8
						: 3,
				y = side == 2   ? -1
				    : side == 3 ? 8
						: 3;
			assert_true(cube_neighbour(&f, &x, &y, 8));
			assert_int_not_equal(f / 2, face / 2);
			assert_true(x == 0 || x == 7 || y == 0 || y == 7);
		}
	}
	unsigned f = 0;
	int32_t x = -1, y = -1;
	assert_false(cube_neighbour(&f, &x, &y, 8));
}

static void derivatives_of_a_power_of_two_are_its_level(void **state)
{
	(void)state;
	const float dx[3] = {8, 0, 0}, zero[3] = {0, 0, 0}, one[3] = {0, 1, 0};
	assert_int_equal(lod_of_gradients(dx, zero), 3 * 256);
	assert_int_equal(lod_of_gradients(zero, one), 0);
	assert_true(lod_of_gradients(zero, zero) < 0);
	assert_int_equal(lod_fixed(-0.25f), -64);
	assert_int_equal(lod_fixed(NAN), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_always_add_up),
		cmocka_unit_test(half_way_between_two_floats_is_their_mean),
		cmocka_unit_test(ties_of_halves_go_away_from_zero),
		cmocka_unit_test(infinities_and_nan_pass_a_filter),
		cmocka_unit_test(points_go_by_the_address_mode),
		cmocka_unit_test(linear_filters_stand_between_texel_centres),
		cmocka_unit_test(halves_are_read_exactly),
		cmocka_unit_test(axes_have_their_faces),
		cmocka_unit_test(neighbours_of_faces_are_mutual),
		cmocka_unit_test(derivatives_of_a_power_of_two_are_its_level),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
