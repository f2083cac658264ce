/* SPDX-License-Identifier: Apache-2.0 */
/* The file of SARIF: a whole document at every moment, whatever its writers have left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "sarif.h"

static char path[] = "/tmp/cudasim-sarif-XXXXXX";

static int make_name(void **state)
{
	(void)state;
	int file = mkstemp(path);
	return file < 0 || close(file);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* The results' ids, as one text: "a b c". */
static void expect_results(const char *wanted)
{
	json_error_t where;
	char text[4096] = "";
	json_t *all = json_load_file(path, 0, &where), *one;
	size_t i;
	assert_non_null(all);
	json_t *runs = json_object_get(all, "runs");
	assert_int_equal(json_array_size(runs), 1);
	json_t *results = json_object_get(json_array_get(runs, 0), "results");
	assert_true(json_is_array(results));
	json_array_foreach(results, i, one)
	{
		assert_true(strlen(text) < sizeof text - 64);
		sprintf(text + strlen(text), "%s%s", i ? " " : "",
			json_string_value(json_object_get(one, "ruleId")));
	}
	json_decref(all);
	assert_string_equal(text, wanted);
}

static void begin(void)
{
	assert_null(sarif_begin(path, "/a folder/of sources"));
}

static void add(const char *id)
{
	char text[256];
	/* With what looks like the end of something. */
	snprintf(text, sizeof text, "{\"ruleId\":\"%s\",\"message\":{\"text\":\"]}]} \\\" { \"}}",
		 id);
	assert_null(sarif_add(path, text));
}

static void results_come_in_order(void **state)
{
	(void)state;
	begin();
	expect_results("");
	add("a");
	expect_results("a");
	add("b");
	add("c");
	expect_results("a b c");
	begin();
	expect_results("");
}

static void rules_and_root_are_there(void **state)
{
	(void)state;
	begin();
	json_t *all = json_load_file(path, 0, NULL);
	json_t *run = json_array_get(json_object_get(all, "runs"), 0);
	json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
	json_t *rules = json_object_get(driver, "rules");
	assert_int_equal(json_array_size(rules), sarif_n_rules);
	for (size_t i = 0; i < sarif_n_rules; i++) {
		const char *id = json_string_value(json_object_get(json_array_get(rules, i), "id"));
		assert_string_equal(id, sarif_rules[i].kind);
		assert_int_equal(sarif_rule_of(id), i);
	}
	assert_int_equal(sarif_rule_of("no such kind"), sarif_n_rules);
	json_t *base = json_object_get(json_object_get(run, "originalUriBaseIds"), "%SRCROOT%");
	assert_string_equal(json_string_value(json_object_get(base, "uri")),
			    "file:///a%20folder/of%20sources/");
	json_decref(all);
}

/* A writer that is killed leaves the first bytes of what it writes. */
static void torn_file_keeps_whole_results(void **state)
{
	(void)state;
	struct stat before, after;
	begin();
	add("a");
	assert_int_equal(stat(path, &before), 0);
	add("b");
	assert_int_equal(stat(path, &after), 0);
	char *whole = malloc((size_t)after.st_size);
	int file = open(path, O_RDWR);
	assert_int_equal(pread(file, whole, (size_t)after.st_size, 0), after.st_size);
	size_t n_with_b = 0;
	for (off_t size = before.st_size - 6; size < after.st_size; size++) {
		assert_int_equal(pwrite(file, whole, (size_t)after.st_size, 0), after.st_size);
		assert_int_equal(ftruncate(file, size), 0);
		/* Is b whole there? The closing text is six bytes. */
		bool has_b = size >= after.st_size - 6;
		n_with_b += has_b;
		add("c");
		expect_results(has_b ? "a b c" : "a c");
	}
	assert_int_equal(n_with_b, 6);
	free(whole);
	close(file);
}

static void other_files_are_left_alone(void **state)
{
	(void)state;
	static const char text[] = "a letter to somebody\n";
	FILE *out = fopen(path, "w");
	fputs(text, out);
	fclose(out);
	struct cudasim_error *error = sarif_add(path, "{}");
	assert_non_null(error);
	assert_int_equal(error->code, CUDASIM_E_FORMAT);
	cudasim_error_free(error);
	struct stat about;
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_size, sizeof text - 1);

	error = sarif_begin("/dev/full", "/");
	assert_non_null(error);
	assert_int_equal(error->code, CUDASIM_E_ARGUMENT);
	cudasim_error_free(error);
	error = sarif_begin("/no/such/folder", "/");
	assert_non_null(error);
	assert_int_equal(error->code, CUDASIM_E_SYSTEM);
	cudasim_error_free(error);
}

static void processes_write_at_the_same_time(void **state)
{
	(void)state;
	enum { PROCESSES = 6, EACH = 40 };
	begin();
	for (int p = 0; p < PROCESSES; p++)
		if (!fork()) {
			for (int i = 0; i < EACH; i++)
				cudasim_error_free(sarif_add(path, "{\"ruleId\":\"x\"}"));
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	char wanted[2 * PROCESSES * EACH + 1] = "";
	for (int i = 0; i < PROCESSES * EACH; i++)
		strcat(wanted, i ? " x" : "x");
	expect_results(wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_come_in_order),
		cmocka_unit_test(rules_and_root_are_there),
		cmocka_unit_test(torn_file_keeps_whole_results),
		cmocka_unit_test(other_files_are_left_alone),
		cmocka_unit_test(processes_write_at_the_same_time),
	};
	return cmocka_run_group_tests(tests, make_name, remove_file);
}
