#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# -ltoir, -dlink of its products, and nvJitLink, which does the same while a program runs.
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"

cat >store.cu <<'CU'
extern "C" __device__ int other(int);
extern "C" __global__ void store(int *p) { *p = other(3); }
CU
echo 'extern "C" __device__ int other(int x) { return x + 39; }' >other.cu
cat >load.cu <<'CU'
#include <cuda.h>
#include <cstdio>
int main(int, char **argv)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction store;
	int *p, h = -1;
	cuInit(0);
	cuDeviceGet(&device, 0);
	cuDevicePrimaryCtxRetain(&context, device);
	cuCtxSetCurrent(context);
	cudaMalloc(&p, 4);
	void *parameters[] = {&p};
	int status = cuModuleLoad(&module, argv[1]);
	if (!status)
		status = cuModuleGetFunction(&store, module, "store");
	if (!status)
		status = cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("%d %d\n", status, h);
}
CU
"$cudasim" cc load.cu -o load -lcuda
for name in store other; do
	expect "-ltoir of $name.cu" 0 '^$' "$cudasim" cc -ltoir $name.cu
	expect "-c of $name.cu" 0 '^$' "$cudasim" cc -dc $name.cu -o $name.o
done
ar qc other.a other.o
for form in ptx cubin fatbin; do
	expect "-dlink -$form" 0 '^$' "$cudasim" cc -dlink -$form store.ltoir other.ltoir -o linked.$form
	expect "the product is loaded" 0 '^0 42$' ./load linked.$form
done
expect "of objects" 0 '^$' "$cudasim" cc -dlink -cubin store.o other.a -o objects.cubin
expect "which is loaded" 0 '^0 42$' ./load objects.cubin
expect "PTX of LTO" 0 '^\.visible \.entry store\(' cat linked.ptx
# The cache knows a link by what its inputs hold.
link=("$cudasim" cc -v -dlink -cubin)
export CUDASIM_CACHE=$PWD/kept
expect "a link is kept" 0 'cache: .* stored in' "${link[@]}" store.ltoir other.ltoir -o kept.cubin
mkdir elsewhere && cp store.ltoir other.ltoir elsewhere
expect "and used again" 0 'cache: .* reused from' sh -c "cd elsewhere && '$cudasim' cc -v -dlink -cubin store.ltoir other.ltoir -o kept.cubin"
sed 's/39/40/' other.cu >elsewhere/other.cu && "$cudasim" cc -ltoir elsewhere/other.cu -o elsewhere/other.ltoir
expect "unless an input has changed" 0 'cache: .* stored in' "${link[@]}" store.ltoir elsewhere/other.ltoir -o changed.cubin
expect "which counts" 0 '^0 43$' ./load changed.cubin
export CUDASIM_CACHE=off
expect "an undefined function is named" fail "other" "$cudasim" cc -dlink -cubin store.ltoir -o undefined.cubin
head -c 300 store.ltoir >damaged.ltoir
expect "a damaged product" fail "damaged.ltoir' is not a product of cudasim cc -ltoir, or is damaged" \
	"$cudasim" cc -dlink -cubin damaged.ltoir other.ltoir -o damaged.cubin
printf '\xed\x43\x4e\x7f0000' >vendors.ltoir
expect "NVIDIA's LTO-IR" fail "NVIDIA's compiler generated this LTO-IR" "$cudasim" cc -dlink -cubin vendors.ltoir -o x.cubin
expect "without -dlink" fail "is linked with -dlink" "$cudasim" cc -cubin store.ltoir
expect "a source among them" fail "no sources" "$cudasim" cc -dlink -cubin store.cu other.ltoir -o x.cubin

