#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What an installed cudasim does. install.sh runs it, from a copy beside that of lib.sh.
# usage: installed.sh CUDASIM SCRATCH FAKE, as install.sh's, CUDASIM the installed one. n_tests: the cases before.
before=${n_tests:-0}
here=$(dirname "$(realpath "$0")")
fake=$(realpath "$3")
. "$here/lib.sh"
n_tests=$before
prefix=$(dirname "$(dirname "$cudasim")")
cat >hello.cu <<'CU'
#include <cstdio>
__global__ void hello() { printf("thread %d\n", threadIdx.x); }
int main()
{
	hello<<<1, 2>>>();
	return cudaDeviceSynchronize();
}
CU
cat >plain.c <<'C'
#include <cudasim/observer.h>
int main(void) { return CUDASIM_ABORT > CUDASIM_GO ? 0 : 1; }
C
expect "doctor of the installed one" 0 "^this is .*$prefix/bin/cudasim \(installed\)" "$cudasim" doctor
expect "finds everything" 0 '^all there' "$cudasim" doctor
expect "cc of the installed one" 0 '^thread 1$' "$cudasim" cc hello.cu -o hello -run
ldd hello | grep -q "$prefix" && pass "links the installed library" ||
	fail "links the installed library" "$(ldd hello)"
expect "the nvcc of nvcc-path" 0 '^thread 1$' sh -c '"$("$0" nvcc-path)/nvcc" hello.cu -o hello-nvcc && ./hello-nvcc' "$cudasim"
# The tools ask for the installed library, not for the build tree's.
needed=$(find "$prefix" -name 'libcudasim-*.so' -exec readelf -d {} + | grep 'NEEDED.*/')
[ -z "$needed" ] && pass "no tool names the build tree" || fail "no tool names the build tree" "$needed"
expect "a checker" 0 'ERROR SUMMARY: 0 errors' env CUDASIM=1 CUDASIM_CHECK=memcheck ./hello
expect "check of the installed one" 0 'ERROR SUMMARY: 0 errors' "$cudasim" check ./hello
expect "debug of the installed one" 0 '^\$1 = \{x = 0, y = 0, z = 0\}' \
	"$cudasim" debug -batch -ex 'break hello' -ex run -ex 'print threadIdx' ./hello
expect "debug of a program that may load CUDA later" 0 'exited normally' "$cudasim" debug -batch -ex run /bin/true
expect "the debugger" 0 '^\(cudasim\) ' env CUDASIM=1 CUDASIM_DEBUG=1 sh -c 'echo quit | ./hello'
tree=$("$cudasim" toolkit-path)
case $tree in
"$prefix"/*) pass "its toolkit lies in the prefix" ;;
*) fail "its toolkit lies in the prefix" "$tree" ;;
esac
pc=$(dirname "$(find "$prefix" -name cudasim.pc)")
# It quotes the blank of the prefix for a shell.
expect "pkg-config finds the moved tree" 0 '^$' \
	bash -c "gcc plain.c -o plain $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs cudasim)"
expect "pkg-config's variable" 0 "^$prefix/bin/cudasim$" \
	bash -c "realpath $(PKG_CONFIG_PATH=$pc pkg-config --variable=cudasim cudasim)"

# ---- what lies beside the programs ---------------------------------------------------------
for file in share/man/man1/cudasim.1 share/man/man1/cudasim-cc.1 share/bash-completion/completions/cudasim \
	share/zsh/site-functions/_cudasim share/fish/vendor_completions.d/cudasim.fish share/doc/cudasim/CHECKERS.md; do
	[ -s "$prefix/$file" ] && pass "$file" || fail "$file"
done
if command -v cmake >/dev/null; then
	# build FOLDER ARGUMENT...: configures and builds there
	build() { cmake -S "$here/package/$1" -B "build-$1" "${@:2}" && cmake --build "build-$1"; }
	# script FIND_PACKAGE
	script() {
		echo "find_package(cudasim $1 REQUIRED)" >find.cmake
		cmake -Dcudasim_DIR="$cmake" -P find.cmake
	}
	export -f build script
	cmake=$(dirname "$(find "$prefix" -name cudasimConfig.cmake)")
	# CMake compiles the same for both projects.
	export here cmake CUDASIM_CACHE=$PWD/cache
	expect "CMake finds the package" 0 "cudasim 0\.1\.0: $prefix/bin/cudasim, $tree/bin/nvcc" \
		bash -c 'build "$@"' build finds -DCMAKE_PREFIX_PATH="$prefix" -DWANTED=0.1
	expect "what it has built" 0 '^1 launch$' env CUDASIM_OBSERVER=build-finds/libtool.so build-finds/hello
	expect "a later version is not there" fail 'not accepted' \
		bash -c 'script 0.9'
	expect "nor is another major one" fail 'not accepted' \
		bash -c 'script 1'
	expect "without a toolkit it is not found" fail 'CUDASIM_TOOLKIT: no include/cuda_runtime.h in /nowhere' \
		env CUDASIM_TOOLKIT=/nowhere bash -c script
	# As where /lib leads to /usr/lib.
	mkdir merged && ln -s "$prefix/lib" merged/lib
	printf 'include("%s")\nmessage(STATUS ${cudasim_EXECUTABLE})\n' "$PWD/merged${cmake#"$prefix"}/cudasimPaths.cmake" >paths.cmake
	expect "what CMake has found by a link" 0 "^-- $prefix/bin/cudasim\$" cmake -P paths.cmake
	expect "a project as it is, by its compiler alone" 0 'Built target hello' \
		bash -c 'cmake -S "$here/package/plain" -B build-alone "$@" && cmake --build build-alone' build \
		-DCMAKE_CUDA_COMPILER="$tree/bin/nvcc"
	expect "whose program finds libcudasim" 0 '^thread 1$' env -u LD_LIBRARY_PATH build-alone/hello
	expect "a project as it is, by the toolchain file" 0 'Built target hello' bash -c 'build "$@"' build plain \
		-DCMAKE_TOOLCHAIN_FILE="$cmake/cudasimToolchain.cmake"
	expect "its program" 0 '^thread 1$' build-plain/hello
	export CUDASIM_CACHE=off
else
	echo "ok $((++n_tests)) - CMake # SKIP no cmake here"
fi

# ---- tests, libraries ----------------------------------------------------------------------
cat >clamp_test.cu <<'CU'
#include <cudasim/test.h>
__device__ int twice(int x) { return 2 * x; }
static void doubles(void **) { cudasim_assert_equal(cudasim_call(twice, 21), 42); }
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(doubles)};
	return cudasim_run_tests(tests, argc, argv);
}
CU
expect "test of the installed one" 0 '1 passed|1 test' "$cudasim" test clamp_test.cu
cat >sum.cu <<'CU'
#include <cstdio>
/* The toolkit may lie here without cuBLAS's header. */
extern "C" int cublasCreate_v2(void **), cublasSasum_v2(void *, int, const float *, int, float *);
int main()
{
	void *handle;
	float *x, sum = 0, values[] = {1, -2, 3};
	cudaMalloc(&x, sizeof values);
	cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
	int result = cublasCreate_v2(&handle);
	printf("%d %d %g\n", result, cublasSasum_v2(handle, 3, x, 1, &sum), sum);
}
CU
expect "cuBLAS of the installed one" 0 '^0 0 6$' "$cudasim" cc sum.cu -lcublas -o sum -run
unless_sanitized "which python3 is not built for" \
	expect "every library by NVIDIA's name" 0 '^all$' "$cudasim" run python3 -c '
