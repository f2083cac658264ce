// SPDX-License-Identifier: Apache-2.0
// Blocks that wait for each other as a whole, in their loops, and threads that wait for
// others of their own block, for which the block has to leave its loop.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

enum { BLOCKS = 8, THREADS = 128, ALL = BLOCKS * THREADS, ROUNDS = 40 };

// Each round hands every value on by 37 places and adds 1.
__global__ void ring(int *a)
{
	cg::grid_group grid = cg::this_grid();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int r = 0; r < ROUNDS; r++) {
		int v = a[(i + 37) % ALL];
		grid.sync();
		a[i] = v + 1;
		grid.sync();
	}
}

// The same where most threads have ended.
__global__ void few(int *a)
{
	cg::grid_group grid = cg::this_grid();
	if (threadIdx.x >= 3)
		return;
	for (int r = 0; r < ROUNDS; r++) {
		int v = a[(blockIdx.x + 1) % BLOCKS * THREADS + threadIdx.x];
		grid.sync();
		a[blockIdx.x * THREADS + threadIdx.x] = v + 1;
		grid.sync();
	}
}

// The first warp waits in global memory for the last one of its block, between grid barriers.
__global__ void inside(int *a, volatile int *flags)
{
	cg::grid_group grid = cg::this_grid();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int r = 1; r <= ROUNDS; r++) {
		if (threadIdx.x == 0)
			while (flags[blockIdx.x] < r)
				;
		if (threadIdx.x == THREADS - 1) {
			__threadfence();
			flags[blockIdx.x] = r;
		}
		__syncthreads();
		a[i] += flags[(blockIdx.x + 1) % BLOCKS] <= r + 1;
		grid.sync();
	}
}

// One block computes long before each barrier.
__global__ void uneven(int *a)
{
	cg::grid_group grid = cg::this_grid();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int r = 0; r < 5; r++) {
		unsigned x = i;
		if (blockIdx.x == r)
			for (int k = 0; k < 200000; k++)
				x = x * 1664525 + 1013904223;
		a[i] += 1 + (x == 12345 && i < 0);
		grid.sync();
	}
}

static int wrong(const int *a, int blocks, int threads, int value)
{
	static int host[ALL];
	int n = 0;
	cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
	for (int b = 0; b < blocks; b++)
		for (int t = 0; t < threads; t++)
			n += host[b * THREADS + t] != value;
	return n;
}

int main()
{
	int *a, *flags;
	cudaMalloc(&a, ALL * sizeof *a);
	cudaMalloc(&flags, BLOCKS * sizeof *flags);
	void *args[] = {&a, &flags};
	struct {
		const char *name;
		void *kernel;
		int threads, value;
	} cases[] = {
		{"ring", (void *)ring, THREADS, ROUNDS}, {"few", (void *)few, 3, ROUNDS},
		{"inside", (void *)inside, THREADS, ROUNDS}, {"uneven", (void *)uneven, THREADS, 5},
	};
	for (auto &c : cases) {
		cudaMemset(a, 0, ALL * sizeof *a);
		cudaMemset(flags, 0, BLOCKS * sizeof *flags);
		cudaLaunchCooperativeKernel(c.kernel, BLOCKS, THREADS, args, 0, 0);
		int error = (int)cudaDeviceSynchronize();
		printf("%s: error %d, %d wrong\n", c.name, error, wrong(a, BLOCKS, c.threads, c.value));
	}
	return 0;
}
