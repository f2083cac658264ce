/* SPDX-License-Identifier: Apache-2.0 */
/* What bench/run debugs: 2^20 threads with a loop, and a warp that makes many steps. */
#include <cstdio>

__global__ void inner(float *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float s = 0;
	for (int k = 0; k < n; k++)
		s += k * 0.5f; /* the condition's line */
	p[i] = s;
}

__global__ void steps(int *p, int n)
{
	int s = 0;
	for (int k = 0; k < n; k++) {
		s += k;
		s ^= 3;
	}
	*p = s;
}

int main()
{
	float *p;
	cudaMalloc(&p, sizeof(float) << 20);
	inner<<<4096, 256>>>(p, 8);
	steps<<<1, 32>>>((int *)p, 10000);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
