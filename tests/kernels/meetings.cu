/* SPDX-License-Identifier: Apache-2.0 */
/* meetings.cu - loops over a block's threads that meet: warps that are not whole, lanes that
 * part, masks of their own, tiles, barriers with reductions and numbers, and threads that
 * leave a loop in the middle. The expected values are sums of small integers, worked out
 * by hand (meetings.expected is what the formulas beside the kernels give). */
#include "case.cuh"

static const int N = 64;
static const unsigned ALL = 0xffffffffu;

__device__ int sum_down(unsigned mask, int v, int lanes)
{
	for (int d = lanes / 2; d; d /= 2)
		v += __shfl_down_sync(mask, v, d, lanes);
	return __shfl_sync(mask, v, 0, lanes);
}

/* The second warp has 8 lanes: 496 for the first, 32..39 make 284. */
__global__ void partial(int *out)
{
	int t = (int)threadIdx.x;
	out[t] = t < 32 ? sum_down(ALL, t, 32) : sum_down(0xff, t, 8);
}

/* The halves of a warp in two branches: 0..15 make 120, 16..31 376; + 256 a warp. */
__global__ void halves(int *out)
{
	int t = (int)threadIdx.x;
	if (t % 32 < 16)
		out[t] = sum_down(0xffff, t, 16);
	else
		out[t] = 1000 + sum_down(0xffff0000, t, 16);
}

/* Every second lane has ended: the even ones up to 30 make 240, 34.. 62 + 32 752. */
__global__ void evens(int *out)
{
	int t = (int)threadIdx.x;
	if (t % 2)
		return;
	int v = t;
	for (int d = 16; d > 1; d /= 2)
		v += __shfl_xor_sync(0x55555555, v, d);
	out[t] = v;
}

/* One warp works on between barriers: 3 * (0 + ... + 63) = 6048. */
__global__ void one_warp(int *out)
{
	__shared__ int s[N];
	int t = (int)threadIdx.x;
	s[t] = 3 * t;
	__syncthreads();
	if (t < 32) {
		int v = sum_down(ALL, s[t] + s[t + 32], 32);
		__syncwarp();
		if (t == 0)
			s[0] = v;
	}
	__syncthreads();
	out[t] = s[0] + t;
}

/* Two shuffles of doubles at once: t + (t ^ 1) + 100 * (t / 32 * 32 + 5). */
__global__ void doubles(int *out)
{
	int t = (int)threadIdx.x;
	double a = t, b = __shfl_xor_sync(ALL, a, 1), c = __shfl_sync(ALL, a, 5);
	out[t] = (int)(a + b + 100 * c);
}

/* Tiles of 8 by masks: the votes of each, their sum, the lane 3 behind or its own. */
__global__ void tiles(int *out)
{
	int t = (int)threadIdx.x, lane = t % 32;
	unsigned mask = 0xffu << (lane & 24);
	int any = __any_sync(mask, t == 9), all = __all_sync(mask, t >= 16);
	unsigned odd = __ballot_sync(mask, t % 2) >> (lane & 24);
	out[t] = any + 2 * all + 10 * (int)odd + 10000 * __shfl_down_sync(mask, t, 3, 8);
}

/* Sources that each lane chooses: 63 - t of the warp, + its predecessor's t or its own. */
__global__ void chosen(int *out)
{
	int t = (int)threadIdx.x;
	out[t] = 100 * __shfl_sync(ALL, t, 31 - t % 32) + __shfl_up_sync(ALL, t, 1 + t % 2);
}

/* Votes, matches, reductions of a whole warp. */
__global__ void whole(int *out)
{
	int t = (int)threadIdx.x, lane = t % 32;
	int n = __popc(__ballot_sync(ALL, lane % 3 == 0)); /* 11 */
	int same = __popc(__match_any_sync(ALL, lane % 5)); /* 7 of 0 and 1, else 6 */
	int most = __reduce_max_sync(ALL, t ^ 21);          /* 31, 63 */
	out[t] = n + 100 * same + 1000 * most;
}

