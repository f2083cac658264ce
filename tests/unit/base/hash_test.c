/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hash.h"

static void an_empty_table_holds_nothing(void **state)
{
	(void)state;
	struct hash hash = {0};
	int key = 0;
	assert_null(hash_get(&hash, &key));
	assert_null(hash_get(&hash, NULL));
	assert_null(hash_remove(&hash, &key));
	hash_fini(&hash);
}

/* Keys that lie as addresses do, 16 bytes apart, come and go at random. */
static void random_steps_agree_with_a_plain_array(void **state)
{
	(void)state;
	enum { N = 500 };
	static char keys[N][16];
	static void *model[N];
	struct hash hash = {0};
	size_t n = 0;
	srand(11);
	for (int step = 0; step < 50000; step++) {
		int i = rand() % N;
		if (rand() % 2) {
			void *value = &keys[rand() % N];
			assert_true(hash_put(&hash, keys[i], value));
			n += !model[i];
			model[i] = value;
		} else {
			assert_ptr_equal(hash_remove(&hash, keys[i]), model[i]);
			n -= model[i] != NULL;
			model[i] = NULL;
		}
		int j = rand() % N;
		assert_ptr_equal(hash_get(&hash, keys[j]), model[j]);
		assert_int_equal(hash.n, n);
	}
	for (int i = 0; i < N; i++)
		assert_ptr_equal(hash_get(&hash, keys[i]), model[i]);
	hash_fini(&hash);
}

/* 0 is a number like others, and no key is another thing than 0. */
static void small_numbers_are_values(void **state)
{
	(void)state;
	struct hash h = {0};
	int a = 1, b = 2, c = 3;
	assert_true(hash_put(&h, &a, hash_number(0)));
	assert_true(hash_put(&h, &b, hash_number(41)));
	assert_non_null(hash_get(&h, &a));
	assert_int_equal(hash_number_of(hash_get(&h, &a)), 0);
	assert_int_equal(hash_number_of(hash_get(&h, &b)), 41);
	assert_null(hash_get(&h, &c));
	hash_fini(&h);
}

/* Keys that are equal as texts are one key, wherever they stand; the later address stays. */
static void texts_are_compared_as_texts(void **state)
{
	(void)state;
	enum { N = 1000 };
	static char names[N][8], again[N][8];
	struct hash h = {0};
	assert_null(hash_text_get(&h, "a"));
	assert_null(hash_text_get(&h, NULL));
	for (int i = 0; i < N; i++) {
		snprintf(names[i], sizeof names[i], "n%d", i);
		memcpy(again[i], names[i], sizeof again[i]);
		assert_null(hash_text_get(&h, names[i]));
		assert_true(hash_text_put(&h, names[i], hash_number((size_t)i)));
	}
	assert_int_equal(h.n, N);
	for (int i = 0; i < N; i++) {
		assert_non_null(hash_text_get(&h, again[i]));
		assert_int_equal(hash_number_of(hash_text_get(&h, again[i])), i);
		assert_true(hash_text_put(&h, again[i], hash_number((size_t)i + N)));
	}
	assert_int_equal(h.n, N);
	assert_int_equal(hash_number_of(hash_text_get(&h, "n7")), 7 + N);
	assert_null(hash_text_get(&h, "n1000"));
	assert_null(hash_text_get(&h, ""));
	hash_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_numbers_are_values),
		cmocka_unit_test(texts_are_compared_as_texts),
		cmocka_unit_test(an_empty_table_holds_nothing),
		cmocka_unit_test(random_steps_agree_with_a_plain_array),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
