/* SPDX-License-Identifier: Apache-2.0 */
/* clusters.cu - blocks of a cluster that meet at its barrier and use each other's shared memory: rings, reductions,
 * arrivals apart from waits, threads that end early, mbarriers of other blocks, warps with other things to do. */
#include <cooperative_groups.h>

#include "case.cuh"
#include "drawn.cuh"

namespace cg = cooperative_groups;

enum { MOST = 256, ROUNDS = 6 };

/* Each block reads what its neighbour in the cluster has written. */
__global__ void ring(unsigned *out)
{
	__shared__ unsigned s[MOST];
	cg::cluster_group cluster = cg::this_cluster();
	int t = threadIdx.x, n = blockDim.x, rank = cluster.block_rank(), blocks = cluster.num_blocks();
	unsigned v = drawn(blockIdx.x * n + t);
	for (int i = 0; i < ROUNDS; i++) {
		s[t] = v;
		cluster.sync();
		unsigned *other = cluster.map_shared_rank(s, (rank + 1 + i) % blocks);
		v = v * 3 + other[(t + i) % n];
		cluster.sync();
	}
	out[blockIdx.x * n + t] = v;
}

/* A sum over the cluster: by warps, by blocks, by rank 0. */
__global__ void reduce(unsigned *out)
{
	__shared__ unsigned sum;
	cg::cluster_group cluster = cg::this_cluster();
	int t = threadIdx.x;
	if (t == 0)
		sum = 0;
	cluster.sync();
	unsigned all = __reduce_add_sync(~0u, drawn(blockIdx.x * blockDim.x + t) % 1000);
	if (t % 32 == 0)
		atomicAdd(cluster.map_shared_rank(&sum, 0), all);
	cluster.sync();
	out[blockIdx.x * blockDim.x + t] = *cluster.map_shared_rank(&sum, 0) + t;
	cluster.sync();
}

/* Work between the arrival and the wait, with barriers of the block. */
__global__ void apart(unsigned *out)
{
	__shared__ unsigned s[MOST], kept[MOST];
	cg::cluster_group cluster = cg::this_cluster();
	int t = threadIdx.x, n = blockDim.x, rank = cluster.block_rank(), blocks = cluster.num_blocks();
	unsigned v = t + blockIdx.x;
	for (int i = 0; i < ROUNDS; i++) {
		s[t] = v * 5 + i;
		cluster.barrier_arrive();
		kept[t] = v;
		__syncthreads();
		v += kept[(t + 1) % n];
		cluster.barrier_wait();
		v ^= cluster.map_shared_rank(s, (rank + i) % blocks)[(t + 3) % n];
		cluster.sync();
	}
	out[blockIdx.x * n + t] = v;
}

/* Some threads end before the last meetings, and a whole warp of one block. */
__global__ void early(unsigned *out)
{
	__shared__ unsigned s[MOST];
	cg::cluster_group cluster = cg::this_cluster();
	int t = threadIdx.x, n = blockDim.x;
	s[t] = drawn(t + blockIdx.x);
	out[blockIdx.x * n + t] = 7;
	cluster.sync();
	unsigned v = cluster.map_shared_rank(s, 0)[n - 1 - t];
	cluster.sync();
	if (t % 5 == 0 || (t < 32 && cluster.block_rank() == 1))
		return;
	out[blockIdx.x * n + t] = v;
	cluster.sync();
	out[blockIdx.x * n + t] += v;
}

