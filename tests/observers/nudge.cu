/* SPDX-License-Identifier: Apache-2.0 */
/* A launch that never ends, under nudge_tool.c. */
#include <cstdio>

__global__ void endless(int *p)
{
	for (unsigned i = 0;; i++)
		p[threadIdx.x + (i & 1) * 64]++;
}

/* The same, thread by thread: a fence has no place in a loop. */
__global__ void endless_alone(int *p)
{
	for (unsigned i = 0;; i++) {
		p[threadIdx.x + (i & 1) * 64]++;
		__threadfence();
	}
}

int main(int argc, char **)
{
	int *p;
	cudaMalloc(&p, 512);
	if (argc > 1)
		endless_alone<<<1, 64>>>(p);
	else
		endless<<<1, 64>>>(p);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
