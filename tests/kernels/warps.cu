/* SPDX-License-Identifier: Apache-2.0 */
/* Warp-wide operations: shuffles of every mode and width, votes, match, reduce,
 * partial masks, divergence, and the idioms that live on them. */
#include "case.cuh"

static const unsigned FULL = 0xffffffff;

__global__ void shuffles(int *out, int width)
{
	int i = threadIdx.x, v = i * 10 + 1;
	out[i] = __shfl_sync(FULL, v, (i * 5 + 2) % 40, width);
	out[32 + i] = __shfl_up_sync(FULL, v, 3, width);
}

__global__ void shuffles_more(int *out, int width)
{
	int i = threadIdx.x, v = i * 10 + 1;
	out[i] = __shfl_down_sync(FULL, v, 3, width);
	out[32 + i] = __shfl_xor_sync(FULL, v, 5, width);
}

template <typename T> __global__ void shuffle_type(T *out)
{
	T v = (T)threadIdx.x * (T)3 + (T)1;
	v = v * v * v;
	out[threadIdx.x] = __shfl_xor_sync(FULL, v, 9) + __shfl_up_sync(FULL, v, 1);
}

/* Lanes of one half only. */
__global__ void half_warp(int *out)
{
	int i = threadIdx.x;
	if (i < 16)
		out[i] = __shfl_down_sync(0xffff, i * 2, 4, 16);
	else
		out[i] = __shfl_xor_sync(0xffff0000, i * 3, 1);
}

/* A scattered mask, known to all. */
__global__ void scattered(int *out)
{
	int i = threadIdx.x;
	unsigned mask = 0x8421842f;
	out[i] = -1;
	if (mask >> i & 1) {
		int v = __shfl_sync(mask, i + 100, 31);
		v += 1000 * (int)__popc(__ballot_sync(mask, i & 1));
		v += 100000 * __any_sync(mask, i == 5) + 1000000 * __all_sync(mask, i != 4);
		out[i] = v;
	}
}

__global__ void votes(unsigned *out)
{
	int i = threadIdx.x;
	unsigned *o = out + 8 * (i / 32);
	unsigned a = __ballot_sync(FULL, i % 3 == 0);
	int b = __all_sync(FULL, i < 64), c = __any_sync(FULL, i == 70);
	unsigned d = __match_any_sync(FULL, i % 5);
	int e, f;
	unsigned g = __match_all_sync(FULL, i / 32, &e);
	unsigned h = __match_all_sync(FULL, i / 8, &f);
	if (i % 32 == 6) {
		o[0] = a;
		o[1] = b;
		o[2] = c;
		o[3] = d;
		o[4] = e;
		o[5] = g;
		o[6] = f;
		o[7] = h;
	}
}

__global__ void match_types(unsigned *out)
{
	int i = threadIdx.x;
	out[i] = __match_any_sync(FULL, (i & 3) * 0.5);
	out[32 + i] = __match_any_sync(FULL, (unsigned long long)(i / 7) << 40);
}

__global__ void reduce(unsigned *out)
{
	int i = threadIdx.x;
	unsigned v = i * 2654435761u;
	unsigned *o = out + 8 * i;
	o[0] = __reduce_add_sync(FULL, v);
	o[1] = __reduce_min_sync(FULL, v);
	o[2] = __reduce_max_sync(FULL, v);
	o[3] = __reduce_min_sync(FULL, (int)v);
	o[4] = __reduce_max_sync(FULL, (int)v);
	o[5] = __reduce_and_sync(FULL, v | 0x100);
	o[6] = __reduce_or_sync(FULL, v & 0xf0f0f0f0);
	o[7] = __reduce_xor_sync(FULL, v);
	if (i >= 24)
		o[0] += __reduce_add_sync(0xff000000, (int)i);
}

/* Each lane shuffles in its own branch, with the lanes that take it. */
__global__ void divergent(int *out)
{
	int i = threadIdx.x, v = i;
	switch (i % 3) {
	case 0: v = __shfl_sync(0x49249249, v, 30); break;
	case 1: v = __shfl_up_sync(0x92492492, v, 3) * 10; break;
	case 2: v = (int)__ballot_sync(0x24924924, i > 15); break;
	}
	__syncwarp();
	out[i] = v + __shfl_xor_sync(FULL, v, 1);
}

