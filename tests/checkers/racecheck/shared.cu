/* SPDX-License-Identifier: Apache-2.0 */
/* Races on shared memory, with and without the barrier that is missing. */
#include "../cases.h"

/* ---- a block's barrier ---------------------------------------------------- */

template <bool SYNC> __global__ void neighbour(const int *in, int *out)
{
	__shared__ int s[128];
	s[threadIdx.x] = in[threadIdx.x];                        /* FINDS(neighbour_guilty): race */
	if (SYNC)
		__syncthreads();
	out[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
/* SAYS(neighbour_guilty): In the __shared__ variable s, */
/* SAYS(neighbour_guilty): A __syncthreads() between the two would order them */
CASE(neighbour_guilty) { device_array<int> a(128), b(128); neighbour<false><<<1, 128>>>(a, b); }
CASE(neighbour_innocent) { device_array<int> a(128), b(128); neighbour<true><<<1, 128>>>(a, b); }

/* The second barrier of a loop is missing: the next round overwrites what others still read. */
template <bool SECOND> __global__ void rounds(int *out, int n)
{
	__shared__ int s[64];
	int sum = 0;
	for (int i = 0; i < n; i++) {
		s[threadIdx.x] = i + threadIdx.x;                /* FINDS(rounds_guilty): race */
		__syncthreads();
		sum += s[63 - threadIdx.x];
		if (SECOND)
			__syncthreads();
	}
	out[threadIdx.x] = sum;
}
/* SAYS(rounds_guilty): in a loop also from one round to the next */
CASE(rounds_guilty) { device_array<int> a(64); rounds<false><<<1, 64>>>(a, 3); }
CASE(rounds_innocent) { device_array<int> a(64); rounds<true><<<1, 64>>>(a, 3); }

/* A reduction returns what the next one overwrites. Values are a GPU's, as all load behind a
 * barrier first; it is a race all the same. */
template <bool LAST> __device__ int block_sum(int v)
{
	__shared__ int sums[32];
	unsigned lane = threadIdx.x % 32;
	v = __reduce_add_sync(0xffffffff, v);
	if (lane == 0)
		sums[threadIdx.x / 32] = v;                      /* FINDS(twice_guilty): race */
	__syncthreads();
	if (threadIdx.x == 0)
		for (unsigned k = 1; k < blockDim.x / 32; k++)
			sums[0] += sums[k];
	__syncthreads();
	v = sums[0];
	if (LAST)
		__syncthreads();
	return v;
}
template <bool LAST> __global__ void twice(int *out)
{
	int first = block_sum<LAST>(1);
	out[threadIdx.x] = first + block_sum<LAST>(2);
}
CASE(twice_guilty) { device_array<int> a(64); twice<false><<<1, 64>>>(a); }
CASE(twice_innocent) { device_array<int> a(64); twice<true><<<1, 64>>>(a); }

/* A tree reduction whose barrier stands outside the loop. */
template <bool INSIDE> __global__ void tree(const int *in, int *out)
{
	__shared__ int s[256];
	unsigned t = threadIdx.x;
	s[t] = in[t];
	__syncthreads();
	for (unsigned k = blockDim.x / 2; k; k /= 2) {
		if (t < k)
			s[t] += s[t + k];                        /* FINDS(tree_guilty): race */
		if (INSIDE)
			__syncthreads();
	}
	if (t == 0)
		*out = s[0];
}
CASE(tree_guilty) { device_array<int> a(256), b(1); tree<false><<<1, 256>>>(a, b); }
CASE(tree_innocent) { device_array<int> a(256), b(1); tree<true><<<1, 256>>>(a, b); }

/* In-place scan: reads what another thread writes in the same step. */
template <bool TWO> __global__ void scan(int *data)
{
	__shared__ int s[2][64];
	unsigned t = threadIdx.x;
	int from = 0;
	s[0][t] = data[t];
	__syncthreads();
	for (unsigned k = 1; k < 64; k *= 2) {
		if (TWO) {
			s[!from][t] = s[from][t] + (t >= k ? s[from][t - k] : 0);
			from = !from;
		} else if (t >= k) {
			s[0][t] += s[0][t - k];                  /* FINDS(scan_guilty): race */
		}
		__syncthreads();
	}
	data[t] = s[from][t];
}
/* SAYS(scan_guilty): A barrier between the read and the write would order them */
CASE(scan_guilty) { device_array<int> a(64); scan<false><<<1, 64>>>(a); }
CASE(scan_innocent) { device_array<int> a(64); scan<true><<<1, 64>>>(a); }

/* One thread prepares for all. */
template <bool SYNC> __global__ void leader(int *out)
{
	__shared__ int start;
	if (threadIdx.x == 0)
		start = 42;                                      /* FINDS(leader_guilty): race */
	if (SYNC)
		__syncthreads();
	out[threadIdx.x] = start + threadIdx.x;
}
CASE(leader_guilty) { device_array<int> a(96); leader<false><<<1, 96>>>(a); }
CASE(leader_innocent) { device_array<int> a(96); leader<true><<<1, 96>>>(a); }

/* A tile that is loaded for the next step before all have used this one. */
template <bool SYNC> __global__ void tiles(const float *a, float *c, int n)
{
	__shared__ float tile[16][16];
	float sum = 0;
	for (int k = 0; k < n; k += 16) {
		tile[threadIdx.y][threadIdx.x] = a[(k + threadIdx.y) * 16 + threadIdx.x]; /* FINDS(tiles_guilty): race */
		__syncthreads();
		for (int i = 0; i < 16; i++)
			sum += tile[i][threadIdx.x] * tile[threadIdx.y][i];
		if (SYNC)
			__syncthreads();
	}
	c[threadIdx.y * 16 + threadIdx.x] = sum;
}
CASE(tiles_guilty) { device_array<float> a(1024), c(256); tiles<false><<<1, dim3(16, 16)>>>(a, c, 64); }
CASE(tiles_innocent) { device_array<float> a(1024), c(256); tiles<true><<<1, dim3(16, 16)>>>(a, c, 64); }

/* A histogram without atomics. */
template <bool ATOMIC> __global__ void bins(const int *in, int *out)
{
	__shared__ int b[8];
	if (threadIdx.x < 8)
		b[threadIdx.x] = 0;
	__syncthreads();
	if (ATOMIC)
		atomicAdd(&b[in[threadIdx.x] & 7], 1);
	else
		b[in[threadIdx.x] & 7]++;                        /* FINDS(bins_guilty): race */
	__syncthreads();
	if (threadIdx.x < 8)
		out[threadIdx.x] = b[threadIdx.x];
}
CASE(bins_guilty) { device_array<int> a(128), b(8); bins<false><<<1, 128>>>(a, b); }
CASE(bins_innocent) { device_array<int> a(128), b(8); bins<true><<<1, 128>>>(a, b); }

/* The bins are cleared, but nobody waits for that. */
template <bool SYNC> __global__ void cleared(const int *in, int *out)
{
	__shared__ int b[32];
	if (threadIdx.x < 32)
		b[threadIdx.x] = 0;                              /* FINDS(cleared_guilty): race */
	if (SYNC)
		__syncthreads();
	atomicAdd(&b[in[threadIdx.x] & 31], 1);
	__syncthreads();
	if (threadIdx.x < 32)
		out[threadIdx.x] = b[threadIdx.x];
}
CASE(cleared_guilty) { device_array<int> a(128), b(32); cleared<false><<<1, 128>>>(a, b); }
CASE(cleared_innocent) { device_array<int> a(128), b(32); cleared<true><<<1, 128>>>(a, b); }

/* Dynamic shared memory whose two parts overlap by one element. */
__global__ void parts(int *out, int gap)
{
	extern __shared__ int window[];
	int *first = window, *second = window + blockDim.x - gap;
	first[threadIdx.x] = 1;                                  /* FINDS(parts_guilty): race */
	second[threadIdx.x] = 2;                                 /* FINDS(parts_guilty): race */
	out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}
CASE(parts_guilty) { device_array<int> a(64); parts<<<1, 64, 512>>>(a, 1); }
CASE(parts_innocent) { device_array<int> a(64); parts<<<1, 64, 512>>>(a, 0); }

/* Bytes of one word: no race, unless two threads share one. */
__global__ void bytes(unsigned char *out, int shift)
{
	__shared__ unsigned char s[64];
	s[threadIdx.x >> shift] = (unsigned char)threadIdx.x;    /* FINDS(bytes_guilty): race */
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x >> shift];
}
CASE(bytes_guilty) { device_array<unsigned char> a(64); bytes<<<1, 64>>>(a, 1); }
CASE(bytes_innocent) { device_array<unsigned char> a(64); bytes<<<1, 64>>>(a, 0); }

/* A wide store over what a neighbour reads as scalars. */
template <bool SYNC> __global__ void wide(float *out)
{
	__shared__ float s[256];
	reinterpret_cast<float4 *>(s)[threadIdx.x] = make_float4(1, 2, 3, 4); /* FINDS(wide_guilty): race */
	if (SYNC)
		__syncthreads();
	out[threadIdx.x] = s[threadIdx.x];
}
CASE(wide_guilty) { device_array<float> a(64); wide<false><<<1, 64>>>(a); }
CASE(wide_innocent) { device_array<float> a(64); wide<true><<<1, 64>>>(a); }

/* Threads that are done leave; the others' barrier still counts. */
template <bool SYNC> __global__ void leavers(int *out)
{
	__shared__ int s[64];
	s[threadIdx.x] = threadIdx.x;                            /* FINDS(leavers_guilty): race */
	if (SYNC)
		__syncthreads();
	if (threadIdx.x >= 32)
		return;
	out[threadIdx.x] = s[threadIdx.x + 32];
}
CASE(leavers_guilty) { device_array<int> a(32); leavers<false><<<1, 64>>>(a); }
CASE(leavers_innocent) { device_array<int> a(32); leavers<true><<<1, 64>>>(a); }

/* ---- within a warp -------------------------------------------------------- */

/* Lanes do not run in step: __syncwarp() is needed between them too. */
template <bool SYNC> __global__ void lanes(int *out)
{
	__shared__ int s[32];
	s[threadIdx.x] = threadIdx.x;                            /* FINDS(lanes_guilty): race */
	if (SYNC)
		__syncwarp();
	out[threadIdx.x] = s[31 - threadIdx.x];
}
CASE(lanes_guilty) { device_array<int> a(32); lanes<false><<<1, 32>>>(a); }
CASE(lanes_innocent) { device_array<int> a(32); lanes<true><<<1, 32>>>(a); }

/* The warp-synchronous reduction of old, volatile instead of synchronised. */
__global__ void old_reduction(int *out)
{
	__shared__ volatile int s[64];
	unsigned t = threadIdx.x;
	s[t] = t;
	s[t + 32] = t + 32;
	for (int k = 32; k; k /= 2)
		s[t] = s[t] + s[t + k];                          /* FINDS(old_reduction_guilty): race */
	if (t == 0)
		*out = s[0];
}
__global__ void new_reduction(int *out)
{
	__shared__ int s[64];
	unsigned t = threadIdx.x;
	s[t] = t;
	s[t + 32] = t + 32;
	__syncwarp();
	for (int k = 32; k; k /= 2) {
		int v = t < k ? s[t] + s[t + k] : 0;
		__syncwarp();
		if (t < k)
			s[t] = v;
		__syncwarp();
	}
	if (t == 0)
		*out = s[0];
}
CASE(old_reduction_guilty) { device_array<int> a(1); old_reduction<<<1, 32>>>(a); }
CASE(old_reduction_innocent) { device_array<int> a(1); new_reduction<<<1, 32>>>(a); }

/* Half a warp synchronises with itself; the other half is not in the mask. */
template <bool ALL> __global__ void half(int *out)
{
	__shared__ int s[32];
	unsigned t = threadIdx.x;
	s[t] = t;                                                /* FINDS(half_guilty): race */
	if (ALL)
		__syncwarp();
	else
		__syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
	out[t] = s[31 - t];
}
template <int> __global__ void half_own(int *out)
{
	__shared__ int s[32];
	unsigned t = threadIdx.x;
	s[t] = t;
	__syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
	out[t] = s[t ^ 15];
}
CASE(half_guilty) { device_array<int> a(32); half<false><<<1, 32>>>(a); }
CASE(half_innocent) { device_array<int> a(32); half<true><<<1, 32>>>(a); half_own<0><<<1, 32>>>(a); }

/* A shuffle moves a register and orders no memory. */
template <bool SYNC> __global__ void shuffled(int *out)
{
	__shared__ int s[32];
	unsigned t = threadIdx.x;
	s[t] = t;                                                /* FINDS(shuffled_guilty): race */
	int v = __shfl_xor_sync(~0u, (int)t, 1);
	if (SYNC)
		__syncwarp();
	out[t] = v + s[t ^ 1];
}
CASE(shuffled_guilty) { device_array<int> a(32); shuffled<false><<<1, 32>>>(a); }
CASE(shuffled_innocent) { device_array<int> a(32); shuffled<true><<<1, 32>>>(a); }

/* __syncwarp() does not order two warps. */
template <bool BLOCK> __global__ void warps(int *out)
{
	__shared__ int s[64];
	s[threadIdx.x] = threadIdx.x;                            /* FINDS(warps_guilty): race */
	if (BLOCK)
		__syncthreads();
	else
		__syncwarp();
	out[threadIdx.x] = s[threadIdx.x ^ 32];
}
CASE(warps_guilty) { device_array<int> a(64); warps<false><<<1, 64>>>(a); }
CASE(warps_innocent) { device_array<int> a(64); warps<true><<<1, 64>>>(a); }

/* All lanes store to one place: the same value is a warning, another an error. */
__global__ void one_place(int *out, int factor)
{
	__shared__ int s;
	s = threadIdx.x * factor + 1;                            /* FINDS(one_place_guilty): race */
	__syncthreads();
	out[threadIdx.x] = s;
}
CASE(one_place_guilty) { device_array<int> a(32); one_place<<<1, 32>>>(a, 1); }
CASE(one_place_innocent) { device_array<int> a(32); one_place<<<1, 1>>>(a, 1); }

/* ---- barriers for some ---------------------------------------------------- */

/* Named barriers: producers arrive, consumers wait. */
__device__ void bar_sync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ void bar_arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }
template <bool RIGHT> __global__ void producer(int *out)
{
	__shared__ int s[32];
	unsigned t = threadIdx.x;
	if (t < 32) {
		if (!RIGHT)
			bar_arrive(1, 64);
		s[t] = t;                                        /* FINDS(producer_guilty): race */
		if (RIGHT)
			bar_arrive(1, 64);
	} else {
		bar_sync(1, 64);
		out[t - 32] = s[63 - t];
	}
}
CASE(producer_guilty) { device_array<int> a(32); producer<false><<<1, 64>>>(a); }
CASE(producer_innocent) { device_array<int> a(32); producer<true><<<1, 64>>>(a); }

