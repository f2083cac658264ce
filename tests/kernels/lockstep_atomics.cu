/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_atomics.cu - lanes of a warp come to one address with no __syncwarp() between: what
 * atomics have made is read, what was stored is changed by atomics, and what one lane stores is
 * read by all. The lanes before the one that stores come first here. A case prints a sum. */
#include "case.cuh"

__global__ void counted(int *out)
{
	__shared__ int n;
	if (threadIdx.x == 0)
		n = 0;
	__syncthreads();
	atomicAdd(&n, 1);
	out[threadIdx.x] = n;
}

__global__ void counted_in_bins(int *out)
{
	__shared__ int bins[64];
	bins[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&bins[threadIdx.x & 3], 1);
	out[threadIdx.x] = bins[threadIdx.x & 3];
}

__global__ void compared(int *out)
{
	__shared__ int best[32];
	best[threadIdx.x] = 0;
	__syncthreads();
	atomicMax(&best[threadIdx.x / 8], (int)(threadIdx.x * 5 % 32));
	out[threadIdx.x] = best[threadIdx.x / 8];
}

__global__ void exchanged(int *out)
{
	__shared__ int s[32];
	int t = threadIdx.x;
	s[t] = t;
	int old = atomicExch(&s[31 - t], 100 + t);
	out[t] = old * 1000 + s[t];
}

__global__ void swapped_in(int *out)
{
	__shared__ int s[32];
	int t = threadIdx.x;
	s[t] = t;
	out[t] = atomicCAS(&s[(t + 1) % 32], (t + 1) % 32, 7 * t);
	out[t] += 1000 * s[t];
}

__global__ void last_stores(int *out)
{
	__shared__ int s;
	if (threadIdx.x == 31)
		s = 5;
	out[threadIdx.x] = s;
}

__global__ void one_of_all_stores(int *out, int which)
{
	__shared__ int s;
	if ((int)threadIdx.x == which)
		s = 3 * which;
	out[threadIdx.x] = s;
}

__global__ void one_after_the_other(int *out)
{
	__shared__ int s;
	if (threadIdx.x == 20)
		s = 1;
	if (threadIdx.x == 7)
		s = 10 * s + 2;
	out[threadIdx.x] = s;
}

__global__ void last_of_its_warp(int *out)
{
	__shared__ int total[2];
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	if (lane == 31)
		total[warp] = 100 * (warp + 1);
	out[threadIdx.x] = total[warp] + lane;
}

__global__ void last_clears(int *out)
{
	__shared__ int n;
	if (threadIdx.x == 31)
		n = 0;
	atomicAdd(&n, 1);
	out[threadIdx.x] = n;
}

static int *out;

static void check(const char *name)
{
	int sum = 0;
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++) {
		sum += out[i];
		out[i] = 0;
	}
	say(name, "%d in all", sum);
}

int main()
{
	CHECK(cudaMallocManaged(&out, 64 * sizeof *out));
	for (int i = 0; i < 64; i++)
		out[i] = 0;
	counted<<<1, 32>>>(out); /* 32 * 32 */
	check("counted");
	counted_in_bins<<<1, 32>>>(out); /* 32 * 8 */
	check("counted in bins");
	/* t * 5 % 32: 0 5 10 15 20 25 30 3 | 8 13 18 23 28 1 6 11 | 16 21 26 31 4 9 14 19 |
	 * 24 29 2 7 12 17 22 27, so 8 * (30 + 28 + 31 + 29) */
	compared<<<1, 32>>>(out);
	check("compared");
	exchanged<<<1, 32>>>(out); /* 1001 * 496 + 32 * 100 */
	check("exchanged");
	/* 496, and 1000 * 7 * 496 as lane t has what lane t - 1 brought */
	swapped_in<<<1, 32>>>(out);
	check("swapped in");
	last_stores<<<1, 32>>>(out); /* 32 * 5 */
	check("the last lane stores");
	one_of_all_stores<<<1, 32>>>(out, 23); /* 32 * 69 */
	check("one of all stores");
	one_after_the_other<<<1, 32>>>(out); /* 32 * 12 */
	check("one after the other");
	last_of_its_warp<<<1, 64>>>(out); /* 32 * 300 + 2 * 496 */
	check("the last lane of each warp stores");
	last_clears<<<1, 32>>>(out); /* 32 * 32 */
	check("the last lane clears");
	return 0;
}