cat >link.cu <<'CU'
#include <cstdio>
#include <nvJitLink.h>
int main()
{
	unsigned major = 0, minor = 0;
	const char *options[] = {"-arch=sm_90", "-lto"};
	nvJitLinkHandle link;
	size_t n = 0;
	int status = nvJitLinkVersion(&major, &minor) + nvJitLinkCreate(&link, 2, options) +
		     nvJitLinkAddFile(link, NVJITLINK_INPUT_LTOIR, "store.ltoir") +
		     nvJitLinkAddFile(link, NVJITLINK_INPUT_ANY, "other.ltoir") +
		     nvJitLinkComplete(link) + nvJitLinkGetLinkedCubinSize(link, &n);
	printf("%d: %d.%d, %d\n", status, major, minor, n > 1000);
}
CU
if [ -e "$("$cudasim" toolkit-path)/include/nvJitLink.h" ]; then
	expect "-lnvJitLink" 0 '^0: 13\.0, 1$' "$cudasim" cc link.cu -o link -lnvJitLink -run
else
	echo "ok $((++n_tests)) - -lnvJitLink # SKIP the toolkit has no nvJitLink.h"
fi
cat >rtc.cpp <<'CPP'
#include <cstddef>
#include <cstdio>
/* The toolkit may lie here without NVRTC's header. */
extern "C" {
int nvrtcCreateProgram(void **, const char *, const char *, int, const char **, const char **);
int nvrtcAddNameExpression(void *, const char *);
int nvrtcCompileProgram(void *, int, const char **);
int nvrtcGetLoweredName(void *, const char *, const char **);
int nvrtcGetPTXSize(void *, size_t *);
int nvrtcGetLTOIRSize(void *, size_t *);
int nvrtcGetLTOIR(void *, char *);
}
int main()
{
	void *program;
	size_t n = 0, n_ptx = 7;
	const char *options[] = {"-dlto", "-arch=sm_90"}, *name = "";
	static char bytes[1 << 20];
	nvrtcCreateProgram(&program,
			   "extern \"C\" __device__ int other(int);\n"
			   "template <int N> __device__ int of() { return other(N); }\n"
			   "extern \"C\" __global__ void store(int *p) { *p = of<3>(); }\n",
			   "x.cu", 0, 0, 0);
	nvrtcAddNameExpression(program, "of<5>");
	int result = nvrtcCompileProgram(program, 2, options);
	nvrtcGetLTOIRSize(program, &n);
	nvrtcGetPTXSize(program, &n_ptx);
	nvrtcGetLoweredName(program, "of<5>", &name);
	if (n > sizeof bytes || nvrtcGetLTOIR(program, bytes))
		return 1;
	FILE *out = fopen("rtc.ltoir", "w");
	fwrite(bytes, 1, n, out);
	fclose(out);
	printf("%d %zu %s\n", result, n_ptx, name);
}
CPP
expect "NVRTC with -dlto" 0 '^0 0 _Z2ofILi5EEiv$' "$cudasim" cc rtc.cpp -lnvrtc -o rtc -run
expect "its product is linked" 0 '^$' "$cudasim" cc -dlink -cubin rtc.ltoir other.ltoir -o rtc.cubin
expect "and loaded" 0 '^0 42$' ./load rtc.cubin
fatbin=
if "$cudasim" doctor | grep -q '^found *fatbinary'; then
	echo 'extern "C" __global__ void store(int *p) { *p = 42; }' >whole.cu
	expect "a fat binary" 0 '^$' "$cudasim" cc --gpu -fatbin whole.cu
	fatbin=whole.fatbin
fi
if [ "$sanitized" ]; then
	echo "ok $((++n_tests)) - nvJitLink by name # SKIP with AddressSanitizer, which python3 is not built for"
else
	"$cudasim" run python3 "$here/jitlink.py" "$(dirname "$cudasim")/libraries/nvjitlink/libcudasim-nvjitlink.so" \
		store.ltoir other.ltoir linked.cubin "$("$cudasim" toolkit-path)/lib64/libcudadevrt.a" $fatbin >jitlink.tap 2>jitlink.err
	while IFS= read -r line; do
		case $line in
		'ok '*) pass "${line#*- }" ;;
		'not ok '*) fail "${line#*- }" ;;
		'1..'*) whole=1 ;;
		*) echo "$line" ;;
		esac
	done <jitlink.tap
	[ "${whole-}" ] && pass "to the end" || fail "to the end" "$(tail -5 jitlink.err)"
fi
finish