import ctypes
for name in "cuda.so.1 cudart.so.13 nvrtc.so.13 nvJitLink.so.13 nvvm.so.4 cublas.so.13 cufft.so.12 curand.so.10 cusolver.so.12 cusparse.so.12".split():
    ctypes.CDLL("lib" + name)
print("all")'

# ---- a GPU's side: recorder, symbolizer, trampolines, builtins ------------------------
cat >memory.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void store(int *to, int n) { to[threadIdx.x] = threadIdx.x * n; }
int main()
{
	int *to, n = getenv("N") ? atoi(getenv("N")) : 1;
	cudaMalloc(&to, 128);
	store<<<1, 32>>>(to, n);
	return cudaDeviceSynchronize();
}
CU
cat >count.cu <<'CU'
#include <cstdio>
int main()
{
	int n = 0;
	printf("%d, ", cudaGetDeviceCount(&n));
	printf("%d devices\n", n);
}
CU
cat >string.cpp <<'CPP'
#include <cstddef>
#include <cstdio>
/* The toolkit may lie here without NVRTC's header. */
extern "C" {
int nvrtcCreateProgram(void **, const char *, const char *, int, const char **, const char **);
int nvrtcCompileProgram(void *, int, const char **);
int nvrtcGetPTXSize(void *, size_t *);
}
int main()
{
	void *program;
	size_t n = 0;
	nvrtcCreateProgram(&program, "__global__ void k(int *p) { *p = 1; }", 0, 0, 0, 0);
	int result = nvrtcCompileProgram(program, 0, 0);
	nvrtcGetPTXSize(program, &n);
	printf("%d %d\n", result, n > 1000);
}
CPP
expect "NVRTC of the installed one" 0 '^0 1$' \
	sh -c "g++ string.cpp -o string -L'$tree/lib64' -lnvrtc -Wl,-rpath,'$tree/lib64' && PATH=/usr/bin:/bin ./string"
unless_sanitized "which python3 is not built for" \
	expect "a Python program of the installed one" 0 '^right$' \
	"$cudasim" run python3 "$here/run_program.py" /no-such-folder
expect "the notebook extension of the installed one" 0 "^$prefix/.*/cudasim/process.py$" \
	"$cudasim" run python3 -c 'import cudasim.process; print(cudasim.process.__file__)'
