/* SPDX-License-Identifier: Apache-2.0 */
/* strides.cu - loops by strides of the grid or the block, which may be turned inside out so
 * that a row's threads take each step together: widths, signs and ends of the counter,
 * counters that wrap, what stands before, in and behind the loop. The host goes through
 * the same functions thread by thread; every case is run with several shapes, and "same"
 * is what a right answer prints. */
#include "case.cuh"

enum { MOST = 1 << 17 };
static unsigned *out;

struct where {
	unsigned t, b, nt, nb;
};

#define BOTH __host__ __device__ static

/* The host's threads come one after the other. */
__host__ __device__ static void add(unsigned *to, unsigned value)
{
#ifdef __CUDA_ARCH__
	atomicAdd(to, value);
#else
	*to += value;
#endif
}

struct of_int {
	BOTH void run(const where &w, unsigned *to)
	{
		const int n = MOST - 77;
		for (int i = (int)(w.b * w.nt + w.t); i < n; i += (int)(w.nt * w.nb))
			to[i] += (unsigned)i * 3 + 1;
	}
};

struct of_unsigned {
	BOTH void run(const where &w, unsigned *to)
	{
		for (unsigned i = w.b * w.nt + w.t; i < MOST - 1; i += w.nt * w.nb)
			to[i] += i ^ 0x55;
	}
};

struct of_size {
	BOTH void run(const where &w, unsigned *to)
	{
		for (size_t i = (size_t)w.b * w.nt + w.t; i < MOST - 9; i += (size_t)w.nt * w.nb)
			to[i + 3] += (unsigned)i + 2;
	}
};

/* Of 64 bits by a sum of 32. */
struct widened {
	BOTH void run(const where &w, unsigned *to)
	{
		for (long long i = (int)(w.b * w.nt + w.t) - 5; i < MOST - 5; i += w.nt * w.nb)
			to[i + 5] += (unsigned)i + 2;
	}
};

/* It begins below zero, where nothing is stored. */
struct below_zero {
	BOTH void run(const where &w, unsigned *to)
	{
		for (int i = (int)(w.b * w.nt + w.t) - 1000; i < 30000; i += (int)(w.nt * w.nb))
			if (i >= 0)
				to[i] += (unsigned)i + 1;
	}
};

/* Nobody, or not all of the first row. */
struct few {
	BOTH void run(const where &w, unsigned *to)
	{
		for (int i = (int)(w.b * w.nt + w.t); i < 37; i += (int)(w.nt * w.nb))
			to[i] += 5;
		for (int i = (int)(w.b * w.nt + w.t); i < -3; i += (int)(w.nt * w.nb))
			to[i & 63] += 7;
	}
};

/* Each block its own part. */
struct by_block {
	BOTH void run(const where &w, unsigned *to)
	{
		const int part = MOST / 64;
		unsigned *mine = to + w.b % 64 * part;
		for (int i = (int)w.t; i < part; i += (int)w.nt)
			add(&mine[i], w.b + (unsigned)i);
	}
};

/* The counter wraps around, and is right again behind that: turns are counted. */
struct wraps_signed {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b * w.nt + w.t;
		if (x > 500)
			return;
		for (int i = (int)x; i < 0x7fffffff - 5; i = (int)((unsigned)i + 0x7ffffffdu))
			add(&to[x % MOST], 1);
	}
};

struct wraps_unsigned {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b * w.nt + w.t;
		if (x > 500)
			return;
		for (unsigned i = x; i < 0xfffffff0u; i += 0xfffffffbu)
			add(&to[x % MOST], 1);
	}
};

/* The first values wrap from one thread to the next. */
struct starts_wrapped {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned first = 0xffffff00u + w.b * w.nt + w.t;
		for (unsigned i = first; i < MOST; i += 70001)
			to[i] += first;
	}
};

/* Some threads do not come to the loop, and what is in it depends on where they are. */
struct guarded {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b * w.nt + w.t, odd = w.t % 3;
		if (w.t % 5 == 2)
			return;
		for (unsigned i = x; i < MOST; i += w.nt * w.nb)
			to[i] = i * odd + w.b;
	}
};

/* Ways in the loop, and a store through an index of its own. */
struct branches {
	BOTH void run(const where &w, unsigned *to)
	{
		for (unsigned i = w.b * w.nt + w.t; i < MOST / 2; i += w.nt * w.nb) {
			if (i % 7 == 3)
				continue;
			if (i & 1)
				to[i] = i / 3;
			else
				to[MOST - 1 - i] = i + 9;
		}
	}
};

