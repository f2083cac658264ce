#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real GPU code in objects, libraries and programs. Needs no GPU: the embedded ELF is
# read, and the programs run on the simulator.
. "$(dirname "$(realpath "$0")")/lib.sh"

cat >names.cu <<'CU'
#include <cstdio>
__managed__ int managed = 5;
__device__ int plain = 1;
static __global__ void hidden(int *p) { *p = managed + plain; }
namespace { __global__ void nameless(int *p) { *p += 2; } }
template <typename T, int N> __global__ void instance(T *p) { *p += N; }
template <typename F> __global__ void call(F f, int *p) { *p = f(*p); }
int main()
{
	int *p, h;
	cudaMalloc(&p, 4);
	hidden<<<1, 1>>>(p);
	nameless<<<1, 1>>>(p);
	instance<int, 30><<<1, 1>>>(p);
	call<<<1, 1>>>([] __device__(int x) { return x + 4; }, p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("%d\n", h);
}
CU
cat >one.cu <<'CU'
extern __device__ int value;
__device__ int twice(int);
static __global__ void kernel(int *p) { *p = twice(value); }
#include <cstdio>
int other();
int main()
{
	int *p, h;
	cudaMalloc(&p, 4);
	kernel<<<1, 1>>>(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("%d %d\n", h, other());
}
CU
cat >two.cu <<'CU'
__device__ int value = 21;
__device__ int twice(int x) { return 2 * x; }
static __global__ void kernel(int *p) { *p = value; }
int other()
{
	int *p, h;
	cudaMalloc(&p, 4);
	kernel<<<1, 1>>>(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	return h;
}
CU

if ! "$cudasim" doctor | grep -q '^found *fatbinary'; then
	echo "1..0 # SKIP no ptxas and fatbinary here"
	exit 0
fi

# kernels CUBIN: their names, from the sections of their code.
kernels() { readelf -SW "$1" 2>/dev/null | grep -o '\.text\.[^ ]*' | sed 's/^\.text\.//' | sort; }
# fatbin FILE: whether its section of GPU code holds NVIDIA's fat binary.
fatbin() {
	objcopy -O binary --only-section=.nv_fatbin --set-section-flags .nv_fatbin=alloc "$1" fatbin.raw &&
		LC_ALL=C grep -qaP '\x50\xed\x55\xba' fatbin.raw
}

mkdir keep
expect "a program with GPU code builds" 0 '' "$cudasim" cc --gpu --keep-dir keep names.cu -o names
expect "it runs on the simulator" 0 '^42$' ./names
if [ "$(kernels keep/names.sm_90.cubin | wc -l)" -eq 4 ]; then
	pass "the ELF holds all four kernels"
else
	fail "the ELF holds all four kernels" "$(kernels keep/names.sm_90.cubin)"
fi
missing=$(for name in $(kernels keep/names.sm_90.cubin); do
	strings -a keep/names.host.o | grep -qxF "$name" || echo "$name"
done)
if [ -z "$missing" ]; then
	pass "the host registers them under the same names"
else
	fail "the host registers them under the same names" "$missing"
fi
if fatbin names; then pass "the program carries them"; else fail "the program carries them"; fi
if cmp -s <(tail -c +65 keep/names.gpu.blob) keep/names.fatbin; then
	pass "the fat binary lies 64 bytes behind the blob's start"
else
	fail "the fat binary lies 64 bytes behind the blob's start"
fi

expect "several architectures" 0 '' "$cudasim" cc --gpu=sm_80,sm_90a,sm_120 --keep-dir keep -c names.cu -o many.o
if [ -s keep/names.sm_80.cubin ] && [ -s keep/names.sm_90a.cubin ] && [ -s keep/names.sm_120.cubin ]; then
	pass "have an ELF each"
else
	fail "have an ELF each" "$(ls keep)"
fi

expect "code is linked" 0 '' "$cudasim" cc --gpu -rdc=true --keep-dir keep one.cu two.cu -o linked
expect "and runs on the simulator" 0 '^42 21$' ./linked
if [ "$(kernels keep/device-link.sm_90.cubin | grep -c kernel)" -eq 2 ]; then
	pass "with both static kernels of one name"
else
	fail "with both static kernels of one name" "$(kernels keep/device-link.sm_90.cubin)"
fi
if fatbin linked; then pass "the linked program carries it"; else fail "the linked program carries it"; fi

"$cudasim" cc --gpu -dc one.cu && "$cudasim" cc -dc two.cu
expect "an object without GPU code is named" 1 'two.o contains no GPU code for sm_90: compile it with --gpu=sm_90' \
	"$cudasim" cc --gpu one.o two.o -o mixed
expect "a link without --gpu says what it leaves out" 0 'warning: the objects contain GPU code' \
	"$cudasim" cc one.o two.o -o mixed

expect "a shared library" 0 '' "$cudasim" cc --gpu -shared -Xcompiler -fPIC names.cu -o libnames.so
if fatbin libnames.so; then pass "carries its own"; else fail "carries its own"; fi
expect "a static library" 0 '' "$cudasim" cc --gpu -lib names.cu -o libnames.a
ar x libnames.a
if fatbin names.o; then pass "has it in its objects"; else fail "has it in its objects"; fi

cat >host.cu <<'CU'
#include <cstdio>
int main() { int n; printf("%d\n", cudaGetDeviceCount(&n)); }
CU
expect "a source without device code" 0 '^0$' env CUDASIM=1 "$cudasim" cc --gpu host.cu -o host -run

# ---- errors ------------------------------------------------------------------------

expect "an unknown architecture" 1 "Unsupported gpu architecture 'sm_33'" "$cudasim" cc --gpu=sm_33 -c names.cu
cat >bad.cu <<'CU'
__global__ void kernel(int *p)
{
	int x;
	asm("nonsense.u32 %0, %1;" : "=r"(x) : "r"(*p));
	*p = x;
}
CU
expect "what a GPU has no instruction for is told of its line" fail 'bad\.cu:4' "$cudasim" cc --gpu -c bad.cu
mkdir -p poor/bin poor/nvvm
root=$("$cudasim" doctor | sed -n 's/^found *CUDA toolkit *\([^ ]*\) .*/\1/p')
ln -s "$root/include" poor/include
ln -s "$root/nvvm/libdevice" poor/nvvm/libdevice
clean=$(tr : '\n' <<<"$PATH" | while read -r d; do [ -x "$d/ptxas" ] || printf '%s:' "$d"; done)
expect "a toolkit without ptxas" 1 "needs the CUDA toolkit's ptxas.*fetch-toolkit" \
	env PATH="${clean%:}" XDG_CACHE_HOME="$PWD/none" CUDASIM_TOOLKIT="$PWD/poor" "$cudasim" cc --gpu -c names.cu
finish
