/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are compiled at run time (NVRTC), loaded as modules and as libraries, and the
 * errors of these calls.
 *
 * Flags: -std=c++17 -lnvrtc -lcuda */
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>

#include <string>

#include "driver.cuh"

static const char source[] = R"(
#include "add.h"
namespace deep {
__constant__ int step = 2;
__device__ int counter;
template <typename T, int n> __global__ void many(T *p)
{
	p[threadIdx.x] = add(T(n), T(threadIdx.x * step));
	atomicAdd(&counter, 1);
}
}
struct pair { char c; double d; };
extern "C" __global__ void mixed(int *p, pair both, short s)
{
	extern __shared__ int space[];
	space[threadIdx.x] = both.c + (int)both.d + s + threadIdx.x;
	__syncthreads();
	p[threadIdx.x] = space[blockDim.x - 1 - threadIdx.x];
}
#ifndef __CUDACC_RTC__
#error this is to be NVRTC
#endif
)";
static const char header[] = "template <typename T> __device__ T add(T a, T b) { return a + b + BIAS; }\n";

static std::string compile(const char *text, std::vector<const char *> options, std::vector<const char *> names,
			   std::vector<std::string> *lowered, int *result)
{
	nvrtcProgram program;
	const char *header_name = "add.h", *header_text = header, *name = nullptr;
	size_t n = 0;
	DO(nvrtcCreateProgram(&program, text, "test.cu", 1, &header_text, &header_name));
	for (const char *expression : names)
		DO(nvrtcAddNameExpression(program, expression));
	*result = nvrtcCompileProgram(program, (int)options.size(), options.data());
	std::string log, code;
	DO(nvrtcGetProgramLogSize(program, &n));
	log.resize(n);
	DO(nvrtcGetProgramLog(program, &log[0]));
	say("log ends with NUL", "%d", n > 0 && !log[n - 1]);
	if (*result) {
		say("log tells the line", "%d", log.find("test.cu") != std::string::npos);
		ANSWER("PTX of nothing", nvrtcGetPTX(program, &log[0]));
	} else {
		DO(nvrtcGetPTXSize(program, &n));
		code.resize(n);
		DO(nvrtcGetPTX(program, &code[0]));
		say("PTX is a text", "%d", code.find(".version") != std::string::npos && strlen(code.c_str()) + 1 == n);
		for (const char *expression : names) {
			ANSWER("lowered name", nvrtcGetLoweredName(program, expression, &name));
			lowered->push_back(name);
		}
		ANSWER("lowered name of another", nvrtcGetLoweredName(program, "other", &name));
		ANSWER("name too late", nvrtcAddNameExpression(program, "deep::step"));
	}
	DO(nvrtcDestroyProgram(&program));
	ANSWER("destroyed twice", nvrtcDestroyProgram(&program));
	return code;
}

