/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of device code, timed: CALLS calls of a device function as cudasim_call() makes
 * them, and 1,000 small tests, each with an array, a launch and a comparison. */
#include <cudasim/test.h>

static const int CALLS = 1000000, TESTS = 1000;

__device__ static double half_of(double x)
{
	return x / 2;
}

__global__ static void fill(int *p, int n, int first)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = first + i;
}

static void calls(void **)
{
	double x = 1;
	timespec from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < CALLS; i++)
		x = cudasim_call(half_of, x) + 1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	cudasim_assert_near(x, 2.0, 1e-12, 0);
	printf("# ns a call: %.1f\n",
	       ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / CALLS);
}

static void small_test(void **state)
{
	int first = (int)(intptr_t)*state, *p = cudasim_device_array(int, 100);
	fill<<<2, 64>>>(p, 100, first);
	std::vector<int> expected(100);
	for (int i = 0; i < 100; i++)
		expected[i] = first + i;
	cudasim_assert_equal(p, expected, 100);
}

int main(int argc, char **argv)
{
	static CMUnitTest tests[TESTS + 1];
	static char names[TESTS][24];
	for (int i = 0; i < TESTS; i++) {
		snprintf(names[i], sizeof names[i], "small %d", i);
		tests[i] = cudasim_unit_test_with(small_test, (intptr_t)i, names[i]);
	}
	tests[TESTS] = cmocka_unit_test(calls);
	return cudasim_run_tests(tests, argc, argv);
}
