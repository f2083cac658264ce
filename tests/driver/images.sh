#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Device code alone, in files that programs load: -ptx, -cubin, -fatbin.
. "$(dirname "$(realpath "$0")")/lib.sh"

cat >code.cu <<'CU'
__device__ int counter = 5;
__managed__ int shown = 7;
extern "C" __global__ void step(int *p, char c, double d) { *p += counter++ + shown++ + c + (int)d; }
CU
cat >load.cu <<'CU'
#include <cuda.h>
#include <cstdio>
#define SAY(call) printf("%s: %d\n", #call, (int)(call))
int main(int, char **argv)
{
	CUmodule one, two;
	CUfunction step;
	CUdeviceptr p, counter;
	int h = 100, first = 0, second = 0;
	struct { int *p; char c; double d; } all;
	size_t size = sizeof all, n = 0;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &all, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			 CU_LAUNCH_PARAM_END};
	CUdevice device;
	CUcontext context;
	cuInit(0);
	cuDeviceGet(&device, 0);
	cuDevicePrimaryCtxRetain(&context, device);
	cuCtxSetCurrent(context);
	CUresult loaded = cuModuleLoad(&one, argv[1]);
	printf("load %d\n", (int)loaded);
	if (loaded)
		return 0;
	cuModuleLoad(&two, argv[1]);
	cuModuleGetFunction(&step, one, "step");
	cuMemAlloc(&p, 4);
	cuMemcpyHtoD(p, &h, 4);
	all = {(int *)p, 1, 2.5};
	printf("launch %d\n", (int)cuLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, 0, 0, extra));
	cuMemcpyDtoH(&h, p, 4);
	cuModuleGetGlobal(&counter, &n, one, "counter");
	cuMemcpyDtoH(&first, counter, 4);
	cuModuleGetGlobal(&counter, &n, two, "counter");
	cuMemcpyDtoH(&second, counter, 4);
	int *managed;
	cuModuleGetGlobal((CUdeviceptr *)&managed, &n, one, "shown");
	printf("%d %d %d %d\n", h, first, second, *managed);
	printf("again %d %d\n", (int)cuModuleUnload(one), (int)cuModuleUnload(one));
}
CU
"$cudasim" cc load.cu -o load -lcuda

for form in ptx cubin fatbin; do
	expect "-$form makes a file" 0 '^$' "$cudasim" cc -$form code.cu
	# 100 + 5 + 7 + 1 + 2; the other module's counter is its own.
	expect "a program loads code.$form" 0 '^115 6 5 8$' ./load code.$form
done
expect "a module is unloaded once" 0 '^again 0 400$' ./load code.ptx
expect "the file holds PTX" 0 '^\.visible \.entry step\(' cat code.ptx
expect "-MD goes with it" 0 '' "$cudasim" cc -ptx -MD -MF code.d -o code.ptx code.cu
expect "of the product" 0 '^code\.ptx: code\.cu' cat code.d

sed 's/^\/\/[A-Za-z0-9+\/]\{96\}$/\/\/&/' code.ptx >cut.ptx
expect "what was changed is refused" 0 '^load 200$' ./load cut.ptx
expect "by a line" 0 'cuModuleLoad: the code was changed' ./load cut.ptx
head -c 3000 code.ptx >cut.ptx
expect "what is cut off, too" 0 '^load 200$' ./load cut.ptx
expect "no file is CUDA_ERROR_FILE_NOT_FOUND" 0 '^load 301$' ./load none.ptx
: >empty
expect "an empty file is no image" 0 '^load 200$' ./load empty

echo 'extern __device__ int nowhere(int); extern "C" __global__ void k(int *p) { *p = nowhere(1); }' >open.cu
expect "code that is not whole is refused when it is made" fail 'nowhere' "$cudasim" cc -ptx open.cu
[ -e open.ptx ] && fail "and leaves no file" || pass "and leaves no file"

# Parts of a program, which the driver's linker puts together. By hand: thread 3 gives twice(3) + 100 + 1.
echo 'extern __device__ int base; extern __device__ int twice(int); static __device__ int step = 1;
extern "C" __global__ void k(int *p) { p[threadIdx.x] = twice(threadIdx.x) + base + step; }' >part1.cu
echo '__device__ int base = 100; static __device__ int step = 2;
__device__ int twice(int x) { return x * step; }' >part2.cu
cat >parts.cu <<'CU'
#include <cuda.h>
#include <cstdio>
int main(int n, char **words)
{
	CUcontext context;
	CUlinkState state;
	CUmodule module;
	CUfunction k;
	CUdeviceptr p;
	void *cubin;
	size_t bytes;
	int values[4];
	cuInit(0);
	cuDevicePrimaryCtxRetain(&context, 0);
	cuCtxSetCurrent(context);
	cuLinkCreate(0, NULL, NULL, &state);
	for (int i = 1; i < n; i++)
		printf("add %d\n", cuLinkAddFile(state, CU_JIT_INPUT_PTX, words[i], 0, NULL, NULL));
	CUresult result = cuLinkComplete(state, &cubin, &bytes);
	printf("complete %d\n", result);
	if (result)
		return 0;
	cuModuleLoadData(&module, cubin);
	cuModuleGetFunction(&k, module, "k");
	cuMemAlloc(&p, sizeof values);
	void *arguments[] = {&p};
	cuLaunchKernel(k, 1, 1, 1, 4, 1, 1, 0, 0, arguments, NULL);
	cuMemcpyDtoH(values, p, sizeof values);
	printf("values %d %d %d %d\n", values[0], values[1], values[2], values[3]);
}
CU
"$cudasim" cc parts.cu -o parts -lcuda
for form in ptx cubin fatbin; do
	expect "-rdc=true -$form takes what is undefined" 0 '^$' "$cudasim" cc -rdc=true -$form part1.cu
	expect "-rdc=true -$form keeps what no kernel calls" 0 '^\.visible \.func .*_Z5twicei' \
		sh -c "'$cudasim' cc -rdc=true -$form part2.cu && cat part2.$form"
	expect "they are linked" 0 '^values 101 103 105 107$' ./parts part1.$form part2.$form
