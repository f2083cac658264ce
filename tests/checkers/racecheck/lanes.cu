/* SPDX-License-Identifier: Apache-2.0 */
/* Races of kernels whose accesses are told for many threads at once where the schedule allows it: those
 * whose threads meet nobody, or at barriers and warp operations alone, and what neighbouring threads do to neighbouring words
 * is remembered for 64 bytes together (race_lanes.c). */
#include "../cases.h"

/* ---- whole lines ------------------------------------------------------------ */

/* Two blocks write the same lines; or each its own. */
template <class T> __global__ void fill(T *to, int of_block)
{
	to[blockIdx.x * of_block + threadIdx.x] = T();           /* FINDS(fill_guilty): race */
}
CASE(fill_guilty) { device_array<int> a(256); fill<int><<<2, 128>>>(a, 0); }
CASE(fill_innocent) { device_array<int> a(256); fill<int><<<2, 128>>>(a, 128); fill<int><<<2, 128>>>(a, 128); }
CASE(fill_wide_innocent) { device_array<double2> a(64); fill<double2><<<2, 32>>>(a, 32); }

/* Each row begins behind a line's first word. */
__global__ void shifted(int *to)
{
	to[threadIdx.x + 1] = threadIdx.x;
}
CASE(shifted_innocent) { device_array<int> a(130); shifted<<<1, 128>>>(a); }

/* They overlap in the last word of one. */
__global__ void overlap(float *to)
{
	to[blockIdx.x * 31 + threadIdx.x] = 1;                   /* FINDS(overlap_guilty): race */
}
CASE(overlap_guilty) { device_array<float> a(64); overlap<<<2, 32>>>(a); }
CASE(overlap_innocent) { device_array<float> a(64); overlap<<<2, 31>>>(a); }

/* A word of a whole line that one block has written, read by a thread of another; and the other way
 * round, where the line was read. */
__global__ void peek(float *a, float *to, bool reads_first)
{
	if (blockIdx.x == 0) {
		if (reads_first)
			to[threadIdx.x] = a[threadIdx.x];        /* FINDS(poke_guilty): race */
		else
			a[threadIdx.x] = 1;                      /* FINDS(peek_guilty): race */
	} else if (threadIdx.x == 5) {
		if (reads_first)
			a[21] = 2;                               /* FINDS(poke_guilty): race */
		else
			to[0] = a[21];                           /* FINDS(peek_guilty): race */
	}
}
CASE(peek_guilty) { device_array<float> a(64), b(64); peek<<<2, 64>>>(a, b, false); }
CASE(peek_innocent) { device_array<float> a(64), b(64); peek<<<1, 64>>>(a, b, false); peek<<<1, 64>>>(b, a, true); }
CASE(poke_guilty) { device_array<float> a(64), b(64); peek<<<2, 64>>>(a, b, true); }

/* ---- one warp and several ------------------------------------------------------ */

/* Each thread writes, then reads its neighbour's: also within a warp nothing orders the two. */
__global__ void neighbour(int *a, int shift)
{
	a[threadIdx.x] = threadIdx.x;                            /* FINDS(neighbour_guilty): race */
	int v = a[(threadIdx.x + shift) % blockDim.x];           /* FINDS(neighbour_guilty): race */
	a[threadIdx.x + blockDim.x] = v;
}
CASE(neighbour_guilty) { device_array<int> a(64); neighbour<<<1, 32>>>(a, 1); }
CASE(neighbour_innocent) { device_array<int> a(64); neighbour<<<1, 32>>>(a, 0); }

/* All threads of two blocks read a word, which a thread of one writes. */
__global__ void everybody(int *one, int *to, bool writes)
{
	to[blockIdx.x * blockDim.x + threadIdx.x] = *one;        /* FINDS(everybody_guilty): race */
	if (writes && threadIdx.x == 33 && blockIdx.x == 1)
		*one = 1;                                        /* FINDS(everybody_guilty): race */
}
CASE(everybody_guilty) { device_array<int> a(1), b(128); everybody<<<2, 64>>>(a, b, true); }
CASE(everybody_innocent) { device_array<int> a(1), b(128); everybody<<<2, 64>>>(a, b, false); }

/* Rows of 48 threads: the second half of a line is another warp's. */
__global__ void rows(int *a, int shift)
{
	int i = threadIdx.y * 48 + threadIdx.x;
	a[i] = i;                                                /* FINDS(rows_guilty): race */
	int v = a[(i + shift) % 192];                            /* FINDS(rows_guilty): race */
	a[192 + i] = v;
}
CASE(rows_guilty) { device_array<int> a(384); rows<<<1, dim3(48, 4)>>>(a, 48); }
CASE(rows_innocent) { device_array<int> a(384); rows<<<1, dim3(48, 4)>>>(a, 0); }

/* ---- other sizes over the same words -------------------------------------------- */

