/* SPDX-License-Identifier: Apache-2.0 */
/* waits.cuh - kernels of loops.cu whose warps and blocks wait for each other, and one that adds in shared memory. */
#pragma once
#include <cuda/barrier>

/* The first half of the warps brings rows of 128, the other half mixes them. */
__global__ void pipeline(const float *in, float *out, int rounds)
{
	using barrier = cuda::barrier<cuda::thread_scope_block>;
	enum { HALF = BLOCK / 2 };
	__shared__ float buffer[2][HALF];
	__shared__ __align__(8) unsigned char space[4 * sizeof(barrier)];
	barrier *full = reinterpret_cast<barrier *>(space), *empty = full + 2;
	int t = threadIdx.x;
	if (t < 4)
		init(full + t, BLOCK);
	__syncthreads();
	in += blockIdx.x * rounds * HALF;
	if (t < HALF) {
		for (int i = 0; i < rounds; i++) {
			empty[i & 1].arrive_and_wait();
			buffer[i & 1][t] = in[i * HALF + t];
			(void)full[i & 1].arrive();
		}
		return;
	}
	t -= HALF;
	float mixed = 0;
	(void)empty[0].arrive();
	(void)empty[1].arrive();
	for (int i = 0; i < rounds; i++) {
		full[i & 1].arrive_and_wait();
		mixed = mixed * 0.5f + buffer[i & 1][t] + buffer[i & 1][(t + 1) % HALF];
		(void)empty[i & 1].arrive();
	}
	out[blockIdx.x * HALF + t] = mixed;
}

/* A thread of each block adds under a lock. */
__global__ void add_locked(const float *in, float *sum, int *lock)
{
	__shared__ float s;
	if (threadIdx.x == 0)
		s = 0;
	__syncthreads();
	atomicAdd(&s, in[blockIdx.x * BLOCK + threadIdx.x]);
	__syncthreads();
	if (threadIdx.x == 0) {
		while (atomicCAS(lock, 0, 1))
			;
		__threadfence();
		*(volatile float *)sum = *(volatile float *)sum + s;
		__threadfence();
		atomicExch(lock, 0);
	}
}

/* Each block looks back for what those before it have summed. */
__global__ void look_back(const float *in, float *out, volatile unsigned *state)
{
	__shared__ float before;
	int t = threadIdx.x;
	float sum = __syncthreads_count((int)in[blockIdx.x * BLOCK + t] & 1);
	if (t < 32) {
		unsigned last = 0;
		while (blockIdx.x && !__all_sync(~0u, (last = state[blockIdx.x - 1]) & 1))
			;
		if (t == 0) {
			before = last / 2;
			__threadfence();
			state[blockIdx.x] = (last / 2 + (unsigned)sum) * 2 + 1;
		}
	}
	__syncthreads();
	out[blockIdx.x * BLOCK + t] = before;
}

__global__ void sum_columns(const float *in, float *sums, int rows)
{
	__shared__ float s[32];
	int t = threadIdx.x;
	if (t < 32)
		s[t] = 0;
	__syncthreads();
	for (int row = t / 32; row < rows; row += BLOCK / 32)
		atomicAdd(&s[t % 32], in[(blockIdx.x * rows + row) * 32 + t % 32]);
	__syncthreads();
	if (t < 32)
		sums[blockIdx.x * 32 + t] = s[t];
}
