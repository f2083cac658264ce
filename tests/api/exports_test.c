/* SPDX-License-Identifier: Apache-2.0 */
/* libcudasim.so beside the toolkit's libcudart.so.13: the same functions, the same
 * names and texts of errors. Without a toolkit's library (the headers suffice to
 * build) the comparisons are skipped. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <cuda_runtime_api.h>

static const char *const names[] = {
#define X(name) #name,
#include "names.def"
#undef X
};
enum { N = sizeof names / sizeof *names };

static void every_function_exists(void **state)
{
	(void)state;
	assert_int_equal(N, 422);
	for (int i = 0; i < N; i++)
		if (!dlsym(RTLD_DEFAULT, names[i]))
			fail_msg("%s is missing", names[i]);
}

static int is_ours(const char *name)
{
	for (int i = 0; i < N; i++)
		if (!strcmp(names[i], name))
			return 1;
	return 0;
}

static void the_list_is_libcudarts(void **state)
{
	(void)state;
	FILE *nm = popen("nm -D --defined-only " LIBCUDART, "r");
	char line[512], name[256], type;
	int n = 0;
	assert_non_null(nm);
	while (fgets(line, sizeof line, nm)) {
		if (sscanf(line, "%*x %c %255[^@\n]", &type, name) != 2 || type != 'T')
			continue;
		if (!is_ours(name))
			fail_msg("%s is not in names.def", name);
		n++;
	}
	assert_int_equal(pclose(nm), 0);
	assert_int_equal(n, N);
}

static void errors_have_libcudarts_names_and_texts(void **state)
{
	(void)state;
	void *real = dlopen(LIBCUDART, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(real);
	const char *(*name)(cudaError_t), *(*text)(cudaError_t);
	*(void **)&name = dlsym(real, "cudaGetErrorName");
	*(void **)&text = dlsym(real, "cudaGetErrorString");
	assert_true(name && text && name != cudaGetErrorName);
	for (int code = -3; code < 12000; code++) {
		assert_string_equal(cudaGetErrorName((cudaError_t)code), name((cudaError_t)code));
		assert_string_equal(cudaGetErrorString((cudaError_t)code),
				    text((cudaError_t)code));
	}
}

static void versions_are_the_headers(void **state)
{
	(void)state;
	int runtime = 0, driver = 0;
	assert_int_equal(cudaRuntimeGetVersion(&runtime), cudaSuccess);
	assert_int_equal(cudaDriverGetVersion(&driver), cudaSuccess);
	assert_int_equal(runtime, CUDART_VERSION);
	assert_int_equal(driver, CUDART_VERSION);
}

int main(void)
{
	const struct CMUnitTest always[] = {
		cmocka_unit_test(every_function_exists),
		cmocka_unit_test(versions_are_the_headers),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function_exists),
		cmocka_unit_test(versions_are_the_headers),
		cmocka_unit_test(the_list_is_libcudarts),
		cmocka_unit_test(errors_have_libcudarts_names_and_texts),
	};
	/* cmocka's skipped tests are failed ones for readers of TAP. */
	if (access(LIBCUDART, R_OK)) {
		fputs("# no " LIBCUDART " to compare with\n", stderr); /* before TAP's first line */
		return cmocka_run_group_tests(always, NULL, NULL);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
