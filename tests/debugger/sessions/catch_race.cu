/* SPDX-License-Identifier: Apache-2.0 */
/* One thread prepares for all, and nobody waits for it. */
#include <cuda_runtime.h>

__global__ void leader(int *out)
{
	__shared__ int start;
	if (threadIdx.x == 0)
		start = 42;
	out[threadIdx.x] = start + threadIdx.x;
}

int main()
{
	int *out;
	cudaMalloc(&out, 2 * sizeof *out);
	leader<<<1, 2>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
	return 0;
}