/* Two pairs of warps, each with a barrier of its own. */
__global__ void pairs(int *out, unsigned other)
{
	__shared__ int s[128];
	unsigned t = threadIdx.x;
	s[t] = t;                                                /* FINDS(pairs_guilty): race */
	bar_sync(1 + t / 64, 64);
	out[t] = s[t ^ other];
}
CASE(pairs_guilty) { device_array<int> a(128); pairs<<<1, 128>>>(a, 64); }
CASE(pairs_innocent) { device_array<int> a(128); pairs<<<1, 128>>>(a, 32); }

/* The barrier's own answers synchronise as __syncthreads() does. */
template <bool COUNT> __global__ void counted(int *out)
{
	__shared__ int s[64];
	s[threadIdx.x] = threadIdx.x;                            /* FINDS(counted_guilty): race */
	int n = COUNT ? __syncthreads_count(threadIdx.x & 1) : 32;
	out[threadIdx.x] = n + s[63 - threadIdx.x];
}
CASE(counted_guilty) { device_array<int> a(64); counted<false><<<1, 64>>>(a); }
CASE(counted_innocent) { device_array<int> a(64); counted<true><<<1, 64>>>(a); }

/* Blocks one after the other in one block's place, with several epochs each, also where each
 * thread is a pthread: WAYS(many_blocks_guilty): pthreads, WAYS(many_blocks_innocent): pthreads. */
template <bool BETWEEN> __global__ void many_blocks(int *out)
{
	__shared__ int s[256];
	unsigned t = threadIdx.x;
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		s[t] = i + t;                                    /* FINDS(many_blocks_guilty): race */
		__syncthreads();
		sum += s[255 - t];
		if (BETWEEN)
			__syncthreads();
	}
	out[blockIdx.x * 256 + t] = sum;
}
CASE(many_blocks_guilty) { device_array<int> a(256 * 48); many_blocks<false><<<48, 256>>>(a); }
CASE(many_blocks_innocent) { device_array<int> a(256 * 48); many_blocks<true><<<48, 256>>>(a); }
