#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wrong command lines, missing files, broken sources and corrupt objects: each
# ends with status 1 or more and one clear error; nothing is left behind.
. "$(dirname "$(realpath "$0")")/lib.sh"

cat >good.cu <<'CU'
__global__ void kernel(int *p) { *p = 1; }
int main() { return 0; }
CU
cat >syntax.cu <<'CU'
__global__ void kernel(int *p) { *p = ; }
int main() { return 0; }
CU
cat >host_error.cu <<'CU'
__global__ void kernel(int *p) { *p = 1; }
int main() { return undeclared; }
CU
cat >device_error.cu <<'CU'
void host_function();
__global__ void kernel() { host_function(); }
int main() { return 0; }
CU
cat >unused.cu <<'CU'
template <class T> __device__ T f(T t) { return undeclared(3) + t; }
__global__ void kernel(int *p) { *p = 3; }
int main() { return 0; }
CU
cat >used.cu <<'CU'
template <class T> __device__ T f(T t) { return undeclared(3) + t; }
__global__ void kernel(int *p) { *p = f(*p); }
int main() { return 0; }
CU
cat >host_only.cu <<'CU'
__host__ __device__ int both(int n)
{
#ifdef __CUDA_ARCH__
	return n;
#else
	return undeclared(n);
#endif
}
int main() { return both(3); }
CU
cat >warning.cu <<'CU'
__global__ void kernel(int *p) { *p = 1; }
int main() { int x = 0; int *y; return y == 0; x = 1; }
CU
cat >bad_ptx.cu <<'CU'
__global__ void kernel(int *p) { asm("frobnicate.u32 %0, 1;" : "=r"(*p)); }
int main() { return 0; }
CU
own=$(mktemp -d)
headers=$own/include/compat # counts as cudasim's
mkdir -p "$headers"
cat >"$headers/strange.h" <<'CU'

__device__ inline int strange() { int x; asm("frobnicate.u32 %0, 1;" : "=r"(x)); return x; }
CU
cat >strange.cu <<'CU'
#include <strange.h>


__global__ void kernel(int *p) { *p = strange(); }
int main() { return 0; }
CU
cat >refused.cu <<'CU'
__device__ void product(unsigned long long a, float &d)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0}, %1, %1, p, 1, 1, 0, 0;" : "+f"(d) : "l"(a));
}
template <class T> __device__ void unused(T &t) { asm("frobnicate.u32 %0, 1;" : "=r"(t)); }
__device__ inline void unused_too(int &t) { asm("frobnicate.u32 %0, 1;" : "=r"(t)); }
__global__ void kernel(float *p)
{
	asm("wgmma.fence.sync.aligned;");
	product(1, *p);
}
CU
cat >undefined_device.cu <<'CU'
__device__ int elsewhere(int);
__global__ void kernel(int *p) { *p = elsewhere(1); }
int main() { return 0; }
CU
cat >cufft.cu <<'CU'
extern "C" int cufftCreate(void **);
int main() { void *h; return cufftCreate(&h); }
CU
: >empty.o
head -c 4000 /dev/urandom >random.o
mkdir folder.cu

cc=("$cudasim" cc)
expect "no arguments" 1 'error: No input files specified' "${cc[@]}"
expect "unknown option" 1 "error: Unknown option '-Wall'" "${cc[@]}" -Wall good.cu
expect "option without its value" 1 "error: argument expected after '-o'" "${cc[@]}" good.cu -o
expect "refused option" 1 "option '--optix-ir' \(-optix-ir\) is not supported" "${cc[@]}" -optix-ir good.cu
expect "unknown architecture" 1 "Unsupported gpu architecture 'sm_1000'" "${cc[@]}" -arch=sm_1000 good.cu
expect "unknown kind of file" 1 "Don't know what to do with 'x.doc'" "${cc[@]}" x.doc
expect "missing source" 1 "cannot read 'nothing.cu': No such file" "${cc[@]}" nothing.cu
expect "missing object" 1 "cannot read 'nothing.o': No such file" "${cc[@]}" nothing.o
expect "a folder as source" 1 "'folder.cu' is a folder" "${cc[@]}" folder.cu
expect "output in a folder that is not there" 1 "cannot write into 'no/where'" \
	"${cc[@]}" good.cu -o no/where/x
expect "output over the source" 1 "the output 'good.cu' is also an input" "${cc[@]}" good.cu -o good.cu
expect "missing response file" 1 "cannot open options file 'none.rsp'" "${cc[@]}" -optf none.rsp good.cu
expect "toolkit that is not there" 1 'CUDASIM_TOOLKIT: no include/cuda_runtime.h in /none' \
	env CUDASIM_TOOLKIT=/none "${cc[@]}" good.cu
