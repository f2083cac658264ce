/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options against the names that `nvcc --help` of CUDA 13.0 lists
 * (tests/data/nvcc-13.0-options.txt: a long and a short name on each line). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "options.h"

enum { LISTED = 143 };

static size_t find(const char *long_name, const char *short_name)
{
	for (size_t i = 0; i < n_nvcc_options; i++)
		if (!strcmp(option_table[i].long_name, long_name) &&
		    !strcmp(option_table[i].short_name, short_name))
			return i;
	return n_nvcc_options;
}

static void table_holds_exactly_nvccs_options(void **state)
{
	(void)state;
	FILE *list = fopen(NVCC_OPTIONS, "r");
	assert_non_null(list);
	char long_name[128], short_name[128];
	size_t n = 0;
	while (fscanf(list, "%127s %127s", long_name, short_name) == 2) {
		n++;
		if (find(long_name, short_name) == n_nvcc_options)
			fail_msg("%s (%s) is not in the table", long_name, short_name);
	}
	fclose(list);
	assert_int_equal(n, LISTED);
	assert_int_equal(n_nvcc_options, LISTED);
}

static void no_name_stands_for_two_options(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_options; i++)
		for (size_t j = i + 1; j < n_options; j++) {
			assert_string_not_equal(option_table[i].long_name,
						option_table[j].long_name);
			assert_string_not_equal(option_table[i].short_name,
						option_table[j].short_name);
		}
}

static void ignored_and_refused_options_say_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_options; i++) {
		const struct option *option = &option_table[i];
		if (option->status == OPTION_DONE) {
			assert_null(option->note);
			assert_true(option->effect != EFFECT_NONE);
		} else {
			assert_non_null(option->note);
			assert_true(strlen(option->note) > 10);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_holds_exactly_nvccs_options),
		cmocka_unit_test(no_name_stands_for_two_options),
		cmocka_unit_test(ignored_and_refused_options_say_why),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
