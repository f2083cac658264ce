// SPDX-License-Identifier: Apache-2.0
#include "area.cuh"

__device__ int total;

__global__ void add_circles()
{
	shape s = {0, 0, static_cast<int>(threadIdx.x) + 1};
	atomicAdd(&total, circle_area(s));
}

int run_total(int n)
{
	int result = 0;
	add_circles<<<1, n>>>();
	cudaMemcpyFromSymbol(&result, total, sizeof result);
	return result;
}
