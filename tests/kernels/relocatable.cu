/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of device code that NVRTC compiles with -rdc=true and the driver links: functions,
 * variables, constants and structures of each other's, and what is defined nowhere or twice.
 *
 * Flags: -std=c++17 -lnvrtc -lcuda */
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>

#include <string>

#include "driver.cuh"

static const char front[] = R"(
struct both { char c; double d[3]; };
extern __device__ int total;
extern __constant__ float table[4];
extern __device__ both pass(both b, int k);
extern __managed__ int shown;
static __device__ int hidden = 9;
__device__ int mine = 11;
__device__ int back(int x) { return x * 2 + mine; }
template <class T> __device__ __noinline__ T twice(T x) { return x + x; }
extern "C" __global__ void k(int *o, float *f)
{
	int t = threadIdx.x;
	both b = {1, {1., 2., 3.}};
	b = pass(b, t);
	o[t] = (int)(b.d[0] + b.d[1] + b.d[2]) + b.c + twice(hidden);
	f[t] = table[t & 3];
	atomicAdd(&total, 1);
	if (!t)
		shown += 5;
}
)";
static const char rear[] = R"(
struct both { char c; double d[3]; };
__device__ int total = 100;
__constant__ float table[4] = {1.5f, 2.5f, 3.5f, 4.5f};
__managed__ int shown = 40;
extern __device__ int mine;
extern __device__ int back(int);
static __device__ int hidden = 3;
template <class T> __device__ __noinline__ T twice(T x) { return x + x; }
__device__ int apply(int (*f)(int), int x) { return f(x); }
__device__ both pass(both b, int k)
{
	b.c += k;
	b.d[0] *= hidden;
	b.d[1] += apply(back, k) + twice(mine);
	return b;
}
extern "C" __global__ void other(int *o) { *o = total + mine; }
)";
static const char whole[] = R"(
__device__ int level = 7;
__device__ int unused(int x) { return x * level; }
extern "C" __global__ void alone(int *o) { *o = level; }
)";
static const char user[] = R"(
extern __device__ int unused(int);
extern "C" __global__ void use(int *o) { *o = unused(6); }
)";
static const char reader[] = R"(
extern __device__ int level;
extern "C" __global__ void use(int *o) { *o = level + 1; }
)";
static const char second[] = R"(
__device__ int level = 8;
extern "C" __global__ void use(int *o) { *o = level; }
)";
static const char function_again[] = R"(
__device__ int unused(int x) { return x; }
extern "C" __global__ void use(int *o) { *o = unused(6); }
)";

static std::string compile(const char *text, std::vector<const char *> options, const char *name = nullptr)
{
	nvrtcProgram program;
	size_t n = 0;
	std::string code;
	DO(nvrtcCreateProgram(&program, text, "part.cu", 0, nullptr, nullptr));
	if (name)
		DO(nvrtcAddNameExpression(program, name));
	int result = nvrtcCompileProgram(program, (int)options.size(), options.data());
	if (result) {
		DO(nvrtcGetProgramLogSize(program, &n));
		code.resize(n);
		DO(nvrtcGetProgramLog(program, &code[0]));
		printf("not compiled: %d %s\n", result, code.c_str());
		return "";
	}
	DO(nvrtcGetPTXSize(program, &n));
	code.resize(n);
	DO(nvrtcGetPTX(program, &code[0]));
	DO(nvrtcDestroyProgram(&program));
	return code;
}

/* Links the parts; what each step answers, and the module where all went well. */
static CUmodule link(const char *name, std::vector<std::string> parts)
{
	CUlinkState state;
	CUmodule module = nullptr;
	void *cubin = nullptr;
	size_t n = 0;
	DO(cuLinkCreate(0, nullptr, nullptr, &state));
	int added = 0, linked = 0, loaded = 0;
	for (auto &part : parts)
		if (!added)
			added = cuLinkAddData(state, CU_JIT_INPUT_PTX, &part[0], part.size(), "part", 0, nullptr, nullptr);
	if (!added)
		linked = cuLinkComplete(state, &cubin, &n);
	if (!added && !linked)
		loaded = cuModuleLoadData(&module, cubin);
	say(name, "%d %d %d", added, linked, loaded);
	DO(cuLinkDestroy(state));
	return module;
}