/* 16 threads have ended: of the others 24 are multiples of 2, all are below 48. */
__global__ void counted(int *out)
{
	int t = (int)threadIdx.x;
	if (t >= 48)
		return;
	int n = __syncthreads_count(t % 2 == 0), all = __syncthreads_and(t < 48);
	out[t] = n + 100 * all + 1000 * __syncthreads_or(t == 47) + 2000 * __syncthreads_and(t);
}

/* Each half of the block meets at a barrier of its own. */
__global__ void numbered(int *out)
{
	__shared__ int s[N];
	int t = (int)threadIdx.x;
	s[t] = t;
	if (t < 32)
		asm volatile("bar.sync 1, 32;" ::: "memory");
	else
		asm volatile("bar.sync 2, 32;" ::: "memory");
	out[t] = s[t ^ 31];
	__syncthreads();
	out[t] += 1000 * s[63 - t];
}

/* Rows of 8 threads: a warp is four of them. */
__global__ void rows(int *out)
{
	int t = (int)(threadIdx.x + 8 * threadIdx.y);
	int v = __shfl_xor_sync(ALL, (int)(10 * threadIdx.y + threadIdx.x), 9);
	__syncthreads();
	out[t] = v;
}

/* In the middle one thread needs the heap, another spins until it is done. */
__global__ void leaves(int *out, volatile int *flag)
{
	__shared__ int s[N];
	int t = (int)threadIdx.x;
	int v = sum_down(ALL, t, 32); /* 496, 1520 */
	s[t] = v;
	__syncthreads();
	if (t == 3)
		while (!*flag)
			;
	if (t == 40) {
		int *p = (int *)malloc(sizeof(int));
		*p = 5;
		v += *p;
		free(p);
		*flag = 1;
	}
	__syncwarp();
	v += __shfl_sync(ALL, v, 8);
	__syncthreads();
	out[t] = v + s[63 - t];
}

/* Atomics on shared memory, whose order nobody sees. */
__global__ void shared_atomics(int *out)
{
	__shared__ int s[4];
	__shared__ float f;
	int t = (int)threadIdx.x;
	if (t < 4)
		s[t] = t == 1 ? 1000 : 0;
	if (t == 0)
		f = 0;
	__syncthreads();
	atomicAdd(&s[0], t);           /* 2016 */
	atomicMin(&s[1], 90 - t);      /* 27 */
	atomicMax(&s[2], 7 * t % 64);  /* 63 */
	atomicAdd(&f, 0.5f);           /* 32 */
	for (int old = s[3], seen;; old = seen) /* 64 */
		if ((seen = atomicCAS(&s[3], old, old + 1)) == old)
			break;
	__syncthreads();
	out[t] = s[t % 4] + 10000 * (int)f;
}

/* A loop with warp operations and a barrier, as often as a parameter says:
 * (4 + 5 + 6) times a warp's sum, + the other warp's last one. */
__global__ void rounds(int *out, int n)
{
	__shared__ int s[2];
	int t = (int)threadIdx.x, total = 0, own = 0;
	for (int i = 0; i < n; i++) {
		own = sum_down(ALL, (i + 4) * t, 32);
		total += own;
		if (t % 32 == 0)
			s[t / 32] = own;
		__syncthreads();
		own = s[1 - t / 32];
		__syncthreads();
	}
	out[t] = total + own;
}

__device__ int row[N], lock, cells[3];

/* The last steps of a reduction in global memory through a volatile pointer, as programs
 * from before __syncwarp do it: 1..64 make 2080. */
__global__ void volatile_steps(int *out)
{
	int t = (int)threadIdx.x;
	row[t] = t + 1;
	__syncthreads();
	if (t < 32) {
		volatile int *v = row;
		v[t] += v[t + 32];
		v[t] += v[t + 16];
		v[t] += v[t + 8];
		v[t] += v[t + 4];
		v[t] += v[t + 2];
		v[t] += v[t + 1];
	}
	__syncthreads();
	out[t] = row[0];
}

/* The same form behind a lock, where lanes must not wait for each other: 64, the sum of 1..64,
 * the sum of those sums: 64 * 65 * 66 / 6. */
