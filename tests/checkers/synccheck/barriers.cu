/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers and warp-wide operations against their rules. */
#include <cooperative_groups.h>
#include <cuda/barrier>

#include "../cases.h"

/* ---- __syncthreads() ------------------------------------------------------ */

/* One barrier for the first half, another for the second. */
template <bool ONE> __global__ void halves(int *out)
{
	__shared__ int s[64];
	s[threadIdx.x] = threadIdx.x;
	if (ONE)
		__syncthreads();
	else if (threadIdx.x < 32)
		__syncthreads();
	else
		__syncthreads();
	out[threadIdx.x] = s[63 - threadIdx.x];
}
/* Which of the two is named depends on who comes second. FINDS(halves_guilty): divergent-barrier anywhere */
CASE(halves_guilty) { device_array<int> a(64); halves<false><<<1, 64>>>(a); }
CASE(halves_innocent) { device_array<int> a(64); halves<true><<<1, 64>>>(a); }

/* Threads without work leave before the barrier. */
template <bool LEAVE> __global__ void leave(const int *in, int *out, int n)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	if (LEAVE && t >= n)
		return;
	s[t] = t < n ? in[t] : 0;
	__syncthreads();                                          /* FINDS(leave_guilty): divergent-warp */
	if (t < n)
		out[t] = s[n - 1 - t];
}
CASE(leave_guilty) { device_array<int> a(64), b(64); leave<true><<<1, 64>>>(a, b, 40); }
CASE(leave_innocent) { device_array<int> a(64), b(64); leave<false><<<1, 64>>>(a, b, 40); }

/* Whole warps leave. */
template <bool LEAVE> __global__ void warps_leave(int *out)
{
	if (LEAVE && threadIdx.x >= 32)
		return;
	__syncthreads();                                          /* FINDS(warps_leave_guilty): divergent-block */
	out[threadIdx.x] = 1;
}
CASE(warps_leave_guilty) { device_array<int> a(96); warps_leave<true><<<1, 96>>>(a); }
CASE(warps_leave_innocent) { device_array<int> a(96); warps_leave<false><<<1, 96>>>(a); }

/* A loop whose number of rounds differs, with the barrier inside. */
template <bool INSIDE> __global__ void rounds(int *sum, int n)
{
	__shared__ int s[64];
	s[threadIdx.x] = 0;
	__syncthreads();
	for (int i = 0; i < n; i += 64) {
		if (i + (int)threadIdx.x < n)
			s[threadIdx.x] += i;
		if (INSIDE || i + (int)threadIdx.x < n)
			__syncthreads();                          /* FINDS(rounds_guilty): divergent */
	}
	if (threadIdx.x == 0)
		*sum = s[0];
}
CASE(rounds_guilty) { device_array<int> a(1); rounds<false><<<1, 64>>>(a, 100); }
CASE(rounds_innocent) { device_array<int> a(1); rounds<true><<<1, 64>>>(a, 100); }

/* ---- hangs ---------------------------------------------------------------- */

/* Lane 0 waits at the block's barrier, the others for lane 0 in the warp. */
template <bool HANG> __global__ void crossed(int *out)
{
	if (!HANG || threadIdx.x != 0)
		__syncwarp();
	__syncthreads();
	if (HANG && threadIdx.x == 0)
		__syncwarp();
	out[threadIdx.x] = 1;
}
/* FINDS(crossed_guilty): deadlock anywhere */
CASE(crossed_guilty) { device_array<int> a(32); crossed<true><<<1, 32>>>(a); }
CASE(crossed_innocent) { device_array<int> a(32); crossed<false><<<1, 32>>>(a); }

