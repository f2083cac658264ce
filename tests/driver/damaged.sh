#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Device code that was damaged after it had been compiled, in objects, archives and images: an error
# with the file's name, or the right result where the byte does not matter. Never a crash, never
# another result.
. "$(dirname "$(realpath "$0")")/lib.sh"

cat >part.cu <<'CU'
__device__ int thrice(int n) { return 3 * n; }
CU
cat >main.cu <<'CU'
#include <cstdio>
extern __device__ int thrice(int);
__global__ void kernel(int n) { printf("%d\n", thrice(n)); }
int main()
{
	kernel<<<1, 1>>>(14);
	return cudaDeviceSynchronize();
}
CU
cat >step.cu <<'CU'
extern "C" __global__ void step(int *p) { *p = *p * 7 + 3; }
CU
cat >load.cu <<'CU'
// Loads each file named on stdin; prints its name where that succeeds and the kernel gives another
// result, and at last how many were refused.
#include <cstdio>
#include <cuda.h>
int main()
{
	char path[4096];
	int refused = 0, right = 0;
	CUcontext context;
	CUdeviceptr p;
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuMemAlloc(&p, 4))
		return 1;
	while (scanf("%4095s", path) == 1) {
		CUmodule module;
		CUfunction step;
		int n = 5;
		void *parameters[] = {&p};
		if (cuModuleLoad(&module, path)) {
			refused++;
			continue;
		}
		if (cuModuleGetFunction(&step, module, "step") || cuMemcpyHtoD(p, &n, 4) ||
		    cuLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, 0, parameters, NULL) || cuMemcpyDtoH(&n, p, 4) || n != 38)
			printf("%s: wrong\n", path);
		else
			right++;
		cuModuleUnload(module);
	}
	printf("refused %d, right %d\n", refused, right);
}
CU
# damage.py FILE FOLDER STEP: copies of FILE with one byte changed (all of the first 512, many of the last and
# of an ELF file's section headers, elsewhere each STEPth), and cut off.
cat >damage.py <<'PY'
import struct, sys
path, folder, step = sys.argv[1], sys.argv[2], int(sys.argv[3])
whole = open(path, "rb").read()
places = set(range(0, min(512, len(whole)))) | set(range(max(0, len(whole) - 512), len(whole), 7)) | set(range(0, len(whole), step))
if whole[:4] == b"\x7fELF":
    at, = struct.unpack_from("<Q", whole, 40)
    size, n = struct.unpack_from("<HH", whole, 58)
    places |= set(range(at, at + size * n, 3))
for place in sorted(places):
    other = bytearray(whole)
    other[place] ^= 1 << place % 8 if place % 3 else 0xff
    open(f"{folder}/flip-{place}", "wb").write(other)
for i in range(1, 40):
    open(f"{folder}/cut-{i}", "wb").write(whole[:len(whole) * i // 40])
PY

# Objects: all of them by what gathers the device code, some by whole links.
"$cudasim" cc -dc part.cu main.cu && "$cudasim" cc part.o main.o -o whole
expect "undamaged" 0 '^42$' ./whole
mkdir flips gathered
python3 damage.py part.o flips 101
gather() {
	rm -f gathered/*
	"$cudasim" cc-gather --folder gathered --list gathered/list --id gathered/id --objects gathered/objects \
		--object dlink.o "$1"
}
gather part.o && cp gathered/device-link-0.bc sound.bc
same=0 refused=0 none=0 bad=""
for file in flips/*; do
	said=$(gather "$file" 2>&1)
	status=$?
	if [ $status = 1 ] && [[ $said == *"$file"* ]]; then
		((refused++))
	elif [ $status = 0 ] && [ ! -e gathered/device-link-0.bc ]; then
		((none++)) # the section is not there any more: the link misses thrice()
	elif [ $status = 0 ] && cmp -s sound.bc gathered/device-link-0.bc; then
		((same++))
	else
		bad+="$file: status $status: $said"$'\n'
	fi
done
echo "# same $same, refused $refused, without device code $none"
[ -z "$bad" ] && [ $refused -gt 60 ] && [ $same -gt 60 ] && pass "damaged objects" || fail "damaged objects" "$bad"

# In the middle of the bitcode, whose section's place libelf's tools tell.
read -r offset size < <(readelf -SW part.o | sed -n 's/.* \.cudasim\.bc *PROGBITS *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\).*/\1 \2/p')
offset=$((16#$offset)) size=$((16#$size))
for place in 0 9 20 40 $((size / 3)) $((size / 2)) $((size - 1)); do
	cp part.o broken.o
	byte=$(od -An -tu1 -j$((offset + place)) -N1 part.o)
	printf "\\x$(printf %x $((byte ^ 0x5a)))" | overwrite broken.o $((offset + place))
	expect "byte $place of $size" 1 "'broken.o': its device code is damaged, or of another version" \
		"$cudasim" cc broken.o main.o -o broken
done
expect "nothing was linked" 1 '' test -e broken
ar rc libbroken.a broken.o
expect "in an archive" 1 "'libbroken.a\(broken.o\)': its device code is damaged" "$cudasim" cc main.o libbroken.a -o broken
objcopy --remove-section .cudasim.bc part.o without.o
expect "without its section" fail 'thrice' "$cudasim" cc main.o without.o -o broken
objcopy --remove-section .cudasim.bc main.o without.o
expect "without its section, with kernels" fail 'undefined reference to .__cudaRegisterLinkedBinary' "$cudasim" cc part.o without.o -o broken

# Images.
"$cudasim" cc load.cu -o load -lcuda
for kind in ptx cubin fatbin; do
	"$cudasim" cc -$kind step.cu -o step.$kind
	rm -rf flips && mkdir flips
	python3 damage.py step.$kind flips 997
	# What lacks the first line's beginning is PTX like any other, which takes its time.
	n_head=20
	for i in $(seq 1 $((n_head - 1))); do rm -f "flips/flip-$i"; done
	n=$(ls flips | wc -l)
	printf '%s\n' flips/* step.$kind | ./load >log 2>said
	status=$?
	last=$(tail -n 1 log)
	if [ $status = 0 ] && [ "$(wc -l <log)" = 1 ] && [[ $last =~ refused\ ([0-9]+),\ right\ ([0-9]+) ]] &&
		[ "${BASH_REMATCH[1]}" -gt $((n / 2)) ] && [ "${BASH_REMATCH[2]}" -ge 1 ]; then
		pass "damaged -$kind ($n of them, $last)"
	else
		fail "damaged -$kind" "status $status, of $n: $(cat log; tail -n 5 said)"
	fi
done
finish
