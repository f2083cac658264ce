/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups keep barriers and scratch in memory that no allocation of the program's
 * holds. Each guilty case has its fault behind a meeting that is no fault. */
// flags: -rdc=true
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "../case.cuh"

namespace cg = cooperative_groups;

static void cooperative(void (*kernel)(int *, int), int at, int n_blocks)
{
	int *p;
	void *args[] = {&p, &at};
	cudaMalloc(&p, 64 * sizeof *p);
	cudaMemset(p, 0, 64 * sizeof *p);
	cudaLaunchCooperativeKernel((void *)kernel, dim3(n_blocks), dim3(64), args, 0, 0);
	cudaDeviceSynchronize();
	cudaFree(p);
}

/* All blocks meet, several times. */
__global__ void whole_grid(int *p, int at)
{
	cg::grid_group grid = cg::this_grid();
	for (int i = 0; i < 3; i++) {
		if (grid.thread_rank() == 0)
			p[i] = i;
		grid.sync();
	}
	if (grid.thread_rank() == 1)
		p[at] = p[1]; // EXPECT grid: out-of-bounds write
}
CASE(grid) { cooperative(whole_grid, 64, 4); }
CASE(grid_fixed) { cooperative(whole_grid, 63, 4); }

/* In two steps, and work between. */
__global__ void two_steps(int *p, int at)
{
	cg::grid_group grid = cg::this_grid();
	auto token = grid.barrier_arrive();
	int i = at + 1 - (int)grid.is_valid();
	grid.barrier_wait(std::move(token));
	if (grid.thread_rank() == 0)
		p[i] = 1; // EXPECT arrive_wait: out-of-bounds write
}
CASE(arrive_wait) { cooperative(two_steps, 64, 3); }
CASE(arrive_wait_fixed) { cooperative(two_steps, 63, 3); }

/* Two launches of the same kernel beside each other have a barrier each. */
static void beside(int at)
{
	int *p;
	cudaStream_t streams[2];
	cudaMalloc(&p, 64 * sizeof *p);
	cudaMemset(p, 0, 64 * sizeof *p);
	cudaDeviceSynchronize();
	for (int i = 0; i < 2; i++) {
		int *own = p + 8 * i, last = i ? at - 8 : 7;
		void *args[] = {&own, &last};
		cudaStreamCreate(&streams[i]);
		cudaLaunchCooperativeKernel((void *)whole_grid, dim3(2), dim3(64), args, 0, streams[i]);
	}
	cudaDeviceSynchronize();
	cudaStreamDestroy(streams[0]);
	cudaStreamDestroy(streams[1]);
	cudaFree(p);
}
CASE(beside_fixed) { beside(63); }

/* The header has its size in front of the barrier: what lies around it is nobody's. */
__global__ void behind_barrier(int *p, int by)
{
	cg::this_grid().sync();
	unsigned high, low;
	asm("mov.u32 %0, %%envreg1; mov.u32 %1, %%envreg2;" : "=r"(high), "=r"(low));
	unsigned *workspace = (unsigned *)((unsigned long long)high << 32 | low);
	if (threadIdx.x == 0 && blockIdx.x == 0)
		p[0] = workspace[by] != 0; // EXPECT workspace_end: host-pointer read
}
CASE(workspace_end) { cooperative(behind_barrier, 2, 1); }
CASE(workspace_end_fixed) { cooperative(behind_barrier, 0, 1); }

/* Tiles of several warps meet in the window's reserved part, or in the program's own. */
__global__ void tiles(int *p, int at)
{
	__shared__ cg::block_tile_memory<64> scratch;
	cg::thread_block block = cg::this_thread_block(scratch);
	auto tile = cg::tiled_partition<64>(block);
	tile.sync();
	int sum = cg::reduce(tile, 1, cg::plus<int>());
	if (tile.thread_rank() == 0)
		p[at] = sum; // EXPECT tile: out-of-bounds write
}
CASE(tile) { cooperative(tiles, 64, 1); }
CASE(tile_fixed) { cooperative(tiles, 63, 1); }

__global__ void reserved(int *p, int at)
{
	auto tile = cg::tiled_partition<64>(cg::this_thread_block());
	tile.sync();
	int sum = cg::reduce(tile, 1, cg::plus<int>()) + tile.shfl(1, 40);
	if (tile.thread_rank() == 0)
		p[at] = sum; // EXPECT reserved_tile: out-of-bounds write
}
CASE(reserved_tile) { cooperative(reserved, 64, 1); }
CASE(reserved_tile_fixed) { cooperative(reserved, 63, 1); }

/* Barriers of a cluster, and of a grid of clusters. */
__global__ void __cluster_dims__(2, 1, 1) clusters(int *p, int at)
{
	cg::cluster_group cluster = cg::this_cluster();
	__shared__ int own;
	if (threadIdx.x == 0)
		own = 1;
	cluster.sync();
	int sum = own + *cluster.map_shared_rank(&own, cluster.block_rank() ^ 1);
	cluster.sync();
	cg::this_grid().sync();
	if (cg::this_grid().thread_rank() == 0)
		p[at] = sum; // EXPECT cluster: out-of-bounds write
}
CASE(cluster) { cooperative(clusters, 64, 4); }
CASE(cluster_fixed) { cooperative(clusters, 63, 4); }

/* A kernel of a cooperative launch launches others, the old way by a parameter buffer, too. */
__global__ void child(int *p, int at) { p[at] = 2; } // EXPECT launched: out-of-bounds write
__global__ void launching(int *p, int at)
{
	cg::this_grid().sync();
	if (cg::this_grid().thread_rank())
		return;
	child<<<1, 1>>>(p, 1);
	char *buffer = (char *)cudaGetParameterBuffer(8, 16);
	*(int **)buffer = p;
	*(int *)(buffer + 8) = at;
	cudaLaunchDevice((void *)child, buffer, dim3(1), dim3(1), 0, 0); // LAUNCHES launched: 1 by (0,0,0) (0,0,0)
}
CASE(launched) { cooperative(launching, 64, 2); }
CASE(launched_fixed) { cooperative(launching, 63, 2); }
