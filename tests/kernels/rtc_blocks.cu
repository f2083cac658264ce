/* SPDX-License-Identifier: Apache-2.0 */
/* rtc_blocks.cu - block reductions of a header-only library, compiled by NVRTC with functions of
 * the device by default: words of any type through shuffles, partial tiles, one value a warp
 * in shared memory, a pass over segments and one over what that left. The library has a
 * template that nobody uses and that asks for a part of std that is not there.
 *
 * Right values follow from a host loop; those of floating point are small integers, whose sums are exact.
 *
 * Flags: -std=c++17 -lnvrtc -lcuda */
#include <nvrtc.h>

#include <string>
#include <vector>

#include "driver.cuh"

static const char library[] = R"(
#pragma once
template <int N> struct number {};

template <int MODE, class Iterator, class T> void store(Iterator at, T value)
{
	store(at, value, number<MODE>(), number<std::is_plain_pointer<Iterator>::value>());
}

template <class T> T from_lane(T value, int offset)
{
	enum { WORDS = (sizeof(T) + 3) / 4 };
	union words {
		unsigned at[WORDS];
		T value;
		__device__ words() {}
	} in, out;
	in.value = value;
	for (int i = 0; i < WORDS; i++)
		out.at[i] = __shfl_down_sync(~0u, in.at[i], offset);
	return out.value;
}

template <class T, int THREADS> struct block_reduction {
	struct room {
		alignas(16) unsigned char bytes[THREADS / 32][sizeof(T)];
	};
	room &shared;
	block_reduction(room &shared) : shared(shared) {}

	template <class Op, int ITEMS> T reduce(T (&items)[ITEMS], Op op)
	{
		T all = items[0];
		#pragma unroll
		for (int i = 1; i < ITEMS; i++)
			all = op(all, items[i]);
		for (int offset = 1; offset < 32; offset *= 2) {
			T other = from_lane(all, offset);
			if (threadIdx.x % 32 + offset < 32u)
				all = op(all, other);
		}
		if (threadIdx.x % 32 == 0)
			*(T *)shared.bytes[threadIdx.x / 32] = all;
		__syncthreads();
		if (threadIdx.x == 0)
			for (int warp = 1; warp < THREADS / 32; warp++)
				all = op(all, *(T *)shared.bytes[warp]);
		return all;
	}
};
)";

static const char program[] = R"(
#include "library.h"
struct complex {
	double re, im;
	complex() {}
	complex(double re, double im = 0) : re(re), im(im) {}
};
complex operator+(const complex &a, const complex &b) { return complex(a.re + b.re, a.im + b.im); }

struct extremes { /* 32 bytes */
	long long least, most, where, n;
	extremes() {}
	extremes(long long v) : least(v), most(v), where(-1), n(0) {}
	extremes(long long v, long long i) : least(v), most(v), where(i), n(1) {}
};

struct plus {
	template <class T> T operator()(const T &a, const T &b) const { return a + b; }
};
struct either {
	bool operator()(bool a, bool b) const { return a | b; }
};
struct wider {
	extremes operator()(const extremes &a, const extremes &b) const
	{
		if (!a.n || !b.n)
			return a.n ? a : b;
		extremes c = a.most > b.most || (a.most == b.most && a.where < b.where) ? a : b;
		c.least = a.least < b.least ? a.least : b.least;
		c.n = a.n + b.n;
		return c;
	}
};

/* Segment by segment, one block each; where `all` is not 0 the last one is shorter. */
template <class T, int THREADS, int ITEMS, class Op, class Load>
void segments(T *out, int segment, int all, T identity, Op op, Load load)
{
	typedef block_reduction<T, THREADS> reduction;
	__shared__ typename reduction::room room;
	T items[ITEMS];
	size_t first = size_t(blockIdx.x) * segment, n = segment;
	if (all > 0 && all - first <= (size_t)segment)
		n = all - first;
	T aggregate = identity;
	int tile = THREADS * ITEMS;
	for (size_t i = 0; i < n; i += THREADS * ITEMS) {
		if (n - i <= (size_t)tile)
			tile = n - i;
		#pragma unroll
		for (int j = 0; j < ITEMS; j++) {
			int e = threadIdx.x * ITEMS + j;
			items[j] = e < tile ? load(first + i + e) : identity;
		}
		aggregate = op(aggregate, reduction(room).reduce(items, op));
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = aggregate;
}

#define KERNELS(NAME, T, THREADS, ITEMS, OP, IDENTITY, LOAD)                                        \
	extern "C" __global__ void NAME##_first(T *out, const int *in, int segment, int all)        \
	{                                                                                           \
		segments<T, THREADS, ITEMS>(out, segment, all, IDENTITY, OP(),                      \
					    [=](size_t i) { return LOAD; });                        \
	}                                                                                           \
	extern "C" __global__ void NAME##_second(T *out, const T *in, int segment, int all)         \
	{                                                                                           \
		segments<T, THREADS, ITEMS>(out, segment, all, IDENTITY, OP(),                      \
					    [=](size_t i) { return in[i]; });                       \
	}
KERNELS(bytes, unsigned char, 32, 4, plus, (unsigned char)0, (unsigned char)in[i])
KERNELS(shorts, short, 64, 2, plus, short(0), short(in[i]))
KERNELS(longs, long long, 128, 4, plus, 0LL, 1000000007LL * in[i])
KERNELS(floats, float, 256, 1, plus, 0.f, float(in[i] % 8))
KERNELS(complexes, complex, 512, 4, plus, complex(0), complex(in[i], -2 * in[i]))
KERNELS(bools, bool, 1024, 3, either, false, in[i] == 1000)
KERNELS(wides, extremes, 512, 4, wider, extremes(0), extremes(in[i], i))
)";

