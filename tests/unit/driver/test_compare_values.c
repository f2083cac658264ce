/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare_values.h"

static uint64_t between(enum value_type type, uint64_t a, uint64_t b)
{
	unsigned char x[8], y[8];
	memcpy(x, &a, 8);
	memcpy(y, &b, 8);
	assert_true(value_distance(type, x, y) == value_distance(type, y, x));
	return value_distance(type, x, y);
}

/* Patterns from the IEEE formats. */
static void distances_count_the_values_between(void **state)
{
	(void)state;
	assert_int_equal(between(VALUE_FLOAT, 0x3f800000, 0x3f800001), 1);
	assert_int_equal(between(VALUE_FLOAT, 0x3f800000, 0x40000000), 1 << 23); /* 1, 2 */
	assert_int_equal(between(VALUE_FLOAT, 0x00000000, 0x80000000), 0);      /* zeros */
	assert_int_equal(between(VALUE_FLOAT, 0x00000001, 0x80000001), 2);      /* denormals */
	assert_int_equal(between(VALUE_FLOAT, 0x7f7fffff, 0x7f800000), 1);      /* infinity */
	assert_int_equal(between(VALUE_DOUBLE, 0x3ff0000000000000, 0x3fefffffffffffff), 1);
	assert_int_equal(between(VALUE_HALF, 0x3c00, 0x3c02), 2);
	assert_int_equal(between(VALUE_BFLOAT16, 0x3f80, 0xbf80), 2 * 0x3f80);
	assert_int_equal(between(VALUE_INT32, 0xffffffff, 1), 2);
	assert_int_equal(between(VALUE_UINT32, 0xffffffff, 1), 0xfffffffe);
	assert_int_equal(between(VALUE_INT8, 0x80, 0x7f), 255);
	assert_true(between(VALUE_INT64, UINT64_C(1) << 63, INT64_MAX) == UINT64_MAX - 1);
}

static void nan_is_as_far_as_can_be_from_numbers_only(void **state)
{
	(void)state;
	assert_int_equal(between(VALUE_FLOAT, 0x7fc00000, 0x7fffffff), 0);
	assert_true(between(VALUE_FLOAT, 0x7fc00000, 0x7f800000) == UINT64_MAX);
	assert_true(between(VALUE_HALF, 0x7e00, 0) == UINT64_MAX);
}

static void text_tells_neighbours_apart(void **state)
{
	(void)state;
	static const struct {
		enum value_type type;
		uint64_t bits;
		const char *text;
	} table[] = {
		{VALUE_FLOAT, 0x3dcccccd, "0.100000001"},
		{VALUE_HALF, 0x3c01, "1.001"},
		{VALUE_HALF, 0x0001, "5.9605e-08"},
		{VALUE_BFLOAT16, 0xc049, "-3.141"},
		{VALUE_DOUBLE, 0x3ff0000000000001, "1.0000000000000002"},
		{VALUE_INT16, 0x8000, "-32768"},
		{VALUE_UINT8, 0xff, "255"},
		{VALUE_FLOAT, 0xff800000, "-inf"},
		{VALUE_FLOAT, 0x7fc00001, "NaN (0x7fc00001)"},
		{VALUE_POINTER, 0x1000, "0x1000"},
		{VALUE_INT64, UINT64_MAX, "-1"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char text[64];
		unsigned char bytes[8];
		memcpy(bytes, &table[i].bits, 8);
		value_text(table[i].type, bytes, text, sizeof text);
		assert_string_equal(text, table[i].text);
	}
}

static void tolerances_hold_for_floating_point_only(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum value_type type;
		float a, b;
		bool passes;
	} table[] = {
		{"1", VALUE_FLOAT, 1, 1.00000012f, true},
		{"0", VALUE_FLOAT, 1, 1.00000012f, false},
		{"1", VALUE_FLOAT, 1, 1.00000024f, false},
		{"2ulp", VALUE_FLOAT, 1, 1.00000024f, true},
		{"0.5abs", VALUE_FLOAT, 100, 100.5f, true},
		{"0.25abs", VALUE_FLOAT, 100, 100.5f, false},
		{"1e-2rel", VALUE_FLOAT, 100, 101, true},
		{"1e-2rel", VALUE_FLOAT, 100, 102, false},
		{"0,1abs", VALUE_FLOAT, 1, 2, true},
		{"1e30abs", VALUE_INT32, 1, 2, false},
		{"1e30abs", VALUE_FLOAT, 1, __builtin_nanf(""), false},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct tolerance tolerance;
		struct tally tally = {.type = table[i].type};
		assert_null(tolerance_parse(table[i].text, &tolerance));
		tally_add(&tally, &tolerance, 40, (const unsigned char *)&table[i].a,
			  (const unsigned char *)&table[i].b, 4);
		assert_int_equal(tally.n_different, 1);
		assert_int_equal(tally.n_beyond, !table[i].passes);
		assert_int_equal(tally.first.index, 10);
	}
}

static void what_is_no_tolerance_is_refused(void **state)
{
	(void)state;
	static const char *const table[] = {"",      "x",        "-1",     "1.5", "4x",
					    "1ulp,", "1e400abs", "nanabs", ",1"};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct tolerance tolerance;
		struct cudasim_error *error = tolerance_parse(table[i], &tolerance);
		assert_non_null(error);
		assert_int_equal(error->code, CUDASIM_E_ARGUMENT);
		cudasim_error_free(error);
	}
}

