/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups, on: tiles of several warps, partitions of partitions,
 * reductions and scans with every operator, their forms that update memory,
 * asynchronous copies, clusters. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>

#include "case.cuh"

namespace cg = cooperative_groups;

/* Tiles of more than a warp talk through memory that the program lends. */
template <int N> __global__ void large_tile(int *out)
{
	__shared__ cg::block_tile_memory<256> memory;
	cg::thread_block b = cg::this_thread_block(memory);
	auto t = cg::tiled_partition<N>(b);
	int i = threadIdx.x, v = (i * 37) % 101;
	int sum = cg::reduce(t, v, cg::plus<int>());
	int least = cg::reduce(t, v, cg::less<int>());
	t.sync();
	int upto = cg::inclusive_scan(t, v);
	int before = cg::exclusive_scan(t, v, cg::greater<int>());
	int any = t.any(v == 100), all = t.all(v < 100);
	t.sync();
	int told = cg::invoke_one_broadcast(t, [&] { return (int)t.meta_group_rank() + 5; });
	int *o = out + 6 * i;
	o[0] = sum + 100000 * least;
	o[1] = upto;
	o[2] = t.thread_rank() ? before : -1;
	o[3] = any + 2 * all;
	o[4] = told + 10 * t.meta_group_size() + 1000 * t.size();
	o[5] = t.thread_rank();
}

struct pair {
	int a;
	short b;
	char c[6];
};

__global__ void shuffles(int *out)
{
	auto t = cg::tiled_partition<16>(cg::this_thread_block());
	int i = threadIdx.x;
	pair p = {i * 3, (short)(i + 1), {1, 2, 3, 4, 5, (char)i}};
	pair q = t.shfl(p, 5), up = t.shfl_up(p, 2), down = t.shfl_down(p, 3), other = t.shfl_xor(p, 6);
	out[5 * i] = q.a + 1000 * q.b + 100000 * q.c[5];
	out[5 * i + 1] = up.a + 1000 * up.c[5];
	out[5 * i + 2] = down.b + 1000 * down.c[5];
	out[5 * i + 3] = other.a + 1000 * other.c[0];
	int same;
	out[5 * i + 4] = t.match_all(i / 16, same) + (same << 20) + ((int)t.shfl(2.5 * i, 1) << 24);
}

template <typename T> __global__ void operators(T *out)
{
	auto t = cg::tiled_partition<32>(cg::this_thread_block());
	int i = threadIdx.x;
	T v = (T)((i * 29) % 31 + 7);
	T *o = out + 12 * i;
	o[0] = cg::reduce(t, v, cg::plus<T>());
	o[1] = cg::reduce(t, v, cg::less<T>());
	o[2] = cg::reduce(t, v, cg::greater<T>());
	o[3] = cg::reduce(t, v, [](T a, T b) { return a > b ? a - b : b - a; });
	o[4] = cg::inclusive_scan(t, v, cg::greater<T>());
	o[5] = cg::exclusive_scan(t, v);
	o[6] = cg::inclusive_scan(t, v, cg::less<T>());
	if (i % 3) {
		auto c = cg::coalesced_threads();
		o[7] = cg::reduce(c, v, cg::plus<T>());
		o[8] = cg::reduce(c, v, cg::greater<T>());
		o[9] = cg::inclusive_scan(c, v);
		o[10] = cg::exclusive_scan(c, v);
		o[11] = (T)c.thread_rank();
	}
}

template <typename T> __global__ void bit_operators(T *out)
{
	auto t = cg::tiled_partition<8>(cg::this_thread_block());
	int i = threadIdx.x;
	T v = (T)(0x5a5a5a5a ^ (i * 0x1234567));
	T *o = out + 4 * i;
	o[0] = cg::reduce(t, v, cg::bit_and<T>());
	o[1] = cg::reduce(t, v, cg::bit_or<T>());
	o[2] = cg::reduce(t, v, cg::bit_xor<T>());
	o[3] = cg::inclusive_scan(t, v, cg::bit_xor<T>());
}

__device__ cuda::atomic<int, cuda::thread_scope_device> total, base;

__global__ void updates(int *out)
{
	auto t = cg::tiled_partition<32>(cg::this_thread_block());
	auto half = cg::tiled_partition<16>(t);
	__shared__ cuda::atomic<int, cuda::thread_scope_block> kept;
	int i = threadIdx.x;
	if (i == 0)
		new (&kept) cuda::atomic<int, cuda::thread_scope_block>(3);
	t.sync();
	cg::reduce_update_async(t, total, i, cg::plus<int>());
	cg::reduce_update_async(half, kept, i, cg::greater<int>());
	out[i] = cg::exclusive_scan_update(t, base, i + 1, cg::plus<int>());
	out[32 + i] = cg::inclusive_scan_update(t, base, 1, cg::plus<int>());
	t.sync();
	out[64] = total.load();
	out[65] = kept.load();
	out[66] = base.load();
}

