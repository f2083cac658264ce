#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Objects of cudasim cc that other linkers link, with NVIDIA's libcudart in the place of
# libcudasim; a fake one here, that answers each launch with an error.
here=$(dirname "$(realpath "$0")")
fake=$(realpath "$3")
. "$here/lib.sh"
mkdir -p cuda/lib64
cp "$fake" cuda/lib64/libcudart.so.13
ln -s libcudart.so.13 cuda/lib64/libcudart.so
export LD_LIBRARY_PATH=$PWD/cuda/lib64
cudart=(-Lcuda/lib64 -lcudart)

cat >kernels.cu <<'CU'
#include <cstdio>
__device__ int calls;
__managed__ int managed = 5;
__global__ void twice(int *p)
{
	__shared__ int s[64];
	s[threadIdx.x] = p[threadIdx.x];
	__syncthreads();
	p[threadIdx.x] = s[63 - threadIdx.x] * 2 + __shfl_xor_sync(~0u, 0, 1);
	if (!threadIdx.x)
		printf("%s %d\n", "printed by", atomicAdd(&calls, 1) + managed);
}
extern "C" int run_kernels(int *p)
{
	twice<<<1, 64>>>(p);
	return cudaDeviceSynchronize();
}
CU
cat >main.c <<'C'
#include <stddef.h>
#include <stdio.h>
int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int), cudaFree(void *);
int run_kernels(int *);
int (*const release)(void *) = cudaFree; /* an address in data, another kind of relocation */
int main(void)
{
	int h[64], status, *p;
	for (int i = 0; i < 64; i++)
		h[i] = i;
	status = cudaMalloc((void **)&p, sizeof h);
	status |= cudaMemcpy(p, h, sizeof h, 1);
	status |= run_kernels(p);
	status |= cudaMemcpy(h, p, sizeof h, 2);
	status |= release(p);
	printf("status %d, %d %d\n", status, h[0], h[63]);
	return 0;
}
C
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *p, *library = dlopen("./libkernels.so", RTLD_NOW);
	int (*run)(int *) = library ? (int (*)(int *))dlsym(library, "run_kernels") : NULL;
	int (*get)(void **, size_t) = library ? (int (*)(void **, size_t))dlsym(library, "get") : NULL;
	if (!run || !get)
		return puts(dlerror());
	int status = get(&p, 256);
	printf("status %d %d\n", status, run(p));
	return 0;
}
C
cat >get.c <<'C'
#include <stddef.h>
int cudaMalloc(void **, size_t);
int get(void **p, size_t n) { return cudaMalloc(p, n); }
C
"$cudasim" cc -c -Xcompiler -fPIC kernels.cu -o kernels.o || fail "an object for other linkers"
gcc -c main.c -o main.o

# built NAME COMMAND...: links ./NAME, and runs it simulated.
built() {
	local name=$1 output
	shift
	if output=$("$@" -o "$name" 2>&1); then
		expect "$name" 0 '^status 0, 126 0$' "./$name"
	else
		fail "$name" "$output"
	fi
}

built linked-by-gcc gcc main.o kernels.o "${cudart[@]}"
expect "what such a program prints" 0 '^printed by 5$' ./linked-by-gcc
built sealed-relocations gcc main.o kernels.o -Wl,-z,relro,-z,now "${cudart[@]}"
built no-pie gcc -no-pie main.o kernels.o "${cudart[@]}"
built twice-linked gcc main.o kernels.o "${cudart[@]}" -L"$("$cudasim" toolkit-path)/lib64" -lcudasim
gcc -shared kernels.o "${cudart[@]}" -o libkernels.so
built kernels-in-a-library gcc main.o -L. -lkernels "${cudart[@]}" -Wl,-rpath,.
gcc -c -fPIC get.c && gcc -shared kernels.o get.o "${cudart[@]}" -o libkernels.so
gcc opens.c -ldl -o opens
expect "a library that is opened late" 0 '^status 0 0$' ./opens
CUDASIM=0 expect "such a program without code for a GPU" 1 'contains no code for a GPU' ./linked-by-gcc
expect "the checkers watch such a program" 0 '0 errors' "$cudasim" check ./linked-by-gcc
expect "the debugger stops it in a kernel" 0 'hit Breakpoint 1, twice<<<' \
	"$cudasim" debug -batch -ex 'break twice' -ex run -ex kill ./linked-by-gcc

# NVRTC's calls go to the library beside libcudasim.
cat >asks.c <<'C'
#include <stdio.h>
int nvrtcVersion(int *, int *);
int run_kernels(int *);
int main(void)
{
	int major = 0, minor = 0, status = nvrtcVersion(&major, &minor);
	return printf("%d: %d.%d\n", status, major, minor) < 0 ? run_kernels(0) : 0;
}
C
echo 'int nvrtcVersion(int *a, int *b) { *a = *b = 99; return 4; }' |
	gcc -shared -fPIC -x c - -Wl,-soname,libnvrtc.so.13 -o cuda/lib64/libnvrtc.so.13
ln -s libnvrtc.so.13 cuda/lib64/libnvrtc.so
gcc asks.c kernels.o "${cudart[@]}" -lnvrtc -o asks
expect "linked with NVIDIA's libnvrtc" 0 '^0: 13\.0$' ./asks

cat >static.c <<'C'
int __cudaRegisterFatBinary, __cudaRegisterFatBinaryEnd, __cudaRegisterFunction, __cudaRegisterVar,
	__cudaRegisterManagedVar, __cudaInitModule, __cudaUnregisterFatBinary,
	__cudaPopCallConfiguration, __cudaPushCallConfiguration, cudaMalloc, cudaMemcpy, cudaFree,
	cudaLaunchKernel, cudaDeviceSynchronize;
C
gcc -c static.c && gcc main.o kernels.o static.o -o static 2>link.log || fail "a static runtime" "$(cat link.log)"
expect "NVIDIA's static runtime is refused" 1 'holds NVIDIA.s static CUDA runtime.*link with -lcudart' ./static

# Nothing that only libcudasim has may be asked of a linker; and all that device code may call
# has its stub.
undefined=$(nm -u kernels.o | grep -o '__cudasim_.*')
[ -z "$undefined" ] && pass "no object asks for libcudasim" || fail "no object asks for libcudasim" "$undefined"
left=$(comm -23 <(grep -oE '\b__cudasim_[a-z0-9_]+\(' -h "$here"/../../include/cudasim/abi.h "$here"/../../include/cudasim/abi/*.h | tr -d '(' | grep -v '^__cudasim_context$' | sort -u) \
	<(nm kernels.o | grep -oE ' W __cudasim_[a-z0-9_]+' | cut -c4- | sort -u))
[ -z "$left" ] && pass "each function of abi.h has a stub" || fail "each function of abi.h has a stub" "$left"
finish