/* The elements at the ends of a piece are not whole. */
static void pieces_need_not_begin_at_elements(void **state)
{
	(void)state;
	const uint16_t a[6] = {1, 1, 1, 1, 1, 1}, b[6] = {2, 1, 3, 1, 1, 2};
	struct tolerance none = {0};
	struct tally tally = {.type = VALUE_UINT32};
	tally_add(&tally, &none, 6, (const unsigned char *)a, (const unsigned char *)b, sizeof a);
	assert_int_equal(tally.n_compared, 2); /* bytes 8-11 and 12-15 */
	assert_int_equal(tally.n_different, 1);
	assert_int_equal(tally.first.index, 2);
	assert_int_equal(tally.worst.distance, 2 << 16);
}

static void the_first_and_the_worst_are_kept(void **state)
{
	(void)state;
	const int32_t a[5] = {0, 0, 0, 0, 0}, b[5] = {0, 3, -9, 4, 1};
	struct tolerance none = {0};
	struct tally tally = {.type = VALUE_INT32};
	tally_add(&tally, &none, 0, (const unsigned char *)a, (const unsigned char *)b, sizeof a);
	assert_int_equal(tally.n_different, 4);
	assert_int_equal(tally.first.index, 1);
	assert_int_equal(tally.worst.index, 2);
	assert_int_equal(tally.buckets[1], 1); /* 1 */
	assert_int_equal(tally.buckets[3], 2); /* 3-4 */
	assert_int_equal(tally.buckets[5], 1); /* 9-16 */
}

static void buckets_have_names(void **state)
{
	(void)state;
	static const struct {
		unsigned bucket;
		const char *text;
	} table[] = {
		{0, "0"},          {1, "1"},          {2, "2"},
		{3, "3-4"},        {4, "5-8"},        {11, "513-1024"},
		{12, "2^10-2^11"}, {65, "2^63-2^64"}, {VALUE_NAN_BUCKET, "NaN"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char text[32];
		bucket_text(table[i].bucket, text, sizeof text);
		assert_string_equal(text, table[i].text);
	}
}

static void parameters_tell_types(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum value_type types[4];
		size_t n;
	} table[] = {
		{"axpy(float, float const*, float*, int)",
		 {VALUE_UNKNOWN, VALUE_FLOAT, VALUE_FLOAT, VALUE_UNKNOWN},
		 4},
		{"void f<(int)3, double>(double const* __restrict__, std::pair<int, float>)",
		 {VALUE_DOUBLE, VALUE_UNKNOWN},
		 2},
		{"g(unsigned long long*, unsigned int*, long*, short const*)",
		 {VALUE_UINT64, VALUE_UINT32, VALUE_INT64, VALUE_INT16},
		 4},
		{"h(__half2*, __nv_bfloat16*, float4 const*, int2*)",
		 {VALUE_HALF, VALUE_BFLOAT16, VALUE_FLOAT, VALUE_INT32},
		 4},
		{"(anonymous namespace)::k(node*, Point*, void*, float**)",
		 {VALUE_UNKNOWN, VALUE_UNKNOWN, VALUE_UNKNOWN, VALUE_POINTER},
		 4},
		{"c(thrust::complex<double>*, unsigned char*, bool*, signed char*)",
		 {VALUE_DOUBLE, VALUE_UINT8, VALUE_UINT8, VALUE_INT8},
		 4},
		{"c_kernel", {0}, 0},
		{"nothing()", {0}, 0},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		enum value_type types[4];
		assert_int_equal(value_types_of_parameters(table[i].name, types, 4), table[i].n);
		for (size_t k = 0; k < table[i].n; k++)
			assert_int_equal(types[k], table[i].types[k]);
	}
}

static void bytes_tell_types_where_nothing_else_does(void **state)
{
	(void)state;
	const float fa[4] = {1, 2, -3, 0}, fb[4] = {1, 2.5f, -3.5f, 1e-3f};
	const double da[2] = {1.0 / 3, 2}, db[2] = {1.0 / 7, 2.5};
	const int ia[4] = {1, 2, 3, -4}, ib[4] = {1, 20, 30, 40};
	assert_int_equal(value_guess((const void *)fa, (const void *)fb, sizeof fa), VALUE_FLOAT);
	assert_int_equal(value_guess((const void *)da, (const void *)db, sizeof da), VALUE_DOUBLE);
	assert_int_equal(value_guess((const void *)ia, (const void *)ib, sizeof ia), VALUE_INT32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_count_the_values_between),
		cmocka_unit_test(nan_is_as_far_as_can_be_from_numbers_only),
		cmocka_unit_test(text_tells_neighbours_apart),
		cmocka_unit_test(tolerances_hold_for_floating_point_only),
		cmocka_unit_test(what_is_no_tolerance_is_refused),
		cmocka_unit_test(pieces_need_not_begin_at_elements),
		cmocka_unit_test(the_first_and_the_worst_are_kept),
		cmocka_unit_test(buckets_have_names),
		cmocka_unit_test(parameters_tell_types),
		cmocka_unit_test(bytes_tell_types_where_nothing_else_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