/* A named barrier that asks for more threads than ever come. */
__global__ void too_few(int *out, int n)
{
	asm volatile("bar.sync 3, %0;" ::"r"(n) : "memory");
	out[threadIdx.x] = 1;
}
/* FINDS(too_few_guilty): deadlock anywhere */
CASE(too_few_guilty)
{
	device_array<int> a(64);
	void *p = a.p;
	(void)p;
	too_few<<<1, 64>>>(a, 32 * 1);
	cudaDeviceSynchronize();
	too_few<<<1, 32>>>(a, 64);
}
CASE(too_few_innocent) { device_array<int> a(64); too_few<<<1, 64>>>(a, 64); }

/* Not a multiple of a warp. FINDS(odd_guilty): barrier-misuse anywhere */
CASE(odd_guilty) { device_array<int> a(64); too_few<<<1, 64>>>(a, 33); }
CASE(odd_innocent) { device_array<int> a(64); too_few<<<1, 64>>>(a, 32); }

/* ---- masks ---------------------------------------------------------------- */

/* The caller is not in its own mask. */
__global__ void outside(int *out, unsigned limit)
{
	unsigned mask = __ballot_sync(~0u, threadIdx.x < 16);
	if (threadIdx.x < limit) {
		__syncwarp(mask);                                 /* FINDS(outside_guilty): invalid-mask */
		out[threadIdx.x] = 1;
	}
}
CASE(outside_guilty) { device_array<int> a(32); outside<<<1, 32>>>(a, 17); }
CASE(outside_innocent) { device_array<int> a(32); outside<<<1, 32>>>(a, 16); }

__global__ void shuffle(int *out, unsigned mask)
{
	if (threadIdx.x < 8)
		out[threadIdx.x] = __shfl_down_sync(mask, (int)threadIdx.x, 1); /* FINDS(shuffle_guilty): invalid-mask */
}
CASE(shuffle_guilty) { device_array<int> a(8); shuffle<<<1, 32>>>(a, 0x7f); }
CASE(shuffle_innocent) { device_array<int> a(8); shuffle<<<1, 32>>>(a, 0xff); }

/* All lanes come together: a GPU goes on, but CUDA does not say so. */
__global__ void together(int *out, unsigned mask)
{
	out[threadIdx.x] = __ballot_sync(mask, 1);                /* FINDS(together_guilty): invalid-mask */
}
CASE(together_guilty) { device_array<int> a(32); together<<<1, 32>>>(a, 0xffff); }
CASE(together_innocent) { device_array<int> a(32); together<<<1, 32>>>(a, ~0u); }

/* Lanes that the mask names never come. FINDS(absent_guilty): deadlock anywhere */
template <bool ALL> __global__ void absent(int *out)
{
	if (ALL || threadIdx.x < 16)
		out[threadIdx.x] = __any_sync(~0u, threadIdx.x == 3);
	else
		__syncthreads();
	if (ALL || threadIdx.x < 16)
		__syncthreads();
}
CASE(absent_guilty) { device_array<int> a(32); absent<false><<<1, 32>>>(a); }
CASE(absent_innocent) { device_array<int> a(32); absent<true><<<1, 32>>>(a); }

/* ---- shuffles from lanes that are not there --------------------------------- */

/* Half a warp asks for a lane of the other half. */
__global__ void broadcast(int *out, int from)
{
	if (threadIdx.x < 16)
		out[threadIdx.x] = __shfl_sync(0xffff, (int)threadIdx.x, from); /* FINDS(broadcast_guilty): inactive-lane */
}
CASE(broadcast_guilty) { device_array<int> a(16); broadcast<<<1, 32>>>(a, 16); }
CASE(broadcast_innocent) { device_array<int> a(16); broadcast<<<1, 32>>>(a, 15); }

/* A sum by partners, with steps for a whole warp where only eight lanes are. */
__global__ void partners(int *out, int step)
{
	int sum = threadIdx.x;
	if (threadIdx.x >= 8)
		return;
	for (; step; step /= 2)
		sum += __shfl_xor_sync(0xff, sum, step); /* FINDS(partners_guilty): inactive-lane */
	out[threadIdx.x] = sum;
}
CASE(partners_guilty) { device_array<int> a(8); partners<<<1, 32>>>(a, 16); }
CASE(partners_innocent) { device_array<int> a(8); partners<<<1, 32>>>(a, 4); }

