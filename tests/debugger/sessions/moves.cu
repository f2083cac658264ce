/* SPDX-License-Identifier: Apache-2.0 */
/* Who has to move with a step: lanes that part, barriers, shuffles, spins, grids. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

__global__ void lanes(int *o)
{
	int v = threadIdx.x;
	v += __shfl_down_sync(~0u, v, 1);
	if (threadIdx.x < 8)
		v *= 2;
	else
		v += 1;
	__syncthreads();
	o[threadIdx.x] = v;
}

__device__ volatile int flag;

__global__ void spins(int *o)
{
	if (blockIdx.x == 0) {
		while (!flag)
			;
		o[0] = 1;
	} else {
		o[1] = 2;
		flag = 1;
	}
}

__global__ void grid(int *o)
{
	o[blockIdx.x] = threadIdx.x;
	cooperative_groups::this_grid().sync();
	o[blockIdx.x] += 1;
}

__device__ int depth(int n)
{
	if (n == 0)
		return 1;
	return n * depth(n - 1);
}

__global__ void calls(int *o)
{
	o[0] = depth(3);
	__brkpt();
	o[1] = 4;
}

int main(int argc, char **argv)
{
	int *o;
	cudaMalloc(&o, 4096);
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "lanes"))
		lanes<<<1, 64>>>(o);
	if (!strcmp(what, "spins"))
		spins<<<2, 32>>>(o);
	void *arguments[] = {&o};
	if (!strcmp(what, "grid"))
		cudaLaunchCooperativeKernel((const void *)grid, dim3(3), dim3(64), arguments, 0, 0);
	if (!strcmp(what, "calls"))
		calls<<<1, 1>>>(o);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
