/* SPDX-License-Identifier: Apache-2.0 */
/* The other half of pair.cu: a device function that it calls, and a kernel of clusters. */
#include <cooperative_groups.h>
#include "pair.h"

__device__ int calls;
__constant__ float factor = 2.5f;

__device__ float weigh(const Cell *cell, int times)
{
	float sum = 0;
	for (int k = 0; k < times; k++)
		sum += cell->weight * factor;
	atomicAdd(&calls, 1);
	return sum;
}

/* Each block hands its token to the next one of its cluster. */
__global__ void __cluster_dims__(2, 1, 1) ring(int *out)
{
	__shared__ int token;
	cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
	unsigned rank = cluster.block_rank();
	if (threadIdx.x == 0)
		token = 10 * (blockIdx.x + 1);
	cluster.sync();
	int got = *cluster.map_shared_rank(&token, 1 - rank);
	cluster.sync();
	out[blockIdx.x * blockDim.x + threadIdx.x] = got;
}
