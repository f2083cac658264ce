/* SPDX-License-Identifier: Apache-2.0 */
/* What bench/run goes back in: 2^20 threads that come to 100 lines each, a block of 256 that comes to
 * 100,000 each, and 2^20 threads that access global memory 96 times each. */
#include <cstdio>

__global__ void lines(float *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = i;
	for (int k = 0; k < n; k++) {
		x = x * 0.5f + 1;
		x = x - 0.25f;
	}
	a[i] = x; /* the end of lines */
}

__global__ void accesses(float *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int k = 0; k < n; k++)
		a[i] += k;
	a[i] = -a[i]; /* the end of accesses */
}

int main()
{
	float *a;
	cudaMalloc(&a, sizeof(float) << 20);
	lines<<<4096, 256>>>(a, 33);
	lines<<<1, 256>>>(a, 33333);
	accesses<<<4096, 256>>>(a, 47);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