done
expect "a part is missing" 0 '^complete 300$' ./parts part1.ptx
expect "what is missing is named" 0 '_Z5twicei' ./parts part1.ptx
expect "a part twice is refused when it is added" 0 '^add 300$' ./parts part2.ptx part2.ptx
"$cudasim" cc -ptx part2.cu
expect "without -rdc=true a function is the part's own" 0 '^complete 300$' ./parts part1.ptx part2.ptx

if "$cudasim" doctor | grep -q '^found *fatbinary'; then
	"$cudasim" cc --gpu -rdc=true -fatbin part1.cu && "$cudasim" cc --gpu -rdc=true -fatbin part2.cu
	expect "--gpu -rdc=true -fatbin makes fat binaries of parts" 0 '^50ed55ba' \
		sh -c 'od -An -tx1 -N4 part1.fatbin | tr -d " "'
	expect "--gpu -fatbin makes a fat binary" 0 '' "$cudasim" cc --gpu -fatbin code.cu
	expect "of NVIDIA's form" 0 '^50ed55ba' sh -c 'od -An -tx1 -N4 code.fatbin | tr -d " "'
	expect "that the simulator loads" 0 '^115 6 5 8$' ./load code.fatbin
fi

# The linker of the driver takes the device runtime's library, as an H200's does (0 everywhere).
cat >runtime.cu <<'CU'
#include <cstdio>
#include <cuda.h>
static const char text[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
int main(int, char **words)
{
	CUcontext context;
	CUlinkState alone, both;
	CUmodule module;
	CUfunction k;
	void *cubin;
	size_t n;
	cuInit(0);
	cuDevicePrimaryCtxRetain(&context, 0);
	cuCtxSetCurrent(context);
	cuLinkCreate(0, NULL, NULL, &alone);
	cuLinkCreate(0, NULL, NULL, &both);
	printf("alone %d", cuLinkAddFile(alone, CU_JIT_INPUT_LIBRARY, words[1], 0, NULL, NULL));
	printf(" %d\n", cuLinkComplete(alone, &cubin, &n));
	printf("both %d", cuLinkAddData(both, CU_JIT_INPUT_PTX, (void *)text, sizeof text, "a", 0, NULL, NULL));
	printf(" %d", cuLinkAddFile(both, CU_JIT_INPUT_LIBRARY, words[1], 0, NULL, NULL));
	printf(" %d", cuLinkComplete(both, &cubin, &n));
	printf(" %d", cuModuleLoadData(&module, cubin));
	printf(" %d\n", cuModuleGetFunction(&k, module, "k"));
}
CU
"$cudasim" cc runtime.cu -o runtime -lcuda
library=$(dirname "$(dirname "$("$cudasim" nvcc-path)")")/lib64/libcudadevrt.a
[ -e "$library" ] || library=$(dirname "$cudasim")/toolkit/lib64/libcudadevrt.a
./runtime "$library" >runtime.log 2>&1
if [ "$(cat runtime.log)" = $'alone 0 0\nboth 0 0 0 0 0' ]; then
	pass "the driver's linker takes libcudadevrt.a"
else
	fail "the driver's linker takes libcudadevrt.a" "$library: $(cat runtime.log)"
fi
# Kernels that launch kernels have no PTX; the simulator loads what lies behind it.
cat >family.cu <<'CU'
__device__ int counter = 5;
__global__ void child(int *p, int n) { atomicAdd(p, n + (int)threadIdx.x); }
extern "C" __global__ void step(int *p, char c, double d) { child<<<2, 2>>>(p, counter++ + c + (int)d); }
CU
sed '/shown/d; s/, \*managed);/, 0);/' load.cu >load_family.cu
"$cudasim" cc load_family.cu -o load_family -lcuda
for form in ptx cubin; do
	expect "-$form of kernels that launch kernels" 0 '^$' "$cudasim" cc -rdc=true -$form family.cu
	# 100 + 4 * (5 + 1 + 2) + 2 * (0 + 1)
	expect "a program loads family.$form" 0 '^134 6 5 0$' ./load_family family.$form
done
sed 1d family.ptx | sed '/^\/\//d' >alone.ptx
expect "the PTX by itself names the reason" fail 'kernels_that_launch_kernels_have_no_PTX' "$cudasim" cc -cubin alone.ptx -o alone.cubin
expect "without -rdc=true" fail 'requires separate compilation mode' "$cudasim" cc -ptx family.cu -o refused.ptx
finish
