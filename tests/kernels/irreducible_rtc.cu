/* SPDX-License-Identifier: Apache-2.0 */
/* irreducible_rtc.cu - the functions of irreducible.cuh, compiled by NVRTC.
 *
 * Flags: -lnvrtc -lcuda */
#include <nvrtc.h>

#include <string>

#include "driver.cuh"

#define FLOW(...) static const char text[] = #__VA_ARGS__;
#include "irreducible.cuh"

static const int N = 64;

int main()
{
	std::string source = "#define BOTH __device__\n", code;
	source += text;
	for (int i = 0; i < 8; i++) {
		std::string n = std::to_string(i);
		source += "extern \"C\" __global__ void flow" + n + "(unsigned *out) { out[threadIdx.x] = flow(" + n +
			  ", threadIdx.x); }\n";
	}
	nvrtcProgram program;
	size_t n = 0;
	DO(nvrtcCreateProgram(&program, source.c_str(), "flow.cu", 0, NULL, NULL));
	DO(nvrtcCompileProgram(program, 0, NULL));
	DO(nvrtcGetPTXSize(program, &n));
	code.resize(n);
	DO(nvrtcGetPTX(program, &code[0]));
	memory<unsigned> out(N);
	CUmodule module;
	CUfunction kernel;
	DO(cuModuleLoadData(&module, code.data()));
	for (int i = 0; i < 8; i++) {
		std::string name = "flow" + std::to_string(i);
		void *argument[] = {&out.there};
		DO(cuModuleGetFunction(&kernel, module, name.c_str()));
		DO(cuLaunchKernel(kernel, 1, 1, 1, N, 1, 1, 0, 0, argument, NULL));
		DO(cuCtxSynchronize());
		out.show(name.c_str());
	}
	return 0;
}