"$cudasim" cc -g memory.cu -o memory && "$cudasim" cc count.cu -o count
expect "compare of the installed one" 0 '1 launch compared .*: 1 equal' \
	"$cudasim" compare --with CUDASIM_SCHEDULE=reverse ./memory
expect "compare finds the symbolizer" 1 'bytes by cudaMalloc in main \(memory.cu:7\): 31 of 32 int' \
	"$cudasim" compare --with N=2 ./memory
expect "and the owner of an element" 1 '1 first, 2 second, stored by block \(0,0,0\), thread \(1,0,0\)' \
	"$cudasim" compare --with N=2 ./memory
expect "calls reach the GPU's library" 0 '^0, 7 devices$' \
	env CUDASIM=0 CUDASIM_LIBCUDART="$fake" FAKE_COUNT=7 ./count
expect "profile of the installed one" 0 '^name Fake GPU$' \
	env CUDASIM_LIBCUDART="$fake" "$cudasim" profile
expect "a profile to a file" 0 '^$' \
	env CUDASIM_LIBCUDART="$fake" "$cudasim" profile -o ./fake.profile
expect "that the installed library reads" 0 '^0, 1 devices$' env CUDASIM=1 CUDASIM_DEVICE=./fake.profile ./count
if "$cudasim" doctor | grep -q '^found *fatbinary'; then
	# What a surface needs of cudasim lies in a file of its own.
	cat >surface.cu <<'CU'
__global__ void store(cudaSurfaceObject_t to) { surf1Dwrite(1.5f, to, threadIdx.x * 4); }
int main()
{
	store<<<1, 1>>>(0);
	return 0;
}
CU
	expect "cc --gpu of the installed one" 0 '^$' "$cudasim" cc --gpu surface.cu -o surface
	expect "its kernel is told to the GPU's library" 0 '^function 1 _Z5storey _Z5storey -1 1$' \
		env CUDASIM=0 CUDASIM_LIBCUDART="$fake" ./surface
fi
# ---- programs that are moved: to a GPU machine without cudasim, to one with cudasim elsewhere ------
if "$cudasim" doctor | grep -q '^found *fatbinary'; then
	cat >two.cu <<'CU'
extern __global__ void other(int *);
__global__ void one(int *to) { *to = 1; }
int main()
{
	int *to;
	if (cudaMalloc(&to, 4) == cudaSuccess) {
		one<<<1, 1>>>(to);
		return cudaDeviceSynchronize();
	}
	return 0;
}
CU
	echo '__managed__ int number; __global__ void count() { number++; } int main() { return 0; }' >managed.cu
	"$cudasim" cc --gpu two.cu -o two && "$cudasim" cc --gpu -rdc=true two.cu -o linked &&
		"$cudasim" cc --gpu managed.cu -o managed && "$cudasim" cc two.cu -o simulated
	elsewhere=$(dirname "$prefix")
	mkdir gpu && ln -s "$fake" gpu/libcudart.so.13
	mv "$prefix" "$elsewhere/moved"
	there=(env -u CUDASIM LD_LIBRARY_PATH="$PWD/gpu")
	expect "without libcudasim the GPU's library is told the kernel" 0 '^function 1 _Z3onePi _Z3onePi -1 1$' \
		"${there[@]}" ./two
	expect "of a device link, too" 0 '^function 1 _Z3onePi _Z3onePi -1 1$' "${there[@]}" CUDASIM=0 ./linked
	expect "which gets NVIDIA's fat binary" 0 '^binary 466243b1 1 ba55ed50$' \
		"${there[@]}" ./two
	expect "the simulator is missed where it is asked for" 1 \
		'^cudasim: error: CUDASIM=1 asks for the simulator, and libcudasim.so is not found' "${there[@]}" CUDASIM=1 ./two
	expect "a checker likewise" 1 '^cudasim: error: CUDASIM_CHECK=all asks for the simulator' \
		"${there[@]}" CUDASIM_CHECK=all ./two
	expect "managed variables are refused" 1 '^cudasim: error: __managed__ variables of cudasim cc need libcudasim' \
		"${there[@]}" ./managed
	expect "a program without GPU code does not start" 127 'libcudasim.so: cannot open shared object file' \
		"${there[@]}" ./simulated
	expect "cudasim in another place runs it" 0 '^$' "$elsewhere/moved/bin/cudasim" run ./two
	expect "and checks it" 0 '^=========         Host Frame: .* in linked$'  "$elsewhere/moved/bin/cudasim" check ./linked
	if "$elsewhere/moved/bin/cudasim" check ./linked 2>&1 | grep -q 'Host Frame: .* in libcud'; then
		fail "without frames of cudasim's own"
	else
		pass "without frames of cudasim's own"
	fi
	expect "and debugs it" 0 'one<<<\(1,1,1\),\(1,1,1\)>>>' \
		sh -c "printf 'break one\nrun\ninfo kernels\nquit\n' | '$elsewhere/moved/bin/cudasim' debug -q ./two"
	mv "$elsewhere/moved" "$prefix"
fi
finish
