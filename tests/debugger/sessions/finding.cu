/* SPDX-License-Identifier: Apache-2.0 */
/* The last thread writes behind the end, in both launches. */
#include <cuda_runtime.h>

__global__ void fill(int *a, int n)
{
	int i = threadIdx.x;
	if (i <= n)
		a[i] = 7;
}

int main()
{
	int *a;
	cudaMalloc(&a, 32 * sizeof *a);
	fill<<<1, 64>>>(a, 32);
	fill<<<1, 64>>>(a, 32);
	cudaDeviceSynchronize();
	cudaFree(a);
	return 0;
}