/* The lane has left the kernel, though the mask names it. */
__global__ void left(int *out, int from)
{
	if (threadIdx.x >= 24)
		return;
	out[threadIdx.x] = __shfl_sync(~0u, (int)threadIdx.x, from); /* FINDS(left_guilty): inactive-lane */
}
CASE(left_guilty) { device_array<int> a(32); left<<<1, 32>>>(a, 31); }
CASE(left_innocent) { device_array<int> a(32); left<<<1, 32>>>(a, 23); }

/* A tree: upper lanes read from nobody, and nobody reads what they got. The last step of a
 * tree for 32 lanes over 8 gives everybody an undefined value. */
__global__ void tree(int *out, int step)
{
	int sum = threadIdx.x;
	if (threadIdx.x >= 8)
		return;
	for (; step; step /= 2)
		sum += __shfl_down_sync(0xff, sum, step); /* FINDS(tree_guilty): inactive-lane */
	if (threadIdx.x == 0)
		*out = sum;
}
CASE(tree_guilty) { device_array<int> a(1); tree<<<1, 32>>>(a, 16); }
CASE(tree_innocent) { device_array<int> a(1); tree<<<1, 32>>>(a, 4); }

/* ---- numbered barriers ------------------------------------------------------ */

/* Two warps meet at barrier 1, but one of them counts on three. */
__global__ void counts(int *out, int other)
{
	if (threadIdx.x < 32)
		asm volatile("bar.sync 1, 64;" ::: "memory");
	else
		asm volatile("bar.sync 1, %0;" ::"r"(other) : "memory");
	out[threadIdx.x] = 1;
}
/* FINDS(counts_guilty): barrier-misuse anywhere */
CASE(counts_guilty) { device_array<int> a(64); counts<<<1, 64>>>(a, 96); }
CASE(counts_innocent) { device_array<int> a(64); counts<<<1, 64>>>(a, 64); }

/* ---- cuda::barrier ----------------------------------------------------------- */

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

/* A warp waits for what three others make, but the barrier is set up for one of them: the
 * others' arrivals are those of later phases, and what they make may come too late. */
__global__ void undersized(int *out, int expected)
{
	__shared__ block_barrier made;
	__shared__ int s[96];
	if (threadIdx.x == 0)
		init(&made, expected);
	__syncthreads();
	if (threadIdx.x < 96) {
		s[threadIdx.x] = threadIdx.x;
		block_barrier::arrival_token token = made.arrive(); /* FINDS(undersized_guilty): barrier-misuse anywhere */
		(void)token;
	} else {
		made.wait_parity(false);
		int t = threadIdx.x - 96;
		out[t] = s[t] + s[t + 32] + s[t + 64];
	}
}
CASE(undersized_guilty) { device_array<int> a(32); undersized<<<1, 128>>>(a, 32); }
CASE(undersized_innocent) { device_array<int> a(32); undersized<<<1, 128>>>(a, 96); }

/* Two warps make what two others use, through two slots: each slot's "empty" is for
 * all. The users go on to the next round without a wait for it: innocent by
 * what they wait for otherwise. */
