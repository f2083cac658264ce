/* SPDX-License-Identifier: Apache-2.0 */
/* What lanes_tool.c hears of: accesses of 32 threads at once, and of 8, since the block has 40. */
#include <cstdio>

__global__ void lanes(const int *from, const int *where, int *to)
{
	__shared__ int s[40];
	int i = threadIdx.x, v = 0;
	v += from[i];
	v += from[3];
	if (i % 2)
		to[where[i]] = v;
	s[39 - i] = v;
	__syncthreads();
	to[40 + i] = s[i];
}

/* One thread after the other: a fence has no place in a loop. */
__global__ void alone(int *to)
{
	to[0] = 1;
	__threadfence();
}

int main()
{
	int host[40], *from, *where, *to;
	for (int i = 0; i < 40; i++)
		host[i] = 39 - i;
	cudaMalloc(&from, sizeof host);
	cudaMalloc(&where, sizeof host);
	cudaMalloc(&to, 2 * sizeof host);
	cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
	cudaMemcpy(where, host, sizeof host, cudaMemcpyHostToDevice);
	lanes<<<1, 40>>>(from, where, to);
	cudaDeviceSynchronize();
	alone<<<1, 2>>>(to);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	int all[80];
	cudaMemcpy(all, to, sizeof all, cudaMemcpyDeviceToHost);
	printf("%d %d\n", all[38], all[40]);
}