/* Each lane leaves the loop at its own turn; the rest go on. */
__global__ void leaving(int *out)
{
	int i = threadIdx.x, sum = 0;
	unsigned mask = FULL;
	for (int k = 0; k < 32; k++) {
		mask = __ballot_sync(mask, i >= k);
		if (i < k)
			break;
		sum += __shfl_sync(mask, i, 31) + __popc(mask);
	}
	out[i] = sum;
}

/* Lanes exit; a full mask may still name them. */
__global__ void after_exit(int *out)
{
	int i = threadIdx.x;
	if (i >= 20)
		return;
	out[i] = __popc(__ballot_sync(0xfffff, 1)) + 100 * __shfl_sync(0xfffff, i, 19);
}

/* The aggregated atomic: the lanes that are here together add once. */
__device__ int add_aggregated(int *counter)
{
	unsigned active = __activemask();
	int leader = __ffs(active) - 1, lane = threadIdx.x & 31, base;
	if (lane == leader)
		base = atomicAdd(counter, __popc(active));
	base = __shfl_sync(active, base, leader);
	return base + __popc(active & ((1u << lane) - 1));
}

__global__ void filter(int *counter, int *out, const int *in, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && in[i] % 3 == 0)
		out[add_aggregated(counter)] = in[i];
}

__global__ void activemask_whole(unsigned *out)
{
	out[threadIdx.x] = __activemask();
}

/* Which lanes the hardware keeps together after a branch is its choice, but every
 * lane sees itself, and the masks of the lanes partition the warp. */
__global__ void activemask_branch(unsigned *out)
{
	int lane = threadIdx.x;
	unsigned mask;
	if (lane % 4 == 1)
		mask = __activemask();
	else
		mask = __activemask();
	__syncwarp();
	bool self = mask >> lane & 1;
	unsigned same = __match_any_sync(FULL, mask);
	out[lane] = self && same == mask;
}

/* Reductions in the manner of before Volta: no __syncwarp, volatile shared memory. */
__device__ void warp_reduce(volatile int *s, int i)
{
	s[i] += s[i + 32];
	s[i] += s[i + 16];
	s[i] += s[i + 8];
	s[i] += s[i + 4];
	s[i] += s[i + 2];
	s[i] += s[i + 1];
}

__global__ void warp_synchronous(int *out, const int *in)
{
	__shared__ int s[256];
	int i = threadIdx.x;
	s[i] = in[blockIdx.x * 256 + i];
	__syncthreads();
	for (int half = 128; half > 32; half /= 2) {
		if (i < half)
			s[i] += s[i + half];
		__syncthreads();
	}
	if (i < 32)
		warp_reduce(s, i);
	if (i == 0)
		out[blockIdx.x] = s[0];
}

/* The proper way. */
__global__ void warp_reduced(int *out, const int *in)
{
	__shared__ int parts[8];
	int i = threadIdx.x, v = in[blockIdx.x * 256 + i];
	for (int offset = 16; offset > 0; offset /= 2)
		v += __shfl_down_sync(FULL, v, offset);
	if (i % 32 == 0)
		parts[i / 32] = v;
	__syncthreads();
	if (i < 32) {
		v = i < 8 ? parts[i] : 0;
		for (int offset = 4; offset > 0; offset /= 2)
			v += __shfl_xor_sync(FULL, v, offset);
		if (i == 0)
			out[blockIdx.x] = v;
	}
}

__global__ void warp_scan(int *out)
{
	int lane = threadIdx.x & 31, v = threadIdx.x % 7;
	for (int d = 1; d < 32; d *= 2) {
		int below = __shfl_up_sync(FULL, v, d);
		if (lane >= d)
			v += below;
	}
	out[threadIdx.x] = v;
}

/* Shared memory between the lanes of a warp, ordered by __syncwarp. */
__global__ void through_shared(int *out)
{
	__shared__ int s[64];
	int i = threadIdx.x, warp = i / 32 * 32, lane = i % 32;
	s[i] = i;
	__syncwarp();
	for (int k = 0; k < 5; k++) {
		int next = s[warp + (lane + 1) % 32];
		__syncwarp();
		s[i] = next * 2 + k;
		__syncwarp();
	}
	out[i] = s[i];
}

