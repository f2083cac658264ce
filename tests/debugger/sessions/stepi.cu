/* SPDX-License-Identifier: Apache-2.0 */
/* Single instructions over a barrier and to the end of a thread. */
#include <cstdio>

__device__ int total;

__global__ void steps(int *out)
{
	__shared__ int part[64];
	int t = threadIdx.x;
	part[t] = t;
	__syncthreads();
	out[blockIdx.x * 64 + t] = part[63 - t];
	atomicAdd(&total, 1);
}

int main()
{
	int *out;
	cudaMalloc(&out, 4096 * 64 * sizeof *out);
	steps<<<4096, 64>>>(out);
	cudaDeviceSynchronize();
	int n;
	cudaMemcpyFromSymbol(&n, total, sizeof n);
	printf("%d\n", n);
	return 0;
}
