/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that wait at a grid barrier wait as a whole, each on one stack. If their threads left their
 * loop, each would take a stack of its own, and each barrier 2,000 switches of these.
 *
 * Prints KiB of resident memory that 400 barriers of 8 blocks of 128 threads have taken; with an
 * argument also the least time of a barrier in 8 such launches. */
#include <algorithm>
#include <chrono>
#include <cooperative_groups.h>
#include <cstdio>

enum { BLOCKS = 8, THREADS = 128, BARRIERS = 400, REPEATS = 8 };

__global__ void barriers(int n, int *out)
{
	auto grid = cooperative_groups::this_grid();
	int sum = 0;
	for (int i = 0; i < n; i++) {
		sum += i;
		grid.sync();
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static long resident_kib()
{
	char line[256];
	long ret = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		sscanf(line, "VmRSS: %ld", &ret);
	if (f)
		fclose(f);
	return ret;
}

static double run(int n, int *out)
{
	void *args[] = {&n, &out};
	auto start = std::chrono::steady_clock::now();
	cudaLaunchCooperativeKernel((void *)barriers, BLOCKS, THREADS, args, 0, 0);
	if (cudaDeviceSynchronize() != cudaSuccess)
		printf("error\n");
	return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

int main(int argc, char **)
{
	int *out;
	cudaMalloc(&out, BLOCKS * THREADS * sizeof *out);
	run(0, out); /* workers and their first stacks */
	long before = resident_kib();
	double least = run(BARRIERS, out);
	printf("%ld\n", resident_kib() - before);
	for (int i = 1; i < REPEATS; i++)
		least = std::min(least, run(BARRIERS, out));
	if (argc > 1)
		printf("%.1f us\n", least / BARRIERS);
	return 0;
}
