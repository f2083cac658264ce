/* SPDX-License-Identifier: Apache-2.0 */
/* The samples' device functions and kernels as units. Expected values are worked out on the
 * host or by hand; nothing here knows whether it runs on the simulator or on a GPU. */
#include <cudasim/test.h>

#include <utility>
#include <vector>

#include "../../samples/check.h"

#define main sample_main
namespace clamp_sample {
#include "../../samples/clamp/clamp.cu"
}
namespace distance_sample {
#include "../../samples/distance/distance.cu"
}
namespace gaussian_sample {
#include "../../samples/gaussian/gaussian.cu"
}
namespace histogram_sample {
#include "../../samples/histogram/histogram.cu"
}
namespace mask_sample {
#include "../../samples/mask/mask.cu"
}
namespace matmul_sample {
#include "../../samples/matmul/matmul.cu"
}
namespace reduction_sample {
#include "../../samples/reduction/reduction.cu"
}
namespace stencil_sample {
#include "../../samples/stencil/stencil.cu"
}
namespace vectoradd_sample {
#include "../../samples/vectoradd/vectoradd.cu"
}
#undef main

/* ---- clamp -------------------------------------------------------------------- */

static void clamp_keeps_what_is_inside(void **)
{
	cudasim_assert_equal(cudasim_call(clamp_sample::clamp<float>, 0.5f, 0.0f, 1.0f), 0.5f);
}

static void clamp_raises_to_low(void **)
{
	cudasim_assert_equal(cudasim_call(clamp_sample::clamp<float>, -3.0f, -1.0f, 2.5f), -1.0f);
}

static void clamp_lowers_to_high(void **)
{
	cudasim_assert_equal(cudasim_call(clamp_sample::clamp<float>, 3.0f, -1.0f, 2.5f), 2.5f);
}

static void clamp_leaves_its_bounds(void **)
{
	cudasim_assert_equal(cudasim_call(clamp_sample::clamp<int>, 7, 7, 9), 7);
	cudasim_assert_equal(cudasim_call(clamp_sample::clamp<int>, 9, 7, 9), 9);
}

static void clamp_hands_nan_on(void **)
{
	float nan = NAN, got = cudasim_call(clamp_sample::clamp<float>, nan, 0.0f, 1.0f);
	assert_true(got != got);
}

/* The same test for several types. */
template <typename T> static void clamp_of(void **)
{
	cudasim_assert_equal(cudasim_call(clamp_sample::clamp<T>, T(100), T(2), T(50)), T(50));
	cudasim_assert_equal(cudasim_call(clamp_sample::clamp<T>, T(1), T(2), T(50)), T(2));
}

static void clamp_all_touches_n_elements(void **)
{
	std::vector<float> values(40, 9.0f);
	float *there = cudasim_device_copy(values);
	clamp_sample::clamp_all<<<1, 64>>>(there, 33, 0.0f, 1.0f);
	std::vector<float> expected(40, 9.0f);
	for (int i = 0; i < 33; i++)
		expected[i] = 1.0f;
	cudasim_assert_equal(there, expected, 40);
}

/* ---- distance -------------------------------------------------------------------- */

static void distance_to_itself_is_zero(void **)
{
	cudasim_assert_equal(cudasim_call(distance_sample::great_circle, 48.0, 11.5, 48.0, 11.5), 0.0);
}

/* A quarter of the circumference: 6371 km times pi / 2. */
static void distance_from_equator_to_pole(void **)
{
	cudasim_assert_near(cudasim_call(distance_sample::great_circle, 0.0, 0.0, 90.0, 0.0),
			    10007.543398010286, 1e-9, 0);
}

static void distance_to_the_antipode(void **)
{
	cudasim_assert_near(cudasim_call(distance_sample::great_circle, 0.0, 0.0, 0.0, 180.0),
			    20015.086796020572, 1e-9, 0);
}

static void distance_is_symmetric(void **)
{
	double there = cudasim_call(distance_sample::great_circle, 52.5, 13.4, -33.9, 151.2);
	double back = cudasim_call(distance_sample::great_circle, -33.9, 151.2, 52.5, 13.4);
	cudasim_assert_ulp(there, back, 4);
}

static void distance_agrees_with_the_host(void **)
{
	std::vector<double> lat = cudasim_random(double, 50, -90.0, 90.0);
	std::vector<double> lon = cudasim_random(double, 50, -180.0, 180.0);
	for (size_t i = 0; i + 1 < lat.size(); i++)
		cudasim_assert_near(cudasim_call(distance_sample::great_circle, lat[i], lon[i],
						 lat[i + 1], lon[i + 1]),
				    distance_sample::great_circle(lat[i], lon[i], lat[i + 1], lon[i + 1]),
				    1e-6, 1e-12);
}

