/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions called directly, which hang, or end after seconds of waiting. */
#include <cudasim/test.h>

#include <thread>
#include <unistd.h>

__device__ volatile int never;

__device__ int spin()
{
	while (never == 0)
		;
	return 1;
}

__device__ int wait_for(volatile int *flag)
{
	while (*flag == 0)
		;
	return *flag;
}

static void nobody_sets_it(void **)
{
	cudasim_assert_equal(cudasim_call(spin), 1);
}

static void another_thread_sets_it(void **)
{
	int *pinned;
	cudaMallocHost(&pinned, sizeof *pinned);
	*pinned = 0;
	std::thread other([=] { usleep(3000000); *(volatile int *)pinned = 7; });
	cudasim_assert_equal(cudasim_call(wait_for, (volatile int *)pinned), 7);
	other.join();
	cudaFreeHost(pinned);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_thread_sets_it),
		cmocka_unit_test(nobody_sets_it),
	};
	return cudasim_run_tests(tests, argc, argv);
}
