// SPDX-License-Identifier: Apache-2.0
// What dap/run and the editors debug. in[i] = i + 1, so that thread t of block 0 has
// total = (t + 1)(t + 2) / 2, and of block 1 total = 65(t + 1) + t(t + 1) / 2.
#include <cstdio>

struct Point {
	float x, y;
	int id;
};

__device__ int calls;

__device__ __noinline__ int square(int a)
{
	int r = a * a;
	return r;
}

__global__ void sums(const int *in, int *out, int n)
{
	__shared__ int tile[64];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	Point p = {i + 0.5f, 2.0f * i, i};
	tile[threadIdx.x] = in[i];
	__syncthreads();
	int total = 0;
	for (int k = 0; k <= threadIdx.x; k++)
		total += tile[k];
	if (i < n)
		out[i] = total + square(p.id);
	if (i == 0)
		calls = 7;
}

int main(int argc, char **argv)
{
	int *in, *out, n = 128;
	int rounds = argc > 1 ? argv[1][0] - '0' : 1;
	cudaMallocManaged(&in, n * sizeof *in);
	cudaMallocManaged(&out, n * sizeof *out);
	for (int i = 0; i < n; i++)
		in[i] = i + 1;
	int table[2500];
	for (int i = 0; i < 2500; i++)
		table[i] = 3 * i;
	for (int round = 0; round < rounds; round++) {
		sums<<<2, 64>>>(in, out, n);
		cudaDeviceSynchronize();
	}
	in[0] = table[2499];
	printf("last is %d\n", out[127]);
	fprintf(stderr, "done\n");
	return 3;
}
