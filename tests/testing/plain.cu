/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cmocka's own, with which `cudasim test` has to get along. What goes wrong is chosen by
 * the variable WRONG. */
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
extern "C" {
#include <cmocka.h>
}
#include <cuda_runtime.h>

static bool goes_wrong(const char *how)
{
	const char *wrong = getenv("WRONG");
	return wrong && !strcmp(wrong, how);
}

__global__ void add(int *p, int n) { p[threadIdx.x] += n; }

static void run(int n)
{
	int *p, first;
	cudaMalloc(&p, 32 * sizeof *p);
	cudaMemset(p, 0, 32 * sizeof *p);
	add<<<1, n>>>(p, 2);
	assert_int_equal(cudaMemcpy(&first, p, sizeof first, cudaMemcpyDeviceToHost), cudaSuccess);
	assert_int_equal(first, 2);
	cudaFree(p);
}

static void adds(void **)
{
	run(32);
	printf("no end of this line");
}
static void overruns(void **) { run(goes_wrong("bounds") ? 33 : 32); }
static void compares(void **)
{
	printf("a line\nok 3 - compares\nnot ok 9 - of its own\n");
	fprintf(stderr, "on stderr\n");
	if (goes_wrong("value"))
		assert_int_equal(1, 2);
}
static void is_skipped(void **) { skip(); }
static void lasts(void **)
{
	if (goes_wrong("end"))
		_exit(3);
	if (goes_wrong("signal")) {
		signal(SIGABRT, SIG_DFL);
		abort();
	}
	while (goes_wrong("hang"))
		pause();
}
static int sets_up(void **) { return goes_wrong("setup") ? -1 : 0; }
static void comes_late(void **) {}

int main()
{
	const struct CMUnitTest first[] = {
		cmocka_unit_test(adds), cmocka_unit_test(overruns), cmocka_unit_test(compares),
		cmocka_unit_test(is_skipped), cmocka_unit_test(lasts),
	};
	const struct CMUnitTest second[] = {
		cmocka_unit_test_setup(comes_late, sets_up),
		cmocka_unit_test(adds),
	};
	int failed = cmocka_run_group_tests(first, NULL, NULL);
	failed += cmocka_run_group_tests(second, NULL, NULL);
	return goes_wrong("status") ? 7 : failed;
}