__device__ static double mesh_place(distance_sample::mesh m, int row, int column)
{
	return m.latitude(row) * 1000 + m.longitude(column);
}

static void mesh_counts_from_its_corner(void **)
{
	distance_sample::mesh m = {10, 20, -45.0, 100.0, 0.5, 0.25};
	cudasim_assert_equal(cudasim_call(mesh_place, m, 0, 0), -45000.0 + 100.0);
	cudasim_assert_equal(cudasim_call(mesh_place, m, 2, 4), -44000.0 + 101.0);
}

static void three_versions_agree(void **)
{
	distance_sample::mesh m = {7, 9, -10.0, 20.0, 1.5, 2.5};
	std::vector<double> lats, lons;
	for (int row = 0; row < m.rows; row++)
		for (int column = 0; column < m.columns; column++) {
			lats.push_back(-10.0 + row * 1.5);
			lons.push_back(20.0 + column * 2.5);
		}
	int n = (int)lats.size();
	std::vector<double> lat(n, 48.0), lon(n, 11.5);
	double *a = cudasim_device_array(double, n), *b = cudasim_device_array(double, n),
	       *c = cudasim_device_array(double, n);
	double *there_lats = cudasim_device_copy(lats), *there_lons = cudasim_device_copy(lons);
	distance_sample::from_arrays<<<1, 64>>>(cudasim_device_copy(lat), cudasim_device_copy(lon),
						there_lats, there_lons, a, n);
	distance_sample::from_place<<<2, 32>>>(48.0, 11.5, there_lats, there_lons, b, n);
	distance_sample::on_mesh<<<dim3(2, 2), dim3(8, 8)>>>(48.0, 11.5, m, c);
	cudasim_assert_equal(a, b, n);
	cudasim_assert_equal(a, c, n);
}

/* ---- gaussian --------------------------------------------------------------------- */

static void bell_is_highest_at_its_mean(void **)
{
	std::vector<float> x = {0.5f, 0.5f + 1.5f, 0.5f - 1.5f};
	float *there = cudasim_device_copy(x), *y = cudasim_device_array(float, 3);
	gaussian_sample::bell<<<1, 32>>>(there, y, 3, 0.5f, 1.5f);
	/* 1 / (1.5 sqrt(2 pi)), and exp(-1/2) of it one sigma away. */
	std::vector<float> expected = {0.265961520f, 0.161313805f, 0.161313805f};
	cudasim_assert_near(y, expected, 3, 0, 1e-6);
}

static void bell_with_few_threads_covers_all(void **)
{
	std::vector<float> x(1000);
	for (int i = 0; i < 1000; i++)
		x[i] = 0.01f * i;
	float *there = cudasim_device_copy(x), *few = cudasim_device_array(float, 1000),
	      *many = cudasim_device_array(float, 1000);
	gaussian_sample::bell<<<1, 7>>>(there, few, 1000, 3.0f, 2.0f);
	gaussian_sample::bell<<<8, 128>>>(there, many, 1000, 3.0f, 2.0f);
	cudasim_assert_equal(few, many, 1000);
}

/* ---- histogram ---------------------------------------------------------------------- */

static void histogram_of(void **state)
{
	const dim3 &shape = **(const dim3 **)state; /* blocks, threads */
	std::vector<unsigned char> data = cudasim_random(unsigned char, 5000, 0, 255);
	std::vector<unsigned> expected(256), zeros(256);
	for (unsigned char byte : data)
		expected[byte]++;
	unsigned *total = cudasim_device_copy(zeros);
	histogram_sample::count<<<shape.x, shape.y>>>(cudasim_device_copy(data), (int)data.size(), total);
	cudasim_assert_equal(total, expected, 256);
}

static void histogram_of_nothing(void **)
{
	std::vector<unsigned> zeros(256);
	unsigned *total = cudasim_device_copy(zeros);
	histogram_sample::count<<<2, 64>>>(nullptr, 0, total);
	cudasim_assert_equal(total, zeros, 256);
}

static void histogram_adds_to_what_is_there(void **)
{
	std::vector<unsigned> before(256, 3);
	std::vector<unsigned char> data(10, 200);
	unsigned *total = cudasim_device_copy(before);
	histogram_sample::count<<<1, 32>>>(cudasim_device_copy(data), 10, total);
	before[200] += 10;
	cudasim_assert_equal(total, before, 256);
}