int main()
{
	CUcontext context;
	CUdevice device;
	CUmodule module, second;
	CUfunction many, mixed, none;
	CUdeviceptr p, counter;
	size_t bytes = 0;
	int result = 0;
	DO(cuInit(0));
	DO(cuDeviceGet(&device, 0));
	DO(cuDevicePrimaryCtxRetain(&context, device));
	DO(cuCtxSetCurrent(context));
	std::vector<std::string> names;

	compile("__global__ void broken( {}\n", {}, {}, &names, &result);
	say("broken source", "%d", result);
	compile(source, {"--no-such-option"}, {}, &names, &result);
	say("unknown option", "%d", result);
	std::string code = compile(source, {"--gpu-architecture=compute_80", "-DBIAS=100", "--std=c++17"},
				   {"deep::many<float, 3>", "&deep::step", "&deep::counter"}, &names, &result);
	say("compiled", "%d", result);
	for (auto &name : names)
		say("name", "%s", name.c_str());

	ANSWER("load", cuModuleLoadDataEx(&module, code.data(), 0, NULL, NULL));
	ANSWER("load again", cuModuleLoadData(&second, code.data()));
	ANSWER("function", cuModuleGetFunction(&many, module, names[0].c_str()));
	ANSWER("another function", cuModuleGetFunction(&mixed, module, "mixed"));
	ANSWER("no function", cuModuleGetFunction(&none, module, "nothing"));
	ANSWER("function of no name", cuModuleGetFunction(&none, module, NULL));
	ANSWER("no variable", cuModuleGetGlobal(&counter, &bytes, module, "nothing"));
	DO(cuMemAlloc(&p, 64));
	void *one[] = {&p};
	ANSWER("launch", cuLaunchKernel(many, 1, 1, 1, 16, 1, 1, 0, 0, one, NULL));
	std::vector<float> floats(16);
	DO(cuMemcpyDtoH(floats.data(), p, 64));
	show("many", floats.data(), 16);
	ANSWER("variable", cuModuleGetGlobal(&counter, &bytes, module, names[1].c_str()));
	say("its bytes", "%zu", bytes);
	int step = 5, n = 0;
	DO(cuMemcpyHtoD(counter, &step, 4));
	DO(cuLaunchKernel(many, 1, 1, 1, 16, 1, 1, 0, 0, one, NULL));
	DO(cuMemcpyDtoH(floats.data(), p, 64));
	show("many with another step", floats.data(), 16);
	DO(cuModuleGetGlobal(&counter, &bytes, module, names[2].c_str()));
	DO(cuMemcpyDtoH(&n, counter, 4));
	DO(cuModuleGetGlobal(&counter, NULL, second, names[2].c_str()));
	say("counted", "%d", n);
	DO(cuMemcpyDtoH(&n, counter, 4));
	say("counted in the other", "%d", n);

	struct __attribute__((packed)) {
		CUdeviceptr p;
		char c, pad[7];
		double d;
		short s;
	} all = {p, 1, {}, 2.5, 30};
	size_t size = sizeof all;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &all, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
	ANSWER("launch with one buffer", cuLaunchKernel(mixed, 1, 1, 1, 16, 1, 1, 64, 0, NULL, extra));
	std::vector<int> ints(16);
	DO(cuMemcpyDtoH(ints.data(), p, 64));
	show("mixed", ints.data(), 16);
	size = sizeof all - 1;
	ANSWER("launch with too small a buffer", cuLaunchKernel(mixed, 1, 1, 1, 16, 1, 1, 64, 0, NULL, extra));
	size = sizeof all + 6;
	ANSWER("launch with a buffer of whole words", cuLaunchKernel(mixed, 1, 1, 1, 16, 1, 1, 64, 0, NULL, extra));
	size = sizeof all + 64;
	ANSWER("launch with too large a buffer", cuLaunchKernel(mixed, 1, 1, 1, 16, 1, 1, 64, 0, NULL, extra));
	size = sizeof all;
	ANSWER("launch both ways", cuLaunchKernel(mixed, 1, 1, 1, 16, 1, 1, 64, 0, one, extra));
	ANSWER("launch nothing", cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
	CUlaunchConfig config = {1, 1, 1, 16, 1, 1, 64, 0, NULL, 0};
	ANSWER("launch by configuration", cuLaunchKernelEx(&config, mixed, NULL, extra));
	int value = 0;
	DO(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, mixed));
	say("most threads", "%d", value);
	CUmodule owner;
	ANSWER("whose it is", cuFuncGetModule(&owner, mixed));
	say("the module's", "%d", owner == module);
	unsigned count = 0;
	DO(cuModuleGetFunctionCount(&count, module));
	say("functions", "%u", count);
	ANSWER("unload", cuModuleUnload(module));
	ANSWER("unload the second", cuModuleUnload(second));

	/* The runtime's. */
	cudaLibrary_t library;
	cudaKernel_t kernel;
	ANSWER("library", cudaLibraryLoadData(&library, code.data(), NULL, NULL, 0, NULL, NULL, 0));
	ANSWER("its kernel", cudaLibraryGetKernel(&kernel, library, "mixed"));
	ANSWER("no kernel of it", cudaLibraryGetKernel(&kernel, library, "nothing"));
	ANSWER("kernel of its", cudaLibraryGetKernel(&kernel, library, "mixed"));
	struct { char c; double d; } both = {2, 3};
	short s = 40;
	void *three[] = {&p, &both, &s};
	ANSWER("launched", cudaLaunchKernel((const void *)kernel, dim3(1), dim3(16), three, 64, 0));
	DO(cuMemcpyDtoH(ints.data(), p, 64));
	show("mixed, by the runtime", ints.data(), 16);
	void *address = NULL;
	ANSWER("its variable", cudaLibraryGetGlobal(&address, &bytes, library, names[1].c_str()));
	ANSWER("no variable of it", cudaLibraryGetGlobal(&address, &bytes, library, "nothing"));
	ANSWER("no managed variable", cudaLibraryGetManaged(&address, &bytes, library, "nothing"));
	DO(cudaLibraryGetKernelCount(&count, library));
	say("kernels", "%u", count);
	ANSWER("unloaded", cudaLibraryUnload(library));

	ANSWER("module of junk", cuModuleLoadData(&module, "this is no program of any kind"));
	ANSWER("module of nothing", cuModuleLoadData(&module, NULL));
	ANSWER("module of no file", cuModuleLoad(&module, "/no/such/file.ptx"));
	CUlinkState link;
	void *linked;
	DO(cuLinkCreate(0, NULL, NULL, &link));
	ANSWER("link", cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)code.data(), code.size(), "test", 0, NULL, NULL));
	ANSWER("linked", cuLinkComplete(link, &linked, &bytes));
	ANSWER("load what was linked", cuModuleLoadData(&module, linked));
	ANSWER("its function", cuModuleGetFunction(&mixed, module, "mixed"));
	DO(cuLinkDestroy(link));
	DO(cuModuleUnload(module));
	return 0;
}
