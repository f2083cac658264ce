/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous copies, mbarriers, clusters' shared memory and wide atomics, by
 * inline PTX and by the headers that are made of it. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

#include "case.cuh"

namespace cg = cooperative_groups;

static __device__ uint32_t shared_address(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

__global__ void copies(uint32_t *out, const uint32_t *in)
{
	__shared__ __align__(16) uint32_t s[64];
	uint32_t at = shared_address(s + 4 * threadIdx.x);
	for (int k = 0; k < 4; k++)
		s[4 * threadIdx.x + k] = 99 + k;
	__syncthreads();
	int size = threadIdx.x % 5 * 4;
	if (threadIdx.x < 8)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at),
			     "l"(in + 4 * threadIdx.x), "r"(size));
	else if (threadIdx.x < 12)
		asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at),
			     "l"(in + 4 * threadIdx.x), "n"(8));
	else
		asm volatile("cp.async.ca.shared.global.L2::128B [%0+4], [%1+-4], 4;" ::"r"(at),
			     "l"(in + 4 * threadIdx.x));
	asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
	__syncthreads();
	for (int k = 0; k < 4; k++)
		out[4 * threadIdx.x + k] = s[4 * threadIdx.x + k];
}

/* Block-wide phases of one mbarrier: tokens, then parities. */
__global__ void phases(uint32_t *out)
{
	__shared__ uint64_t bar;
	__shared__ uint32_t turn;
	uint32_t at = shared_address(&bar), done;
	if (threadIdx.x == 0) {
		turn = 0;
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x));
	}
	__syncthreads();
	for (uint32_t k = 0; k < 4; k++) {
		uint64_t token;
		if (threadIdx.x == k * 7)
			turn += k + 1;
		asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
		do
			asm volatile("{\n\t.reg .pred p;\n\t"
				     "mbarrier.test_wait.shared.b64 p, [%1], %2;\n\t"
				     "selp.b32 %0, 1, 0, p;\n\t}"
				     : "=r"(done) : "r"(at), "l"(token) : "memory");
		while (!done);
		out[threadIdx.x] = out[threadIdx.x] * 10 + turn;
		__syncthreads();
	}
	for (uint32_t k = 0; k < 4; k++) {
		if (threadIdx.x == k * 5)
			turn += 2;
		asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
		asm volatile("{\n\t.reg .pred P1;\n\t"
			     "WAIT_%=:\n\t"
			     "mbarrier.try_wait.parity.shared.b64 P1, [%0], %1;\n\t"
			     "@P1 bra DONE_%=;\n\t"
			     "bra WAIT_%=;\n\t"
			     "DONE_%=:\n\t}" ::"r"(at), "r"(k & 1) : "memory");
		out[threadIdx.x] = out[threadIdx.x] * 3 + turn;
		__syncthreads();
	}
}

__global__ void bulk(uint32_t *out, const uint32_t *in)
{
	__shared__ __align__(128) uint32_t s[128];
	__shared__ __align__(8) uint64_t bar;
	uint32_t at = shared_address(&bar), to = shared_address(s);
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
		asm volatile("fence.proxy.async.shared::cta;");
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;" ::"r"(at));
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1], 256, [%2];" ::"r"(to), "l"(in), "r"(at) : "memory");
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1], 256, [%2];" ::"r"(to + 256), "l"(in), "r"(at) : "memory");
	}
	uint32_t done;
	do
		asm volatile("{\n\t.reg .pred p;\n\t"
			     "mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n\t"
			     "selp.b32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(at) : "memory");
	while (!done);
	s[threadIdx.x] = s[threadIdx.x] * 3 + threadIdx.x;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0)
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;\n\t"
			     "cp.async.bulk.commit_group;\n\t"
			     "cp.async.bulk.wait_group 0;" ::"l"(out), "r"(to) : "memory");
}

/* Two blocks write into each other's shared memory. */
__global__ void __cluster_dims__(2, 1, 1) cluster(uint32_t *out)
{
	__shared__ uint32_t s[32];
	uint32_t rank, remote;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	s[threadIdx.x] = 1000;
	asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared_address(s)), "r"(rank ^ 1));
	asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote + 4 * (31 - threadIdx.x)),
		     "r"(100 * rank + threadIdx.x) : "memory");
	asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
	uint32_t theirs, of;
	asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(theirs) : "r"(remote));
	asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(remote));
	asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
	out[32 * rank + threadIdx.x] = s[threadIdx.x] + 1000 * theirs + 1000000 * of;
}

/* Wide and half-precision atomics; the sums are exact in any order. */
__global__ void atomics(uint32_t *out, float *sums, uint32_t *halves, uint64_t *wide)
{
	asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(sums), "f"(1.0f), "f"(0.5f) : "memory");
	asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(halves), "r"(0x3c003800) : "memory");
	asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(halves + 1), "r"(0x3f803f00) : "memory");
	asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" ::"l"(out), "r"(threadIdx.x * 7 % 31) : "memory");
	asm volatile("red.global.inc.u32 [%0], 10;" ::"l"(out + 1) : "memory");
	asm volatile("{\n\t.reg .b128 d, x;\n\tmov.b128 x, {%1, %2};\n\t"
		     "atom.global.exch.b128 d, [%0], x;\n\t}" ::"l"(wide), "l"(5ull), "l"(6ull) : "memory");
	uint64_t lo, hi;
	asm volatile("{\n\t.reg .b128 d, c, x;\n\tmov.b128 c, {%3, %4};\n\tmov.b128 x, {%5, %6};\n\t"
		     "atom.acq_rel.gpu.global.cas.b128 d, [%2], c, x;\n\tmov.b128 {%0, %1}, d;\n\t}"
		     : "=l"(lo), "=l"(hi)
		     : "l"(wide + 2 + 2 * threadIdx.x), "l"(0ull), "l"(0ull), "l"(7ull + threadIdx.x), "l"(8ull) : "memory");
	out[2 + threadIdx.x] = (uint32_t)(lo + hi);
}

