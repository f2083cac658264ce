/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "signal_name.h"

/* The C library's own names are the reference, where it has them. */
static void names_are_the_c_librarys(void **state)
{
	(void)state;
#if __GLIBC_PREREQ(2, 32)
	for (int i = -1; i <= SIGRTMAX; i++) {
		const char *name = sigabbrev_np(i), *text = sigdescr_np(i);
		if (!name) {
			assert_null(signal_abbreviation(i));
			assert_null(signal_text(i));
			continue;
		}
		assert_string_equal(signal_abbreviation(i), name);
		assert_string_equal(signal_text(i), text);
	}
#endif
	assert_string_equal(signal_abbreviation(SIGSEGV), "SEGV");
	assert_null(signal_abbreviation(0));
	assert_null(signal_text(100000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_the_c_librarys)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