static void histogram_needs_two_barriers(void **)
{
	std::vector<unsigned char> data(300, 1);
	std::vector<unsigned> zeros(256);
	unsigned *total = cudasim_device_copy(zeros);
	unsigned char *there = cudasim_device_copy(data);
	cudasim_work work = cudasim_measure([&] { histogram_sample::count<<<2, 128>>>(there, 300, total); });
	cudasim_assert_at_most(work, barriers_per_thread, 2);
}

/* ---- mask --------------------------------------------------------------------------- */

static void inside_clamps_to_the_frame(void **)
{
	cudasim_assert_equal(cudasim_call(mask_sample::inside, -2, 10), 0);
	cudasim_assert_equal(cudasim_call(mask_sample::inside, 4, 10), 4);
	cudasim_assert_equal(cudasim_call(mask_sample::inside, 11, 10), 9);
}

/* All weights 1: the mean of 25 equal pixels is the pixel. */
static void mask_keeps_a_flat_frame(void **)
{
	int ones[5][5];
	for (auto &row : ones)
		for (int &weight : row)
			weight = 1;
	cudasim_need(cudaMemcpyToSymbol(mask_sample::weights, ones, sizeof ones));
	std::vector<unsigned char> frame(12 * 9, 77);
	unsigned char *out = cudasim_device_array(unsigned char, frame.size());
	mask_sample::apply<<<dim3(1, 2), dim3(32, 8)>>>(cudasim_device_copy(frame), out, 12, 12, 9, 25);
	cudasim_assert_equal(out, frame, frame.size());
}

static void mask_with_only_a_centre_copies(void **)
{
	int centre[5][5] = {};
	centre[2][2] = 1;
	cudasim_need(cudaMemcpyToSymbol(mask_sample::weights, centre, sizeof centre));
	std::vector<unsigned char> frame = cudasim_random(unsigned char, 16 * 16, 0, 255);
	unsigned char *out = cudasim_device_array(unsigned char, 256);
	mask_sample::apply<<<dim3(1, 2), dim3(32, 8)>>>(cudasim_device_copy(frame), out, 16, 16, 16, 1);
	cudasim_assert_equal(out, frame, 256);
}

/* ---- matrix product -------------------------------------------------------------------- */

struct product {
	int rows, inner, columns;
};

static void product_of(void **state)
{
	product p = **(product **)state;
	std::vector<float> a(p.rows * p.inner), b(p.inner * p.columns), expected(p.rows * p.columns);
	for (size_t i = 0; i < a.size(); i++)
		a[i] = (float)((int)(i * 7 % 19) - 9);
	for (size_t i = 0; i < b.size(); i++)
		b[i] = (float)((int)(i * 5 % 13) - 6);
	/* Small whole numbers: exact in any order of additions. */
	for (int row = 0; row < p.rows; row++)
		for (int column = 0; column < p.columns; column++)
			for (int k = 0; k < p.inner; k++)
				expected[row * p.columns + column] +=
					a[row * p.inner + k] * b[k * p.columns + column];
	float *c = cudasim_device_array(float, expected.size());
	dim3 grid((p.columns + 15) / 16, (p.rows + 15) / 16);
	matmul_sample::multiply<<<grid, dim3(16, 16)>>>(cudasim_device_copy(a), cudasim_device_copy(b), c,
							p.rows, p.inner, p.columns);
	cudasim_assert_equal(c, expected, expected.size());
}

static void product_crosses_two_barriers_a_tile(void **)
{
	float *a = cudasim_device_array(float, 48 * 16), *c = cudasim_device_array(float, 256);
	cudasim_work work = cudasim_measure([&] {
		matmul_sample::multiply<<<1, dim3(16, 16)>>>(a, a, c, 16, 48, 16);
	});
	cudasim_assert_at_most(work, barriers_per_thread, 2 * 48 / 16);
	/* Each element of a and b once for each of the tiles: 2 * 48 * 16 floats. */
	cudasim_assert_at_most(work, bytes_loaded, 2 * 48 * 16 * sizeof(float));
	cudasim_assert_at_most(work, bytes_stored, 256 * sizeof(float));
}

/* ---- reduction ------------------------------------------------------------------------- */