__global__ void halves(float *a, float2 *to)
{
	if (blockIdx.x == 0)
		a[threadIdx.x] = 1;                              /* FINDS(halves_guilty): race */
	else
		to[threadIdx.x] = ((float2 *)a)[threadIdx.x];    /* FINDS(halves_guilty): race */
}
CASE(halves_guilty) { device_array<float> a(128); device_array<float2> b(64); halves<<<2, 64>>>(a, b); }
CASE(halves_innocent) { device_array<float> a(128); device_array<float2> b(64); halves<<<1, 64>>>(a, b); }

/* The same thread's, in both sizes. */
__global__ void own_halves(float *a)
{
	float2 *pairs = (float2 *)a;
	pairs[threadIdx.x] = make_float2(1, 2);
	a[2 * threadIdx.x] += 1;
	pairs[threadIdx.x].y = a[2 * threadIdx.x];
}
CASE(own_halves_innocent) { device_array<float> a(256); own_halves<<<1, 128>>>(a); own_halves<<<1, 128>>>(a); }

/* ---- places that memory holds ------------------------------------------------------ */

__global__ void scatter(const int *where, int *a)
{
	a[where[threadIdx.x]] = threadIdx.x;                     /* FINDS(scatter_guilty): race */
}
static void run_scatter(bool twice)
{
	int host[64];
	device_array<int> where(64), a(4096);
	for (int i = 0; i < 64; i++)
		host[i] = i * 61 % 4096;
	if (twice)
		host[40] = host[3];
	cudaMemcpy(where, host, sizeof host, cudaMemcpyHostToDevice);
	scatter<<<1, 64>>>(where, a);
}
CASE(scatter_guilty) { run_scatter(true); }
CASE(scatter_innocent) { run_scatter(false); }

/* ---- what racing threads store ------------------------------------------------------- */

__global__ void flag(int *a, bool same)
{
	if (threadIdx.x % 7 == 3)
		*a = same ? 1 : threadIdx.x;                     /* FINDS(values_guilty): race */
}
/* SAYS(values_guilty): Several threads write there */
CASE(values_guilty) { device_array<int> a(1); flag<<<1, 32>>>(a, false); }
__global__ void same_flag(int *a)
{
	if (threadIdx.x % 7 == 3)
		*a = 1;                                          /* FINDS(same_value_guilty): race */
}
/* SAYS(same_value_guilty): Both write the same value */
CASE(same_value_guilty) { device_array<int> a(1); same_flag<<<1, 32>>>(a); }

/* ---- copies ------------------------------------------------------------------------- */

/* A set in the launch's stream is before it; one in another stream is not. */
__global__ void add_one(int *a)
{
	a[blockIdx.x * blockDim.x + threadIdx.x] += 1;           /* FINDS(beside_guilty): race */
}
static void run_beside(bool other)
{
	device_array<int> a(256), b(256);
	cudaStream_t s[2];
	cudaDeviceSynchronize();
	for (int i = 0; i < 2; i++)
		cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
	cudaMemsetAsync(b, 0, 1024, s[0]);
	cudaMemsetAsync(a, 0, 1024, s[other]);
	add_one<<<2, 128, 0, s[0]>>>(a);
	add_one<<<2, 128, 0, s[0]>>>(a);
	cudaDeviceSynchronize();
	for (int i = 0; i < 2; i++)
		cudaStreamDestroy(s[i]);
}
CASE(beside_guilty) { run_beside(true); }
CASE(beside_innocent) { run_beside(false); }

/* ---- warps that meet --------------------------------------------------------------- */

/* An exchange in shared memory within a warp: __syncwarp() orders it, a shuffle does not. */
__global__ void exchange(int *to, bool syncs)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t;                                                /* FINDS(exchange_guilty): race */
	int v = __shfl_xor_sync(~0u, t, 1);
	if (syncs)
		__syncwarp();
	to[t] = v + s[t ^ 1];                                    /* FINDS(exchange_guilty): race */
}
CASE(exchange_guilty) { device_array<int> a(64); exchange<<<1, 64>>>(a, false); }
CASE(exchange_innocent) { device_array<int> a(64); exchange<<<1, 64>>>(a, true); }
CASE(exchange_part_innocent) { device_array<int> a(64); exchange<<<1, 40>>>(a, true); }

/* Half a warp synchronises: the other half is ordered with nobody. */
__global__ void half(int *to, int from)
{
	__shared__ int s[32];
	int t = threadIdx.x;
	s[t] = t;                                                /* FINDS(half_guilty): race */
	if (t < 16) {
		__syncwarp(0xffff);
		to[t] = s[t ^ from];                             /* FINDS(half_guilty): race */
	}
}
CASE(half_guilty) { device_array<int> a(32); half<<<1, 32>>>(a, 16); }
CASE(half_innocent) { device_array<int> a(32); half<<<1, 32>>>(a, 1); }