static void show_variable(CUmodule module, const char *name)
{
	CUdeviceptr p;
	size_t bytes = 0;
	int value = 0;
	int result = cuModuleGetGlobal(&p, &bytes, module, name);
	if (!result)
		DO(cuMemcpyDtoH(&value, p, 4));
	say(name, "%d %zu %d", result, bytes, value);
}

static void run(const char *name, CUmodule module, const char *kernel)
{
	CUfunction f;
	CUdeviceptr p;
	int value = 0;
	if (!module)
		return;
	int found = cuModuleGetFunction(&f, module, kernel);
	if (found) {
		say(name, "no kernel: %d", found);
		return;
	}
	DO(cuMemAlloc(&p, 4));
	DO(cuMemsetD32(p, 0, 1));
	void *one[] = {&p};
	int launched = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, one, nullptr);
	int done = cuCtxSynchronize();
	DO(cuMemcpyDtoH(&value, p, 4));
	DO(cuMemFree(p));
	say(name, "%d %d %d", launched, done, value);
}

static void whole_program(const std::string &a, const std::string &b)
{
	CUmodule module = link("front and rear", {a, b});
	CUfunction k;
	CUdeviceptr ints, floats;
	if (!module)
		return;
	DO(cuModuleGetFunction(&k, module, "k"));
	DO(cuMemAlloc(&ints, 32));
	DO(cuMemAlloc(&floats, 32));
	void *two[] = {&ints, &floats};
	DO(cuLaunchKernel(k, 1, 1, 1, 8, 1, 1, 0, 0, two, nullptr));
	DO(cuCtxSynchronize());
	std::vector<int> i(8);
	std::vector<float> f(8);
	DO(cuMemcpyDtoH(i.data(), ints, 32));
	DO(cuMemcpyDtoH(f.data(), floats, 32));
	show("structures there and back", i.data(), 8);
	show("constants", f.data(), 8);
	for (const char *name : {"total", "shown", "mine", "table", "absent"})
		show_variable(module, name);
	run("other", module, "other");
}

int main()
{
	CUcontext context;
	CUmodule module = nullptr;
	DO(cuInit(0));
	DO(cuDevicePrimaryCtxRetain(&context, 0));
	DO(cuCtxSetCurrent(context));
	std::string a = compile(front, {"-rdc=true", "-arch=compute_90"}),
		    b = compile(rear, {"--relocatable-device-code=true", "-arch=compute_90"}, "&total");
	whole_program(a, b);
	run("rear before front", link("the other order", {b, a}), "other");
	link("front alone", {a});
	link("rear alone", {b});

	std::string c = compile(whole, {"-rdc", "true", "-arch=compute_90"}, "alone"),
		    d = compile(user, {"-dc", "-arch=compute_90"}, "use"),
		    e = compile(reader, {"-rdc=true", "-arch=compute_90"}),
		    g = compile(second, {"-rdc=true", "-arch=compute_90"}),
		    h = compile(function_again, {"-rdc=true", "-arch=compute_90"}),
		    w = compile(whole, {"-arch=compute_90"}),
		    v = compile(second, {"-arch=compute_90"});
	ANSWER("load a part that is whole", cuModuleLoadData(&module, c.c_str()));
	run("its kernel", module, "alone");
	show_variable(module, "level");
	run("a function that no kernel calls", link("user", {d, c}), "use");
	run("a variable", link("reader", {e, c}), "use");
	link("a variable twice", {c, g});
	link("a function twice", {c, h});
	link("a function of a whole program", {d, w});
	link("a variable of a whole program", {e, w});
	module = link("a variable's name in two whole programs", {w, v});
	run("its first", module, "alone");
	run("its second", module, "use");
	link("a variable undefined", {e});
	link("a function undefined", {d});
	/* Last, since an H200's driver answers 999 where it would answer 300 once a load has failed. */
	ANSWER("load front", cuModuleLoadData(&module, a.c_str()));
	ANSWER("load rear", cuModuleLoadData(&module, b.c_str()));
	ANSWER("load a function undefined", cuModuleLoadData(&module, d.c_str()));
	return 0;
}