template <typename T> static void sum_of(void **)
{
	std::vector<T> values(1000);
	T expected = 0;
	for (int i = 0; i < 1000; i++)
		expected += values[i] = (T)(i % 11 - 3);
	T *parts = cudasim_device_array(T, 4), *total = cudasim_device_array(T, 1);
	reduction_sample::sum_blocks<<<4, 256>>>(cudasim_device_copy(values), parts, 1000);
	reduction_sample::sum_blocks<<<1, 256>>>(parts, total, 4);
	cudasim_assert_equal(total, std::vector<T>{expected}, 1);
}

static void sum_of_nothing_is_zero(void **)
{
	int *total = cudasim_device_array(int, 1);
	reduction_sample::sum_blocks<<<1, 256>>>((const int *)nullptr, total, 0);
	cudasim_assert_equal(total, std::vector<int>{0}, 1);
}

static void sum_takes_nine_barriers(void **)
{
	int *total = cudasim_device_array(int, 1);
	cudasim_work work = cudasim_measure([&] {
		reduction_sample::sum_blocks<<<1, 256>>>((const int *)nullptr, total, 0);
	});
	cudasim_assert_at_most(work, barriers_per_thread, 9);
}

/* ---- stencil ---------------------------------------------------------------------------- */

static void stencil_keeps_the_edge(void **)
{
	std::vector<float> from(36, 20.0f);
	for (int x = 0; x < 6; x++)
		from[x] = 100.0f;
	float *to = cudasim_device_array(float, 36);
	stencil_sample::diffuse<<<1, dim3(8, 8)>>>(cudasim_device_copy(from), to, 6, 0.25f);
	std::vector<float> got = cudasim_host_copy(to, 36);
	for (int x = 0; x < 6; x++)
		cudasim_assert_equal(got[x], 100.0f);
	/* Below the hot edge: 20 + (100 + 3 * 20 - 4 * 20) / 4. */
	for (int x = 1; x < 5; x++)
		cudasim_assert_equal(got[6 + x], 40.0f);
	cudasim_assert_equal(got[2 * 6 + 2], 20.0f);
}

static void stencil_of_a_flat_plate_is_flat(void **)
{
	std::vector<float> plate(100, 3.5f);
	float *to = cudasim_device_array(float, 100);
	stencil_sample::diffuse<<<dim3(2, 2), dim3(8, 8)>>>(cudasim_device_copy(plate), to, 10, 0.2f);
	cudasim_assert_equal(to, plate, 100);
}

static void stencil_shapes_write_the_same(void **)
{
	std::vector<float> plate = cudasim_random(float, 400, 0.0f, 100.0f);
	float *from = cudasim_device_copy(plate), *to = cudasim_device_copy(plate);
	auto wide = [&] { stencil_sample::diffuse<<<dim3(1, 3), dim3(32, 8)>>>(from, to, 20, 0.2f); };
	auto small = [&] { stencil_sample::diffuse<<<dim3(5, 5), dim3(4, 4)>>>(from, to, 20, 0.2f); };
	cudasim_assert_same_writes(to, 400, wide, small);
}

/* ---- vector add -------------------------------------------------------------------------- */

static void add_of(void **state)
{
	const dim3 &shape = **(const dim3 **)state;
	int n = 777;
	std::vector<float> a = cudasim_random(float, 777, -1.0f, 1.0f);
	std::vector<float> b = cudasim_random(float, 777, -1.0f, 1.0f), expected(n);
	for (int i = 0; i < n; i++)
		expected[i] = a[i] + b[i];
	float *c = cudasim_device_array(float, n);
	vectoradd_sample::add<<<shape.x, shape.y>>>(cudasim_device_copy(a), cudasim_device_copy(b), c, n);
	cudasim_assert_equal(c, expected, n);
}

/* ---- calls in a grid, and assertions in device code ----------------------------------------- */

__device__ static int own_index()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static void every_thread_has_its_index(void **)
{
	auto indices = cudasim_call_grid(5, 40, own_index);
	assert_int_equal(indices.size(), 200);
	for (size_t i = 0; i < indices.size(); i++)
		cudasim_assert_equal(indices[i], (int)i);
	cudasim_assert_equal(indices.at({3, 0, 0}, {7, 0, 0}), 127);
}

__global__ static void checks_itself(const int *values, int n)
{
	int i = threadIdx.x;
	CUDASIM_ASSERT_LT(i, n);
	CUDASIM_EXPECT_EQ(values[i], 2 * i);
	CUDASIM_EXPECT_NEAR(values[i] * 0.5f, (float)i, 1e-6f);
	CUDASIM_EXPECT_TRUE(blockDim.x == 64);
}

