// SPDX-License-Identifier: Apache-2.0
/* What kernels read in constant memory, before, behind and between barriers: bounds of loops, tables
 * by thread and by block, pointers to what is stored meanwhile; and that the next launch sees what the
 * host has written in between. */
#include "case.cuh"

enum { N = 96, BLOCKS = 3 };

struct shape {
	int rounds, width, limits[BLOCKS];
	int *out, *scratch;
};
__constant__ shape shape_of;
__constant__ int table[N];
__constant__ float weights[4][8];
__device__ int changing[BLOCKS];

/* A barrier in a loop that constant memory bounds, with a stop that depends on the block. */
__global__ void rounds()
{
	__shared__ int s[N];
	int t = threadIdx.x, b = blockIdx.x;
	s[t] = table[(t + b) % N];
	__syncthreads();
	for (int r = 0; r < shape_of.rounds; r++) {
		int x = s[(t + shape_of.width) % N] + table[r];
		__syncthreads();
		if (x % 7 < shape_of.limits[b])
			s[t] = x + t;
		__syncthreads();
		if (r == shape_of.limits[b])
			break;
	}
	shape_of.out[b * N + t] = s[t];
}

/* Tables by thread: some lanes leave early, others read on. */
__global__ void lanes()
{
	__shared__ int s[N];
	int t = threadIdx.x, b = blockIdx.x, sum = 0;
	for (int k = t % 5; k < shape_of.limits[b] + t % 3; k++)
		sum += table[(k * 11 + t) % N] * shape_of.width;
	s[t] = sum;
	__syncthreads();
	float w = 0;
	for (int k = 0; k < 8; k++)
		w += weights[t & 3][k] * s[(t + k) % N];
	shape_of.out[b * N + t] = (int)w + table[s[t] % N];
}

/* Stores beside constant memory, through pointers that stand in it; a variable that is no constant. */
__global__ void stores()
{
	int t = threadIdx.x, b = blockIdx.x;
	int *scratch = shape_of.scratch + b * N;
	for (int k = 0; k < shape_of.rounds; k++) {
		scratch[t] += table[k] + shape_of.width;
		shape_of.out[b * N + t] = scratch[t] ^ k;
		__syncthreads();
		if (t == 0)
			changing[b] += scratch[k];
		__syncthreads();
		scratch[t] += changing[b];
	}
	shape_of.out[b * N + t] += scratch[t] + changing[b];
}

static int *out, *scratch;

static void set(int seed)
{
	shape s = {5 + seed % 3, 3 + seed, {2 + seed % 5, 4, 9 - seed % 4}, out, scratch};
	int numbers[N];
	float w[4][8];
	for (int i = 0; i < N; i++)
		numbers[i] = (i * 37 + seed * 11) % 101;
	for (int i = 0; i < 32; i++)
		w[i / 8][i % 8] = (float)((i * 5 + seed) % 9);
	cudaMemcpyToSymbol(shape_of, &s, sizeof s);
	cudaMemcpyToSymbol(table, numbers, sizeof numbers);
	cudaMemcpyToSymbol(weights, w, sizeof w);
}

static void run(void (*kernel)())
{
	for (int seed = 0; seed < 4; seed++) {
		int host[BLOCKS * N], zero[BLOCKS] = {};
		cudaMemset(out, 0, sizeof host);
		cudaMemset(scratch, 0, sizeof host);
		cudaMemcpyToSymbol(changing, zero, sizeof zero);
		set(seed);
		kernel<<<BLOCKS, N>>>();
		cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
		for (int b = 0; b < BLOCKS; b++) {
			unsigned hash = 0;
			for (int i = 0; i < N; i++)
				hash = hash * 31 + (unsigned)host[b * N + i];
			printf("%d %d: %d %d %d %08x\n", seed, b, host[b * N], host[b * N + 41],
			       host[b * N + N - 1], hash);
		}
	}
}

int main()
{
	CHECK(cudaMalloc(&out, BLOCKS * N * sizeof(int)));
	CHECK(cudaMalloc(&scratch, BLOCKS * N * sizeof(int)));
	puts("rounds");
	run(rounds);
	puts("lanes");
	run(lanes);
	puts("stores");
	run(stores);
	return 0;
}