expect "keep-dir that is not there" 1 "cannot write into 'none'" "${cc[@]}" -keep-dir none good.cu
expect "host compiler that is not there" fail "cannot run '/none/g\+\+'" \
	"${cc[@]}" -ccbin /none/g++ good.cu
expect "unknown command" 1 "'frob' is not a command" "$cudasim" frob
expect "missing library" fail 'cannot find -lnonesuch' "${cc[@]}" good.cu -lnonesuch

expect "syntax error names file and line" fail 'syntax.cu:1:[0-9]+: error: expected expression' \
	"${cc[@]}" -c syntax.cu
expect "error in host code" fail "host_error.cu:2:21: error: use of undeclared identifier 'undeclared'" \
	"${cc[@]}" -c host_error.cu
expect "undeclared name in an unused template" 0 '' "${cc[@]}" -ptx unused.cu
expect "undeclared name in an unused template, with host code" fail \
	"unused.cu:1:49: error: use of undeclared identifier 'undeclared'" "${cc[@]}" -c unused.cu
expect "undeclared name in a used template" fail \
	"used.cu:1:49: error: use of undeclared identifier 'undeclared'" "${cc[@]}" -ptx used.cu
expect "undeclared name in the host's part of a function" fail \
	"host_only.cu:6:9: error: use of undeclared identifier 'undeclared'" "${cc[@]}" -c host_only.cu
expect "error in device code" fail \
	"device_error.cu:2:28: error: no matching function for call to 'host_function'" \
	"${cc[@]}" -c device_error.cu
expect "unknown PTX names instruction and line" fail 'bad_ptx.cu:1.*frobnicate' "${cc[@]}" -c bad_ptx.cu
expect "in a header, the line that uses it" fail 'strange.cu:4.*frobnicate' \
	"${cc[@]}" -I "$headers" -c strange.cu
# The user's line of each way to a header's function that is no inlined one.
cat >>"$headers/strange.h" <<'CU'
__device__ __noinline__ inline int stranger(int n) { return n ? strange() : stranger(n - 1); }
CU
cat >ways.cu <<'CU'
#include <strange.h>
__device__ int first(int n) { return stranger(n); }
__global__ void kernel(int *p) { *p = first(*p); }
__global__ void other(int *p)
{
	*p = stranger(3);
}
CU
lines=$("${cc[@]}" -I "$headers" -c ways.cu 2>&1 | grep frobnicate | cut -d: -f1,2 | sort | xargs)
[ "$lines" = "ways.cu:2 ways.cu:6" ] && pass "in a header, all lines that lead to it" ||
	fail "in a header, all lines that lead to it" "$lines"
rm -r "$own"
told=$("${cc[@]}" -c refused.cu -keep 2>&1)
lines=$(grep -c 'refused.cu:[39]: error: PTX instruction .wgmma' <<<"$told")
[ "$lines" = 2 ] && ! grep -q frobnicate <<<"$told" &&
	pass "what is not supported is told, each with its line" ||
	fail "what is not supported is told, each with its line" "$told"
# --verbose names each pass that has run.
read -r -a devcc < <("${cc[@]}" -c refused.cu -keep -dryrun 2>&1 |
	sed -n 's/^#\$ \(.*cudasim-devcc\) .*/\1/p')
passes=$("${devcc[0]}" --verbose --id=00112233445566778899aabbccddeeff --source=refused.cu -o refused.o \
	refused.bc 2>&1 | awk '$1 == "base" { print $2 }' | xargs)
[ "$passes" = "launches builtin-variables promises asm-known" ] &&
	pass "a refusal comes before the work" || fail "a refusal comes before the work" "$passes"
expect "device function that is nowhere" fail "undefined_device.cu:[0-9]+.*elsewhere" \
	"${cc[@]}" -c undefined_device.cu
expect "library that is not simulated" fail 'the program calls libcufft, which is not simulated' \
	"${cc[@]}" cufft.cu -lcufft

expect "empty object" 1 "'empty.o' is empty" "${cc[@]}" empty.o
expect "random object" fail "random.o" "${cc[@]}" random.o
if "${cc[@]}" -dc good.cu -o whole.o; then
	head -c 1500 whole.o >cut.o
	expect "object cut short" fail "'cut.o' is not a valid object file|cut.o" "${cc[@]}" cut.o
	printf 'no bitcode' >junk.bc
	objcopy --update-section .cudasim.bc=junk.bc whole.o junk.o
	expect "object whose device code is no bitcode" fail "'junk.o': its device code is damaged" "${cc[@]}" junk.o -o junk
else
	fail "object cut short" "-dc failed"
fi

