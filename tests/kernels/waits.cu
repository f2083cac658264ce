/* SPDX-License-Identifier: Apache-2.0 */
/* waits.cu - warps of a block that wait for each other at mbarriers, flags and locks: pipelines by arrivals, by
 * bulk copies, with elected threads and with parts of warps; polls that do something else meanwhile; queues and
 * chains over blocks whose warps have other things to do. */
#include <cuda/barrier>

#include "case.cuh"
#include "drawn.cuh"

enum { MOST = 256, ROUNDS = 9, BUFFERS = 3 };

static __device__ unsigned at(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void set(unsigned long long *bar, int n)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(bar)), "r"(n) : "memory");
}

static __device__ void arrive(unsigned long long *bar)
{
	asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(bar)) : "memory");
}

static __device__ bool is_over(unsigned long long *bar, int parity)
{
	unsigned over;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
		     : "=r"(over)
		     : "r"(at(bar)), "r"(parity)
		     : "memory");
	return over;
}

static __device__ void wait(unsigned long long *bar, int parity)
{
	unsigned over;
	do
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
			     : "=r"(over)
			     : "r"(at(bar)), "r"(parity)
			     : "memory");
	while (!over);
}

/* All threads of the first half fill buffers that all threads of the second half use. */
__global__ void pipeline(unsigned *out)
{
	__shared__ unsigned buffer[BUFFERS][MOST];
	__shared__ unsigned long long full[BUFFERS], empty[BUFFERS];
	int n = blockDim.x, half = n / 2, t = threadIdx.x;
	if (t < BUFFERS) {
		set(&full[t], half);
		set(&empty[t], n - half);
	}
	__syncthreads();
	if (t < half) {
		for (int i = 0; i < ROUNDS; i++) {
			int k = i % BUFFERS;
			if (i >= BUFFERS)
				wait(&empty[k], (i / BUFFERS + 1) & 1);
			buffer[k][t] = drawn(i * n + t + blockIdx.x);
			arrive(&full[k]);
		}
	} else {
		unsigned sum = 0;
		for (int i = 0; i < ROUNDS; i++) {
			int k = i % BUFFERS;
			wait(&full[k], i / BUFFERS & 1);
			for (int d = 0; d < 5; d++)
				sum = sum * 3 + buffer[k][(t - half + d * 37) % half];
			arrive(&empty[k]);
		}
		out[blockIdx.x * (n - half) + t - half] = sum;
	}
}

/* One thread copies in bulk, the others use what has come. */
__global__ void copies(unsigned *out, const unsigned *in)
{
	__shared__ __align__(16) unsigned buffer[BUFFERS][MOST];
	__shared__ unsigned long long full[BUFFERS], empty[BUFFERS];
	int n = blockDim.x - 32, t = threadIdx.x;
	if (t < BUFFERS) {
		set(&full[t], 1);
		set(&empty[t], n / 32);
	}
	__syncthreads();
	if (t >= n) {
		for (int i = 0; i < ROUNDS && t == n; i++) {
			int k = i % BUFFERS;
			if (i >= BUFFERS)
				wait(&empty[k], (i / BUFFERS + 1) & 1);
			asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(at(&full[k])),
				     "r"(4 * n)
				     : "memory");
			asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
					     at(buffer[k])),
				     "l"(in + i * n), "r"(4 * n), "r"(at(&full[k]))
				     : "memory");
		}
		return;
	}
	unsigned sum = blockIdx.x;
	for (int i = 0; i < ROUNDS; i++) {
		int k = i % BUFFERS;
		wait(&full[k], i / BUFFERS & 1);
		sum = sum * 5 + buffer[k][(t * 7 + i) % n];
		__syncwarp();
		if (t % 32 == 0)
			arrive(&empty[k]);
	}
	out[blockIdx.x * n + t] = sum;
}

