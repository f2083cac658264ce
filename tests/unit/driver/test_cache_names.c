/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cache_names.h"

/* names and macros: what is found, each followed by a blank. */
static void expect(const char *text, const char *macro, bool all, const char *names,
		   const char *macros)
{
	struct words found[2] = {0};
	char said[2][256] = {"", ""};
	assert_int_equal(cache_names_find(text, strlen(text), macro, &found[0], &found[1]), all);
	for (int which = 0; which < 2; which++) {
		for (size_t i = 0; i < found[which].n; i++) {
			strcat(said[which], found[which].at[i]);
			strcat(said[which], " ");
		}
		words_fini(&found[which]);
	}
	assert_string_equal(said[0], names);
	assert_string_equal(said[1], macros);
}

static void names_are_found(void **state)
{
	(void)state;
	expect("#if __has_include(<a/b.h>) || __has_include ( \"c.h\" )\n", "__has_include", true,
	       "a/b.h c.h ", "");
	expect("#if __has_include_next(<a.h>)\n#elif __has_include(<a.h>)\n", "__has_include", true,
	       "a.h ", "");
	expect("#if defined(__has_include)\n#ifdef __has_include\n#ifndef  __has_include\n",
	       "__has_include", true, "", "");
	expect("", "__has_include", true, "", "");
	expect("__has_include", "__has_include", false, "", "");
	expect("__has_include(<a.h", "__has_include", false, "", "");
	expect("#if __has_include(HEADER)\n", "__has_include", false, "", "");
}

static void macros_are_found(void **state)
{
	(void)state;
	expect("#define HAS(x) __has_include(x)\n", "__has_include", true, "", "HAS ");
	expect("  #  define HAS( x ) (1 && \\\n 2 && __has_include( x ))\n", "__has_include", true,
	       "", "HAS ");
	/* Its name is computed, or it is not the only parameter. */
	expect("#define HAS(x) __has_include(y)\n", "__has_include", false, "", "");
	expect("#define HAS(x, y) __has_include(x)\n", "__has_include", false, "", "");
	expect("#define HAS __has_include(x)\n", "__has_include", false, "", "");
	expect("#define HAS(x) 0\n__has_include(x)\n", "__has_include", false, "", "");
	expect("#define", "__has_include", true, "", "");
	/* Uses of such a macro. */
	expect("#define HAS(x) __has_include(x)\n#undef HAS\n#if HAS(<a.h>) && OTHER_HAS(<b.h>) && HAS2(<c.h>)\n",
	       "HAS", true, "a.h ", "");
	expect("#define ALSO(x) HAS(x)\n", "HAS", true, "", "ALSO ");
	expect("#if HAS(NAME)\n", "HAS", false, "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(macros_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