# A diagnostic that both passes have is shown once.
count=$("${cc[@]}" -c syntax.cu 2>&1 | grep -c 'error: expected expression')
[ "$count" = 1 ] && pass "an error is shown once" || fail "an error is shown once" "$count times"
# nvcc tells one error for each of these launches, at its line.
cat >launch.cu <<'CU'
__global__ void child(int n) { if (n) child<<<1, 1>>>(n - 1); }
template <class T> __global__ void parent(T n) { child<<<1, 1>>>(n); }
int main()
{
	parent<<<1, 1>>>(3);
	parent<<<1, 1>>>(3u);
}
CU
refused='launch.cu:[12]: error: kernel launch .* separate compilation mode \(-rdc=true\)|^3 errors' wanted=4
# clang 22 refuses each once where it is written; a note has nvcc's words.
[ "$llvm" -lt 22 ] || refused='^cudasim: note: kernel launch .* separate compilation mode \(-rdc=true\)' wanted=2
count=$("${cc[@]}" -c launch.cu 2>&1 | grep -cE "$refused")
[ "$count" = "$wanted" ] && pass "launches from device code want -rdc=true" ||
	fail "launches from device code want -rdc=true" "$count lines"
count=$("${cc[@]}" -c warning.cu -Xcompiler -Wall 2>&1 | grep -c 'warning: variable .y. is uninitialized')
[ "$count" = 1 ] && pass "a warning is shown once" || fail "a warning is shown once" "$count times"
expect "-Werror all-warnings" fail "error: variable 'y' is uninitialized" \
	"${cc[@]}" -c warning.cu -Xcompiler -Wall -Werror all-warnings
expect "-w" 0 '^$' "${cc[@]}" -c warning.cu -w

# Failed commands leave neither products nor temporary files.
mkdir tmp
TMPDIR=$PWD/tmp "${cc[@]}" host_error.cu -o left >/dev/null 2>&1
if [ -e left ] || [ -n "$(ls tmp)" ]; then
	fail "nothing is left behind" "$(ls -R left tmp 2>&1)"
else
	pass "nothing is left behind"
fi
# A wrong operand number is told where code is made of the statement, not in a template that
# nobody uses.
cat >number.cu <<'CU'
template <class T> __device__ int unused(T t) { int r; asm("mov.u32 %0, %5;" : "=r"(r) : "r"(t)); return r; }
__device__ int used(int t) { int r; asm("mov.u32 %0, %7;" : "=r"(r) : "r"(t)); return r; }
__global__ void kernel(int *p) { *p = used(3); }
CU
expect "wrong operand number" fail 'number.cu:2: error: .*%7' "${cc[@]}" -c number.cu
cat >newer.cu <<'CU'
__global__ void kernel(float2 *p) { *p = __fmul2_rn(*p, *p); }
CU
expect "function of a newer GPU" fail 'newer.cu:1: error: .*__fmul2_rn' "${cc[@]}" -c newer.cu
expect "options of nvcc's tools" 0 '' "${cc[@]}" -Xfatbin -compress-all -Xcicc --x -c good.cu

# Compilations that a signal ends leave nothing behind, and those that are killed until the next one.
cat >slow.cu <<'CU'
#include <cuda/std/variant>
#include <cuda/std/complex>
#include <cuda/barrier>
__global__ void kernel(int *p) { *p = 1; }
CU
mkdir -p killed
for signal in INT TERM HUP; do
	TMPDIR=$PWD/killed python3 -c '
import os, signal, subprocess, sys, time
process = subprocess.Popen(sys.argv[2:], stderr=subprocess.PIPE,
                           preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGHUP)])
folder = os.environ["TMPDIR"]
while not os.listdir(folder) and process.poll() is None:
    time.sleep(0.01)
time.sleep(0.3)
process.send_signal(getattr(signal, "SIG" + sys.argv[1]))
process.communicate()
sys.exit(process.returncode)' $signal "${cc[@]}" -c slow.cu -o slow.o
	status=$?
	if [ $status -gt 128 ] && [ -z "$(ls killed)" ]; then
		pass "SIG$signal leaves nothing behind"
	else
		fail "SIG$signal leaves nothing behind" "status $status, $(ls killed)"
	fi
done
mkdir -p killed/cudasim-cc-aaaaaa/below killed/cudasim-cc-bbbbbb killed/cudasim-cc-cccccc killed/others
touch -d '5 minutes ago' killed/cudasim-cc-aaaaaa killed/cudasim-cc-cccccc killed/others
flock killed/cudasim-cc-cccccc sleep 20 & holder=$!
sleep 0.2
TMPDIR=$PWD/killed "${cc[@]}" -c good.cu -o good.o
left=$(cd killed && echo *)
if [ "$left" = "cudasim-cc-bbbbbb cudasim-cc-cccccc others" ]; then
	pass "folders of killed compilations go, young and locked ones stay"
else
	fail "folders of killed compilations go, young and locked ones stay" "$left"
fi
kill $holder

finish
