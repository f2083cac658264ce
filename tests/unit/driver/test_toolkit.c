/* SPDX-License-Identifier: Apache-2.0 */
/* Which folders are taken for a CUDA toolkit, by trees of empty files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "child.h"
#include "toolkit.h"

static void a_version_is_two_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned version;
	} cases[] = {
		{"12.4", 12040}, {"12.10", 12100}, {"13.0", 13000}, {"13.5", 13050},
		{"13", 0},       {"13.", 0},       {".4", 0},       {"12.4.1", 0},
		{"12.4x", 0},    {"012.4", 0},     {"12.04", 0},    {"/12.4", 0},
		{"-1.2", 0},     {"", 0},          {"v12.4", 0},    {"12 .4", 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(toolkit_version(cases[i].text), cases[i].version);
	assert_int_equal(toolkit_version(NULL), 0);
}

/* The numbers that these versions of nvcc print ("V12.4.131", "V13.0.88"). */
static void nvcc_has_a_third_number(void **state)
{
	(void)state;
	assert_int_equal(toolkit_build(12040), 131);
	assert_int_equal(toolkit_build(13000), 88);
	assert_int_equal(toolkit_build(13990), 0);
	assert_true(toolkit_is_tried(12040));
	assert_false(toolkit_is_tried(12030));
	assert_false(toolkit_is_tried(13990));
}

static char folder[64];

static void put(const char *name, const char *text)
{
	char *path = text_format("%s/%s", folder, name);
	for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(path, 0777);
		*slash = '/';
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	free(path);
}

/* A toolkit of the version in folder/toolkit-NAME. */
static void make(const char *name, unsigned version)
{
	static const char *const files[] = {"include/cuda_runtime.h", "include/cuda/std/version",
					    "nvvm/libdevice/libdevice.10.bc", "bin/ptxas"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char *path = text_format("toolkit-%s/%s", name, files[i]);
		put(path, "");
		free(path);
	}
	char *path = text_format("toolkit-%s/include/cuda.h", name);
	char *text = text_format("#define CUDA_VERSION %u\n", version);
	put(path, text);
	free(path);
	free(text);
}

static int begin(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/cudasim-toolkit-XXXXXX");
	return !mkdtemp(folder);
}

static int end(void **state)
{
	(void)state;
	struct words words = {0};
	int status;
	words_add_all(&words, "rm", "-rf", folder, NULL);
	cudasim_error_free(child_run(&words, NULL, stderr, &status));
	words_fini(&words);
	return 0;
}

/* The name of what is found ("toolkit-12.4"), or the error's text. The caller frees it. */
static char *found(const char *named)
{
	struct toolkit_hints hints = {.cudasim_toolkit = named, .cache = folder};
	struct toolkit toolkit;
	struct cudasim_error *error = toolkit_find(&hints, NULL, &toolkit);
	char *ret = text_copy(error ? error->message : strrchr(toolkit.root, '/') + 1);
	cudasim_error_free(error);
	toolkit_fini(&toolkit);
	return ret;
}

static void expect(const char *named, const char *part)
{
	char *ret = found(named);
	if (!strstr(ret, part))
		fail_msg("%s: '%s' is not in '%s'", named ? named : "-", part, ret);
	free(ret);
}

static void the_cache_has_several(void **state)
{
	(void)state;
	expect(NULL, "no toolkit of CUDA 12.4 to 13.x found");
	make("12.4", 12040);
	expect(NULL, "toolkit-12.4");
	make("13.2", 13020);
	make("12.9", 12090);
	expect(NULL, "toolkit-13.2");
	make("13.0", 13000);
	expect(NULL, "toolkit-13.0");
	expect("12.4", "toolkit-12.4");
	expect("13.2", "toolkit-13.2");
	expect("13.1", "`cudasim fetch-toolkit --version 13.1`");
	char *path = text_format("%s/toolkit-12.9", folder);
	expect(path, "toolkit-12.9");
	free(path);
}

static void other_versions_are_refused_by_their_number(void **state)
{
	(void)state;
	make("12.3", 12030);
	expect("12.3", "contains CUDA 12.3, but CUDA 12.4 to 13.x is needed");
	make("14.0", 14000);
	expect("14.0", "contains CUDA 14.0, but CUDA 12.4 to 13.x is needed");
	make("13.9", 13090);
	expect("13.9", "toolkit-13.9");
}

/* clang, too, wants that folder. */
static void a_toolkit_has_tools(void **state)
{
	(void)state;
	make("13.0", 13000);
	char *tool = text_format("%s/toolkit-13.0/bin/ptxas", folder);
	assert_int_equal(unlink(tool), 0);
	*strrchr(tool, '/') = 0;
	assert_int_equal(rmdir(tool), 0);
	free(tool);
	expect("13.0", "no folder bin in");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_version_is_two_numbers),
		cmocka_unit_test(nvcc_has_a_third_number),
		cmocka_unit_test_setup_teardown(the_cache_has_several, begin, end),
		cmocka_unit_test_setup_teardown(other_versions_are_refused_by_their_number, begin,
						end),
		cmocka_unit_test_setup_teardown(a_toolkit_has_tools, begin, end),
	};
	return cmocka_run_group_tests_name("toolkit", tests, NULL, NULL);
}
