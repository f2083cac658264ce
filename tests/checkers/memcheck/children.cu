/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of kernels that kernels launch name the place that did. */
// flags: -rdc=true
#include "../case.cuh"

__global__ void put(int *p, int at)
{
	p[threadIdx.x + at] = 1; // EXPECT child_end: out-of-bounds write EXPECT grandchild_end: out-of-bounds write EXPECT tail_end: out-of-bounds write
}

__global__ void child(int *p, int at)
{
	if (threadIdx.x == 1)
		put<<<1, 8>>>(p, at); // LAUNCHES grandchild_end: 1 by (0,0,0) (1,0,0)
}

enum way { ONE, TWO, TAIL };
__global__ void parent(int *p, int at, way how)
{
	if (threadIdx.x != 3 || blockIdx.x != 1)
		return;
	if (how == ONE)
		put<<<1, 8>>>(p, at); // LAUNCHES child_end: 1 by (1,0,0) (3,0,0)
	else if (how == TWO)
		child<<<1, 2>>>(p, at); // LAUNCHES grandchild_end: 2 by (1,0,0) (3,0,0)
	else
		put<<<1, 8, 0, cudaStreamTailLaunch>>>(p, at); // LAUNCHES tail_end: 1 by (1,0,0) (3,0,0)
}

static void run(int at, way how)
{
	int *p;
	cudaMalloc(&p, 64 * sizeof *p);
	parent<<<2, 4>>>(p, at, how);
	cudaDeviceSynchronize();
	cudaFree(p);
}
CASE(child_end) { run(60, ONE); }
CASE(child_end_fixed) { run(56, ONE); }
CASE(grandchild_end) { run(60, TWO); }
CASE(grandchild_end_fixed) { run(56, TWO); }
CASE(tail_end) { run(60, TAIL); }
CASE(tail_end_fixed) { run(56, TAIL); }
