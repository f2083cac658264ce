/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups: block, tiles, coalesced and labelled groups, grid, their
 * reductions and scans. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "case.cuh"

namespace cg = cooperative_groups;

__global__ void block(int *out)
{
	cg::thread_block b = cg::this_thread_block();
	__shared__ int s[64];
	int i = b.thread_rank();
	s[i] = i * 3;
	b.sync();
	out[i] = s[63 - i] + 1000 * b.size() + 1000000 * b.group_index().x + 10000000 * b.thread_index().y;
}

template <int N> __global__ void tile(int *out)
{
	auto t = cg::tiled_partition<N>(cg::this_thread_block());
	int i = threadIdx.x, v = i;
	for (int d = t.size() / 2; d > 0; d /= 2)
		v += t.shfl_down(v, d);
	out[i] = t.shfl(v, 0) + 10000 * t.thread_rank() + 1000000 * t.meta_group_rank() +
		 100000000 * (t.any(i == 7) + 2 * t.all(i < 40));
	t.sync();
	out[64 + i] = (int)t.ballot(i % 3 == 0) ^ (int)t.match_any(i & 1);
}

__global__ void dynamic_tile(int *out)
{
	cg::thread_group g = cg::tiled_partition(cg::this_thread_block(), 8);
	out[threadIdx.x] = g.size() * 100 + g.thread_rank();
	g.sync();
}

__global__ void coalesced(int *out, int *counter)
{
	int i = threadIdx.x;
	out[i] = -1;
	if (i % 3 == 1) {
		cg::coalesced_group g = cg::coalesced_threads();
		int first = 0;
		if (g.thread_rank() == 0)
			first = atomicAdd(counter, g.size());
		first = g.shfl(first, 0);
		out[i] = first + g.thread_rank() + 100 * g.num_threads();
	}
}

__global__ void labelled(int *out)
{
	auto t = cg::tiled_partition<32>(cg::this_thread_block());
	auto g = cg::labeled_partition(t, threadIdx.x % 5);
	out[threadIdx.x] = cg::reduce(g, (int)threadIdx.x, cg::plus<int>()) + 1000 * g.size();
	auto h = cg::binary_partition(t, threadIdx.x < 11);
	out[32 + threadIdx.x] = h.size() * 100 + h.thread_rank();
}

__global__ void reductions(int *out)
{
	auto t = cg::tiled_partition<16>(cg::this_thread_block());
	int i = threadIdx.x, v = (i * 7) % 23;
	out[i] = cg::reduce(t, v, cg::plus<int>()) + 1000 * cg::reduce(t, v, cg::less<int>()) +
		 100000 * cg::reduce(t, v, cg::greater<int>());
	out[32 + i] = cg::inclusive_scan(t, v) + 1000 * cg::exclusive_scan(t, v);
}

__global__ void float_reduction(float *out)
{
	auto t = cg::tiled_partition<32>(cg::this_thread_block());
	out[threadIdx.x] = cg::reduce(t, 0.1f * threadIdx.x, cg::plus<float>());
}

__global__ void grid(int *out, int *other)
{
	cg::grid_group g = cg::this_grid();
	int i = g.thread_rank(), n = g.size();
	out[i] = i;
	g.sync();
	for (int k = 0; k < 4; k++) {
		other[i] = out[(i + 33) % n] + 1;
		g.sync();
		out[i] = other[(i + 1) % n];
		g.sync();
	}
	if (i == 0)
		other[0] = g.is_valid() + 10 * g.num_blocks();
}

__global__ void arrive_and_wait(int *out)
{
	cg::thread_block b = cg::this_thread_block();
	__shared__ int s[32];
	s[threadIdx.x] = threadIdx.x + 5;
	auto token = b.barrier_arrive();
	int own = threadIdx.x * 1000;
	b.barrier_wait(std::move(token));
	out[threadIdx.x] = own + s[31 - threadIdx.x];
}

__global__ __cluster_dims__(2, 1, 1) void cluster(int *out)
{
	__shared__ int mine[32];
	cg::cluster_group c = cg::this_cluster();
	mine[threadIdx.x] = threadIdx.x + 100 * blockIdx.x;
	c.sync();
	int *theirs = c.map_shared_rank(mine, c.block_rank() ^ 1);
	out[blockIdx.x * 32 + threadIdx.x] = theirs[31 - threadIdx.x] + 10000 * c.num_blocks();
	c.sync();
}

/* Invoked for one thread of a group. */
__global__ void one(int *out)
{
	auto t = cg::tiled_partition<8>(cg::this_thread_block());
	cg::invoke_one(t, [&] { atomicAdd(out, 1); });
	t.sync();
	int got = cg::invoke_one_broadcast(t, [&] { return (int)t.meta_group_rank() * 11; });
	out[1 + threadIdx.x] = got;
}

int main()
{
	run("block", 64, 1, dim3(32, 2), block);
	{
		memory<int> out(128);
		tile<32><<<1, 64>>>(out.there);
		std::vector<int> v = out.fetch();
		show("tile of 32", v.data(), 64);
		show("tile of 32, votes", v.data() + 64, 64);
		tile<8><<<1, 64>>>(out.there);
		v = out.fetch();
		show("tile of 8", v.data(), 64);
		show("tile of 8, votes", v.data() + 64, 64);
		tile<1><<<1, 64>>>(out.there);
		v = out.fetch();
		show("tile of 1", v.data(), 64);
	}
	run("tile of a size known at run time", 32, 1, 32, dynamic_tile);
	{
		memory<int> counter(1);
		run("coalesced", 32, 1, 32, coalesced, counter.there);
		counter.show("coalesced, counted");
	}
	run("labelled", 64, 1, 32, labelled);
	run("reductions and scans", 64, 1, 32, reductions);
	run("float reduction", 32, 1, 32, float_reduction);
	{
		memory<int> out(8 * 64), other(8 * 64);
		int *a = out.there, *b = other.there;
		void *arguments[] = {&a, &b};
		CHECK(cudaLaunchCooperativeKernel((void *)grid, 8, 64, arguments, 0, 0));
		CHECK(cudaDeviceSynchronize());
		out.show("grid");
		say("grid, valid and blocks", "%d", other.fetch()[0]);
		int blocks;
		CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid, 64, 0));
		cudaError_t error = cudaLaunchCooperativeKernel((void *)grid, 1 << 20, 64, arguments, 0, 0);
		say("grid too large", "%s", cudaGetErrorName(error));
		cudaGetLastError();
	}
	run("arrive and wait", 32, 1, 32, arrive_and_wait);
	run("cluster", 128, 4, 32, cluster);
	run("one of a group", 33, 1, 32, one);
	return 0;
}
