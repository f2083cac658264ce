/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options against the names that `nvcc --help` of CUDA 13.0 lists
 * (tests/data/nvcc-13.0-options.txt: a long and a short name on each line). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

static void each_option_says_what_it_does_or_why_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_options; i++) {
		const struct option *option = &option_table[i];
		if (option->status == OPTION_DONE) {
			assert_true(option->effect != EFFECT_NONE);
		}
		assert_non_null(option->note);
		assert_true(strlen(option->note) > 8);
		/* What a value is called, of those that take one. */
		bool named = option->choices || option->placeholder;
		if (option->status == OPTION_DONE && option->argument != OPTION_BOOL &&
		    named != (option->argument != OPTION_ALONE))
			fail_msg("%s", option->long_name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_holds_exactly_nvccs_options),
		cmocka_unit_test(no_name_stands_for_two_options),
		cmocka_unit_test(each_option_says_what_it_does_or_why_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
