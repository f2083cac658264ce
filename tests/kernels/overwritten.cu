/* SPDX-License-Identifier: Apache-2.0 */
/* overwritten.cu - lanes of a warp store over what other lanes of it load just before, with no
 * __syncwarp() between: all lanes load first. A case prints the number of
 * wrong values. */
#include "case.cuh"

__device__ static void fill(int *s, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		s[i] = i + 1;
	__syncthreads();
}

__global__ void neighbours(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	fill(s, 64);
	int v = s[t ^ 1];
	s[t] = 1000;
	out[t] = v;
}

__global__ void behind_syncwarp(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t + 1;
	__syncwarp();
	int v = s[t ^ 31];
	s[t] = 1000;
	out[t] = v;
}

__global__ void added(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	fill(s, 64);
	int v = s[t ^ 1];
	atomicAdd(&s[t], 50);
	out[t] = v;
}

__global__ void broadcast(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x, first = t & 32;
	fill(s, 64);
	int v = s[first];
	s[t] = 1000;
	out[t] = v;
}

__global__ void in_a_branch(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	fill(s, 64);
	if (t % 32 < 16) {
		int v = s[t ^ 5];
		s[t] = 1000;
		out[t] = v;
	} else {
		out[t] = 7;
	}
}

__global__ void rounds(int *out, int n)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	fill(s, 64);
	for (int i = 0; i < n; i++)
		s[t] += s[t ^ 1];
	out[t] = s[t];
}

__global__ void shared_by_two(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	fill(s, 64);
	s[t / 2] += 1;
	__syncthreads();
	out[t] = s[t];
}

__global__ void copied(int4 *out)
{
	__shared__ int4 s[64];
	int t = threadIdx.x;
	s[t] = make_int4(t, 2 * t, 3 * t, 4 * t);
	__syncwarp();
	s[t] = s[t ^ 3];
	out[t] = s[t];
}

__global__ void chosen(int *out, const int *index)
{
	__shared__ int s[64];
	int t = threadIdx.x, i = index[t];
	fill(s, 64);
	int v = s[i];
	s[t] = 1000;
	out[t] = v;
}

/* ---- right programs, which need no meeting --------------------------------- */

__global__ void tree(int *out)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	fill(s, 64);
	for (int n = 32; n > 0; n >>= 1) {
		if (t < n)
			s[t] += s[t + n];
		__syncthreads();
	}
	out[t] = s[0];
}

__global__ void sorted(int *out)
{
	__shared__ int s[128];
	int t = threadIdx.x;
	for (int i = t; i < 128; i += 64)
		s[i] = i * 37 % 128;
	for (int size = 2; size <= 128; size *= 2)
		for (int stride = size / 2; stride > 0; stride /= 2) {
			__syncthreads();
			int j = 2 * t - (t & (stride - 1));
			int a = s[j], b = s[j + stride];
			if ((a > b) == !(j & size)) {
				s[j] = b;
				s[j + stride] = a;
			}
		}
	__syncthreads();
	out[t] = s[t] + s[t + 64];
}

__global__ void stages(int *out, int n)
{
	__shared__ int s[2][64];
	int t = threadIdx.x;
	s[0][t] = t;
	__syncthreads();
	for (int i = 0; i < n; i++) {
		s[1 - (i & 1)][t] = s[i & 1][(t + 1) % 64];
		__syncthreads();
	}
	out[t] = s[n & 1][t];
}

static int *out;

static int wrong(int (*wanted)(int))
{
	int n = 0;
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++) {
		n += out[i] != wanted(i);
		out[i] = 0;
	}
	return n;
}

#define WRONG(name, expression) \
	say(name, "%d wrong", wrong([](int t) -> int { return expression; }))

int main()
{
	int4 *vectors;
	int *index;
	CHECK(cudaMallocManaged(&out, 64 * sizeof *out));
	CHECK(cudaMallocManaged(&index, 64 * sizeof *index));
	CHECK(cudaMallocManaged(&vectors, 64 * sizeof *vectors));
	for (int i = 0; i < 64; i++)
		index[i] = (i & 32) + i * 5 % 32;
	neighbours<<<1, 64>>>(out);
	WRONG("neighbours", (t ^ 1) + 1);
	behind_syncwarp<<<1, 64>>>(out);
	WRONG("behind __syncwarp", (t ^ 31) + 1);
	added<<<1, 64>>>(out);
	WRONG("an atomic stores", (t ^ 1) + 1);
	broadcast<<<1, 64>>>(out);
	WRONG("all load one", (t & 32) + 1);
	in_a_branch<<<1, 64>>>(out);
	WRONG("in a branch", t % 32 < 16 ? (t ^ 5) + 1 : 7);
	/* s[t] and s[t ^ 1] are their sum, 2 * (t & ~1) + 3, after a round, and double in each other */
	rounds<<<1, 64>>>(out, 5);
	WRONG("in rounds", (2 * (t & ~1) + 3) * 16);
	/* Lanes 2 * t and 2 * t + 1 load the same, and store the same. Of lanes 0 to 31 these are
	 * elements 0 to 15, of the others 16 to 31. */
	shared_by_two<<<1, 64>>>(out);
	WRONG("shared by two lanes", t + 1 + (t < 32));
	copied<<<1, 64>>>(vectors);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++)
		out[i] = vectors[i].x + vectors[i].w;
	WRONG("vectors", 5 * (t ^ 3));
	chosen<<<1, 64>>>(out, index);
	WRONG("places looked up", (t & 32) + t * 5 % 32 + 1);
	tree<<<1, 64>>>(out);
	WRONG("a tree", 64 * 65 / 2);
	/* 37 is odd: the elements are 0 to 127 */
	sorted<<<1, 64>>>(out);
	WRONG("a network", 2 * t + 64);
	stages<<<1, 64>>>(out, 7);
	WRONG("two stages", (t + 7) % 64);
	return 0;
}