/* A sum of a block, whose first warp may not wait for the others; threads beyond n have ended. */
__global__ void sum(const int *from, int *to, int n, bool waits)
{
	__shared__ int s[4];
	int t = threadIdx.x;
	if (t >= n)
		return;
	int v = from[t];
	for (int d = 16; d; d /= 2)
		v += __shfl_down_sync(~0u, v, d);
	if (t % 32 == 0)
		s[t / 32] = v;                                   /* FINDS(sum_guilty): race */
	if (waits)
		__syncthreads();
	if (t < 4 && t * 32 < n)
		to[t] = s[t];                                    /* FINDS(sum_guilty): race */
}
CASE(sum_guilty) { device_array<int> a(128), b(4); sum<<<1, 128>>>(a, b, 128, false); }
CASE(sum_innocent) { device_array<int> a(128), b(4); sum<<<1, 128>>>(a, b, 128, true); }
CASE(sum_part_innocent) { device_array<int> a(128), b(4); sum<<<1, 128>>>(a, b, 96, true); }

/* Lanes that wait at a barrier that counts. */
__global__ void count(int *a, bool waits)
{
	int t = threadIdx.x, n = 0;
	a[t] = t;                                                /* FINDS(count_guilty): race */
	if (waits)
		n = __syncthreads_count(t & 1);
	a[128 + t] = n + a[t ^ 32];                              /* FINDS(count_guilty): race */
}
CASE(count_guilty) { device_array<int> a(256); count<<<1, 128>>>(a, false); }
CASE(count_innocent) { device_array<int> a(256); count<<<1, 128>>>(a, true); }

/* ---- lines of shared memory ------------------------------------------------------------- */

/* A word of what one warp has written or read as a whole, accessed by a thread of another. */
__global__ void peek_shared(int *to, bool waits)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t;                                                /* FINDS(peek_shared_guilty): race */
	if (waits)
		__syncthreads();
	if (t == 45)
		to[t] = s[17];                                   /* FINDS(peek_shared_guilty): race */
}
CASE(peek_shared_guilty) { device_array<int> a(64); peek_shared<<<2, 64>>>(a, false); }
CASE(peek_shared_innocent) { device_array<int> a(64); peek_shared<<<1, 64>>>(a, true); }

__global__ void poke_shared(int *to, bool waits)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = t;
	__syncthreads();
	to[blockIdx.x * 64 + t] = s[t];                          /* FINDS(poke_shared_guilty): race */
	if (waits)
		__syncthreads();
	if (t == 45)
		s[17] = t;                                       /* FINDS(poke_shared_guilty): race */
}
CASE(poke_shared_guilty) { device_array<int> a(128); poke_shared<<<2, 64>>>(a, false); }
CASE(poke_shared_innocent) { device_array<int> a(128); poke_shared<<<2, 64>>>(a, true); }

/* A row that begins behind a line's first word: a warp's last thread is alone in its line's first. */
__global__ void shifted_shared(int *to, int shift, int twice)
{
	__shared__ int s[96];
	int t = threadIdx.x;
	s[t + shift] = t;                                        /* FINDS(shifted_shared_guilty): race */
	if (t < twice)
		s[t + shift + 64] = t;                           /* FINDS(shifted_shared_guilty): race */
	__syncthreads();
	to[t] = s[t + shift];
}
CASE(shifted_shared_guilty) { device_array<int> a(96); shifted_shared<<<1, 96>>>(a, 0, 1); }
CASE(shifted_shared_innocent) { device_array<int> a(64); shifted_shared<<<1, 64>>>(a, 1, 9); }

/* The two threads of a pair, two words each, in turns; the window's last line is a part of one. */
__global__ void pairs_shared(long long *to, bool waits)
{
	__shared__ long long s[33];
	int t = threadIdx.x;
	s[t] = t;                                                /* FINDS(pairs_shared_guilty): race */
	if (t == 31)
		s[32] = t;
	if (waits)
		__syncwarp();
	to[t] = s[t ^ 1] + s[32 * (t == 31)];                    /* FINDS(pairs_shared_guilty): race */
}
CASE(pairs_shared_guilty) { device_array<long long> a(32); pairs_shared<<<1, 32>>>(a, false); }
CASE(pairs_shared_innocent) { device_array<long long> a(32); pairs_shared<<<1, 32>>>(a, true); }

/* ---- arrays of single threads ------------------------------------------------------ */

/* Each thread has its own; what it indexes with comes from memory. */
__global__ void own_array(const int *from, int *to, int shift)
{
	int a[8] = {}, t = threadIdx.x;
	for (int i = 0; i < 16; i++)
		a[from[t] & 7] += i;
	to[(t + shift) % 64] = a[from[t] & 7];                   /* FINDS(own_array_guilty): race */
	to[64 + t] = to[t];                                      /* FINDS(own_array_guilty): race */
}
CASE(own_array_guilty) { device_array<int> a(64), b(128); own_array<<<1, 64>>>(a, b, 1); }
CASE(own_array_innocent) { device_array<int> a(64), b(128); own_array<<<1, 64>>>(a, b, 0); }
