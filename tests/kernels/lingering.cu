/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that lack a barrier and pass on hardware: all warps load what stands right behind
 * a barrier before any of them stores there again. Recorded with few blocks a multiprocessor;
 * with many some of these fail on an H200, too.
 * Schedules: free inorder reverse */
#include "case.cuh"

static const unsigned FULL = 0xffffffff;

__device__ int warp_sum(int v)
{
	for (int offset = 16; offset > 0; offset /= 2)
		v += __shfl_down_sync(FULL, v, offset);
	return v;
}

/* Returns what the next call overwrites. */
__device__ int block_sum(int v)
{
	__shared__ int sums[32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	v = warp_sum(v);
	if (lane == 0)
		sums[warp] = v;
	__syncthreads();
	v = threadIdx.x < blockDim.x / 32 ? sums[lane] : 0;
	if (warp == 0) {
		v = warp_sum(v);
		if (lane == 0)
			sums[0] = v;
	}
	__syncthreads();
	return sums[0];
}

__global__ void two_sums(int *out)
{
	int i = threadIdx.x;
	int first = block_sum(i + 1);
	int second = block_sum(2 * i);
	int third = block_sum(1);
	out[blockIdx.x * blockDim.x + i] = first * 3 + second * 5 + third;
}

/* As old programs have it: the active lanes shuffle, small blocks return at once. */
__device__ int active_sum(const int *values, int n)
{
	__shared__ int sums[32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32, v = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		v += values[i];
	unsigned active = __activemask();
	for (int offset = 16; offset > 0; offset /= 2)
		v += __shfl_down_sync(active, v, offset);
	if (lane == 0)
		sums[warp] = v;
	__syncthreads();
	if (blockDim.x <= 32)
		return sums[0];
	v = threadIdx.x < blockDim.x / 32 ? sums[lane] : 0;
	if (warp == 0) {
		active = __activemask();
		for (int offset = 16; offset > 0; offset /= 2)
			v += __shfl_down_sync(active, v, offset);
		if (threadIdx.x == 0)
			sums[0] = v;
	}
	__syncthreads();
	return sums[0];
}

__global__ void sums_in_a_loop(int *out, int rounds)
{
	__shared__ int values[128];
	int i = threadIdx.x, all = 0;
	values[i] = i;
	__syncthreads();
	for (int k = 0; k < rounds; k++)
		all = all * 3 + active_sum(values, blockDim.x - k);
	out[blockIdx.x * blockDim.x + i] = all;
}

/* Sums by halving; the next call stores at once. */
__device__ int tree_sum(int v)
{
	__shared__ int s[128];
	s[threadIdx.x] = v;
	__syncthreads();
	for (int k = blockDim.x / 2; k > 0; k /= 2) {
		if (threadIdx.x < k)
			s[threadIdx.x] += s[threadIdx.x + k];
		__syncthreads();
	}
	return s[0];
}

__global__ void two_trees(int *out)
{
	int i = threadIdx.x;
	int first = tree_sum(i), second = tree_sum(3 * i);
	out[blockIdx.x * blockDim.x + i] = first * 7 + second;
}

/* One thread clears the flag that others have yet to look at. */
__global__ void until_nobody(int *out)
{
	__shared__ int again;
	int i = threadIdx.x, n = 0, rounds = 0;
	for (;;) {
		if (i == 0)
			again = 0;
		__syncthreads();
		if (n < i % 7) {
			n++;
			again = 1;
		}
		__syncthreads();
		rounds++;
		if (!again)
			break;
	}
	out[blockIdx.x * blockDim.x + i] = n * 100 + rounds;
}

/* The last thread tells all, again and again. */
__global__ void told(int *out)
{
	__shared__ int word;
	int i = threadIdx.x, all = 0;
	for (int k = 0; k < 4; k++) {
		if (i == blockDim.x - 1)
			word = 3 * k + 5;
		__syncthreads();
		all = all * 3 + word;
	}
	out[blockIdx.x * blockDim.x + i] = all;
}

/* Half of the warps leave at once; who stays lingers without them. */
__global__ void some_leave(int *out)
{
	__shared__ int word;
	int i = threadIdx.x, all = 0;
	if (i / 32 % 2)
		return;
	for (int k = 0; k < 3; k++) {
		if (i == 0)
			word = k + 1;
		__syncthreads();
		all = all * 4 + word;
	}
	out[blockIdx.x * blockDim.x + i] = all;
}

int main()
{
	run("two sums, 64 threads", 2 * 64, 2, 64, two_sums);
	run("two sums, 256 threads", 2 * 256, 2, 256, two_sums);
	run("sums in a loop", 2 * 128, 2, 128, sums_in_a_loop, 4);
	run("two trees", 64, 1, 64, two_trees);
	run("until nobody", 64, 1, 64, until_nobody);
	run("until nobody, 256 threads", 2 * 256, 2, 256, until_nobody);
	run("told", 64, 1, 64, told);
	run("some leave", 128, 1, 128, some_leave);
	return 0;
}