__global__ void slots(int *out, int rounds)
{
	__shared__ block_barrier full[2], empty[2];
	__shared__ int s[2][64];
	int t = threadIdx.x & 63;
	bool makes = threadIdx.x < 64;
	if (threadIdx.x == 0)
		for (int i = 0; i < 2; i++) {
			init(&full[i], 128);
			init(&empty[i], 128);
		}
	__syncthreads();
	if (makes) {
		for (int i = 0; i < rounds; i++) {
			if (i >= 2)
				empty[i & 1].arrive_and_wait();
			s[i & 1][t] = i + t;
			block_barrier::arrival_token token = full[i & 1].arrive();
			(void)token;
		}
	} else {
		int sum = 0;
		for (int i = 0; i < rounds; i++) {
			full[i & 1].arrive_and_wait();
			sum += s[i & 1][63 - t];
			if (i + 2 < rounds) {
				block_barrier::arrival_token token = empty[i & 1].arrive();
				(void)token;
			}
		}
		out[t] = sum;
	}
}
CASE(slots_innocent) { device_array<int> a(64); slots<<<1, 128>>>(a, 8); }

/* A leader brings the arrivals of a group of threads, but counts one too many. */
__global__ void leader(int *out, int brings)
{
	__shared__ block_barrier bar;
	__shared__ int s[32];
	if (threadIdx.x == 0)
		init(&bar, 32);
	__syncthreads();
	if (threadIdx.x < 32) {
		s[threadIdx.x] = threadIdx.x;
		__syncwarp();
		if (threadIdx.x == 0) {
			block_barrier::arrival_token token = bar.arrive(brings); /* FINDS(leader_guilty): barrier-misuse anywhere */
			(void)token;
		}
	}
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x & 31];
}
CASE(leader_guilty) { device_array<int> a(64); leader<<<1, 64>>>(a, 33); }
CASE(leader_innocent) { device_array<int> a(64); leader<<<1, 64>>>(a, 32); }

/* One arrives for all, twice: the second time it does not wait for the first. */
template <bool WAIT> __global__ void twice(int *out)
{
	__shared__ block_barrier bar;
	if (threadIdx.x == 0)
		init(&bar, 64);
	__syncthreads();
	for (int i = 0; i < 3; i++) {
		block_barrier::arrival_token token = bar.arrive();
		out[threadIdx.x] += i;
		if (WAIT)
			bar.wait(static_cast<block_barrier::arrival_token &&>(token));
	}
	__syncthreads();
}
/* FINDS(twice_guilty): barrier-misuse anywhere */
CASE(twice_guilty) { device_array<int> a(64); twice<false><<<1, 64>>>(a); }
CASE(twice_innocent) { device_array<int> a(64); twice<true><<<1, 64>>>(a); }

/* The object's memory is a part of a pool, and nobody has set it up. */
__global__ void not_made(int *out, bool make)
{
	__shared__ unsigned long long pool[4];
	unsigned at = (unsigned)__cvta_generic_to_shared(&pool[1]);
	if (threadIdx.x < 4)
		pool[threadIdx.x] = 0;
	__syncthreads();
	if (make && threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
	__syncthreads();
	asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory"); /* FINDS(not_made_guilty): barrier-misuse */
	out[threadIdx.x] = 1;
}
CASE(not_made_guilty) { device_array<int> a(32); not_made<<<1, 32>>>(a, false); }
CASE(not_made_innocent) { device_array<int> a(32); not_made<<<1, 32>>>(a, true); }

/* One lane destroys the mbarrier when it has left the wait; the others leave it together with that
 * lane. A later arrival finds none. */
template <bool LATER> __global__ void destroyed(int *out)
{
	__shared__ uint64_t bar;
	uint32_t at = (uint32_t)__cvta_generic_to_shared(&bar), done;
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
	__syncthreads();
	asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
	do
		asm volatile("{\n\t.reg .pred p;\n\t"
			     "mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n\t"
			     "selp.b32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(at) : "memory");
	while (!done);
	if (threadIdx.x == 0)
		asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
	__syncthreads();
	if (LATER)
		asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory"); /* FINDS(destroyed_guilty): barrier-misuse */
	out[threadIdx.x] = 1;
}
CASE(destroyed_guilty) { device_array<int> a(32); destroyed<true><<<1, 32>>>(a); }
CASE(destroyed_innocent) { device_array<int> a(32); destroyed<false><<<1, 32>>>(a); }