/* cuda::barrier: arrivals with tokens, work between them and the wait; one ends early. */
__global__ void tokens(unsigned *out)
{
	using barrier = cuda::barrier<cuda::thread_scope_block>;
	__shared__ __align__(8) unsigned char space[sizeof(barrier)];
	__shared__ unsigned s[MOST];
	barrier &bar = *reinterpret_cast<barrier *>(space);
	int t = threadIdx.x, n = blockDim.x;
	if (t == 0)
		init(&bar, n);
	__syncthreads();
	unsigned v = drawn(t + 31 * blockIdx.x);
	if (t == n - 1) {
		s[t] = v;
		bar.arrive_and_drop();
		return;
	}
	for (int i = 0; i < ROUNDS; i++) {
		s[t] = v + i;
		auto token = bar.arrive();
		v = v * 3 + t;
		bar.wait(std::move(token));
		v += s[(t + 1 + i) % n];
		bar.arrive_and_wait();
	}
	out[blockIdx.x * n + t] = v;
}

/* Some lanes of each warp wait, the others count; phases of several barriers at once. */
__global__ void parts(unsigned *out)
{
	__shared__ unsigned long long bar[4];
	__shared__ unsigned s[MOST];
	int t = threadIdx.x, n = blockDim.x, part = t % 4;
	if (t < 4)
		set(&bar[t], n / 4);
	__syncthreads();
	unsigned v = drawn(t * 3 + blockIdx.x);
	for (int i = 0; i < ROUNDS; i++) {
		s[t] = v;
		arrive(&bar[part]);
		if (part != i % 3)
			wait(&bar[part], i & 1);
		else
			for (int k = 0; k < t % 5; k++)
				v = v * 7 + k;
		wait(&bar[part], i & 1);
		unsigned other = s[(t + 4 * (i + 1)) % n];
		__syncthreads();
		v = v * 3 + other;
	}
	out[blockIdx.x * n + t] = v;
}

/* A warp asks whether a phase is over and does something else meanwhile, which the others wait for. */
__global__ void polls(unsigned *out)
{
	__shared__ unsigned long long ready, done;
	__shared__ unsigned s[MOST];
	int t = threadIdx.x, n = blockDim.x;
	if (t == 0) {
		set(&ready, 32);
		set(&done, n - 32);
	}
	__syncthreads();
	if (t < 32) {
		unsigned count = 0;
		while (!is_over(&done, 0))
			if (count < 3) {
				s[t] = drawn(t + count + blockIdx.x);
				__syncwarp();
				arrive(&ready);
				count++;
			}
		out[blockIdx.x * n + t] = count ? s[n - 1 - t] : 0;
	} else {
		wait(&ready, 0);
		s[t] = s[t % 32] / 2 * 2 + t;
		arrive(&done);
		out[blockIdx.x * n + t] = 0;
	}
}

/* An mbarrier is set up anew for each phase. */
__global__ void anew(unsigned *out)
{
	__shared__ unsigned long long bar;
	__shared__ unsigned s[MOST];
	int t = threadIdx.x, n = blockDim.x;
	unsigned v = t + blockIdx.x;
	for (int i = 0; i < 4; i++) {
		if (t == 0)
			set(&bar, n);
		__syncthreads();
		s[t] = v;
		arrive(&bar);
		wait(&bar, 0);
		v += s[(t + 3) % n];
		__syncthreads();
		if (t == 0)
			asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
	}
	out[blockIdx.x * n + t] = v;
}

/* One warp after the other: a flag in shared memory. */
__global__ void flags(unsigned *out)
{
	__shared__ volatile int turn;
	__shared__ unsigned sum[32];
	int t = threadIdx.x, warp = t / 32, lane = t % 32, n = blockDim.x / 32;
	if (t == 0)
		turn = 0;
	if (t < 32)
		sum[t] = blockIdx.x + t;
	__syncthreads();
	for (int i = 0; i < 3; i++) {
		while (turn != i * n + n - 1 - warp)
			;
		__syncwarp();
		sum[lane] = sum[lane] * 3 + __shfl_xor_sync(~0u, sum[lane], warp) + i;
		__syncwarp();
		__threadfence_block();
		if (lane == 0)
			turn = turn + 1;
		__syncwarp();
	}
	__syncthreads();
	out[blockIdx.x * blockDim.x + t] = sum[lane] + warp;
}

