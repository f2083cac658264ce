/* SPDX-License-Identifier: Apache-2.0 */
/* The range map against a plain array that is searched from end to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "rangemap.h"

enum { N = 300, SPAN = 4096, STEPS = 20000 };

struct model {
	struct range range;
	bool in;
};

static struct range *model_find(struct model *m, uint64_t address)
{
	for (int i = 0; i < N; i++)
		if (m[i].in && address >= m[i].range.start && address < m[i].range.end)
			return &m[i].range;
	return NULL;
}

static bool model_overlaps(struct model *m, uint64_t start, uint64_t end)
{
	for (int i = 0; i < N; i++)
		if (m[i].in && m[i].range.start < end && start < m[i].range.end)
			return true;
	return false;
}

static struct range *model_nearest(struct model *m, uint64_t address, bool above)
{
	struct range *best = NULL;
	for (int i = 0; i < N; i++) {
		struct range *r = &m[i].range;
		if (!m[i].in || (r->start > address) != above)
			continue;
		if (!best || (above ? r->start < best->start : r->start > best->start))
			best = r;
	}
	return best;
}

static void random_steps_agree_with_a_plain_array(void **state)
{
	(void)state;
	static struct model m[N];
	struct rangemap map = {0};
	size_t n = 0;
	srand(7);
	for (int step = 0; step < STEPS; step++) {
		int i = rand() % N;
		if (m[i].in) {
			rangemap_remove(&map, &m[i].range);
			m[i].in = false;
			n--;
		} else {
			uint64_t start = (uint64_t)(rand() % SPAN);
			uint64_t end = start + (uint64_t)(rand() % 24);
			bool fits = start < end && !model_overlaps(m, start, end);
			m[i].range.start = start;
			m[i].range.end = end;
			assert_int_equal(rangemap_insert(&map, &m[i].range), fits);
			m[i].in = fits;
			n += fits;
		}
		uint64_t at = (uint64_t)(rand() % (SPAN + 32));
		assert_ptr_equal(rangemap_find(&map, at), model_find(m, at));
		assert_ptr_equal(rangemap_below(&map, at), model_nearest(m, at, false));
		assert_ptr_equal(rangemap_above(&map, at), model_nearest(m, at, true));
		assert_int_equal(rangemap_overlap(&map, at, at + 9) != NULL,
				 model_overlaps(m, at, at + 9));
		assert_int_equal(map.n, n);
	}
}

static void iteration_is_in_order_and_survives_removal(void **state)
{
	(void)state;
	struct rangemap map = {0};
	static struct range r[50];
	for (int i = 0; i < 50; i++) {
		uint64_t at = (uint64_t)(i * 37 % 50) * 10;
		r[i] = (struct range){.start = at, .end = at + 10};
		assert_true(rangemap_insert(&map, &r[i]));
	}
	uint64_t expected = 0;
	RANGEMAP_FOR_EACH(&map, x)
	{
		assert_int_equal(x->start, expected);
		expected += 10;
		rangemap_remove(&map, x);
	}
	assert_int_equal(expected, 500);
	assert_int_equal(map.n, 0);
	assert_null(map.root);
}

/* A range that ends where another begins does not overlap it; an empty one is
 * refused. */
static void neighbours_and_empty_ranges(void **state)
{
	(void)state;
	struct rangemap map = {0};
	struct range a = {.start = 10, .end = 20}, b = {.start = 20, .end = 30};
	struct range empty = {.start = 40, .end = 40}, inside = {.start = 19, .end = 21};
	assert_true(rangemap_insert(&map, &a));
	assert_true(rangemap_insert(&map, &b));
	assert_false(rangemap_insert(&map, &empty));
	assert_false(rangemap_insert(&map, &inside));
	assert_ptr_equal(rangemap_find(&map, 19), &a);
	assert_ptr_equal(rangemap_find(&map, 20), &b);
	assert_null(rangemap_find(&map, 30));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_steps_agree_with_a_plain_array),
		cmocka_unit_test(iteration_is_in_order_and_survives_removal),
		cmocka_unit_test(neighbours_and_empty_ranges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
