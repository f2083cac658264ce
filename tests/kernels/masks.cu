/* SPDX-License-Identifier: Apache-2.0 */
/* masks.cu - operations of some lanes of a warp: in branches, in loops that lanes leave, in warps that are
 * not whole, with masks known at run time, and several masks at one place. Values of lanes
 * that a mask does not name are never used.
 *
 * Flags: -arch=sm_80 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "case.cuh"
#include "drawn.cuh"

namespace cg = cooperative_groups;

enum { BLOCKS = 3, MOST = 256 };

static __device__ unsigned number(void)
{
	return (blockIdx.x * blockDim.z * blockDim.y + threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
	       threadIdx.x;
}

static __device__ unsigned lane(void)
{
	return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32;
}

/* The least lane at or behind `from` that the mask names, in a ring. */
static __device__ int named(unsigned mask, unsigned from)
{
	from %= 32;
	while (!(mask >> from & 1))
		from = (from + 1) % 32;
	return (int)from;
}

__global__ void first_lanes(unsigned *out, unsigned n)
{
	unsigned i = number(), v = drawn(i), mask = (1u << n) - 1;
	if (lane() < n) {
		for (unsigned d = n / 2; d; d /= 2)
			v += __shfl_xor_sync(mask, v, d);
		out[i] = v;
	}
}

__global__ void two_sides(unsigned *out)
{
	unsigned i = number(), v = drawn(i), present = __activemask();
	unsigned odd = __ballot_sync(present, v & 4);
	if (v & 4) {
		unsigned w = __shfl_sync(odd, v, named(odd, lane() + 5));
		out[i] = w + __popc(__ballot_sync(odd, w & 1)) + __any_sync(odd, w % 5 == 0);
	} else {
		unsigned rest = present & ~odd;
		unsigned w = __shfl_sync(rest, v, named(rest, lane() + 9));
		out[i] = w - __popc(__ballot_sync(rest, w & 2)) - __all_sync(rest, w % 7 != 0);
	}
}

__global__ void reduced(unsigned *out)
{
	unsigned i = number(), v = drawn(i), present = __activemask();
	unsigned mask = __ballot_sync(present, v % 3 == 0);
	if (v % 3)
		return;
	out[i] = __reduce_add_sync(mask, v) + 3 * __reduce_min_sync(mask, v) + 5 * __reduce_max_sync(mask, v) +
		 7 * __reduce_and_sync(mask, v | 0xffff) + 11 * __reduce_or_sync(mask, v & 0xff00) +
		 13 * __reduce_xor_sync(mask, v) + 17 * __reduce_min_sync(mask, (int)v) +
		 19 * __reduce_max_sync(mask, (int)v);
}

__global__ void matched(unsigned *out)
{
	unsigned i = number(), v = drawn(i), present = __activemask();
	unsigned mask = __ballot_sync(present, v & 8);
	if (!(v & 8))
		return;
	unsigned same = __match_any_sync(mask, v % 4);
	int all;
	unsigned whole = __match_all_sync(mask, v / 0x40000000u, &all);
	out[i] = same + (unsigned)__popc(whole) + (unsigned)all + __shfl_sync(same, v, named(same, lane() + 1));
}

/* Lanes leave the loop one by one; those that are left go on together. */
__global__ void leaving(unsigned *out)
{
	unsigned i = number(), v = drawn(i), mask = __activemask(), sum = 0;
	for (unsigned turn = 0;; turn++) {
		mask = __ballot_sync(mask, v % 16 > turn);
		if (v % 16 <= turn)
			break;
		sum = sum * 3 + __shfl_sync(mask, v + turn, named(mask, lane() + turn));
	}
	out[i] = sum;
}

/* Doubles and 64-bit integers: two words each. */
__global__ void wide(double *out)
{
	unsigned i = number(), v = drawn(i), present = __activemask();
	unsigned mask = __ballot_sync(present, v & 1);
	if (v & 1) {
		double x = v / 7.0;
		unsigned long long k = (unsigned long long)v << 17;
		for (int t = 1; t < 4; t++) {
			x = x / 2 + __shfl_sync(mask, x, named(mask, lane() + t));
			k += __shfl_sync(mask, k, named(mask, lane() + 2 * t));
		}
		out[i] = x + (double)k;
	}
}

/* All lanes at one place, with the masks of their quarters in another order than the lanes'. */
__global__ void interleaved(unsigned *out)
{
	unsigned i = number(), v = drawn(i), mask = 0x11111111u << lane() % 4;
	unsigned sum = v;
	for (unsigned d = 4; d < 32; d *= 2)
		sum += __shfl_xor_sync(mask, sum, d);
	__syncwarp(mask);
	out[i] = sum + __popc(__ballot_sync(mask, v & 1));
}