__global__ void volatile_locked(int *out)
{
	int t = (int)threadIdx.x;
	for (bool done = false; !done;) {
		if (atomicCAS(&lock, 0, 1))
			continue;
		volatile int *c = cells;
		c[0] += 1;
		c[1] += c[0];
		c[2] += c[1];
		__threadfence();
		atomicExch(&lock, 0);
		done = true;
	}
	__syncthreads();
	out[t] = cells[t % 3];
}

/* A node of 32 words that a warp takes, reads, writes and gives back as one, as trees and hash
 * tables of warps do: lane 1 locks by a bit of word 1, all lanes load, a vote, all store, word
 * 1 with the bit, and lane 1 clears it behind a fence. Four warps, 4 rounds: 16, and each
 * warp's 4 rounds found one value in all words. */
__device__ unsigned node[32];

__device__ void take(unsigned *n, unsigned lane)
{
	bool held = true;
	while (held) {
		if (lane == 1)
			held = atomicOr(n + 1, 0x80000000u) >> 31;
		held = __shfl_sync(ALL, held, 1);
	}
	__threadfence();
}

__device__ void give(unsigned *n, unsigned lane)
{
	__threadfence();
	if (lane == 1)
		atomicAnd(n + 1, 0x7fffffffu);
}

__global__ void nodes(int *out)
{
	unsigned lane = threadIdx.x % 32;
	int same = 0;
	for (int i = 0; i < 4; i++) {
		take(node, lane);
		unsigned v = *(volatile unsigned *)&node[31 - lane] & 0x7fffffffu;
		same += __all_sync(ALL, v == __shfl_sync(ALL, v, 0));
		node[31 - lane] = (v + 1) | (lane == 30 ? 0x80000000u : 0);
		give(node, lane);
	}
	if (blockIdx.x == 0)
		out[threadIdx.x] = same;
}

__global__ void node_words(int *out)
{
	out[threadIdx.x] = (int)node[threadIdx.x % 32];
}

/* Lanes that pass by a branch do not begin the loop's next round while others are in it. Odd t:
 * the sum over i < 3 of t - 1 + 100 * i + 2 * (t + 100 * i); even t: of t + 1 + 100 * i. */
__global__ void passed_by(int *out)
{
	__shared__ int word[64];
	int t = threadIdx.x, sum = 0;
	for (int i = 0; i < 3; i++) {
		word[t] = t + 100 * i;
		int other = word[t ^ 1];
		word[t] = 2 * other;
		if (t & 1)
			sum += word[t - 1];
		sum += other;
	}
	out[t] = sum;
}

int main()
{
	int *out;
	cudaMallocManaged(&out, (N + 1) * sizeof(int));
	volatile int *flag = out + N;
#define RUN(name, ...)                                 \
	for (int i = 0; i <= N; i++)                   \
		out[i] = 0;                            \
	__VA_ARGS__;                                   \
	cudaDeviceSynchronize();                       \
	show(name, out, N)
	RUN("volatile steps", (volatile_steps<<<1, N>>>(out)));
	RUN("volatile, locked", (volatile_locked<<<1, N>>>(out)));
	RUN("partial", (partial<<<1, 40>>>(out)));
	RUN("halves", (halves<<<1, N>>>(out)));
	RUN("evens", (evens<<<1, N>>>(out)));
	RUN("one warp", (one_warp<<<1, N>>>(out)));
	RUN("doubles", (doubles<<<1, N>>>(out)));
	RUN("tiles", (tiles<<<1, N>>>(out)));
	RUN("chosen", (chosen<<<1, N>>>(out)));
	RUN("whole", (whole<<<1, N>>>(out)));
	RUN("counted", (counted<<<1, N>>>(out)));
	RUN("numbered", (numbered<<<1, N>>>(out)));
	RUN("rows", (rows<<<1, dim3(8, 8)>>>(out)));
	RUN("leaves", (leaves<<<1, N>>>(out, flag)));
	RUN("shared atomics", (shared_atomics<<<1, N>>>(out)));
	RUN("rounds", (rounds<<<1, N>>>(out, 3)));
	RUN("passed by", (passed_by<<<1, N>>>(out)));
	RUN("nodes", (nodes<<<2, N>>>(out)));
	RUN("node words", (node_words<<<1, N>>>(out)));
	return 0;
}
