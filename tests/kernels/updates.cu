/* SPDX-License-Identifier: Apache-2.0 */
/* updates.cu - shared memory changed by loops around a comparison and exchange: additions of reals, and what
 * programs write themselves. Addresses that lanes have for themselves, side by side or scattered, that they share in
 * groups or all, in rows of any length, by some lanes and in loops. Sums are exact, so their order does not matter. */
#include "case.cuh"
#include "drawn.cuh"

enum { MOST = 512 };

/* Where a thread adds. */
static __device__ int place(int how, int t, int n)
{
	switch (how) {
	case 0:
		return t;
	case 1:
		return 0;
	case 2:
		return t % 32;
	case 3:
		return t / 3;
	case 4:
		return (t * 7) % n;
	case 5:
		return n - 1 - t;
	default:
		return drawn(t) % n;
	}
}

template <typename T> __global__ void add(T *out, int how)
{
	__shared__ T s[MOST];
	int t = threadIdx.x, n = blockDim.x;
	s[t] = 0;
	__syncthreads();
	atomicAdd(&s[place(how, t, n)], (T)(drawn(t + blockIdx.x) % 1000));
	__syncthreads();
	if (t % 3)
		atomicAdd(&s[place(how, t, n)], (T)t);
	__syncthreads();
	for (int i = 0; i < t % 5; i++)
		atomicAdd(&s[place(how, (t + i) % n, n)], (T)i);
	__syncthreads();
	out[blockIdx.x * n + t] = s[t];
}

/* Sums of columns: each warp has rows of its own. */
__global__ void columns(float *out)
{
	__shared__ float s[32];
	int t = threadIdx.x, n = blockDim.x / 32;
	if (t < 32)
		s[t] = 0;
	__syncthreads();
	for (int row = t / 32; row < 19; row += n)
		atomicAdd(&s[t % 32], (float)(drawn(row * 32 + t % 32 + blockIdx.x) % 100));
	__syncthreads();
	out[blockIdx.x * blockDim.x + t] = s[t % 32];
}

static __device__ float maximum(float *p, float v)
{
	int *at = (int *)p, old = *at, seen;
	do {
		seen = old;
		old = atomicCAS(at, seen, __float_as_int(__int_as_float(seen) < v ? v : __int_as_float(seen)));
	} while (seen != old);
	return __int_as_float(old);
}

/* Not more than 7 times, and with arithmetic of several steps. */
static __device__ unsigned long long mixed(unsigned long long *p, unsigned v)
{
	unsigned long long old = *p, seen;
	do {
		seen = old;
		unsigned count = (unsigned)(seen >> 32), sum = (unsigned)seen;
		old = atomicCAS(p, seen, count < 7 ? (unsigned long long)(count + 1) << 32 | (sum + v) : seen);
	} while (seen != old);
	return *p >> 63;
}

__global__ void own(unsigned long long *out, int how)
{
	__shared__ float s[MOST];
	__shared__ unsigned long long w[MOST];
	int t = threadIdx.x, n = blockDim.x;
	s[t] = -1;
	w[t] = t;
	__syncthreads();
	maximum(&s[place(how, t, n)], (float)(drawn(t + blockIdx.x) % 1000));
	if (t & 4)
		maximum(&s[place(how, n - 1 - t, n)], (float)(drawn(t * 5) % 1000));
	mixed(&w[place(how, t, n)], 3);
	__syncthreads();
	out[blockIdx.x * n + t] = w[t] * 3 + __float_as_int(s[t]);
}

/* Counts up to a limit, which is asked again before each try. */
__global__ void capped(unsigned *out, int limit)
{
	__shared__ int count, n_counted;
	if (threadIdx.x == 0)
		count = n_counted = 0;
	__syncthreads();
	int old = count, seen = -1;
	while (old < limit && old != seen) {
		seen = old;
		old = atomicCAS(&count, seen, seen + 1);
	}
	if (old == seen)
		atomicAdd(&n_counted, 1);
	__syncthreads();
	out[blockIdx.x * blockDim.x + threadIdx.x] = count * 1000 + n_counted;
}

/* What is there in the end of numbers that are none, and of the smallest. */
__global__ void odd(unsigned *out, const unsigned *a, const unsigned *b)
{
	__shared__ unsigned s[64];
	int t = threadIdx.x;
	s[t] = a[t];
	__syncthreads();
	float old = atomicAdd((float *)&s[t], __uint_as_float(b[t]));
	__syncthreads();
	out[2 * t] = s[t];
	out[2 * t + 1] = __float_as_uint(old);
}

__global__ void odd_doubles(unsigned long long *out, const unsigned long long *a, const unsigned long long *b)
{
	__shared__ unsigned long long s[64];
	int t = threadIdx.x;
	s[t] = a[t];
	__syncthreads();
	atomicAdd((double *)&s[t], __longlong_as_double(b[t]));
	__syncthreads();
	out[t] = s[t];
}

int main()
{
	static const unsigned some[8] = {0x3f800000, 0x00000001, 0x807fffff, 0x7f800000,
					 0xff800000, 0x7fc00001, 0x7f800005, 0x80000000};
	for (int n : {32, 64, 100, 256, 512}) {
		for (int how = 0; how < 7; how++) {
			char name[40];
			snprintf(name, sizeof name, "float %d %d", n, how);
			run(name, 2 * n, 2, n, add<float>, how);
			snprintf(name, sizeof name, "double %d %d", n, how);
			run(name, 2 * n, 2, n, add<double>, how);
			snprintf(name, sizeof name, "own %d %d", n, how);
			run(name, 2 * n, 2, n, own, how);
		}
		if (n % 32 == 0) {
			char name[40];
			snprintf(name, sizeof name, "columns %d", n);
			run(name, 3 * n, 3, n, columns);
		}
	}
	for (int limit : {0, 1, 7, 64, 1000}) {
		char name[40];
		snprintf(name, sizeof name, "capped %d", limit);
		run(name, 2 * 256, 2, 256, capped, limit);
	}
	unsigned *a, *b;
	unsigned long long *c, *d;
	CHECK(cudaMallocManaged(&a, 64 * sizeof *a));
	CHECK(cudaMallocManaged(&b, 64 * sizeof *b));
	CHECK(cudaMallocManaged(&c, 64 * sizeof *c));
	CHECK(cudaMallocManaged(&d, 64 * sizeof *d));
	for (int i = 0; i < 64; i++) {
		a[i] = some[i / 8];
		b[i] = some[i % 8];
		c[i] = (unsigned long long)(some[i / 8] & 0x80000000) << 32 | (some[i / 8] & 0x7fffffffull) << 29 | i;
		d[i] = (unsigned long long)(some[i % 8] & 0x80000000) << 32 | (some[i % 8] & 0x7fffffffull) << 29;
	}
	run("odd", 128, 1, 64, odd, a, b);
	run("odd doubles", 64, 1, 64, odd_doubles, c, d);
	return 0;
}
