/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels in two streams, of which one waits for the other, but not forever: a GPU
 * may have to load the other first. Then a kernel of clusters.
 * Its other half is pair_device.cu. */
#include <cstdio>
#include "pair.h"

__device__ volatile int flag;

__global__ void left(const Cell *cells, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int k = 0; !flag && k < 10000000; k++)
		;
	float mine = weigh(&cells[i], i % 3);
	out[i] = mine;
}

__global__ void right(const Cell *cells, float *out)
{
	int i = threadIdx.x;
	float mine = weigh(&cells[i], 2);
	out[i] = mine;
	__syncthreads();
	if (i == 0)
		flag = 1;
}

int main()
{
	Cell host[64], *cells;
	float *out, sum = 0, results[128];
	int *tokens, first[4];
	for (int i = 0; i < 64; i++)
		host[i] = {100 + i, i * 0.5f};
	cudaMalloc(&cells, sizeof host);
	cudaMalloc(&out, sizeof results);
	cudaMalloc(&tokens, 4 * 32 * sizeof *tokens);
	cudaMemcpy(cells, host, sizeof host, cudaMemcpyHostToDevice);

	cudaStream_t one, two;
	cudaStreamCreate(&one);
	cudaStreamCreate(&two);
	left<<<2, 32, 0, one>>>(cells, out);
	right<<<1, 64, 0, two>>>(cells, out + 64);
	cudaDeviceSynchronize();
	ring<<<4, 32>>>(tokens);

	cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
	for (float result : results)
		sum += result;
	for (int b = 0; b < 4; b++)
		cudaMemcpy(&first[b], tokens + 32 * b, sizeof(int), cudaMemcpyDeviceToHost);
	printf("%g, %d %d %d %d\n", sum, first[0], first[1], first[2], first[3]);
	return 0;
}
