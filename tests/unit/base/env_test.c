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

#include "env.h"

static void names_are_sorted_and_documented(void **state)
{
	(void)state;
	for (const struct env_variable *v = env_variables; v->name; v++) {
		if (v[1].name)
			assert_true(strcmp(v->name, v[1].name) < 0);
		assert_true(*v->values && *v->help);
	}
}

/* The manual's table has a row for each, in the same order. */
static void the_manual_lists_them(void **state)
{
	(void)state;
	static char manual[1 << 16];
	FILE *file = fopen(MANUAL, "r");
	assert_non_null(file);
	size_t n = fread(manual, 1, sizeof manual - 1, file);
	fclose(file);
	assert_in_range(n, 1, sizeof manual - 2);
	const char *at = manual;
	for (const struct env_variable *v = env_variables; v->name; v++) {
		char row[80];
		snprintf(row, sizeof row, "\n| `%s` |", v->name);
		at = strstr(at, row);
		if (!at)
			fail_msg("%s is missing or out of order", v->name);
	}
}

static void check_number(const char *value, bool ok, uint64_t expected)
{
	uint64_t n = 0;
	setenv("CUDASIM_DEVICES", value, 1);
	struct cudasim_error *error = env_number("CUDASIM_DEVICES", 1, 16, 3, &n);
	assert_int_equal(error == NULL, ok);
	if (ok)
		assert_int_equal(n, expected);
	else
		assert_non_null(strstr(error->message, "CUDASIM_DEVICES"));
	cudasim_error_free(error);
}

static void numbers(void **state)
{
	(void)state;
	check_number("1", true, 1);
	check_number("16", true, 16);
	check_number("", true, 3); /* empty is absent */
	check_number("0", false, 0);
	check_number("17", false, 0);
	check_number("-1", false, 0);
	check_number("+1", false, 0);
	check_number(" 1", false, 0);
	check_number("1x", false, 0);
	check_number("x", false, 0);
	check_number("99999999999999999999999", false, 0);
}

static void check_bytes(const char *value, bool ok, uint64_t expected)
{
	uint64_t n = 0;
	setenv("CUDASIM_MEMORY", value, 1);
	struct cudasim_error *error = env_bytes("CUDASIM_MEMORY", 5, &n);
	assert_int_equal(error == NULL, ok);
	if (ok)
		assert_int_equal(n, expected);
	cudasim_error_free(error);
}

static void sizes(void **state)
{
	(void)state;
	check_bytes("4096", true, 4096);
	check_bytes("64K", true, 65536);
	check_bytes("3M", true, 3145728);
	check_bytes("2G", true, 2147483648u);
	check_bytes("1T", true, 1099511627776u);
	check_bytes("0", false, 0);
	check_bytes("G", false, 0);
	check_bytes("4GB", false, 0);
	check_bytes("-4G", false, 0);
	check_bytes("99999999T", false, 0);
}

static const char *found_name[4], *found_nearest[4];
static int n_found;

static void found(const char *name, const char *nearest)
{
	found_name[n_found] = strdup(name);
	found_nearest[n_found++] = nearest;
}

static void a_misspelt_name_is_found_with_its_neighbour(void **state)
{
	(void)state;
	unsetenv("CUDASIM_MEMORY");
	setenv("CUDASIM_DEVICESS", "2", 1);
	setenv("CUDASIM_DEVICES", "2", 1);
	setenv("CUDASIM_NOTHING_LIKE_IT_AT_ALL", "1", 1);
	setenv("MY_CUDASIM_X", "1", 1);
	env_misspelt(found);
	assert_int_equal(n_found, 2);
	int typo = !strcmp(found_name[0], "CUDASIM_DEVICESS") ? 0 : 1;
	assert_string_equal(found_name[typo], "CUDASIM_DEVICESS");
	assert_string_equal(found_nearest[typo], "CUDASIM_DEVICES");
	assert_string_equal(found_name[!typo], "CUDASIM_NOTHING_LIKE_IT_AT_ALL");
	assert_null(found_nearest[!typo]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_sorted_and_documented),
		cmocka_unit_test(the_manual_lists_them),
		cmocka_unit_test(numbers),
		cmocka_unit_test(sizes),
		cmocka_unit_test(a_misspelt_name_is_found_with_its_neighbour),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
