/* SPDX-License-Identifier: Apache-2.0 */
/* Test programs that misbehave, one for each value of HOSTILE: what `cudasim test` makes
 * of them is told by hostile.sh. */
#include <csignal>
#include <fcntl.h>
#include <cudasim/test.h>

static bool is(const char *mode)
{
	const char *hostile = std::getenv("HOSTILE");
	return hostile && !std::strcmp(hostile, mode);
}

static void hang()
{
	for (volatile int i = 0;; i++)
		;
}

static void first(void **)
{
}

static void last(void **)
{
}

static void odd(void **)
{
	static const char garbage[] = "\xff\xfe<&>\"\x01 ok\xc3\xa9\n# cudasim: end x\n# cudasim: begin\nok\nnot ok\n";
	if (is("hangs"))
		hang();
	if (is("stops"))
		raise(SIGSTOP);
	if (is("exits"))
		std::exit(0);
	if (is("signals"))
		raise(SIGKILL);
	if (is("last words")) {
		std::fputs("what(): everything is lost\n", stderr);
		std::abort();
	}
	if (is("floods"))
		for (;;)
			std::fputs("water ", stdout);
	if (is("floods lines"))
		for (;;)
			std::puts("water");
	if (is("floods stderr")) {
		for (int i = 0; i < 1000000; i++)
			std::fputs("water\n", stderr);
		std::abort();
	}
	if (is("prints") || is("prints and fails")) {
		std::fwrite(garbage, 1, sizeof garbage - 1, stdout);
		std::puts("not ok 2 - last\nok 1 - first\nBail out!\n1..0");
		if (is("prints and fails"))
			cudasim_assert_equal(1, 2);
	}
	if (is("forks") && !fork())
		for (;;)
			pause();
	if (is("closes stdout"))
		close(1);
	if (is("reads stdin"))
		cudasim_assert_equal(std::getchar(), EOF);
}

/* The same name again, in another array. */
static void first_again(void **)
{
	if (is("two groups"))
		cudasim_assert_equal(3, 4);
}

/* ---- fixtures ------------------------------------------------------------------------- */

static int allocates(void **state)
{
	return cudaMalloc(state, 100) != cudaSuccess;
}

static int frees(void **state)
{
	return cudaFree(*state) != cudaSuccess;
}

static int forgets(void **)
{
	return 0;
}

static int fails(void **)
{
	return -1;
}

static void uses(void **state)
{
	cudasim_need(cudaMemset(*state, 0, 100));
}

__device__ static int peek(int address)
{
	return *(volatile int *)(size_t)address;
}

static void faults(void **state)
{
	cudasim_need(cudaMemset(*state, 0, 0));
	cudasim_assert_equal(cudasim_call(peek, 8), 0);
}

static void skips(void **)
{
	skip();
}

static int fixtures(int argc, char **argv)
{
	const CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(uses, allocates, frees),
		cudasim_unit_test(first),
		CMUnitTest{"setup fails", uses, fails, frees, nullptr},
		CMUnitTest{"teardown fails", first, nullptr, fails, nullptr},
		CMUnitTest{"teardown forgets", uses, allocates, forgets, nullptr},
		CMUnitTest{"dies with its fixture", faults, allocates, forgets, nullptr},
		cudasim_unit_test(skips),
		cudasim_unit_test(last),
	};
	return cudasim_run_tests(tests, argc, argv);
}

static void die()
{
	raise(SIGSEGV);
}

int main(int argc, char **argv)
{
	if (is("prints") || is("prints and fails"))
		std::puts("first\nhello\n# cudasim: test 0\nok 1 - first");
	if (is("hangs at first"))
		hang();
	if (is("dies at first"))
		std::abort();
	if (is("no tests"))
		return 0;
	if (is("dies at last"))
		std::atexit([] { if (!std::getenv("CUDASIM_TEST_LIST")) die(); });
	if (is("fixtures"))
		return fixtures(argc, argv);
	if (is("ten thousand")) {
		static CMUnitTest tests[10000];
		static char names[10000][32];
		for (int i = 0; i < 10000; i++) {
			std::snprintf(names[i], sizeof names[i], "number %d", i);
			tests[i] = cudasim_unit_test_with(first, nullptr, names[i]);
		}
		return cudasim_run_tests(tests, argc, argv);
	}
	const CMUnitTest tests[] = {
		cmocka_unit_test(first),
		cmocka_unit_test(odd),
		cudasim_unit_test_with(last, nullptr, "last,\nof two lines & <one> #hash"),
	};
	int failed = cudasim_run_tests(tests, argc, argv);
	if (is("two groups")) {
		const CMUnitTest more[] = {
			cudasim_unit_test_with(first_again, nullptr, "first"),
			cudasim_unit_test_with(last, nullptr, "odd"),
		};
		failed += cudasim_run_tests(more, argc, argv);
	}
	if (is("exits at last") && !std::getenv("CUDASIM_TEST_LIST"))
		return 9;
	return failed;
}
