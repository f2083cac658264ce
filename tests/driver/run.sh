#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `cudasim run`, `cudasim python`, `cudasim env`: programs that open NVIDIA's libraries by their names.
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"


# ---- running ---------------------------------------------------------------------------
expect "the exit status is the program's" 7 '' "$cudasim" run sh -c 'exit 7'
expect "so is its signal" 137 '' "$cudasim" run sh -c 'kill -9 $$'
expect "and its standard input" 0 '^from outside$' sh -c "echo from outside | '$cudasim' run cat"
expect "options are the program's" 0 '^-x --help$' "$cudasim" run echo -x --help
expect "-- ends what is not there" 0 '^-n$' "$cudasim" run -- printf '%s\n' -n
expect "an option of its own" 1 "'-x': run has no options" "$cudasim" run -x true
expect "no program" 1 'no program to run' "$cudasim" run
expect "a program that is not there" 127 "cannot run 'no-such-program': No such file" "$cudasim" run no-such-program
mkdir folder
expect "a folder" 126 "cannot run './folder': Permission denied" "$cudasim" run ./folder
expect "python" 0 '^2 1$' "$cudasim" python -c 'import os, sys; print(len(sys.argv), os.environ["CUDASIM"])' x
expect "within itself nothing is doubled" 0 '^[^:]*/cudasim/names[|][^:]*/libcudasim-redirect.so$' \
	"$cudasim" run "$cudasim" run sh -c 'echo "$LD_LIBRARY_PATH|$LD_AUDIT"'
expect "the program finds the cudasim that runs it" 0 "^$(realpath "$cudasim")$" \
	"$cudasim" run sh -c 'realpath "$(command -v cudasim)"'
expect "and the notebook extension, behind modules of its own" 0 "^/own [^ ]*/cudasim/__init__.py$" \
	env PYTHONPATH=/own "$cudasim" python -c 'import sys, cudasim; print(sys.path[1], cudasim.__file__)'
expect "without a PATH" 0 '^found$' env -u PATH "$cudasim" run echo found

# ---- for shells --------------------------------------------------------------------------
strange="/it's/\$HOME/a b!"
text=$(LD_LIBRARY_PATH=$strange "$cudasim" env)
got=$(bash -c "$text"'; echo "$LD_LIBRARY_PATH"')
[ "${got#*names:}" = "$strange" ] && pass "sh reads what env prints" || fail "sh reads what env prints" "$got"
expect "csh's form" 0 "^setenv LD_LIBRARY_PATH '.*/names:/it'\\\\''s/.HOME/a b\\\\!';\$" \
	env LD_LIBRARY_PATH="$strange" "$cudasim" env --csh
expect "fish's form" 0 "^set -gx LD_LIBRARY_PATH '.*/names:/it\\\\'s/.HOME/a b!'\$" \
	env LD_LIBRARY_PATH="$strange" "$cudasim" env --fish
expect "another shell" 1 'env takes --sh, --csh or --fish' "$cudasim" env --zsh

# ---- libraries -----------------------------------------------------------------------------
# In the place of NVIDIA's, as wheels bring them.
mkdir -p vendor/lib
for name in libcuda.so.1 libcudart.so.12 libcudart.so.13 libnvrtc.so.12 libnvrtc.so.13 libcublas.so.13 libnvvm.so.4 libnvJitLink.so.13; do
	echo "int is_vendors(void) { return 1; } int cudaRuntimeGetVersion(int *p) { *p = 99; return 0; }" |
		gcc -shared -fPIC -x c - -Wl,-soname,"$name" -Wl,--version-script=<(echo "$name { *; };") -o "vendor/lib/$name"
done
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **arguments)
{
	for (int i = 1; i < n; i++) {
		void *library = dlopen(arguments[i], RTLD_NOW);
		printf("%s %s\n", arguments[i],
		       !library ? dlerror() : dlsym(library, "is_vendors") ? "the vendor's" : "ours");
	}
	return 0;
}
C
cat >needs.c <<'C'
#include <stdio.h>
int cudaRuntimeGetVersion(int *);
int main(void)
{
	int version = 0;
	return printf("%d\n", cudaRuntimeGetVersion(&version) ? -1 : version) < 0;
}
C
gcc opens.c -o opens -ldl
gcc needs.c -o needs -Lvendor/lib -l:libcudart.so.12 -Wl,--disable-new-dtags -Wl,-rpath,"$PWD/vendor/lib"
names=$(cd vendor/lib && echo *)
expect "without run a path is a path" 0 "^$PWD/vendor/lib/libcudart.so.12 the vendor's" ./opens "$PWD/vendor/lib/libcudart.so.12"
for name in $names; do
	expect "$name by name" 0 "^$name ours$" "$cudasim" run ./opens "$name"
	expect "$name by path" 0 "ours$" "$cudasim" run ./opens "$PWD/vendor/lib/$name"