/* A thread reads what it stored in its step before. */
struct chained {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned stride = w.nt * w.nb;
		for (unsigned i = w.b * w.nt + w.t; i < MOST; i += stride)
			to[i] = i < stride ? i : to[i - stride] * 3 + 1;
	}
};

/* A sum and what stands behind the loop: not turned. */
struct sums {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b * w.nt + w.t, sum = 0;
		for (unsigned i = x; i < MOST; i += w.nt * w.nb)
			sum += i;
		if (x < MOST)
			to[x] = sum;
	}
};

/* Counters in shared places. */
struct counters {
	BOTH void run(const where &w, unsigned *to)
	{
		for (unsigned i = w.b * w.nt + w.t; i < MOST; i += w.nt * w.nb)
			add(&to[i * 7 % 61], i);
	}
};

/* The loop lies in a cycle that is no loop, as it is entered in two places. */
struct in_cycle {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned by = 1, n = w.nb % 3 + 3, i;
		if (w.nt & 32)
			goto in;
	more:
		by = by * 3 + 1;
	in:
		for (i = w.b * w.nt + w.t; i < MOST; i += w.nt * w.nb)
			to[i] += by;
		if (--n > 0)
			goto more;
	}
};

/* Two loops, one after the other. */
struct twice {
	BOTH void run(const where &w, unsigned *to)
	{
		for (unsigned i = w.b * w.nt + w.t; i < MOST; i += w.nt * w.nb)
			to[i] = i;
		for (unsigned i = w.b * w.nt + w.t; i < MOST; i += w.nt * w.nb)
			to[i] = to[i] * 5 + 1;
	}
};

template <typename F> __global__ void kernel(unsigned *to)
{
	F::run(where{threadIdx.x, blockIdx.x, blockDim.x, gridDim.x}, to);
}

template <typename F> static void check(const char *name)
{
	static const unsigned shapes[][2] = {{1, 1}, {1, 7}, {1, 32}, {3, 15}, {5, 16}, {1, 256},
					     {4, 100}, {33, 128}, {300, 64}, {700, 256}};
	static unsigned want[MOST];
	bool same = true;
	for (auto &s : shapes) {
		CHECK(cudaMemset(out, 0, MOST * sizeof *out));
		memset(want, 0, sizeof want);
		kernel<F><<<s[0], s[1]>>>(out);
		for (unsigned b = 0; b < s[0]; b++)
			for (unsigned t = 0; t < s[1]; t++)
				F::run(where{t, b, s[1], s[0]}, want);
		CHECK(cudaDeviceSynchronize());
		same &= !memcmp(out, want, sizeof want);
	}
	say(name, same ? "same" : "different");
}

/* The block's own loop between barriers. */
__global__ void between(unsigned *to, int n)
{
	__shared__ unsigned counts[64];
	if (threadIdx.x < 64)
		counts[threadIdx.x] = 0;
	__syncthreads();
	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n;
	     i += (int)(gridDim.x * blockDim.x))
		atomicAdd(&counts[i * 5 & 63], (unsigned)i);
	__syncthreads();
	if (threadIdx.x < 64)
		atomicAdd(&to[threadIdx.x], counts[threadIdx.x]);
}

static void check_between()
{
	unsigned want[64] = {0};
	const int n = MOST + 12345;
	CHECK(cudaMemset(out, 0, MOST * sizeof *out));
	between<<<9, 192>>>(out, n);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		want[i * 5 & 63] += (unsigned)i;
	say("between barriers", memcmp(out, want, sizeof want) ? "different" : "same");
}

int main()
{
	CHECK(cudaMallocManaged(&out, MOST * sizeof *out));
	check<of_int>("int");
	check<of_unsigned>("unsigned");
	check<of_size>("size_t");
	check<widened>("widened");
	check<below_zero>("below zero");
	check<few>("few elements");
	check<by_block>("by block");
	check<wraps_signed>("signed counter that wraps");
	check<wraps_unsigned>("unsigned counter that wraps");
	check<starts_wrapped>("wrapped start");
	check<guarded>("guarded");
	check<branches>("branches");
	check<chained>("chained");
	check<sums>("sums");
	check<counters>("counters");
	check<twice>("two loops");
	check<in_cycle>("in a cycle");
	check_between();
	return 0;
}
