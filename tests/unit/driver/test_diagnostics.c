/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diagnostics.h"

static void expect_shown(const char *text, struct words *seen, const char *expected)
{
	char *shown = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&shown, &size);
	assert_non_null(out);
	diagnostics_show(text, seen, out);
	fclose(out);
	assert_string_equal(shown, expected);
	free(shown);
}

#define WARNING                                                                                    \
	"a.cu:1:2: warning: unused variable 'x' [-Wunused]\n"                                      \
	"    1 |  int x;\n"                                                                        \
	"      |      ^\n"
#define NOTED                                                                                      \
	"In file included from a.cu:1:\n"                                                          \
	"./b.h:3:4: error: no matching function\n"                                                 \
	"./b.h:9:1: note: candidate\n"

static void second_pass_adds_only_what_is_new(void **state)
{
	(void)state;
	struct words seen = {0};
	expect_shown(WARNING NOTED "1 warning and 1 error generated when compiling for sm_90.\n",
		     &seen, WARNING NOTED);
	expect_shown(NOTED WARNING "1 warning and 1 error generated.\n", &seen, "");
	expect_shown("b.cu:1:1: warning: new\n" WARNING, &seen, "b.cu:1:1: warning: new\n");
	words_fini(&seen);
}

static void equal_messages_at_two_places_are_two(void **state)
{
	(void)state;
	struct words seen = {0};
	expect_shown("a.cu:1:1: warning: w\na.cu:2:1: warning: w\n", &seen,
		     "a.cu:1:1: warning: w\na.cu:2:1: warning: w\n");
	words_fini(&seen);
}

static void colours_do_not_hide_the_heads(void **state)
{
	(void)state;
	struct words seen = {0};
	static const char colored[] = "\033[1ma.cu:1:1: \033[0m\033[0;1;35mwarning: \033[0mw\n";
	expect_shown(colored, &seen, colored);
	expect_shown(colored, &seen, "");
	words_fini(&seen);
}

static void other_text_is_kept(void **state)
{
	(void)state;
	struct words seen = {0};
	expect_shown("clang: something odd\n", &seen, "clang: something odd\n");
	expect_shown("", &seen, "");
	expect_shown("no newline at the end", &seen, "no newline at the end");
	words_fini(&seen);
}

/* clang does not know what has become of texture references. */
static void what_cuda_has_dropped_is_named(void **state)
{
	(void)state;
	struct words seen = {0};
	expect_shown(
		"a.cu:1:1: error: no template named 'texture'\n", &seen,
		"a.cu:1:1: error: no template named 'texture'\n"
		"cudasim: note: texture references were removed in CUDA 12: use a texture object "
		"(cudaCreateTextureObject) instead\n");
	words_fini(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(second_pass_adds_only_what_is_new),
		cmocka_unit_test(equal_messages_at_two_places_are_two),
		cmocka_unit_test(colours_do_not_hide_the_heads),
		cmocka_unit_test(other_text_is_kept),
		cmocka_unit_test(what_cuda_has_dropped_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
