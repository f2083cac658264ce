/* SPDX-License-Identifier: Apache-2.0 */
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

#include "places.h"
#include "toolkit_tree.h"

/* What is there before anything is built stands where the build tree has it. */
static void the_build_tree_has_the_scripts(void **state)
{
	(void)state;
	struct places places;
	places_from(BUILD "/cudasim", false, &places);
	assert_int_equal(access(places.fetch, X_OK), 0);
	places_fini(&places);
}

static char *in(const char *folder, const char *name)
{
	return text_format("%s/%s", folder, name);
}

static void expect_link(const char *folder, const char *name, const char *target)
{
	char *path = in(folder, name), now[256] = "";
	if (readlink(path, now, sizeof now - 1) < 0)
		fail_msg("%s is no link", path);
	assert_string_equal(now, target);
	free(path);
}

/* Earlier versions linked the toolkit's whole folder of NVVM: nothing is written into that. */
static void the_tree_has_a_libnvvm_of_its_own(void **state)
{
	(void)state;
	char folder[] = "/tmp/cudasim-places-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char *tree = in(folder, "tree"), *nvvm = in(folder, "nvvm"), *link = in(tree, "nvvm");
	char *theirs = in(nvvm, "lib64"), *command = text_format("rm -r %s", folder), *root = NULL;
	struct stat about;
	assert_int_equal(mkdir(tree, 0700) || mkdir(nvvm, 0700) || symlink(nvvm, link), 0);
	struct places places = {.installed = true,
				.self = "/P/bin/cudasim",
				.library = "/P/lib",
				.libraries = "/P/lib",
				.toolkit_tree = tree};
	struct toolkit toolkit = {.include = "/T/include",
				  .libdevice = "/T/nvvm/libdevice/libdevice.10.bc",
				  .version = 13000};
	assert_null(toolkit_tree_make(&places, &toolkit, &root));
	assert_int_not_equal(access(theirs, F_OK), 0);
	assert_int_equal(lstat(link, &about), 0);
	assert_true(S_ISDIR(about.st_mode));
	expect_link(tree, "nvvm/lib64/libnvvm.so.4", "/P/lib/libcudasim-nvvm.so");
	expect_link(tree, "nvvm/libdevice", "/T/nvvm/libdevice");
	expect_link(tree, "lib64/libnvrtc.so.12", "/P/lib/cudasim/lib64/libcudasim-nvrtc.so");
	expect_link(tree, "bin/cudasim", "/P/bin/cudasim");
	assert_int_equal(system(command), 0);
	free(tree);
	free(nvvm);
	free(link);
	free(theirs);
	free(command);
	free(root);
}

static void expect_text(const char *folder, const char *name, const char *text)
{
	char *path = in(folder, name), now[256] = "";
	struct stat about;
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	now[fread(now, 1, sizeof now - 1, file)] = 0;
	fclose(file);
	assert_string_equal(now, text);
	assert_int_equal(lstat(path, &about), 0);
	assert_true(S_ISREG(about.st_mode) && about.st_mode & S_IXUSR);
	free(path);
}

/* Earlier versions linked nvcc to cudasim, which is not to be written into. */
static void the_trees_nvcc_is_a_script(void **state)
{
	(void)state;
	char folder[] = "/tmp/cudasim-places-XXXXXX";
	assert_non_null(mkdtemp(folder));
	char *tree = in(folder, "tree"), *bin = in(tree, "bin"), *nvcc = in(bin, "nvcc");
	char *old = in(folder, "old"), *command = text_format("rm -r %s", folder), *root = NULL;
	struct stat about;
	FILE *file = fopen(old, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(mkdir(tree, 0700) || mkdir(bin, 0700) || symlink(old, nvcc), 0);
	struct places places = {.self = "/P P/bin/cudasim",
				.library = "/P/lib",
				.libraries = "/P/lib",
				.installed = true,
				.toolkit_tree = tree};
	struct toolkit toolkit = {.include = "/T/include",
				  .libdevice = "/T/nvvm/libdevice/libdevice.10.bc",
				  .version = 13000};
	for (int again = 0; again < 2; again++) {
		assert_null(toolkit_tree_make(&places, &toolkit, &root));
		free(root);
		expect_text(tree, "bin/nvcc", "#!/bin/sh\nexec '/P P/bin/cudasim' nvcc \"$@\"\n");
		expect_text(tree, "bin/ptxas", "#!/bin/sh\nexec '/P P/bin/cudasim' ptxas \"$@\"\n");
	}
	assert_int_equal(stat(old, &about), 0);
	assert_int_equal(about.st_size, 0);
	assert_int_equal(system(command), 0);
	free(tree);
	free(bin);
	free(nvcc);
	free(old);
	free(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_tree_has_the_scripts),
		cmocka_unit_test(the_tree_has_a_libnvvm_of_its_own),
		cmocka_unit_test(the_trees_nvcc_is_a_script),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