/* Bitonic sort of a warp by shuffles. */
__global__ void bitonic(unsigned *out)
{
	int lane = threadIdx.x;
	unsigned v = (lane * 2654435761u) >> 8;
	for (int k = 2; k <= 32; k *= 2)
		for (int j = k / 2; j > 0; j /= 2) {
			unsigned other = __shfl_xor_sync(FULL, v, j);
			bool up = (lane & k) == 0, low = (lane & j) == 0;
			v = up == low ? min(v, other) : max(v, other);
		}
	out[lane] = v;
}

/* A source lane that is out of its segment gives the lane's own value; one that is
 * outside the mask's lanes is not asked here, its result is undefined. */
__global__ void by_ptx(int *out)
{
	int lane = threadIdx.x, v = lane * 3, r, p;
	asm volatile("{ .reg .pred q; shfl.sync.down.b32 %0|q, %2, 6, 0x1f, 0xffffffff; selp.s32 %1, 1, 0, q; }"
		     : "=r"(r), "=r"(p)
		     : "r"(v));
	out[lane] = r * 2 + p;
	asm volatile("{ .reg .pred q; shfl.sync.up.b32 %0|q, %2, 2, 0x1800, 0xffffffff; @!q mov.b32 %0, 77; selp.s32 %1, 1, 0, q; }"
		     : "=r"(r), "=r"(p)
		     : "r"(v));
	out[32 + lane] = r * 2 + p;
}

/* A block of a ragged size: the last warp has 9 lanes. */
__global__ void ragged(int *out)
{
	int i = threadIdx.x;
	unsigned mask = i < 32 ? FULL : 0x1ff;
	out[i] = __popc(__ballot_sync(mask, 1)) * 100 + __shfl_down_sync(mask, i, 1);
	if (i == 40)
		out[i] = (int)__activemask();
}

__global__ void two_dimensional(unsigned *out)
{
	int i = threadIdx.y * blockDim.x + threadIdx.x;
	out[i] = __ballot_sync(FULL, threadIdx.y & 1);
}

/* All lanes come with one mask that lacks some of them: hardware does not look at it. */
__global__ void lacking(unsigned *out, unsigned mask)
{
	unsigned i = threadIdx.x, v = 100 + i;
	int same;
	out[i] = __shfl_up_sync(mask, v, 16);
	out[32 + i] = __shfl_down_sync(mask, v, 1);
	out[64 + i] = __ballot_sync(mask, i & 1);
	out[96 + i] = __any_sync(mask, i == 20) * 2 + __all_sync(mask, i < 16);
	out[128 + i] = __match_any_sync(mask, i / 4);
	out[160 + i] = __match_all_sync(mask, 7, &same);
	out[192 + i] = __reduce_add_sync(mask, v);
	__syncwarp(mask);
}

__global__ void lacking_by_constant(unsigned *out)
{
	unsigned v = out[threadIdx.x] + threadIdx.x;
	for (int offset = 8; offset > 0; offset /= 2)
		v += __shfl_down_sync(0xffff, v, offset);
	out[threadIdx.x] = v + (__ballot_sync(0xffff0000, v & 1) >> 16);
}

/* Only some lanes come: illegal on hardware, too. */
__global__ void lacking_in_a_branch(unsigned *out, unsigned mask)
{
	unsigned i = threadIdx.x, r = 7;
	if (i < 16)
		r = __ballot_sync(mask, 1);
	out[i] = r;
}

/* As __ballot() without a mask was: the lanes that are there. One lane alone adds up, in
 * memory of the warp, late in the loop; the others wait for it before their next round. */
__device__ unsigned old_ballot(int p)
{
	return __ballot_sync(__activemask(), p);
}

__global__ void one_lane_late(int *out, int rounds)
{
	__shared__ volatile int sums[8];
	__shared__ volatile char list[64];
	int lane = threadIdx.x, round = 0;
	if (lane < 8)
		sums[lane] = 0;
	__syncthreads();
	while (round < rounds) {
		if (round != 2) {
			int total = 0, sum = 0;
			for (int base = 0; base < 64; base += 32) {
				int j = base + lane, flag = (j * 7 + round) % 3 == 0;
				unsigned bits = old_ballot(flag);
				if (flag)
					list[total + __popc(bits & ((1u << lane) - 1))] = j;
				total += __popc(bits);
			}
			for (int i = lane; i < total; i += 32)
				sum += list[i];
			for (int offset = 16; offset > 0; offset /= 2)
				sum += __shfl_xor_sync(FULL, sum, offset);
			if (lane == 0) {
				sums[round] += sum;
				sums[round] += total * 1000;
			}
		}
		round++;
	}
	__syncthreads();
	if (lane < 8)
		out[lane] = sums[lane];
}