static void assertions_hold_in_device_code(void **)
{
	std::vector<int> values(64);
	for (int i = 0; i < 64; i++)
		values[i] = 2 * i;
	checks_itself<<<2, 64>>>(cudasim_device_copy(values), 64);
}

static void too_many_threads_are_refused(void **)
{
	cudasim_assert_launch_fails(cudaErrorInvalidValue, clamp_sample::clamp_all<<<1, 1025>>>(nullptr, 0, 0, 0));
}

static void swap_through_references(void **)
{
	int a = 1, b = 2;
	auto exchange = [] __host__ __device__(int &x, int &y) -> int { int t = x; x = y; y = t; return x + y; };
	cudasim_assert_equal(cudasim_call(exchange, cudasim_inout(a), cudasim_inout(b)), 3);
	cudasim_assert_equal(a, 2);
	cudasim_assert_equal(b, 1);
}

int main(int argc, char **argv)
{
	static const dim3 shapes[] = {{1, 32}, {3, 100}, {24, 192}, {7, 256}, {100, 8}};
	static const product products[] = {{16, 16, 16}, {1, 1, 1}, {17, 33, 5}, {40, 8, 31}};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clamp_keeps_what_is_inside),
		cmocka_unit_test(clamp_raises_to_low),
		cmocka_unit_test(clamp_lowers_to_high),
		cmocka_unit_test(clamp_leaves_its_bounds),
		cmocka_unit_test(clamp_hands_nan_on),
		cudasim_unit_test(clamp_of<int>),
		cudasim_unit_test(clamp_of<double>),
		cudasim_unit_test(clamp_of<unsigned char>),
		cudasim_unit_test(clamp_of<long long>),
		cmocka_unit_test(clamp_all_touches_n_elements),
		cmocka_unit_test(distance_to_itself_is_zero),
		cmocka_unit_test(distance_from_equator_to_pole),
		cmocka_unit_test(distance_to_the_antipode),
		cmocka_unit_test(distance_is_symmetric),
		cmocka_unit_test(distance_agrees_with_the_host),
		cmocka_unit_test(mesh_counts_from_its_corner),
		cmocka_unit_test(three_versions_agree),
		cmocka_unit_test(bell_is_highest_at_its_mean),
		cmocka_unit_test(bell_with_few_threads_covers_all),
		cudasim_unit_test_with(histogram_of, &shapes[0], "histogram_of, 1 x 32"),
		cudasim_unit_test_with(histogram_of, &shapes[1], "histogram_of, 3 x 100"),
		cudasim_unit_test_with(histogram_of, &shapes[2], "histogram_of, 24 x 192"),
		cmocka_unit_test(histogram_of_nothing),
		cmocka_unit_test(histogram_adds_to_what_is_there),
		cmocka_unit_test(histogram_needs_two_barriers),
		cmocka_unit_test(inside_clamps_to_the_frame),
		cmocka_unit_test(mask_keeps_a_flat_frame),
		cmocka_unit_test(mask_with_only_a_centre_copies),
		cudasim_unit_test_with(product_of, &products[0], "product_of, 16 x 16 x 16"),
		cudasim_unit_test_with(product_of, &products[1], "product_of, 1 x 1 x 1"),
		cudasim_unit_test_with(product_of, &products[2], "product_of, 17 x 33 x 5"),
		cudasim_unit_test_with(product_of, &products[3], "product_of, 40 x 8 x 31"),
		cmocka_unit_test(product_crosses_two_barriers_a_tile),
		cudasim_unit_test(sum_of<int>),
		cudasim_unit_test(sum_of<float>),
		cudasim_unit_test(sum_of<double>),
		cmocka_unit_test(sum_of_nothing_is_zero),
		cmocka_unit_test(sum_takes_nine_barriers),
		cmocka_unit_test(stencil_keeps_the_edge),
		cmocka_unit_test(stencil_of_a_flat_plate_is_flat),
		cmocka_unit_test(stencil_shapes_write_the_same),
		cudasim_unit_test_with(add_of, &shapes[2], "add_of, 24 x 192"),
		cudasim_unit_test_with(add_of, &shapes[3], "add_of, 7 x 256"),
		cudasim_unit_test_with(add_of, &shapes[4], "add_of, 100 x 8"),
		cmocka_unit_test(every_thread_has_its_index),
		cmocka_unit_test(assertions_hold_in_device_code),
		cmocka_unit_test(too_many_threads_are_refused),
		cmocka_unit_test(swap_through_references),
	};
	return cudasim_run_tests(tests, argc, argv);
}