static CUmodule module;
static int *in;

static void launch(const std::string &name, int blocks, int threads, void *out, const void *from,
		   int segment, int all)
{
	CUfunction kernel;
	void *arguments[] = {&out, &from, &segment, &all};
	DO(cuModuleGetFunction(&kernel, module, name.c_str()));
	DO(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, 0, arguments, NULL));
	DO(cuCtxSynchronize());
}

template <class T> static T reduced(const char *name, int threads, int items, int n)
{
	T *middle, *out;
	int segment = n < threads * items ? n : threads * items, blocks = (n + segment - 1) / segment;
	CHECK(cudaMallocManaged(&middle, blocks * sizeof *middle));
	CHECK(cudaMallocManaged(&out, sizeof *out));
	launch(std::string(name) + "_first", blocks, threads, middle, in, segment, n);
	launch(std::string(name) + "_second", 1, threads, out, middle, blocks, 0);
	T result = *out;
	CHECK(cudaFree(middle));
	CHECK(cudaFree(out));
	return result;
}

struct complex {
	double re, im;
};
struct extremes {
	long long least, most, where, n;
};

static void check(int n)
{
	long long all = 0, eighths = 0;
	extremes seen = {1 << 30, -1, -1, n};
	for (int i = 0; i < n; i++) {
		in[i] = (int)((i * 2654435761u >> 16) % 1009);
		all += in[i];
		eighths += in[i] % 8;
		seen.least = in[i] < seen.least ? in[i] : seen.least;
		seen.where = in[i] > seen.most ? i : seen.where;
		seen.most = in[i] > seen.most ? in[i] : seen.most;
	}
	bool any = false;
	for (int i = 0; i < n; i++)
		any |= in[i] == 1000;
	say("bytes", "%d of %d", reduced<unsigned char>("bytes", 32, 4, n) == (all & 255), n);
	say("shorts", "%d of %d", reduced<short>("shorts", 64, 2, n) == (short)all, n);
	say("longs", "%d of %d", reduced<long long>("longs", 128, 4, n) == 1000000007LL * all, n);
	say("floats", "%d of %d", reduced<float>("floats", 256, 1, n) == eighths, n);
	complex c = reduced<complex>("complexes", 512, 4, n);
	say("complexes", "%d of %d", c.re == all && c.im == -2 * all, n);
	say("bools", "%d of %d", reduced<bool>("bools", 1024, 3, n) == any, n);
	extremes w = reduced<extremes>("wides", 512, 4, n);
	say("wides", "%d of %d",
	    w.least == seen.least && w.most == seen.most && w.where == seen.where && w.n == n, n);
}

int main()
{
	const char *texts[] = {library}, *names[] = {"library.h"};
	const char *options[] = {"--std=c++17", "--device-as-default-execution-space", "-ftz=true",
				 "-arch=sm_90"};
	nvrtcProgram made;
	size_t n = 0;
	CHECK(cudaFree(0));
	DO(nvrtcCreateProgram(&made, program, "blocks.cu", 1, texts, names));
	DO(nvrtcCompileProgram(made, 4, options));
	DO(nvrtcGetProgramLogSize(made, &n));
	std::vector<char> log(n);
	DO(nvrtcGetProgramLog(made, log.data()));
	fputs(log.data(), stderr);
	DO(nvrtcGetCUBINSize(made, &n));
	std::vector<char> code(n);
	DO(nvrtcGetCUBIN(made, code.data()));
	DO(cuModuleLoadData(&module, code.data()));
	CHECK(cudaMallocManaged(&in, 100003 * sizeof *in));
	for (int size : {1, 31, 32, 33, 1000, 4097, 100003})
		check(size);
	return 0;
}
