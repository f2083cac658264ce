/* SPDX-License-Identifier: Apache-2.0 */
/* roles.cu - warps of a block that take different roles and meet at barriers with numbers: producers and
 * consumers with full and empty buffers, groups of warps, turns, reductions. */
#include "case.cuh"
#include "drawn.cuh"

enum { MOST = 512, ROUNDS = 7, BUFFERS = 2 };

static __device__ void sync(int id, int n)
{
	asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}

static __device__ void arrive(int id, int n)
{
	asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory");
}

/* The first half of the warps fills one buffer after the other, the second half uses them. */
__global__ void pipeline(unsigned *out)
{
	__shared__ unsigned buffer[BUFFERS][MOST];
	int n = blockDim.x, half = n / 2, t = threadIdx.x;
	enum { FULL = 1, EMPTY = FULL + BUFFERS };
	if (t < half) {
		for (int i = 0; i < ROUNDS; i++) {
			int k = i % BUFFERS;
			if (i >= BUFFERS)
				sync(EMPTY + k, n);
			buffer[k][t] = drawn(i * n + t + blockIdx.x);
			arrive(FULL + k, n);
		}
	} else {
		unsigned sum = 0;
		for (int i = 0; i < ROUNDS; i++) {
			int k = i % BUFFERS;
			sync(FULL + k, n);
			for (int d = 0; d < 5; d++)
				sum = sum * 3 + buffer[k][(t - half + d * 37) % half];
			if (i + BUFFERS < ROUNDS)
				arrive(EMPTY + k, n);
		}
		out[blockIdx.x * half + t - half] = sum;
	}
}

/* Pairs of warps exchange values, each pair at a barrier of its own. */
__global__ void pairs(unsigned *out)
{
	__shared__ unsigned s[MOST];
	int t = threadIdx.x, pair = t / 64;
	unsigned v = drawn(t + 1000 * blockIdx.x);
	for (int i = 0; i < pair + 2; i++) {
		s[t] = v;
		sync(1 + pair, 64);
		v = v * 5 + s[t ^ 32] + s[t ^ 7];
		sync(1 + pair, 64);
	}
	__syncthreads();
	s[t] = v;
	__syncthreads();
	out[blockIdx.x * blockDim.x + t] = s[t] + s[(t + 64) % blockDim.x];
}

/* One warp after the other adds to what the last one left. */
__global__ void turns(unsigned *out)
{
	__shared__ unsigned sum[32];
	int warp = threadIdx.x / 32, n = blockDim.x / 32, lane = threadIdx.x % 32;
	if (warp == 0)
		sum[lane] = lane + blockIdx.x;
	else
		sync(warp, 64);
	if (warp > 0)
		sum[lane] = sum[lane] * 3 + __shfl_xor_sync(~0u, sum[lane], warp);
	if (warp + 1 < n)
		arrive(warp + 1, 64);
	__syncthreads();
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum[lane] + warp;
}

/* Votes of a part of the block; the last warp ends early. */
__global__ void votes(unsigned *out)
{
	int t = threadIdx.x, n = blockDim.x, part = (n / 2 + 31) / 32 * 32;
	unsigned v = drawn(t + 77 * blockIdx.x), all, some;
	if (t >= n - 32)
		return;
	int id = 2 + (t >= part), members = t >= part ? (n - 32 - part + 31) / 32 * 32 : part;
	asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %2, 0; bar.red.and.pred q, %3, %4, p; selp.u32 %0, 1, 0, q;"
		     " bar.red.popc.u32 %1, %3, %4, p; }"
		     : "=r"(all), "=r"(some)
		     : "r"(v % 3), "r"(id), "r"(members)
		     : "memory");
	out[blockIdx.x * n + t] = all * 1000 + some;
}

/* Barriers of the whole block by another number, within loops and branches that all take. */
__global__ void numbered(unsigned *out)
{
	__shared__ unsigned s[MOST];
	int t = threadIdx.x, n = blockDim.x;
	unsigned v = drawn(t + blockIdx.x);
	for (int i = 0; i < 4; i++) {
		s[t] = v;
		asm volatile("bar.sync %0;" ::"r"(i + 3) : "memory");
		v += s[(t + 1 + i) % n];
		if (i % 2)
			asm volatile("bar.sync 9;" ::: "memory");
		else
			__syncthreads();
	}
	out[blockIdx.x * n + t] = v;
}

/* A barrier that completes by arrivals alone begins anew. */
__global__ void arrivals(unsigned *out)
{
	__shared__ unsigned s[64];
	int t = threadIdx.x, n = blockDim.x;
	arrive(1, 64);
	__syncthreads();
	s[t] = 3 * t;
	sync(1, 64);
	out[t] = s[(t + 32) % n];
}

int main()
{
	run("arrivals", 64, 1, 64, arrivals);
	run("arrivals 48", 48, 1, 48, arrivals);
	for (int n : {64, 128, 512}) {
		char name[32];
		snprintf(name, sizeof name, "pipeline %d", n);
		run(name, 3 * n / 2, 3, n, pipeline);
		snprintf(name, sizeof name, "pairs %d", n);
		run(name, 3 * n, 3, n, pairs);
		snprintf(name, sizeof name, "turns %d", n);
		run(name, 3 * n, 3, n, turns);
	}
	for (int n : {96, 128, 256, 200}) {
		char name[32];
		snprintf(name, sizeof name, "votes %d", n);
		run(name, 3 * n, 3, n, votes);
		snprintf(name, sizeof name, "numbered %d", n);
		run(name, 3 * n, 3, n, numbered);
	}
	return 0;
}
