#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `meson install` into a prefix: what is installed works without the build tree.
# usage: install.sh CUDASIM SCRATCH FAKE, CUDASIM in its build tree, FAKE in the place of the
# vendor's libcudart (tests/gpu).
fake=$(realpath "$3")
here=$(dirname "$(realpath "$0")")
build=$(dirname "$(realpath "$1")")
. "$(dirname "$(realpath "$0")")/lib.sh"

root=$PWD/root
if meson install -C "$build" --no-rebuild --destdir "$root" >install.log 2>&1; then
	pass "meson install"
else
	fail "meson install" "$(tail -5 install.log)"
fi
installed=$(find "$root" -path '*/bin/cudasim' -type f)
prefix=$(dirname "$(dirname "$installed")")
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
expect "doctor of the installed one" 0 "^this is .*$prefix/bin/cudasim \(installed\)" "$installed" doctor
expect "finds everything" 0 '^all there' "$installed" doctor
expect "cc of the installed one" 0 '^thread 1$' "$installed" cc hello.cu -o hello -run
ldd hello | grep -q "$prefix" && pass "links the installed library" ||
	fail "links the installed library" "$(ldd hello)"
# The tools ask for the installed library, not for the build tree's.
needed=$(find "$root" -name 'libcudasim-*.so' -exec readelf -d {} + | grep 'NEEDED.*/')
[ -z "$needed" ] && pass "no tool names the build tree" || fail "no tool names the build tree" "$needed"
expect "a checker" 0 'ERROR SUMMARY: 0 errors' env CUDASIM=1 CUDASIM_CHECK=memcheck ./hello
expect "the debugger" 0 '^\(cudasim\) ' env CUDASIM=1 CUDASIM_DEBUG=1 sh -c 'echo quit | ./hello'
tree=$("$installed" toolkit-path)
case $tree in
"$prefix"/*) pass "its toolkit lies in the prefix" ;;
*) fail "its toolkit lies in the prefix" "$tree" ;;
esac
pc=$(dirname "$(find "$root" -name cudasim.pc)")
# shellcheck disable=SC2046 # words are wanted
expect "pkg-config" 0 '^$' gcc plain.c -o plain \
	$(PKG_CONFIG_PATH=$pc pkg-config --define-variable=prefix="$prefix" --cflags --libs cudasim)
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
	"$installed" run python3 "$here/run_program.py" /no-such-folder
expect "the notebook extension of the installed one" 0 "^$(realpath "$(dirname "$installed")/..")/.*/cudasim/process.py$" \
	"$installed" run python3 -c 'import cudasim.process; print(cudasim.process.__file__)'
"$installed" cc -g memory.cu -o memory && "$installed" cc count.cu -o count
expect "compare of the installed one" 0 '1 launch compared .*: 1 equal' \
	"$installed" compare --with CUDASIM_SCHEDULE=reverse ./memory
expect "compare finds the symbolizer" 1 'bytes by cudaMalloc in main \(memory.cu:7\): 31 of 32 int' \
	"$installed" compare --with N=2 ./memory
expect "and the owner of an element" 1 '1 first, 2 second, stored by block \(0,0,0\), thread \(1,0,0\)' \
	"$installed" compare --with N=2 ./memory
expect "calls reach the GPU's library" 0 '^0, 7 devices$' \
	env CUDASIM=0 CUDASIM_LIBCUDART="$fake" FAKE_COUNT=7 ./count
expect "profile of the installed one" 0 '^name Fake GPU$' \
	env CUDASIM_LIBCUDART="$fake" "$installed" profile
expect "a profile to a file" 0 '^$' \
	env CUDASIM_LIBCUDART="$fake" "$installed" profile -o ./fake.profile
expect "that the installed library reads" 0 '^0, 1 devices$' env CUDASIM=1 CUDASIM_DEVICE=./fake.profile ./count
if "$installed" doctor | grep -q '^found *fatbinary'; then
	# What a surface needs of cudasim lies in a file of its own.
	cat >surface.cu <<'CU'
__global__ void store(cudaSurfaceObject_t to) { surf1Dwrite(1.5f, to, threadIdx.x * 4); }
int main()
{
	store<<<1, 1>>>(0);
	return 0;
}
CU
	expect "cc --gpu of the installed one" 0 '^$' "$installed" cc --gpu surface.cu -o surface
	expect "its kernel is told to the GPU's library" 0 '^function 1 _Z5storey _Z5storey -1 1$' \
		env CUDASIM=0 CUDASIM_LIBCUDART="$fake" ./surface
fi
# ---- programs that are moved: to a GPU machine without cudasim, to one with cudasim elsewhere ------
if "$installed" doctor | grep -q '^found *fatbinary'; then
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
	"$installed" cc --gpu two.cu -o two && "$installed" cc --gpu -rdc=true two.cu -o linked &&
		"$installed" cc --gpu managed.cu -o managed && "$installed" cc two.cu -o simulated
	mkdir gpu && ln -s "$fake" gpu/libcudart.so.13
	mv "$prefix" "$root/moved"
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
	expect "cudasim in another place runs it" 0 '^$' "$root/moved/bin/cudasim" run ./two
	expect "and checks it" 0 '^=========         Host Frame: .* in linked$'  "$root/moved/bin/cudasim" check ./linked
	if "$root/moved/bin/cudasim" check ./linked 2>&1 | grep -q 'Host Frame: .* in libcud'; then
		fail "without frames of cudasim's own"
	else
		pass "without frames of cudasim's own"
	fi
	expect "and debugs it" 0 'one<<<\(1,1,1\),\(1,1,1\)>>>' \
		sh -c "printf 'break one\nrun\ninfo kernels\nquit\n' | '$root/moved/bin/cudasim' debug -q ./two"
	mv "$root/moved" "$prefix"
fi
finish
