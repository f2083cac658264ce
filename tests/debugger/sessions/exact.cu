/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that are none, arrays of structures, halves. */
#include <cstdio>
#include <cuda_fp16.h>

struct Point {
	float x;
	int n;
};

namespace inner {
__device__ int hidden = 9;
}
__device__ int shown = 5;
__device__ __half half_shown;

__global__ void exact(Point *points)
{
	int i = threadIdx.x;
	int shown = i + 100;
	float v = i * 2.0f;
	if (i == 3)
		v = sqrtf(-v);
	points[i].x = v;
	points[i].n = shown + ::shown + inner::hidden;
	if (i == 0)
		half_shown = __float2half(1.5f);
	points[i].n++;
}

int main()
{
	Point *points;
	cudaMallocManaged(&points, 64 * sizeof *points);
	exact<<<2, 32>>>(points);
	cudaDeviceSynchronize();
	printf("%d\n", points[1].n);
	return 0;
}