__global__ void one_lane_late_in_a_for(int *out, int rounds)
{
	__shared__ volatile int sum, word[32];
	int lane = threadIdx.x, seen = 0;
	sum = 0;
	__syncwarp();
	for (int i = 0; i < rounds; i++) {
		unsigned there = __activemask();
		word[lane] = i + lane;
		seen += word[(lane + 1) % 32] + __popc(there) * 100;
		if (i % 2) {
			if (lane == 5) {
				sum += word[6];
				sum += word[7];
			}
		}
	}
	out[lane] = seen + (lane == 5 ? sum : 0);
}

int main()
{
	for (int width : {32, 16, 8, 4, 2, 1}) {
		char name[32];
		snprintf(name, sizeof name, "shfl and up, width %d", width);
		run(name, 64, 1, 32, shuffles, width);
		snprintf(name, sizeof name, "down and xor, width %d", width);
		run(name, 64, 1, 32, shuffles_more, width);
	}
	run("shuffle double", 32, 1, 32, shuffle_type<double>);
	run("shuffle long long", 32, 1, 32, shuffle_type<long long>);
	run("shuffle float", 32, 1, 32, shuffle_type<float>);
	run("shuffle unsigned", 32, 1, 32, shuffle_type<unsigned>);
	run("half warps", 32, 1, 32, half_warp);
	run("scattered mask", 32, 1, 32, scattered);
	run("votes", 24, 1, 96, votes);
	run("match of other types", 64, 1, 32, match_types);
	{
		memory<unsigned> out(256);
		reduce<<<1, 32>>>(out.there);
		std::vector<unsigned> v = out.fetch();
		for (int q = 0; q < 4; q++) {
			char name[32];
			snprintf(name, sizeof name, "reduce %d", q);
			show(name, v.data() + 64 * q, 64);
		}
	}
	run("divergent", 32, 1, 32, divergent);
	run("leaving a loop", 32, 1, 32, leaving);
	run("after exit", 32, 1, 32, after_exit);
	std::vector<int> v(2048);
	for (int i = 0; i < 2048; i++)
		v[i] = (i * 37 + 11) % 1009;
	memory<int> in(v);
	{
		memory<int> counter(1), out(2048);
		filter<<<8, 256>>>(counter.there, out.there, in.there, 2000);
		CHECK(cudaDeviceSynchronize());
		int n = counter.fetch()[0], expected = 0;
		long long sum = 0, expected_sum = 0;
		std::vector<int> kept = out.fetch();
		for (int i = 0; i < 2000; i++)
			if (v[i] % 3 == 0) {
				expected++;
				expected_sum += (long long)v[i] * v[i];
			}
		for (int i = 0; i < n && i < 2048; i++)
			sum += (long long)kept[i] * kept[i];
		say("aggregated atomics", "%d of %d, sum %lld of %lld", n, expected, sum, expected_sum);
	}
	run("activemask, whole warp", 32, 1, 32, activemask_whole);
	run("activemask, after a branch", 32, 1, 32, activemask_branch);
	run("warp-synchronous reduction", 8, 8, 256, warp_synchronous, (const int *)in.there);
	run("warp reduction", 8, 8, 256, warp_reduced, (const int *)in.there);
	run("warp scan", 64, 1, 64, warp_scan);
	run("through shared memory", 64, 1, 64, through_shared);
	run("bitonic sort", 32, 1, 32, bitonic);
	run("by PTX", 64, 1, 32, by_ptx);
	run("ragged block", 41, 1, 41, ragged);
	run("two dimensions", 64, 1, dim3(4, 16), two_dimensional);
	for (unsigned mask : {0x0000ffffu, 0xffff0000u, 1u, 0xfffffffeu, 0u}) {
		char name[32];
		snprintf(name, sizeof name, "mask %08x lacks lanes", mask);
		run(name, 224, 1, 32, lacking, mask);
	}
	run("constant masks lack lanes", 32, 1, 32, lacking_by_constant);
	run("one lane late", 8, 1, 32, one_lane_late, 8);
	run("one lane late in a for", 32, 1, 32, one_lane_late_in_a_for, 6);
	/* The last: a GPU is of no use to the program any more. */
	run("a mask lacks lanes in a branch", 32, 1, 32, lacking_in_a_branch, 0xfffffffeu);
	return 0;
}
