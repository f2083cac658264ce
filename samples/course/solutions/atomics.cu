/* SPDX-License-Identifier: Apache-2.0 */
#define BINS 64

__global__ void histogram(const unsigned char *values, int n, int *bins)
{
	__shared__ int mine[BINS];
	if (threadIdx.x < BINS)
		mine[threadIdx.x] = 0;
	__syncthreads();
	int grid = gridDim.x * blockDim.x;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += grid)
		atomicAdd(&mine[values[i]], 1);
	__syncthreads();
	if (threadIdx.x < BINS)
		atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