done
expect "the toolkit's folder has our libnvvm" 0 "^[^ ]*/nvvm/lib64/libnvvm.so ours$" "$cudasim" run sh -c './opens "$CUDA_HOME/nvvm/lib64/libnvvm.so"'
expect "and the toolkit's libdevice" 0 'libdevice.10.bc' "$cudasim" run sh -c 'ls "$CUDA_HOME/nvvm/libdevice"'
# It also asks for a version of NVIDIA's symbols, as what is linked with their libraries does, and so gets CUDA 12's form: the
# version is the last of CUDA 12.
expect "DT_RPATH does not come first" 0 '^12090$' "$cudasim" run ./needs
expect "for the GPU nothing is redirected" 0 "the vendor's$" "$cudasim" run env CUDASIM=0 LD_LIBRARY_PATH= \
	./opens "$PWD/vendor/lib/libcudart.so.12"
expect "other libraries stay" 0 '^libm.so.6 ours$' "$cudasim" run ./opens libm.so.6

# ---- programs ------------------------------------------------------------------------------
program=(python3 "$here/run_program.py")
unless_sanitized "which python3 is not built for" \
	expect "a Python program" 0 '^right$' "$cudasim" run "${program[@]}"
unless_sanitized "which python3 is not built for" \
	expect "its libraries are ours alone" 0 '^from libcudasim-nvrtc.so libcudasim-redirect.so libcudasim.so$' "$cudasim" python "${program[@]:1}" "$PWD/vendor/lib"
unless_sanitized "which python3 is not built for" \
	expect "under the checkers" 0 'ERROR SUMMARY: 0 errors' "$cudasim" check "${program[@]}" "$PWD/vendor/lib"
unless_sanitized "which python3 is not built for" \
	expect "under the debugger" 0 'hit Breakpoint 1, scale' "$cudasim" debug -batch -ex 'break scale' -ex run -ex kill \
	"${program[@]}" "$PWD/vendor/lib"

# What a program opens late finds little room for its thread-local variables where others have been before.
cat >room.c <<'C'
__thread __attribute__((tls_model("initial-exec"))) char room[900];
char *get_room(void) { return room; }
C
cat >kernel.cu <<'CU'
__global__ void store(int *p) { *p = 7; }
extern "C" int launch(void)
{
	int *p, value = 0;
	cudaMalloc(&p, sizeof *p);
	store<<<1, 1>>>(p);
	cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
	cudaFree(p);
	return value;
}
CU
cat >late.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *room = dlopen("./libroom.so", RTLD_NOW), *kernel = dlopen("./libkernel.so", RTLD_NOW);
	int (*launch)(void) = kernel ? (int (*)(void))dlsym(kernel, "launch") : NULL;
	printf("%d\n", room && launch ? launch() : -1);
	return 0;
}
C
gcc -shared -fPIC room.c -o libroom.so && gcc late.c -o late -ldl
"$cudasim" cc -shared -Xcompiler -fPIC kernel.cu -o libkernel.so
unless_sanitized "whose libraries need more room" \
	expect "checkers of a library that is opened late" 0 'ERROR SUMMARY: 0 errors' "$cudasim" check ./late

# ---- ptxas -----------------------------------------------------------------------------------
cat >store.ptx <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.visible .entry store(.param .u64 p)
{
	.reg .u64 %a;
	ld.param.u64 %a, [p];
	st.global.u32 [%a], 7;
	ret;
}
PTX
sed 's/st.global.u32/frobnicate/' store.ptx >wrong.ptx
expect "nvcc and ptxas are on PATH" 0 "release $release" "$cudasim" run sh -c 'nvcc --version && ptxas --version'
expect "Triton's ptxas" 0 "release $release" "$cudasim" run sh -c '"$TRITON_PTXAS_PATH" --version'
expect "ptxas compiles" 0 '^$' "$cudasim" run ptxas -lineinfo -v --regAllocOptLevel=2 --gpu-name=sm_90a -O3 --fmad=false store.ptx -o store.cubin
expect "its product is code to load" 0 'cudasim' head -c 4096 store.cubin
expect "an error" 255 'ptxas.*wrong.ptx, line 8; error ' "$cudasim" run ptxas -arch sm_90 wrong.ptx -o wrong.cubin
expect "an unknown option" 255 "^ptxas fatal   : Unknown option '--frob'" "$cudasim" run ptxas --frob store.ptx
expect "no input" 255 '^ptxas fatal   : No input files' "$cudasim" run ptxas
finish