__global__ void partitions(int *out)
{
	auto t = cg::tiled_partition<32>(cg::this_thread_block());
	int i = threadIdx.x;
	auto thirds = cg::labeled_partition(t, i % 3);
	auto inner = cg::labeled_partition(thirds, i / 8);
	auto odd = cg::binary_partition(thirds, i & 1);
	int *o = out + 6 * i;
	o[0] = thirds.size() * 100 + thirds.thread_rank();
	o[1] = inner.size() * 100 + inner.thread_rank() + 10000 * inner.meta_group_rank();
	o[2] = odd.size() * 100 + odd.thread_rank() + 10000 * odd.meta_group_size();
	o[3] = inner.shfl(i, 0) + 100 * (int)odd.any(i > 28) + 1000 * (int)odd.all(i > 2);
	o[4] = odd.ballot(i > 9);
	o[5] = cg::reduce(inner, i, cg::plus<int>());
	if (i > 3 && i < 21) {
		auto c = cg::coalesced_threads();
		auto four = cg::tiled_partition(c, 4);
		o[4] += (four.size() * 100 + four.thread_rank()) << 8;
	}
}

__global__ void copies(int *out, const int *in)
{
	__shared__ alignas(16) int a[128], b[128], c[64];
	auto block = cg::this_thread_block();
	auto t = cg::tiled_partition<32>(block);
	cg::memcpy_async(block, a, in, sizeof a);
	cg::wait(block);
	cg::memcpy_async(block, b, cuda::aligned_size_t<16>(64), in + 64, cuda::aligned_size_t<16>(64));
	cg::memcpy_async(block, b + 64, 64, in, 40);
	cg::wait_prior<1>(block);
	cg::wait(block);
	int rank = t.meta_group_rank();
	cg::memcpy_async(t, c + 32 * rank, in + 32 * (1 - rank), 32 * sizeof(int));
	cg::wait(t);
	for (int i = threadIdx.x; i < 128; i += blockDim.x) {
		out[i] = a[i];
		out[128 + i] = i < 104 ? b[i] : 0;
		if (i < 64)
			out[256 + i] = c[i];
	}
}

__global__ void __cluster_dims__(2, 2, 1) cluster(int *out)
{
	__shared__ int mine[32];
	cg::cluster_group c = cg::this_cluster();
	int i = threadIdx.x, rank = c.block_rank();
	mine[i] = 100 * (blockIdx.x + 10 * blockIdx.y) + i;
	auto token = c.barrier_arrive();
	int *o = out + 6 * (i + 32 * (blockIdx.x + gridDim.x * blockIdx.y));
	c.barrier_wait(std::move(token));
	int *next = c.map_shared_rank(mine, (rank + 1) % c.num_blocks());
	o[0] = next[31 - i];
	o[1] = c.query_shared_rank(next) + 10 * rank;
	o[2] = c.thread_rank() + 1000 * c.num_threads();
	dim3 at = c.block_index(), size = c.dim_blocks(), thread = c.thread_index();
	o[3] = at.x + 10 * at.y + 100 * size.x + 1000 * size.y;
	o[4] = thread.x + 100 * thread.y;
	c.sync(); /* all have read */
	atomicAdd(c.map_shared_rank(&mine[0], 0), 1);
	c.sync();
	o[5] = *c.map_shared_rank(&mine[0], 0);
	c.sync();
}

__global__ void whole_grid(int *out)
{
	auto g = cg::this_grid();
	int i = (int)g.thread_rank();
	dim3 at = g.block_index(), size = g.dim_blocks(), thread = g.thread_index();
	out[i] = (int)g.block_rank() + 10 * at.x + 100 * at.y + 1000 * size.y + 10000 * thread.x +
		 1000000 * (int)g.num_blocks() + 10000000 * (g.num_threads() == 48);
	auto token = g.barrier_arrive();
	g.barrier_wait(std::move(token));
	if (i == 0)
		out[48] = out[47] + 1;
	g.sync();
	out[49 + i] = out[48];
}

int main()
{
	run("tile of 64", 6 * 256, 1, 256, large_tile<64>);
	run("tile of 128", 6 * 256, 1, 256, large_tile<128>);
	run("tile of 256", 6 * 256, 1, 256, large_tile<256>);
	run("shuffled structures", 5 * 32, 1, 32, shuffles);
	run("operators, int", 12 * 32, 1, 32, operators<int>);
	run("operators, double", 12 * 32, 1, 32, operators<double>);
	run("bits, unsigned", 4 * 32, 1, 32, bit_operators<unsigned>);
	run("bits, long long", 4 * 32, 1, 32, bit_operators<long long>);
	run("updates", 67, 1, 32, updates);
	run("partitions", 6 * 32, 1, 32, partitions);
	{
		std::vector<int> v(128);
		for (int i = 0; i < 128; i++)
			v[i] = i * i;
		memory<int> in(v);
		run("asynchronous copies", 320, 1, 64, copies, (const int *)in.there);
	}
	run("cluster", 6 * 32 * 8, dim3(4, 2), 32, cluster);
	{
		memory<int> out(97);
		int *p = out.there;
		void *arguments[] = {&p};
		CHECK(cudaLaunchCooperativeKernel((void *)whole_grid, dim3(2, 3), dim3(8), arguments, 0, 0));
		CHECK(cudaDeviceSynchronize());
		out.show("grid");
	}
	return 0;
}