/* Blocks arrive at an mbarrier of rank 0, which then tells all by theirs. */
__global__ void remote(unsigned *out)
{
	__shared__ unsigned long long gathered, told;
	__shared__ unsigned parts[8], answer;
	cg::cluster_group cluster = cg::this_cluster();
	int t = threadIdx.x, rank = cluster.block_rank(), blocks = cluster.num_blocks();
	unsigned over, here = (unsigned)__cvta_generic_to_shared(&gathered),
		       own = (unsigned)__cvta_generic_to_shared(&told);
	if (t == 0) {
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(here), "r"(blocks) : "memory");
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(own) : "memory");
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	cluster.sync();
	for (int i = 0; i < ROUNDS; i++) {
		unsigned sum = __reduce_add_sync(~0u, drawn(blockIdx.x * 64 + t + i) % 100);
		if (t == 0) {
			cluster.map_shared_rank(parts, 0)[rank] = sum;
			asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, 0;"
				     " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]; }" ::"r"(here)
				     : "memory");
		}
		if (rank == 0 && t < 32) {
			do
				asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;"
					     " selp.u32 %0, 1, 0, p; }"
					     : "=r"(over)
					     : "r"(here), "r"(i & 1)
					     : "memory");
			while (!over);
			unsigned all = __reduce_add_sync(~0u, t < blocks ? parts[t] : 0);
			__syncwarp();
			if (t < blocks) {
				*cluster.map_shared_rank(&answer, t) = all + i;
				asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, %1;"
					     " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]; }" ::"r"(own),
					     "r"(t)
					     : "memory");
			}
		}
		do
			asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;"
				     " selp.u32 %0, 1, 0, p; }"
				     : "=r"(over)
				     : "r"(own), "r"(i & 1)
				     : "memory");
		while (!over);
		out[(blockIdx.x * 64 + t) * ROUNDS + i] = answer;
		cluster.sync();
	}
}

/* The last warp of each block waits for the cluster while the others meet in the block. */
__global__ void roles(unsigned *out)
{
	__shared__ unsigned s[MOST], told;
	cg::cluster_group cluster = cg::this_cluster();
	int t = threadIdx.x, n = blockDim.x;
	s[t] = drawn(t * 3 + blockIdx.x);
	__syncthreads();
	if (t < n - 32) {
		for (int i = 0; i < 3; i++) {
			unsigned v = s[(t + 1) % (n - 32)];
			asm volatile("bar.sync 1, %0;" ::"r"(n - 32) : "memory");
			s[t] += v;
			asm volatile("bar.sync 1, %0;" ::"r"(n - 32) : "memory");
		}
		cluster.barrier_arrive();
	} else {
		if (t == n - 1)
			told = s[n - 2] + cluster.block_rank();
		cluster.barrier_arrive();
	}
	cluster.barrier_wait();
	out[blockIdx.x * n + t] = s[t] + *cluster.map_shared_rank(&told, (cluster.block_rank() + 1) % cluster.num_blocks());
	cluster.sync();
}

template <typename... P> static void clustered(const char *name, int n, int blocks, int threads, int size, void (*kernel)(unsigned *))
{
	unsigned *out;
	CHECK(cudaMallocManaged(&out, n * sizeof *out));
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute[1];
	attribute[0].id = cudaLaunchAttributeClusterDimension;
	attribute[0].val.clusterDim = {(unsigned)size, 1, 1};
	config.gridDim = blocks;
	config.blockDim = threads;
	config.attrs = attribute;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, kernel, out));
	CHECK(cudaDeviceSynchronize());
	show(name, out, n);
	cudaFree(out);
}

int main()
{
	for (int size : {1, 2, 4, 8})
		for (int n : {64, 96, 256}) {
			char name[40];
			int blocks = 3 * size;
			snprintf(name, sizeof name, "ring %d %d", size, n);
			clustered(name, blocks * n, blocks, n, size, ring);
			snprintf(name, sizeof name, "reduce %d %d", size, n);
			clustered(name, blocks * n, blocks, n, size, reduce);
			snprintf(name, sizeof name, "apart %d %d", size, n);
			clustered(name, blocks * n, blocks, n, size, apart);
			snprintf(name, sizeof name, "early %d %d", size, n);
			clustered(name, blocks * n, blocks, n, size, early);
			snprintf(name, sizeof name, "roles %d %d", size, n);
			clustered(name, blocks * n, blocks, n, size, roles);
		}
	for (int size : {1, 2, 4, 8}) {
		char name[40];
		snprintf(name, sizeof name, "remote %d", size);
		clustered(name, 3 * size * 64 * ROUNDS, 3 * size, 64, size, remote);
	}
	for (int size : {2, 4}) {
		char name[40];
		snprintf(name, sizeof name, "ring %d 100", size);
		clustered(name, 2 * size * 100, 2 * size, 100, size, ring);
		snprintf(name, sizeof name, "apart %d 40", size);
		clustered(name, 2 * size * 40, 2 * size, 40, size, apart);
		snprintf(name, sizeof name, "early %d 100", size);
		clustered(name, 2 * size * 100, 2 * size, 100, size, early);
	}
	return 0;
}
