/* SPDX-License-Identifier: Apache-2.0 */
/* Values of many threads folded into rows, and the line or value that most follow. All
 * expectations are worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "samples.h"

enum { MAX = 64 };
static struct sample samples[MAX];
static char texts[MAX][32];

/* n threads of one row in one block, with these numbers; NAN is a NaN. */
static void set(size_t n, const double *numbers)
{
	memset(samples, 0, sizeof samples);
	for (size_t i = 0; i < n; i++) {
		snprintf(texts[i], sizeof texts[i], "%g", numbers[i]);
		samples[i].text = texts[i];
		samples[i].is_number = true;
		samples[i].is_nan = isnan(numbers[i]);
		samples[i].number = numbers[i];
		samples[i].position = samples[i].linear = samples[i].thread[0] = (uint32_t)i;
	}
}

static void expect_fold(const struct fold *fold, size_t first, size_t n, double step)
{
	assert_int_equal(fold->first, first);
	assert_int_equal(fold->n, n);
	assert_int_equal(fold->is_even, step != 0);
	if (step != 0)
		assert_true(fold->step == (long double)step);
}

static struct fold *fold_all(size_t n, size_t *ret_n)
{
	struct fold *folds;
	assert_null(samples_fold(samples, n, &folds, ret_n));
	return folds;
}

static void equal_values_are_one_row(void **state)
{
	(void)state;
	size_t n;
	set(7, (double[]){4, 4, 4, 9, 4, 4, 4});
	struct fold *folds = fold_all(7, &n);
	assert_int_equal(n, 3);
	expect_fold(&folds[0], 0, 3, 0);
	expect_fold(&folds[1], 3, 1, 0);
	expect_fold(&folds[2], 4, 3, 0);
	free(folds);
}

static void values_that_grow_evenly_are_one_row(void **state)
{
	(void)state;
	size_t n;
	set(6, (double[]){10, 8, 6, 4, 2, 0});
	struct fold *folds = fold_all(6, &n);
	assert_int_equal(n, 1);
	expect_fold(&folds[0], 0, 6, -2);
	free(folds);
}

/* Two values always have one difference: that is no row of its own. */
static void two_values_do_not_grow(void **state)
{
	(void)state;
	size_t n;
	set(3, (double[]){1, 5, 5});
	struct fold *folds = fold_all(3, &n);
	assert_int_equal(n, 2);
	expect_fold(&folds[0], 0, 1, 0);
	expect_fold(&folds[1], 1, 2, 0);
	free(folds);
}

/* 0 1 2 3 3 3: the 3 belongs to the equal ones. */
static void growth_ends_where_equal_values_begin(void **state)
{
	(void)state;
	size_t n;
	set(6, (double[]){0, 1, 2, 3, 3, 3});
	struct fold *folds = fold_all(6, &n);
	assert_int_equal(n, 2);
	expect_fold(&folds[0], 0, 3, 1);
	expect_fold(&folds[1], 3, 3, 0);
	free(folds);
}

/* Thread 2 has exited: a row must not seem to hold it. */
static void a_missing_thread_ends_a_row(void **state)
{
	(void)state;
	size_t n;
	set(4, (double[]){7, 7, 7, 7});
	samples[2].position = 3;
	samples[3].position = 4;
	struct fold *folds = fold_all(4, &n);
	assert_int_equal(n, 2);
	expect_fold(&folds[0], 0, 2, 0);
	expect_fold(&folds[1], 2, 2, 0);
	free(folds);
}

static void nan_is_equal_to_nan_and_does_not_grow(void **state)
{
	(void)state;
	size_t n;
	set(5, (double[]){NAN, NAN, 1, 2, NAN});
	struct fold *folds = fold_all(5, &n);
	assert_int_equal(n, 4);
	expect_fold(&folds[0], 0, 2, 0);
	expect_fold(&folds[3], 4, 1, 0);
	free(folds);
}

static void no_samples_have_no_rows(void **state)
{
	(void)state;
	size_t n = 1;
	struct fold *folds = fold_all(0, &n);
	assert_int_equal(n, 0);
	free(folds);
	assert_int_equal(samples_pattern(samples, 0).kind, PATTERN_NONE);
}

static void the_most_common_value_is_the_pattern(void **state)
{
	(void)state;
	set(6, (double[]){3, 8, 8, 8, 2, 8});
	struct pattern pattern = samples_pattern(samples, 6);
	assert_int_equal(pattern.kind, PATTERN_CONSTANT);
	assert_int_equal(pattern.like, 1);
	assert_int_equal(pattern.n_following, 4);
	assert_false(sample_follows(&samples[0], &pattern, samples));
	assert_true(sample_follows(&samples[5], &pattern, samples));
}

