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

/* Warps of 32 and 8 lanes that meet: all, a quarter, all; and a barrier that counts. */
__global__ void warps(int *to)
{
	int v = __shfl_xor_sync(~0u, threadIdx.x, 1);
	if (threadIdx.x % 4 == 0)
		v += __shfl_sync(0x11111111, v, 28);
	__syncwarp();
	to[threadIdx.x] = v + __syncthreads_count(v & 1);
}

/* Not all threads come to the barrier. */
__global__ void apart(int *to)
{
	if (threadIdx.x > 1)
		return;
	to[threadIdx.x] = 1;
	__syncthreads();
	to[threadIdx.x] = 2;
}

/* The same in a loop over warps, which the block leaves there. */
__global__ void leaves(int *to)
{
	int v = __shfl_xor_sync(~0u, threadIdx.x, 1);
	if (threadIdx.x > 1)
		return;
	to[threadIdx.x] = v;
	__syncthreads();
	to[threadIdx.x] = v + 2;
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
	warps<<<1, 40>>>(to);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	apart<<<1, 8>>>(to + 40);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	leaves<<<1, 8>>>(to + 60);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	int all[80];
	cudaMemcpy(all, to, sizeof all, cudaMemcpyDeviceToHost);
	printf("%d %d %d %d %d %d\n", all[3], all[4], all[41], all[42], all[60], all[61]);
}
