// SPDX-License-Identifier: Apache-2.0
#include "area.cuh"

__global__ void areas_of(int *areas)
{
	shape s = {static_cast<int>(threadIdx.x) + 1, 1, 0};
	areas[threadIdx.x] = area(s);
}

int run_areas(int *areas, int n)
{
	int *device;
	cudaMalloc(&device, n * sizeof *device);
	areas_of<<<1, n>>>(device);
	cudaMemcpy(areas, device, n * sizeof *device, cudaMemcpyDeviceToHost);
	cudaFree(device);
	return cudaGetLastError();
}