/* 5 + 2 i, but thread 3 has 0. */
static void one_thread_off_the_line_is_found(void **state)
{
	(void)state;
	set(8, (double[]){5, 7, 9, 0, 13, 15, 17, 19});
	struct pattern pattern = samples_pattern(samples, 8);
	assert_int_equal(pattern.kind, PATTERN_POSITION);
	assert_true(pattern.base == 5 && pattern.step == 2);
	assert_int_equal(pattern.n_following, 7);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(sample_follows(&samples[i], &pattern, samples), i != 3);
}

/* Four rows of four threads, each with 10 threadIdx.y: no line through the positions. */
static void rows_of_a_block_follow_their_y(void **state)
{
	(void)state;
	double numbers[16];
	for (size_t i = 0; i < 16; i++)
		numbers[i] = (double)(i / 4 * 10);
	set(16, numbers);
	for (size_t i = 0; i < 16; i++) {
		samples[i].thread[0] = (uint32_t)(i % 4);
		samples[i].thread[1] = (uint32_t)(i / 4);
	}
	struct pattern pattern = samples_pattern(samples, 16);
	assert_int_equal(pattern.kind, PATTERN_Y);
	assert_true(pattern.base == 0 && pattern.step == 10);
	assert_int_equal(pattern.n_following, 16);
}

static void values_without_order_have_no_pattern(void **state)
{
	(void)state;
	set(8, (double[]){3, 1, 4, 15, 9, 2, 6, 53});
	assert_int_equal(samples_pattern(samples, 8).kind, PATTERN_NONE);
}

static void every_second_thread_is_one_row(void **state)
{
	static const double numbers[] = {0, 7, 0, 7, 0, 7, 0, 7};
	struct fold *folds;
	size_t n;
	(void)state;
	set(8, numbers);
	assert_null(samples_fold(samples, 8, &folds, &n));
	assert_int_equal(n, 2);
	expect_fold(&folds[0], 0, 4, 0);
	expect_fold(&folds[1], 1, 4, 0);
	assert_int_equal(folds[0].stride, 2);
	assert_int_equal(folds[1].stride, 2);
	free(folds);
}

/* 0 10 1 11 2 12 3, then 9 9 9: the fourth of the second row is missing. */
static void strided_rows_grow_and_end_unevenly(void **state)
{
	static const double numbers[] = {0, 10, 1, 11, 2, 12, 3, 9, 9, 9};
	struct fold *folds;
	size_t n;
	(void)state;
	set(10, numbers);
	assert_null(samples_fold(samples, 10, &folds, &n));
	assert_int_equal(n, 3);
	expect_fold(&folds[0], 0, 4, 1);
	expect_fold(&folds[1], 1, 3, 1);
	assert_int_equal(folds[0].stride, 2);
	expect_fold(&folds[2], 7, 3, 0);
	assert_int_equal(folds[2].stride, 1);
	free(folds);
}

/* Each value would have to come three times. */
static void a_stride_has_to_be_worth_it(void **state)
{
	static const double numbers[] = {1, 2, 5, 1, 2, 6};
	struct fold *folds;
	size_t n;
	(void)state;
	set(6, numbers);
	assert_null(samples_fold(samples, 6, &folds, &n));
	assert_int_equal(n, 6);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(folds[i].stride, 1);
	free(folds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_values_are_one_row),
		cmocka_unit_test(values_that_grow_evenly_are_one_row),
		cmocka_unit_test(two_values_do_not_grow),
		cmocka_unit_test(growth_ends_where_equal_values_begin),
		cmocka_unit_test(a_missing_thread_ends_a_row),
		cmocka_unit_test(nan_is_equal_to_nan_and_does_not_grow),
		cmocka_unit_test(no_samples_have_no_rows),
		cmocka_unit_test(every_second_thread_is_one_row),
		cmocka_unit_test(strided_rows_grow_and_end_unevenly),
		cmocka_unit_test(a_stride_has_to_be_worth_it),
		cmocka_unit_test(the_most_common_value_is_the_pattern),
		cmocka_unit_test(one_thread_off_the_line_is_found),
		cmocka_unit_test(rows_of_a_block_follow_their_y),
		cmocka_unit_test(values_without_order_have_no_pattern),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