/* A lock in shared memory, taken by one lane of each warp, and sleeps meanwhile. */
__global__ void locks(unsigned *out)
{
	__shared__ int lock;
	__shared__ volatile unsigned sum, n_entered;
	int t = threadIdx.x;
	if (t == 0) {
		lock = 0;
		sum = blockIdx.x;
		n_entered = 0;
	}
	__syncthreads();
	for (int i = 0; i < 4; i++) {
		unsigned all = __reduce_add_sync(~0u, drawn(t + i) % 1000);
		if (t % 32 == 0) {
			while (atomicCAS(&lock, 0, 1))
				__nanosleep(40);
			__threadfence_block();
			sum = sum + all;
			n_entered = n_entered + 1;
			__threadfence_block();
			atomicExch(&lock, 0);
		}
		__syncwarp();
	}
	__syncthreads();
	out[blockIdx.x * blockDim.x + t] = sum * 1000 + n_entered;
}

/* Prefix sums over the blocks of a grid: a warp looks back while the others wait for it in the block. */
__device__ volatile unsigned long long states[256];

__global__ void chain(unsigned *out)
{
	__shared__ unsigned sums[32], before;
	int t = threadIdx.x, n = blockDim.x;
	unsigned v = drawn(t + n * blockIdx.x) % 100, all = __reduce_add_sync(~0u, v);
	if (t % 32 == 0)
		sums[t / 32] = all;
	__syncthreads();
	if (t < 32) {
		unsigned own = __reduce_add_sync(~0u, t < n / 32 ? sums[t] : 0);
		unsigned total = 0;
		if (blockIdx.x > 0) {
			unsigned long long state;
			do
				state = states[blockIdx.x - 1];
			while (!__all_sync(~0u, state >> 32 == 1));
			total = (unsigned)state;
		}
		if (t == 0) {
			states[blockIdx.x] = 1ull << 32 | (total + own);
			before = total;
		}
		__syncwarp();
	}
	__syncthreads();
	out[blockIdx.x * n + t] = before + v;
}

/* What has arrived at a barrier that nobody waits for is gone with the block. */
__global__ void leftover(unsigned *out)
{
	__shared__ unsigned s[64];
	int t = threadIdx.x;
	s[t] = blockIdx.x * 100 + t;
	asm volatile("bar.sync 1, 64;" ::: "memory");
	out[blockIdx.x * 64 + t] = s[t ^ 33];
	if (t < 32)
		asm volatile("bar.arrive 1, 64;" ::: "memory");
}

__global__ void clear()
{
	states[threadIdx.x] = 0;
}

int main()
{
	unsigned *in;
	cudaMallocManaged(&in, ROUNDS * MOST * sizeof *in);
	for (int i = 0; i < ROUNDS * MOST; i++)
		in[i] = i * 2654435761u;
	for (int n : {64, 96, 128, 256}) {
		char name[32];
		snprintf(name, sizeof name, "pipeline %d", n);
		run(name, 3 * (n - n / 2), 3, n, pipeline);
		snprintf(name, sizeof name, "copies %d", n);
		run(name, 3 * (n - 32), 3, n, copies, in);
		snprintf(name, sizeof name, "tokens %d", n);
		run(name, 3 * n, 3, n, tokens);
		snprintf(name, sizeof name, "parts %d", n);
		run(name, 3 * n, 3, n, parts);
		snprintf(name, sizeof name, "anew %d", n);
		run(name, 3 * n, 3, n, anew);
		snprintf(name, sizeof name, "flags %d", n);
		run(name, 3 * n, 3, n, flags);
		snprintf(name, sizeof name, "locks %d", n);
		run(name, 3 * n, 3, n, locks);
	}
	for (int n : {64, 96}) {
		char name[32];
		clear<<<1, 256>>>();
		snprintf(name, sizeof name, "chain %d", n);
		run(name, 12 * n, 12, n, chain);
	}
	for (int n : {40, 100, 250}) {
		char name[32];
		snprintf(name, sizeof name, "pipeline %d", n);
		run(name, 2 * (n - n / 2), 2, n, pipeline);
		snprintf(name, sizeof name, "tokens %d", n);
		run(name, 2 * n, 2, n, tokens);
		snprintf(name, sizeof name, "anew %d", n);
		run(name, 2 * n, 2, n, anew);
	}
	run("leftover", 3 * 64, 3, 64, leftover);
	return 0;
}
