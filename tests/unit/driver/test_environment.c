/* SPDX-License-Identifier: Apache-2.0 */
/* What `cudasim run` sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "environment.h"

static const struct places installed = {.installed = true,
					.library = "/P/lib",
					.libraries = "/P/lib",
					.names = "/P/lib/cudasim/names",
					.python = "/P/python"};
static const struct places in_build = {.library = "/B/sim",
				       .libraries = "/B/libraries",
				       .names = "/B/sim/cudasim/names",
				       .python = "/B/python"};

static char *nothing(const char *name)
{
	(void)name;
	return NULL;
}

static char *something(const char *name)
{
	if (!strcmp(name, "PATH"))
		return "/usr/bin:/bin";
	if (!strcmp(name, "LD_LIBRARY_PATH"))
		return "/P/lib/cudasim/names-of-others";
	if (!strcmp(name, "GLIBC_TUNABLES"))
		return "glibc.malloc.check=1";
	return !strcmp(name, "LD_AUDIT") ? "/P/lib/libcudasim-redirect.so:/other.so" : NULL;
}

static const char *value(const struct environment *environment, const char *name)
{
	for (size_t i = 0; i < environment->names.n; i++)
		if (!strcmp(environment->names.at[i], name))
			return environment->values.at[i];
	return NULL;
}

static void libraries_are_found_where_they_are_installed(void **state)
{
	(void)state;
	struct environment e;
	environment_from(&installed, "/P/toolkit", "/usr/local/cuda", nothing, &e);
	assert_string_equal(value(&e, "CUDASIM"), "1");
	assert_string_equal(value(&e, "CUDA_HOME"), "/P/toolkit");
	assert_string_equal(value(&e, "CUDA_PATH"), "/P/toolkit");
	assert_string_equal(value(&e, "CUDASIM_TOOLKIT"), "/usr/local/cuda");
	assert_string_equal(value(&e, "PATH"), "/P/toolkit/bin:/usr/local/bin:/usr/bin:/bin");
	assert_string_equal(value(&e, "LD_LIBRARY_PATH"), "/P/lib/cudasim/names");
	assert_string_equal(value(&e, "LD_AUDIT"), "/P/lib/libcudasim-redirect.so");
	assert_string_equal(value(&e, "PYTHONPATH"), "/P/python");
	assert_string_equal(value(&e, "GLIBC_TUNABLES"), "glibc.rtld.optional_static_tls=4096");
	assert_string_equal(value(&e, "TRITON_PTXAS_PATH"), "/P/toolkit/bin/ptxas");
	environment_fini(&e);
}

static void libraries_are_found_in_the_build_tree(void **state)
{
	(void)state;
	struct environment e;
	environment_from(&in_build, "/B/toolkit", "/T", nothing, &e);
	assert_string_equal(value(&e, "LD_LIBRARY_PATH"), "/B/sim/cudasim/names");
	assert_string_equal(value(&e, "LD_AUDIT"), "/B/libraries/redirect/libcudasim-redirect.so");
	environment_fini(&e);
}

/* Before the others, and once: a folder whose name only begins alike is another one. */
static void lists_begin_with_ours(void **state)
{
	(void)state;
	struct environment e;
	environment_from(&installed, "/P/toolkit", "/T", something, &e);
	assert_string_equal(value(&e, "PATH"), "/P/toolkit/bin:/usr/bin:/bin");
	assert_string_equal(value(&e, "LD_LIBRARY_PATH"),
			    "/P/lib/cudasim/names:/P/lib/cudasim/names-of-others");
	assert_string_equal(value(&e, "LD_AUDIT"), "/P/lib/libcudasim-redirect.so:/other.so");
	assert_string_equal(value(&e, "GLIBC_TUNABLES"),
			    "glibc.malloc.check=1:glibc.rtld.optional_static_tls=4096");
	environment_fini(&e);
}

static char *python_path;

static char *its_path(const char *name)
{
	return strcmp(name, "PYTHONPATH") ? NULL : python_path;
}

/* Behind the user's own modules, and once; a folder whose name only ends alike is another one. */
static void modules_of_the_program_come_first(void **state)
{
	(void)state;
	static char *const before[] = {"/own", "/own:/P/python", "/P/python", "/other/P/python",
				       ""};
	static const char *const after[] = {"/own:/P/python", "/own:/P/python", "/P/python",
					    "/other/P/python:/P/python", "/P/python"};
	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		struct environment e;
		python_path = before[i];
		environment_from(&installed, "/P/toolkit", "/T", its_path, &e);
		assert_string_equal(value(&e, "PYTHONPATH"), after[i]);
		environment_fini(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_are_found_where_they_are_installed),
		cmocka_unit_test(libraries_are_found_in_the_build_tree),
		cmocka_unit_test(lists_begin_with_ours),
		cmocka_unit_test(modules_of_the_program_come_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
