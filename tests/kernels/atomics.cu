/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics: every operation and type, of every scope, in global and shared memory.
 * Results that depend on the order of the threads are turned into ones that do
 * not: sums, counts, and whether the values handed out were all different. */
#include "case.cuh"

/* One thread: the returned old value and the new one, for each operation. */
template <typename T> __global__ void integer_ops(T *out, T a, T b)
{
	T *cell = out + 32;
	T *o = out;
	*cell = a; *o++ = atomicAdd(cell, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicExch(cell, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicCAS(cell, a, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicCAS(cell, b, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicMin(cell, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicMax(cell, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicAnd(cell, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicOr(cell, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicXor(cell, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicAdd_block(cell, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicMax_system(cell, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicCAS_system(cell, a, b); *o++ = *(volatile T *)cell;
	*cell = a; *o++ = atomicExch_block(cell, b); *o++ = *(volatile T *)cell;
	*cell = 0;
}

__global__ void unsigned_ops(unsigned *out)
{
	unsigned *cell = out + 20;
	for (int k = 0; k < 4; k++)
		out[k] = atomicInc(cell, 2);
	*cell = 7;
	out[4] = atomicInc(cell, 5);
	out[5] = *cell;
	*cell = 3;
	for (int k = 6; k < 11; k++)
		out[k] = atomicDec(cell, 2);
	*cell = 0;
	out[11] = atomicDec(cell, 9);
	out[12] = *cell;
	*cell = 10;
	out[13] = atomicSub(cell, 13);
	out[14] = *cell;
	*cell = 5;
	out[15] = atomicDec(cell, 100);
	out[16] = atomicInc_system(cell, 100);
	out[17] = atomicSub_block(cell, 1);
	out[18] = *cell;
}

__global__ void float_ops(uint64_t *out)
{
	float *f = (float *)(out + 16);
	double *d = (double *)(out + 18);
	*f = 1.1f;
	*d = 1.1;
	out[0] = __float_as_uint(atomicAdd(f, 2.2f));
	out[1] = __float_as_uint(*(volatile float *)f);
	out[2] = __double_as_longlong(atomicAdd(d, 2.2));
	out[3] = __double_as_longlong(*(volatile double *)d);
	out[4] = __float_as_uint(atomicExch(f, -0.0f));
	out[5] = __float_as_uint(*(volatile float *)f);
	*f = 1e-39f;
	out[6] = __float_as_uint(atomicAdd(f, 1e-39f));
	out[7] = __float_as_uint(*(volatile float *)f); /* denormals */
	*d = 1e300;
	atomicAdd(d, 1.7e308);
	atomicAdd(d, 1.7e308);
	out[8] = __double_as_longlong(*(volatile double *)d);
	atomicAdd_block(f, 3.5f);
	out[9] = __float_as_uint(*(volatile float *)f);
	atomicAdd_system(d, -1.0);
	out[10] = __double_as_longlong(*(volatile double *)d);
	*f = 0;
	*d = 0;
	out[16] = out[17] = out[18] = 0;
}

__global__ void vector_ops(float *out)
{
	atomicAdd((float2 *)out, make_float2(1.0f, 2.0f));
	atomicAdd((float4 *)(out + 4), make_float4(0.5f, 1.0f, 1.5f, 2.0f));
}

__global__ void short_cas(unsigned *out)
{
	unsigned short *s = (unsigned short *)out;
	s[0] = 0x1111;
	s[1] = 0x2222;
	unsigned short old = atomicCAS(&s[1], (unsigned short)0x2222, (unsigned short)0xabcd);
	unsigned short kept = atomicCAS(&s[0], (unsigned short)0x9999, (unsigned short)0xffff);
	out[1] = old | (unsigned)kept << 16;
}

/* All threads at once; the totals do not depend on the order. */
template <typename T> __global__ void together(T *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	atomicAdd(&out[0], (T)i);
	atomicMin(&out[1], (T)(-i));
	atomicMax(&out[2], (T)i);
	atomicOr(&out[3], (T)1 << (i % 31));
	atomicAnd(&out[4], ~((T)1 << (i % 13)));
	atomicXor(&out[5], (T)i * 31);
	T old, seen = out[6];
	do {
		old = seen;
		seen = atomicCAS(&out[6], old, old + 2);
	} while (seen != old);
}

template <typename T> __global__ void reals(T *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	atomicAdd(&out[i % 3], (T)(i % 16) * (T)0.25); /* exact in any order */
}

__global__ void in_shared(unsigned *out)
{
	__shared__ unsigned count, ring, low;
	__shared__ float sum;
	__shared__ unsigned long long wide;
	if (threadIdx.x == 0) {
		count = ring = 0;
		low = 0xffffffff;
		sum = 0;
		wide = 1ull << 40;
	}
	__syncthreads();
	atomicAdd(&count, threadIdx.x);
	atomicInc(&ring, 16);
	atomicMin(&low, threadIdx.x + 3);
	atomicAdd(&sum, 0.5f);
	atomicAdd(&wide, 1ull << 20);
	__syncthreads();
	if (threadIdx.x == 0) {
		unsigned *o = out + 5 * blockIdx.x;
		o[0] = count;
		o[1] = ring;
		o[2] = low;
		o[3] = __float_as_uint(sum);
		o[4] = (unsigned)(wide >> 20);
	}
}

/* Tickets are handed out once each. */
__global__ void tickets(int *next, int *taken)
{
	atomicAdd(&taken[atomicAdd(next, 1)], 1);
}

/* Max of floats by compare and swap, and by the trick with their bits. */
__global__ void float_max(unsigned *out, const float *in, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float v = in[i];
	unsigned old = out[0];
	while (__uint_as_float(old) < v) {
		unsigned seen = old;
		old = atomicCAS(&out[0], seen, __float_as_uint(v));
		if (old == seen)
			break;
	}
	if (v >= 0)
		atomicMax((int *)&out[1], __float_as_int(v));
	else
		atomicMin(&out[1], __float_as_uint(v));
}

/* Double addition by compare and swap, as code for old devices has it. */
__device__ double add_by_cas(double *address, double value)
{
	unsigned long long *as_long = (unsigned long long *)address, old = *as_long, assumed;
	do {
		assumed = old;
		old = atomicCAS(as_long, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
	} while (assumed != old);
	return __longlong_as_double(old);
}

__global__ void old_style(double *out)
{
	add_by_cas(&out[threadIdx.x & 1], 0.5 * threadIdx.x);
}

/* The last block to finish adds the others' results. */
__device__ unsigned finished;
__global__ void last_block(int *parts, int *out)
{
	__shared__ bool last;
	if (threadIdx.x == 0) {
		parts[blockIdx.x] = (blockIdx.x + 1) * 10;
		__threadfence();
		last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		int sum = 0;
		for (int b = 0; b < gridDim.x; b++)
			sum += ((volatile int *)parts)[b];
		*out = sum;
	}
}

__global__ void managed_counter(int *counter)
{
	atomicAdd_system(counter, 1);
}

/* What a histogram's blocks end with: sums side by side, of all blocks. */
__global__ void side_by_side(unsigned *out, unsigned base)
{
	__shared__ unsigned own[256];
	unsigned t = threadIdx.x, n = blockDim.x;
	own[n - 1 - t] = base + (n - 1 - t) + blockIdx.x;
	__syncthreads();
	atomicAdd(&out[t], own[t]);
}

/* From any boundary, in blocks of any length; sums that overflow leave their neighbours be.
 * Expected: closed forms. */
static void add_side_by_side()
{
	const unsigned base = 0xc0000000u, blocks = 301;
	int wrong = 0;
	for (unsigned n : {256u, 100u, 37u, 8u, 3u})
		for (unsigned first = 0; first < 4; first++) {
			memory<unsigned> out(std::vector<unsigned>(300, 5));
			side_by_side<<<blocks, n>>>(out.there + 8 + first, base);
			std::vector<unsigned> got(300);
			CHECK(cudaMemcpy(got.data(), out.there, 1200, cudaMemcpyDeviceToHost));
			for (unsigned i = 0; i < 300; i++) {
				unsigned t = i - 8 - first, want = 5;
				if (i >= 8 + first && t < n)
					want += blocks * (base + t) + blocks * (blocks - 1) / 2;
				wrong += got[i] != want;
			}
		}
	say("sums side by side", "%d wrong", wrong);
}

int main()
{
	add_side_by_side();
	run("int", 33, 1, 1, integer_ops<int>, -5, 12);
	run("unsigned", 33, 1, 1, integer_ops<unsigned>, 0xfffffff0u, 0x2fu);
	run("unsigned long long", 33, 1, 1, integer_ops<unsigned long long>, 0xfffffffffffffff0ull, 0x12345678abull);
	run("inc, dec, sub", 21, 1, 1, unsigned_ops);
	run("float and double", 19, 1, 1, float_ops);
	run("float2 and float4", 8, 2, 16, vector_ops);
	run("short compare and swap", 2, 1, 1, short_cas);
	run("int together", 7, 7, 100, together<int>, 700);
	run("unsigned long long together", 7, 7, 100, together<unsigned long long>, 700);
	run("float together", 3, 9, 96, reals<float>);
	run("double together", 3, 9, 96, reals<double>);
	run("shared", 20, 4, 128, in_shared);
	{
		memory<int> next(1), taken(900);
		tickets<<<9, 100>>>(next.there, taken.there);
		std::vector<int> v = taken.fetch();
		int once = 0;
		for (int t : v)
			once += t == 1;
		say("tickets", "%d handed out, %d of them once", next.fetch()[0], once);
	}
	std::vector<float> v(500);
	for (int i = 0; i < 500; i++)
		v[i] = (float)((i * 7919) % 1000) - 300.5f;
	memory<float> in(v);
	run("float max", 2, 4, 128, float_max, (const float *)in.there, 500);
	run("double by compare and swap", 2, 1, 200, old_style);
	memory<int> parts(50), out(1);
	for (int k = 0; k < 2; k++)
		last_block<<<50, 64>>>(parts.there, out.there);
	out.show("last block");
	int *counter;
	CHECK(cudaMallocManaged(&counter, sizeof *counter));
	*counter = 5;
	managed_counter<<<3, 50>>>(counter);
	CHECK(cudaDeviceSynchronize());
	say("managed counter", "%d", *counter);
	CHECK(cudaFree(counter));
	return 0;
}
