/* SPDX-License-Identifier: Apache-2.0 */
/* Every thread of a small grid says who it is. */
#include "../check.h"

__global__ void introduce()
{
	int block = blockIdx.y * gridDim.x + blockIdx.x;
	int thread = threadIdx.y * blockDim.x + threadIdx.x;
	int global = block * (blockDim.x * blockDim.y) + thread;

	printf("thread (%d,%d) of block (%d,%d), grid %dx%d of blocks %dx%d: number %2d\n",
	       threadIdx.x, threadIdx.y, blockIdx.x, blockIdx.y, gridDim.x, gridDim.y,
	       blockDim.x, blockDim.y, global);
}

int main()
{
	introduce<<<dim3(3, 2), dim3(4, 2)>>>();
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	return 0;
}
