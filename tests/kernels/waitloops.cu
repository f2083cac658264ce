/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that wait in memory, with a barrier or an operation of the warp in each round, for other blocks, or for
 * other warps of their block. All of these finish on a GPU of compute capability 7.0 or later. */
#include "case.cuh"

enum { BLOCKS = 4, THREADS = 64, TURNS = 30, ITEMS = 3000 };

/* The last block sets the flag that the others wait for. */
__device__ bool sets(volatile int *flag)
{
	if (blockIdx.x < BLOCKS - 1)
		return false;
	if (threadIdx.x == 0)
		*flag = 1;
	return true;
}

__global__ void reduced_barrier(volatile int *flag, int *out)
{
	if (!sets(flag))
		while (!__syncthreads_or(*flag))
			;
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

__global__ void vote(volatile int *flag, int *out)
{
	if (!sets(flag))
		while (!__any_sync(~0u, *flag))
			;
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

__global__ void barrier(volatile int *flag, int *out)
{
	int seen = sets(flag);
	while (!seen) {
		seen = *flag;
		__syncthreads();
	}
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

__global__ void one_looks(volatile int *flag, int *out)
{
	__shared__ int seen;
	bool ends = sets(flag);
	while (!ends) {
		if (threadIdx.x == 0)
			seen = *flag;
		__syncthreads();
		ends = seen;
		__syncthreads();
	}
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

__global__ void shuffle(volatile int *flag, int *out)
{
	int seen = sets(flag);
	while (!seen) {
		seen = threadIdx.x % 32 == 0 ? *flag : 0;
		seen = __shfl_sync(~0u, seen, 0);
	}
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

__global__ void acquire(volatile int *flag, int *out)
{
	int seen = sets(flag);
	while (!seen) {
		asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
		__syncwarp();
	}
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

__global__ void atomic(volatile int *flag, int *out)
{
	if (!sets(flag))
		while (!__syncthreads_and(atomicAdd((int *)flag, 0) != 0))
			;
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

/* Each turn of the loop looks different. */
__global__ void counting(volatile int *flag, int *out)
{
	int n = 0;
	if (!sets(flag))
		while (!__any_sync(~0u, *flag))
			n++;
	out[blockIdx.x * THREADS + threadIdx.x] = n >= 0;
}

__global__ void clocking(volatile int *flag, int *out)
{
	long long sum = 0;
	if (!sets(flag))
		while (!__syncthreads_or(*flag))
			sum |= clock64();
	out[blockIdx.x * THREADS + threadIdx.x] = sum >= 0;
}

/* The second warp sets what the first one waits for. */
__global__ void next_warp(volatile int *flag, int *out)
{
	flag += blockIdx.x;
	if (threadIdx.x >= 32)
		*flag = 1;
	else
		while (!__any_sync(~0u, *flag))
			;
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

__global__ void next_warp_counting(volatile int *flag, int *out)
{
	int n = 0;
	if (threadIdx.x >= 32)
		*flag = 1;
	else
		while (!__any_sync(~0u, *flag))
			n++;
	out[blockIdx.x * THREADS + threadIdx.x] = n >= 0;
}

__global__ void next_warp_shared(volatile int *, int *out)
{
	__shared__ volatile int set;
	if (threadIdx.x == 0)
		set = 0;
	__syncthreads();
	if (threadIdx.x >= 32)
		set = 1;
	else
		for (int seen = 0; !seen; seen = __shfl_sync(~0u, seen, 3))
			seen = set;
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

/* Each block waits for the one behind it. */
__global__ void chain(volatile int *flag, int *out)
{
	int b = blockIdx.x;
	if (b < BLOCKS - 1)
		while (!__syncthreads_and(flag[b + 1] > 0))
			;
	out[b * THREADS + threadIdx.x] = 1;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		flag[b] = 1;
}

/* Pairs of blocks take turns. */
__global__ void in_turn(volatile int *flag, int *out)
{
	int b = blockIdx.x % 2;
	flag += blockIdx.x / 2;
	for (int i = 0; i < TURNS; i++) {
		while (!__all_sync(~0u, *flag == 2 * i + b))
			;
		__syncthreads();
		if (threadIdx.x == 0)
			*flag = 2 * i + b + 1;
		__syncthreads();
	}
	out[blockIdx.x * THREADS + threadIdx.x] = 1;
}

/* Blocks take work from a queue, in more turns than one may take at once. */
__global__ void queue(volatile int *next, int *out)
{
	__shared__ int item;
	for (;;) {
		if (threadIdx.x == 0)
			item = atomicAdd((int *)next, 1);
		__syncthreads();
		int i = item;
		__syncthreads();
		if (i >= ITEMS)
			break;
		atomicAdd(&out[i % (BLOCKS * THREADS)], threadIdx.x);
	}
}

int main()
{
	static int host[BLOCKS * THREADS];
	int *flags, *out;
	CHECK(cudaMalloc(&flags, BLOCKS * sizeof *flags));
	CHECK(cudaMalloc(&out, sizeof host));
	struct {
		const char *name;
		void (*kernel)(volatile int *, int *);
		int blocks;
	} cases[] = {
		{"reduced_barrier", reduced_barrier, BLOCKS}, {"vote", vote, BLOCKS}, {"barrier", barrier, BLOCKS},
		{"one_looks", one_looks, BLOCKS}, {"shuffle", shuffle, BLOCKS}, {"acquire", acquire, BLOCKS},
		{"atomic", atomic, BLOCKS}, {"counting", counting, BLOCKS}, {"clocking", clocking, BLOCKS},
		{"next_warp", next_warp, BLOCKS}, {"next_warp_counting", next_warp_counting, 1},
		{"next_warp_shared", next_warp_shared, BLOCKS}, {"chain", chain, BLOCKS}, {"in_turn", in_turn, BLOCKS},
		{"queue", queue, BLOCKS},
	};
	for (auto &c : cases) {
		CHECK(cudaMemset(flags, 0, BLOCKS * sizeof *flags));
		CHECK(cudaMemset(out, 0, sizeof host));
		c.kernel<<<c.blocks, THREADS>>>(flags, out);
		CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
		long long sum = 0;
		for (int value : host)
			sum += value;
		say(c.name, "%lld", sum);
	}
	return 0;
}
