/* SPDX-License-Identifier: Apache-2.0 */
/* Source lines, and the place that list goes on from. The files are written here. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "error.h"
#include "source_list.h"
#include "source_state.h"

struct source_state *source_state(void)
{
	static struct source_state state = SOURCE_STATE_INITIAL;
	return &state;
}

static char directory[] = "/tmp/test-source-XXXXXX";

static char *path_of(const char *name)
{
	char *path;
	assert_true(asprintf(&path, "%s/%s", directory, name) > 0);
	return path;
}

/* The debug information of the test's program: compiled.cu was built in directory. */
void symbols_each_file(void (*f)(void *user, const char *file, const char *path), void *user)
{
	static char *path; /* names live as long as the process */
	if (!path)
		path = path_of("compiled.cu");
	f(user, "compiled.cu", path);
}

static void write_file(const char *name, const char *text)
{
	char *path = path_of(name);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	free(path);
}

static void expect_line(const char *file, uint32_t line, const char *text)
{
	size_t n = 0;
	const char *found = source_line(file, line, &n);
	if (!text) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_int_equal(n, strlen(text));
	assert_memory_equal(found, text, n);
}

static void lines_are_cut(void **state)
{
	(void)state;
	char *path = path_of("lines.cu");
	write_file("lines.cu", "one\n\n\tthree\r\nlast");
	expect_line(path, 0, NULL);
	expect_line(path, 1, "one");
	expect_line(path, 2, "");
	expect_line(path, 3, "\tthree");
	expect_line(path, 4, "last");
	expect_line(path, 5, NULL);
	assert_int_equal(source_n_lines(path), 4);
	free(path);
}

static void an_empty_file_has_no_lines(void **state)
{
	(void)state;
	char *path = path_of("empty.cu");
	write_file("empty.cu", "");
	assert_int_equal(source_n_lines(path), 0);
	expect_line(path, 1, NULL);
	free(path);
}

static void a_name_is_found_where_it_was_compiled(void **state)
{
	(void)state;
	write_file("compiled.cu", "here\n");
	expect_line("compiled.cu", 1, "here");
}

/* A file that was missing is found once its directory was named. */
static void directories_are_looked_through(void **state)
{
	(void)state;
	write_file("elsewhere.cu", "found\n");
	expect_line("src/elsewhere.cu", 1, NULL);
	source_directories_set(directory);
	expect_line("src/elsewhere.cu", 1, "found");
	source_directories_set(NULL);
}

static char *printed(const char *file, uint32_t from, uint32_t to)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	source_print(out, file, from, to);
	fclose(out);
	return text;
}

static void a_missing_file_is_told_once(void **state)
{
	(void)state;
	char *first = printed("nosuch.cu", 7, 9), *then = printed("nosuch.cu", 8, 9);
	assert_string_equal(first, "7\tnosuch.cu: No such file or directory.\n");
	assert_string_equal(then, "8\tin nosuch.cu\n");
	free(first);
	free(then);
}

/* After a stop at line 28 list shows 23-32, then 33-42; list - what is before. */
static void listing_begins_around_the_place(void **state)
{
	(void)state;
	char text[512] = "";
	for (int i = 1; i <= 40; i++)
		strcat(text, "x\n");
	write_file("compiled.cu", text);
	char *path = path_of("compiled.cu");
	FILE *out = fopen("/dev/null", "w");
	source_place_set(path, 28);
	assert_int_equal(list_place()->next, 23);
	assert_int_equal(list_place()->first, 28);
	assert_null(list_lines(out, path, 23, 32));
	assert_int_equal(list_place()->next, 33);
	assert_null(list_lines(out, path, 33, 42));
	assert_int_equal(list_place()->last, 40);
	struct cudasim_error *error = list_lines(out, path, 41, 50);
	char *expected;
	assert_non_null(error);
	assert_true(asprintf(&expected, "Line number 41 out of range; \"%s\" has 40 lines.", path) >
		    0);
	assert_string_equal(error->message, expected);
	cudasim_error_free(error);
	free(expected);
	fclose(out);
	free(path);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
	static const char *const names[] = {"lines.cu", "empty.cu", "compiled.cu", "elsewhere.cu"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *path = path_of(names[i]);
		unlink(path);
		free(path);
	}
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_cut),
		cmocka_unit_test(an_empty_file_has_no_lines),
		cmocka_unit_test(listing_begins_around_the_place),
		cmocka_unit_test(directories_are_looked_through),
		cmocka_unit_test(a_name_is_found_where_it_was_compiled),
		cmocka_unit_test(a_missing_file_is_told_once),
	};
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
