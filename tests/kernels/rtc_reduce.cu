/* SPDX-License-Identifier: Apache-2.0 */
/* rtc_reduce.cu - sums and greatest elements by CUB's block reduction, compiled by NVRTC with
 * functions of the device by default, as array libraries do it: a first kernel leaves one
 * value a block, a second reduces these with one block.
 *
 * Flags: -std=c++17 -lnvrtc -lcuda */
#include <nvrtc.h>

#include <cstdlib>
#include <string>

#include "driver.cuh"

static const char text[] = R"(
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>

struct pair {
	float value;
	int index;
	pair() : value(-1), index(-1) {}
	pair(float value, int index) : value(value), index(index) {}
};

template <class T> struct sum {
	T operator()(const T &a, const T &b) const { return a + b; }
};

struct greatest {
	pair operator()(const pair &a, const pair &b) const
	{
		bool first = a.value > b.value || (a.value == b.value && a.index < b.index);
		return b.index < 0 || (a.index >= 0 && first) ? a : b;
	}
};

enum { THREADS = 512, ITEMS = 4, TILE = THREADS * ITEMS };

template <class T, class Op, class Load>
void reduce(T *out, int n, T identity, Op op, Load load)
{
	typedef cub::BlockReduce<T, THREADS> reduction;
	__shared__ typename reduction::TempStorage storage;
	T items[ITEMS], all = identity;
	for (int tile = blockIdx.x * TILE; tile < n; tile += gridDim.x * TILE) {
		for (int j = 0; j < ITEMS; j++) {
			int i = tile + threadIdx.x * ITEMS + j;
			items[j] = i < n ? load(i) : identity;
		}
		all = op(all, reduction(storage).Reduce(items, op));
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = all;
}

/* The same with CUB's own loads. */
template <class T> void reduce_loaded(T *out, const T *in, int n)
{
	typedef cub::BlockLoad<T, THREADS, ITEMS, cub::BLOCK_LOAD_DIRECT> loading;
	typedef cub::BlockReduce<T, THREADS> reduction;
	__shared__ typename loading::TempStorage room;
	__shared__ typename reduction::TempStorage storage;
	T items[ITEMS], all = T(0);
	sum<T> op;
	for (int tile = blockIdx.x * TILE; tile < n; tile += gridDim.x * TILE) {
		int left = n - tile < TILE ? n - tile : TILE;
		loading(room).Load(in + tile, items, left, T(0));
		all = op(all, reduction(storage).Reduce(items, op));
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = all;
}

#define SUM(name, T)                                                                          \
	extern "C" __global__ void name##_first(T *out, const int *in, int n)                 \
	{                                                                                     \
		reduce(out, n, (T)0, sum<T>(), [=](int i) { return (T)in[i]; });              \
	}                                                                                     \
	extern "C" __global__ void name##_second(T *out, const T *in, int n)                  \
	{                                                                                     \
		reduce_loaded(out, in, n);                                                    \
	}
SUM(ints, int)
SUM(longs, long long)
SUM(floats, float)
SUM(doubles, double)

extern "C" __global__ void greatest_first(pair *out, const int *in, int n)
{
	reduce(out, n, pair(), greatest(), [=](int i) { return pair(in[i], i); });
}

extern "C" __global__ void greatest_second(pair *out, const pair *in, int n)
{
	reduce(out, n, pair(), greatest(), [=](int i) { return in[i]; });
}
)";

static CUmodule module;

static void launch(const std::string &name, void *out, const void *in, int n, int blocks)
{
	CUfunction kernel;
	void *arguments[] = {&out, &in, &n};
	DO(cuModuleGetFunction(&kernel, module, name.c_str()));
	DO(cuLaunchKernel(kernel, blocks, 1, 1, 512, 1, 1, 0, 0, arguments, NULL));
	DO(cuCtxSynchronize());
}

struct pair {
	float value;
	int index;
};

static int *in;

template <class T> static T reduced(const char *name, int n)
{
	T *middle, *out;
	CHECK(cudaMallocManaged(&middle, 64 * sizeof *middle));
	CHECK(cudaMallocManaged(&out, sizeof *out));
	int blocks = n < 2048 ? 1 : n / 2048;
	launch(std::string(name) + "_first", middle, in, n, blocks);
	launch(std::string(name) + "_second", out, middle, blocks, 1);
	return *out;
}

static void check(int n)
{
	long long all = 0;
	int best = 0;
	for (int i = 0; i < n; i++) {
		in[i] = (int)((i * 2654435761u >> 16) % 1009);
		all += in[i];
		best = in[i] > in[best] ? i : best;
	}
	say("ints", "%d of %d", reduced<int>("ints", n) == all, n);
	say("longs", "%d of %d", reduced<long long>("longs", n) == all, n);
	say("floats", "%d of %d", reduced<float>("floats", n) == all, n);
	say("doubles", "%d of %d", reduced<double>("doubles", n) == all, n);
	pair found = reduced<pair>("greatest", n);
	say("greatest", "%d of %d", found.index == best && found.value == in[best], n);
}

int main()
{
	const char *toolkit = getenv("CUDA_PATH");
	std::string include = std::string("-I") + (toolkit ? toolkit : "/usr/local/cuda") + "/include";
	std::string more = include + "/cccl", code;
	const char *options[] = {"--std=c++17", "--device-as-default-execution-space", "-ftz=true",
				 "-arch=compute_75", more.c_str(), include.c_str()};
	nvrtcProgram program;
	size_t n = 0;
	CHECK(cudaFree(0));
	DO(nvrtcCreateProgram(&program, text, "reduce.cu", 0, NULL, NULL));
	DO(nvrtcCompileProgram(program, 6, options));
	DO(nvrtcGetProgramLogSize(program, &n));
	code.resize(n);
	DO(nvrtcGetProgramLog(program, &code[0]));
	fputs(code.c_str(), stderr);
	DO(nvrtcGetPTXSize(program, &n));
	code.resize(n);
	DO(nvrtcGetPTX(program, &code[0]));
	DO(cuModuleLoadData(&module, code.data()));
	CHECK(cudaMallocManaged(&in, 20000 * sizeof *in));
	check(1);
	check(1000);
	check(5000);
	check(20000);
	return 0;
}
