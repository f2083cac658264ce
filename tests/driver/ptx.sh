#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files of PTX: -cubin, -fatbin, -dlink; what is wrong with them; programs that load and link them.
. "$(dirname "$(realpath "$0")")/lib.sh"

head=$'.version 8.0\n.target sm_90\n.address_size 64'
cat >scale.ptx <<PTX
$head
.extern .func (.param .b32 r) twice (.param .b32 x);
.visible .global .align 4 .u32 bias = 3;
.visible .entry scale(.param .u64 p)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	ld.global.u32 %r1, [%rd1];
	{
		.param .b32 x;
		.param .b32 y;
		st.param.b32 [x+0], %r1;
		call.uni (y), twice, (x);
		ld.param.b32 %r2, [y+0];
	}
	ld.global.u32 %r3, [bias];
	add.s32 %r2, %r2, %r3;
	st.global.u32 [%rd1], %r2;
	ret;
}
PTX
cat >twice.ptx <<PTX
$head
.visible .func (.param .b32 r) twice (.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [r], %r2;
	ret;
}
PTX
cat >load.cu <<'CU'
#include <cuda.h>
#include <cstdio>
#include <cstring>
#define DO(call) do { int e = (int)(call); if (e) printf("%s: %d\n", #call, e); } while (0)
/* load IMAGE | link PTX...: what scale() makes of 20. */
int main(int argc, char **argv)
{
	CUmodule module;
	CUfunction scale;
	CUdeviceptr p;
	CUdevice device;
	CUcontext context;
	int h = 20, result;
	char errors[2000] = "none";
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {errors, (void *)sizeof errors};
	DO(cuInit(0));
	DO(cuDeviceGet(&device, 0));
	DO(cuDevicePrimaryCtxRetain(&context, device));
	DO(cuCtxSetCurrent(context));
	if (!strcmp(argv[1], "link")) {
		CUlinkState state;
		void *image;
		size_t size;
		DO(cuLinkCreate(2, options, values, &state));
		for (int i = 2; i < argc; i++)
			DO(cuLinkAddFile(state, CU_JIT_INPUT_PTX, argv[i], 0, nullptr, nullptr));
		result = cuLinkComplete(state, &image, &size);
		if (!result)
			result = cuModuleLoadData(&module, image);
		DO(cuLinkDestroy(state));
	} else {
		static char text[100000];
		FILE *file = fopen(argv[2], "r");
		fread(text, 1, sizeof text - 1, file);
		if (!strcmp(argv[1], "library")) {
			cudaJitOption runtime[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
			cudaLibrary_t library;
			result = cudaLibraryLoadData(&library, text, runtime, values, 2, nullptr, nullptr, 0);
			printf("library %d %s\n", result, errors);
			return 0;
		}
		result = cuModuleLoadDataEx(&module, text, 2, options, values);
	}
	printf("result %d\n", result);
	if (result) {
		printf("log %s\n", errors);
		return 1;
	}
	DO(cuModuleGetFunction(&scale, module, "scale"));
	DO(cuMemAlloc(&p, 4));
	DO(cuMemcpyHtoD(p, &h, 4));
	void *parameters[] = {&p};
	DO(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
	DO(cuMemcpyDtoH(&h, p, 4));
	printf("value %d\n", h);
}
CU
"$cudasim" cc load.cu -o load -lcuda || exit 1

expect "a piece with what it calls elsewhere is no whole" fail \
	"^ptxas fatal   : Unresolved extern function 'twice'$" "$cudasim" cc -cubin scale.ptx
expect "two pieces are linked" 0 '^$' "$cudasim" cc -cubin -dlink scale.ptx twice.ptx -o both.cubin
expect "and run" 0 '^value 43$' ./load load both.cubin
expect "-dlink may stand first" 0 '^$' "$cudasim" cc -dlink -fatbin twice.ptx scale.ptx -o both.fatbin
expect "a program links them" 0 '^value 43$' ./load link scale.ptx twice.ptx
expect "what is missing is an error of the link" 1 "^log ptxas fatal   : Unresolved extern function 'twice'" \
	./load link scale.ptx
expect "what is there twice, too" 1 "Multiple definition of 'twice' in 'twice.ptx'" ./load link scale.ptx twice.ptx twice.ptx
sed 's/.extern .func.*//; s/call.uni (y), twice, (x)/st.param.b32 [y], %r1/' scale.ptx >alone.ptx
expect "-cubin of a whole one" 0 '^$' "$cudasim" cc -cubin alone.ptx
expect "-fatbin, too" 0 '^$' "$cudasim" cc -fatbin alone.ptx
for file in alone.cubin alone.fatbin alone.ptx; do
	expect "$file runs" 0 '^value 23$' ./load load $file
done
expect "-ptx of PTX is refused" fail 'PTX is compiled with -cubin or -fatbin' "$cudasim" cc -ptx alone.ptx
expect "an executable of PTX is refused" fail 'PTX is compiled with -cubin or -fatbin' "$cudasim" cc alone.ptx

# wrong NAME SED REGEX: alone.ptx changed, refused by the compiler and at the load.
wrong() {
	sed "$2" alone.ptx >wrong.ptx
	expect "$1" fail "^ptxas wrong.ptx, line $3" "$cudasim" cc -cubin wrong.ptx
	expect "$1: at the load" 1 "^log ptxas application ptx input, line $3" ./load load wrong.ptx
	expect "$1: by its code" 1 "^result ${4:-218}$" ./load load wrong.ptx
}
wrong "an unknown instruction" 's/add.s32 %r2/sum.s32 %r2/' "20; error   : PTX instruction 'sum.s32 %r2, %r2, %r3'"
wrong "an undeclared register" 's/add.s32 %r2/add.s32 %q2/' "20; error   : Unknown symbol '%q2'"
wrong "an unknown variable" 's/.bias.;/[base];/' "19; error   : Unknown symbol 'base'"
wrong "a missing semicolon" 's/\[bias\];/[bias]/' "20; fatal   : "
wrong "a missing brace" '$d' "23; fatal   : the body of function 'scale' has no '}'"
wrong "an unknown directive" 's/^\.visible .global/.visible .texture/' "5; fatal   : "
sed 1d alone.ptx >wrong.ptx
expect "no version" fail '^ptxas wrong.ptx, line 1; fatal   : ' "$cudasim" cc -cubin wrong.ptx
wrong "a later version" 's/8.0/13.1/' "1; fatal   : Unsupported .version 13.1" 222
sed 's/sm_90/sm_100/' alone.ptx >wrong.ptx
expect "a later GPU" fail '^ptxas fatal   : SM version' "$cudasim" cc -cubin wrong.ptx
expect "a later GPU: by its code" 1 '^result 218$' ./load load wrong.ptx
{ printf '//\n// Generated by NVIDIA NVVM Compiler\n//\n'; cat alone.ptx; } >wrong.ptx
expect "what NVIDIA's compiler made is not translated" fail 'build the source with cudasim' \
	"$cudasim" cc -cubin wrong.ptx
expect "nor at a load" 1 '^result 801$' ./load load wrong.ptx
expect "by one line" 0 '^1$' grep -c 'build the source with cudasim' <(./load load wrong.ptx 2>&1 >/dev/null)

expect "the runtime API loads PTX" 0 '^library 0 $' ./load library alone.ptx
sed 's/add.s32 %r2/sum.s32 %r2/' alone.ptx >wrong.ptx
expect "and says what is wrong with it" 0 '^library 218 ptxas application ptx input, line 20; error   : ' \
	./load library wrong.ptx

# Loads of equal text compile once, in whatever folder.
export CUDASIM_CACHE=$scratch/cache
./load load alone.ptx >/dev/null
expect "a load is kept in the cache" 0 '^1$' sh -c 'find cache -name "*.result" | wc -l'
expect "and taken from it" 0 '^value 23$' ./load load alone.ptx
expect "by a second load" 0 '^1$' sh -c 'find cache -name "*.result" | wc -l'
sed 's/= 3/= 4/' alone.ptx >other.ptx
expect "other text is another" 0 '^value 24$' ./load load other.ptx
export CUDASIM_CACHE=off

# A fault is at a line.
sed 's/ld.global.u32 %r1, .%rd1./ld.global.u32 %r1, [%rd1+80000000]/' alone.ptx >far.ptx
expect "a fault names the kernel and its line" 0 'at scale in ptx-input-0.ptx:11' "$cudasim" check --error-exitcode 0 ./load load far.ptx
printf '%s\n' "$head" '.file 1 "scale.cu"' >lines.ptx
sed '1,3d; s/^\tld.global.u32 %r1/\t.loc 1 77 3\n&/' far.ptx >>lines.ptx
expect "or that of the source" 0 'at scale in scale.cu:77' "$cudasim" check --error-exitcode 0 ./load load lines.ptx
finish
