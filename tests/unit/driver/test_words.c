/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "module_id.h"
#include "words.h"

static void parsing_knows_quotes_and_backslashes(void **state)
{
	(void)state;
	struct words words = {0};
	assert_true(words_parse(&words, "a 'b c' \"d \\\"e\\\"\" f\\ g \t\n ''"));
	assert_int_equal(words.n, 5);
	assert_string_equal(words.at[1], "b c");
	assert_string_equal(words.at[2], "d \"e\"");
	assert_string_equal(words.at[3], "f g");
	assert_string_equal(words.at[4], "");
	assert_null(words.at[5]);
	words_fini(&words);
	assert_false(words_parse(&words, "a 'b"));
	words_fini(&words);
}

static void quoting_is_undone_by_parsing(void **state)
{
	(void)state;
	struct words words = {0}, again = {0};
	words_add_all(&words, "plain", "two words", "quote\"d", "don't", "", "$HOME", "a;b", NULL);
	char *line = words_quote(&words);
	assert_true(words_parse(&again, line));
	assert_int_equal(again.n, words.n);
	for (size_t i = 0; i < words.n; i++)
		assert_string_equal(again.at[i], words.at[i]);
	free(line);
	words_fini(&words);
	words_fini(&again);
}

/* Test vectors of 128-bit FNV-1a from the draft's appendix. */
static void hash_is_fnv1a(void **state)
{
	(void)state;
	static const char *const table[][2] = {
		{"", "6c62272e07bb014262b821756295c58d"},
		{"a", "d228cb696f1a8caf78912b704e4a8964"},
		{"foobar", "343e1662793c64bf6f0d3597ba446f18"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct module_id id;
		char text[33];
		uint8_t bytes[16];
		module_id_init(&id);
		module_id_add(&id, table[i][0], strlen(table[i][0]));
		module_id_text(&id, text, bytes);
		assert_string_equal(text, table[i][1]);
		assert_int_equal(bytes[0], strtoul((char[]){text[0], text[1], 0}, NULL, 16));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing_knows_quotes_and_backslashes),
		cmocka_unit_test(quoting_is_undone_by_parsing),
		cmocka_unit_test(hash_is_fnv1a),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