/* A place that lanes come to with masks that change from turn to turn. */
__global__ void turning(unsigned *out)
{
	unsigned i = number(), v = drawn(i);
	for (unsigned turn = 0; turn < 5; turn++) {
		unsigned size = 1u << turn, mask = size == 32 ? ~0u : ((1u << size) - 1) << (lane() / size * size);
		if (turn == 3)
			mask = lane() < 13 ? 0x1fff : ~0x1fffu;
		v = v * 5 + __shfl_sync(mask, v, named(mask, lane() + 3));
	}
	out[i] = v;
}

__global__ void through_memory(unsigned *out)
{
	__shared__ unsigned s[MOST];
	unsigned i = number(), at = i % (blockDim.x * blockDim.y * blockDim.z), v = drawn(i);
	unsigned present = __activemask(), mask = __ballot_sync(present, v & 2);
	s[at] = 0;
	__syncwarp(present);
	if (v & 2) {
		for (int t = 1; t < 5; t++) {
			s[at] = v;
			__syncwarp(mask);
			v += s[at / 32 * 32 + named(mask, lane() + t)];
			__syncwarp(mask);
		}
	}
	out[i] = v;
}

/* With barriers of the block between. */
__global__ void between_barriers(unsigned *out)
{
	__shared__ unsigned sums[32];
	unsigned i = number(), at = i % (blockDim.x * blockDim.y * blockDim.z), v = drawn(i);
	unsigned n = blockDim.x * blockDim.y * blockDim.z, n_warps = (n + 31) / 32;
	unsigned mask = __activemask();
	for (unsigned turn = 0; turn < 3; turn++) {
		unsigned sum = __reduce_add_sync(mask, v);
		if (lane() == 0)
			sums[at / 32] = sum;
		__syncthreads();
		if (at < n_warps) {
			unsigned few = (1u << n_warps) - 1;
			sum = __reduce_max_sync(few, sums[at]);
			if (at == 0)
				sums[0] = sum;
		}
		__syncthreads();
		v = v * 3 + sums[0];
		if (__syncthreads_or(v % 64 == 0))
			v++;
	}
	out[i] = v;
}

__global__ void coalesced(unsigned *out)
{
	unsigned i = number(), v = drawn(i);
	if (v % 5 < 3) {
		auto g = cg::coalesced_threads();
		unsigned sum = cg::reduce(g, v % 1000, cg::plus<unsigned>());
		unsigned before = cg::exclusive_scan(g, v % 100, cg::plus<unsigned>());
		out[i] = sum * 1000 + before + g.thread_rank() + g.shfl(v, (g.thread_rank() + 1) % g.size());
		if (g.thread_rank() < g.size() / 2) {
			auto h = cg::coalesced_threads();
			out[i] += cg::reduce(h, v, cg::bit_xor<unsigned>());
		}
	}
}

/* One atomic for the lanes that add. */
__global__ void aggregated(unsigned *out)
{
	unsigned v = drawn(number());
	if (v & 1) {
		unsigned mask = __activemask();
		if (lane() == (unsigned)__ffs(mask) - 1)
			atomicAdd(&out[v % 1], __popc(mask));
		atomicAdd(&out[1 + v % 8], __shfl_sync(mask, v, named(mask, lane())) % 100);
	}
}

#define SHAPES(kernel)                                                                            \
	run(#kernel " 256", BLOCKS * 256, BLOCKS, 256, kernel);                                  \
	run(#kernel " 100", BLOCKS * 100, BLOCKS, 100, kernel);                                  \
	run(#kernel " 7", BLOCKS * 7, BLOCKS, 7, kernel);                                        \
	run(#kernel " 32x3", BLOCKS * 96, BLOCKS, dim3(32, 3), kernel);                          \
	run(#kernel " 9x5x2", BLOCKS * 90, BLOCKS, dim3(9, 5, 2), kernel)

int main()
{
	for (unsigned n : {2u, 8u, 16u}) {
		char name[32];
		snprintf(name, sizeof name, "first %u", n);
		run(name, BLOCKS * 96, BLOCKS, 96, first_lanes, n);
	}
	SHAPES(two_sides);
	SHAPES(reduced);
	SHAPES(matched);
	SHAPES(leaving);
	SHAPES(wide);
	run("interleaved", BLOCKS * 64, BLOCKS, 64, interleaved);
	run("turning", BLOCKS * 64, BLOCKS, 64, turning);
	SHAPES(through_memory);
	SHAPES(between_barriers);
	SHAPES(coalesced);
	run("aggregated", 9, BLOCKS, 256, aggregated);
	run("aggregated 100", 9, BLOCKS, 100, aggregated);
	return 0;
}