__global__ void block_barrier(int *out)
{
	using barrier = cuda::barrier<cuda::thread_scope_block>;
	__shared__ __align__(8) char storage[sizeof(barrier)];
	__shared__ int v[64];
	barrier *b = reinterpret_cast<barrier *>(storage);
	if (threadIdx.x == 0)
		init(b, blockDim.x);
	__syncthreads();
	for (int k = 0; k < 3; k++) {
		v[threadIdx.x] = threadIdx.x * 10 + k;
		b->arrive_and_wait();
		out[threadIdx.x] += v[(threadIdx.x + 1 + k) % 64];
		auto token = b->arrive();
		b->wait(std::move(token));
	}
}

__global__ void staged(int *out, const int *in)
{
	__shared__ int s[2][64];
	auto block = cg::this_thread_block();
	for (int k = 0; k < 4; k++) {
		cg::memcpy_async(block, s[k & 1], in + 64 * k, sizeof(s[0]));
		cg::wait(block);
		out[64 * k + threadIdx.x] = 2 * s[k & 1][63 - threadIdx.x];
		block.sync();
	}
}

__global__ void whole_grid(int *out, int *buffer)
{
	auto grid = cg::this_grid();
	int i = (int)grid.thread_rank(), n = (int)grid.size();
	buffer[i] = i * i;
	grid.sync();
	int v = buffer[n - 1 - i];
	grid.sync();
	buffer[i] = v + 1;
	grid.sync();
	out[i] = buffer[(i + 7) % n];
}

/* More arrivals at once than the phase waits for. */
__global__ void too_many(uint32_t brings)
{
	__shared__ uint64_t bar;
	uint32_t at = shared_address(&bar);
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at));
		asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;" ::"r"(at), "r"(brings) : "memory");
	}
}

/* One lane destroys the mbarrier behind its wait and makes another in its place, which no thread
 * but the waiting ones would ever complete: on a GPU all lanes have left the wait with it. */
__global__ void left_together(uint32_t *out, uint32_t who, bool by_parity)
{
	__shared__ uint64_t bar;
	uint32_t at = shared_address(&bar), sum = 0;
	for (uint32_t k = 0; k < 3; k++) {
		uint64_t token;
		uint32_t done;
		if (threadIdx.x == 0)
			asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x));
		__syncthreads();
		asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
		if (by_parity) /* so that none of the warp has asked before the phase is over */
			__syncwarp();
		do
			if (by_parity)
				asm volatile("{\n\t.reg .pred p;\n\t"
					     "mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n\t"
					     "selp.b32 %0, 1, 0, p;\n\t}"
					     : "=r"(done) : "r"(at) : "memory");
			else
				asm volatile("{\n\t.reg .pred p;\n\t"
					     "mbarrier.test_wait.shared.b64 p, [%1], %2;\n\t"
					     "selp.b32 %0, 1, 0, p;\n\t}"
					     : "=r"(done) : "r"(at), "l"(token) : "memory");
		while (!done);
		if (threadIdx.x == who) {
			asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
			asm volatile("mbarrier.init.shared.b64 [%0], 1000;" ::"r"(at) : "memory");
		}
		sum += k + threadIdx.x;
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}

int main()
{
	std::vector<uint32_t> words(256);
	for (int i = 0; i < 256; i++)
		words[i] = i * 2654435761u >> 16;
	memory<uint32_t> in(words);
	run("cp.async", 64, 1, 16, copies, (const uint32_t *)in);
	run("mbarrier phases", 64, 1, 64, phases);
	run("bulk copies", 128, 1, 128, bulk, (const uint32_t *)in);
	run("cluster", 64, 2, 32, cluster);
	{
		memory<float> sums(2);
		memory<uint32_t> halves(2);
		memory<uint64_t> wide(66);
		run("atomics", 34, 1, 32, atomics, (float *)sums, (uint32_t *)halves, (uint64_t *)wide);
		sums.show("vector sums");
		halves.show("half sums");
		wide.show("128 bits");
	}
	run("cuda::barrier", 64, 1, 64, block_barrier);
	run("mbarrier left by all", 32, 1, 32, left_together, 0u, false);
	run("mbarrier left by all, parity", 32, 1, 32, left_together, 5u, true);
	run("memcpy_async", 256, 1, 64, staged, (const int *)(const uint32_t *)in);
	memory<int> out(256), buffer(256);
	int *there = out, *other = buffer;
	void *arguments[] = {&there, &other};
	CHECK(cudaLaunchCooperativeKernel((void *)whole_grid, 4, 64, arguments, 0, 0));
	CHECK(cudaDeviceSynchronize());
	out.show("grid sync");
	too_many<<<1, 32>>>(32);
	CHECK(cudaDeviceSynchronize());
	too_many<<<1, 32>>>(33);
	printf("arrivals of 33 where 32 are expected: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
