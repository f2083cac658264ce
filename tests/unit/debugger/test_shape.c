/* SPDX-License-Identifier: Apache-2.0 */
/* Where elements lie by shapes, slices and CuTe's layouts. Places are worked out by hand, in elements of
 * four bytes, as CUTLASS's documentation ("CuTe Layouts") and NumPy's ("Basic slicing") define them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "error.h"
#include "fragment.h"
#include "mma_layout.h"
#include "shape.h"

static struct shape vector_of(uint64_t n)
{
	struct shape shape = {.element = type_base("float"), .rank = 1, .is_memory = true};
	shape.axes[0] = (struct axis){.n = n, .step = 4, .by = 1};
	shape.n_bytes = 4 * n;
	return shape;
}

static void expect_axis(const struct axis *axis, uint64_t n, const int64_t *places)
{
	assert_int_equal(axis->n, n);
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(axis_place(axis, i), 4 * places[i]);
}

static void expect_error(struct cudasim_error *error)
{
	assert_non_null(error);
	cudasim_error_free(error);
}

static void a_shape_has_the_last_index_fastest(void **state)
{
	static const uint64_t sizes[] = {2, 3, 4};
	struct shape shape = vector_of(24);
	(void)state;
	assert_null(shape_set(&shape, 3, sizes, NULL));
	expect_axis(&shape.axes[0], 2, (int64_t[]){0, 12});
	expect_axis(&shape.axes[1], 3, (int64_t[]){0, 4, 8});
	expect_axis(&shape.axes[2], 4, (int64_t[]){0, 1, 2, 3});
	shape_transpose(&shape);
	expect_axis(&shape.axes[0], 4, (int64_t[]){0, 1, 2, 3});
	expect_axis(&shape.axes[2], 2, (int64_t[]){0, 12});
	shape_fini(&shape);
}

static void a_shape_beyond_the_array_is_refused(void **state)
{
	static const uint64_t sizes[] = {5, 5}, wide[] = {UINT64_MAX / 2, UINT64_MAX / 2};
	static const int64_t strides[] = {-5, 1};
	struct shape shape = vector_of(24);
	(void)state;
	expect_error(shape_set(&shape, 2, sizes, NULL));
	expect_error(shape_set(&shape, 2, sizes, strides));
	expect_error(shape_set(&shape, 2, wide, NULL));
	shape_fini(&shape);
}

static void modes_of_a_layout_are_tuples_leftmost_fastest(void **state)
{
	struct shape shape = vector_of(24);
	(void)state;
	assert_null(shape_set_layout(&shape, "((2,2),3):((1,12),2)"));
	assert_int_equal(shape.rank, 2);
	expect_axis(&shape.axes[0], 4, (int64_t[]){0, 1, 12, 13});
	expect_axis(&shape.axes[1], 3, (int64_t[]){0, 2, 4});
	assert_null(shape_set_layout(&shape, "(_4, _2) : (_2, _1)"));
	expect_axis(&shape.axes[0], 4, (int64_t[]){0, 2, 4, 6});
	expect_axis(&shape.axes[1], 2, (int64_t[]){0, 1});
	assert_null(shape_set_layout(&shape, "(3,(2,4))"));
	expect_axis(&shape.axes[0], 3, (int64_t[]){0, 1, 2});
	expect_axis(&shape.axes[1], 8, (int64_t[]){0, 3, 6, 9, 12, 15, 18, 21});
	shape_fini(&shape);
}

static void wrong_layouts_are_refused(void **state)
{
	static const char *const wrong[] = {"",
					    "(",
					    "()",
					    "(2",
					    "(2,)",
					    "(2,3):(1)",
					    "((2),3):(2,(3))",
					    "0",
					    "-1",
					    "(2,3):(1,x)",
					    "(2,3)x",
					    "25",
					    "(5,5)",
					    "99999999999999999999",
					    "(2147483647,2147483647)",
					    "((((((((((((((((((((1))))))))))))))))))))"};
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct shape shape = vector_of(24);
		expect_error(shape_set_layout(&shape, wrong[i]));
		shape_fini(&shape);
	}
}

static void slices_are_numpys(void **state)
{
	static const struct {
		const char *text;
		uint64_t n;
		int64_t first, step; /* of the elements 0, 1, ... 9 */
	} slices[] = {
		{"2:5", 3, 2, 1}, {"::3", 4, 0, 3},     {"-3:", 3, 7, 1},
		{":-8", 2, 0, 1}, {"::-1", 10, 9, -1},  {"8:2:-2", 3, 8, -2},
		{"5:2", 0, 5, 1}, {"-99:99", 10, 0, 1}, {"99:-99:-4", 3, 9, -4},
		{"3:", 7, 3, 1},
	};
	(void)state;
	for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
		struct shape shape = vector_of(10);
		assert_null(shape_slice(&shape, slices[i].text));
		assert_int_equal(shape.rank, 1);
		assert_int_equal(shape.axes[0].n, slices[i].n);
		for (uint64_t k = 0; k < slices[i].n; k++) {
			int64_t wanted = slices[i].first + (int64_t)k * slices[i].step;
			assert_int_equal(axis_index(&shape.axes[0], k), wanted);
			assert_int_equal((int64_t)shape.address + axis_place(&shape.axes[0], k),
					 4 * wanted);
		}
		shape_fini(&shape);
	}
}

static void slices_of_layouts_keep_their_places(void **state)
{
	struct shape shape = vector_of(24);
	(void)state;
	assert_null(shape_set_layout(&shape, "((2,2),3):((1,12),2)"));
	assert_null(shape_slice(&shape, "::-2,1"));
	assert_int_equal(shape.rank, 1);
	assert_int_equal(shape.address, 4 * 2);
	expect_axis(&shape.axes[0], 2, (int64_t[]){13, 1});
	shape_fini(&shape);
}

/* PTX ISA 9.0, "Matrix fragments for mma.m16n8k16 with .f16": of A, row is lane / 4, and 8 more for a2,
 * a3, a6, a7; column is lane % 4 * 2 + (i & 1), and 8 more from a4 on. */
static void fragments_are_those_of_the_manual(void **state)
{
	struct fragment f;
	(void)state;
	assert_null(fragment_parse("m16n8k16, A, f16", &f));
	assert_int_equal(f.of, CUDASIM_MMA_A);
	for (uint32_t lane = 0; lane < 32; lane++)
		for (uint32_t i = 0; i < 8; i++) {
			struct mma_place p = mma_place(f.form, f.of, lane, i);
			assert_int_equal(p.row, lane / 4 + (i & 2 ? 8 : 0));
			assert_int_equal(p.column, lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shape_has_the_last_index_fastest),
		cmocka_unit_test(a_shape_beyond_the_array_is_refused),
		cmocka_unit_test(modes_of_a_layout_are_tuples_leftmost_fastest),
		cmocka_unit_test(wrong_layouts_are_refused),
		cmocka_unit_test(slices_are_numpys),
		cmocka_unit_test(slices_of_layouts_keep_their_places),
		cmocka_unit_test(fragments_are_those_of_the_manual),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
