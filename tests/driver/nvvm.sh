#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# NVVM IR, text and bitcode, as code that programs load. Results are worked out by hand.
. "$(dirname "$(realpath "$0")")/lib.sh"

head='target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"'
version='!nvvmir.version = !{!900}
!900 = !{i32 2, i32 0, i32 3, i32 1}'

# ll FILE: module of what comes on stdin
ll() { { printf '%s\n' "$head"; cat; printf '%s\n' "$version"; } >"$1"; }

# The kernel K gets the address of 64 words that hold 3 i + 1, in one block of N threads; the
# first M words are printed.
cat >run.cu <<'CU'
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
int main(int, char **argv)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction kernel;
	CUdeviceptr p;
	int words[64], n = atoi(argv[3]), m = atoi(argv[4]);
	for (int i = 0; i < 64; i++)
		words[i] = 3 * i + 1;
	cuInit(0);
	cuDeviceGet(&device, 0);
	cuDevicePrimaryCtxRetain(&context, device);
	cuCtxSetCurrent(context);
	int loaded = cuModuleLoad(&module, argv[1]), found = loaded ? -1 : cuModuleGetFunction(&kernel, module, argv[2]);
	if (loaded || found) {
		printf("load %d, function %d\n", loaded, found);
		return 0;
	}
	cuMemAlloc(&p, sizeof words);
	cuMemcpyHtoD(p, words, sizeof words);
	void *parameters[] = {&p};
	int launched = cuLaunchKernel(kernel, 1, 1, 1, n, 1, 1, 0, nullptr, parameters, nullptr);
	int ended = cuCtxSynchronize();
	cuMemcpyDtoH(words, p, sizeof words);
	printf("%d %d:", launched, ended);
	for (int i = 0; i < m; i++)
		printf(" %d", words[i]);
	printf("\n");
	CUdeviceptr variable;
	size_t size;
	if (argv[5] && !cuModuleGetGlobal(&variable, &size, module, argv[5])) {
		cuMemcpyDtoH(words, variable, 4);
		printf("%s: %zu bytes, %d\n", argv[5], size, words[0]);
	}
}
CU
"$cudasim" cc run.cu -o run -lcuda

# ---- typed pointers -------------------------------------------------------------------------

ll typed.ll <<'LL'
%pair = type { i32, i32* }
@count = addrspace(1) global i32 7
@table = internal addrspace(4) constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
@tile = internal addrspace(3) global [32 x i32] undef
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
define internal void @set(%pair* byval(%pair) %p, i32 %v) {
  %a = getelementptr inbounds %pair, %pair* %p, i64 0, i32 1
  %q = load i32*, i32** %a
  %b = getelementptr inbounds %pair, %pair* %p, i64 0, i32 0
  %i = load i32, i32* %b
  %t = getelementptr inbounds i32, i32* %q, i32 %i
  store i32 %v, i32* %t
  ret void
}
; Word i becomes table[i % 4] + words[31 - i] + count.
define void @k(i32* %words) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = getelementptr inbounds i32, i32* %words, i32 %i
  %x = load i32, i32* %w, align 4
  %s = getelementptr inbounds [32 x i32], [32 x i32] addrspace(3)* @tile, i32 0, i32 %i
  store i32 %x, i32 addrspace(3)* %s
  call void @llvm.nvvm.barrier0()
  %j = sub i32 31, %i
  %r = getelementptr inbounds [32 x i32], [32 x i32]* addrspacecast ([32 x i32] addrspace(3)* @tile to [32 x i32]*), i32 0, i32 %j
  %y = load i32, i32* %r
  %m = and i32 %i, 3
  %c = getelementptr inbounds [4 x i32], [4 x i32] addrspace(4)* @table, i32 0, i32 %m
  %z = load i32, i32 addrspace(4)* %c
  %n = load i32, i32 addrspace(1)* @count
  %u = add i32 %y, %z
  %v = add i32 %u, %n
  %pair = alloca %pair
  %p0 = getelementptr inbounds %pair, %pair* %pair, i64 0, i32 0
  store i32 %i, i32* %p0
  %p1 = getelementptr inbounds %pair, %pair* %pair, i64 0, i32 1
  store i32* %words, i32** %p1
  call void @set(%pair* byval(%pair) %pair, i32 %v)
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
@llvm.used = appending global [1 x i8*] [i8* bitcast (void (i32*)* @k to i8*)], section "llvm.metadata"
LL
# 94 - 3 i + 10 (i % 4 + 1) + 7
for form in ptx cubin fatbin; do
	expect "text makes a $form" 0 '^$' "$cudasim" cc -$form -arch=compute_90a typed.ll
	expect "a program runs typed.$form" 0 '^0 0: 111 118 125 132 99 106$' ./run typed.$form k 32 6
done
expect "and finds its variables" 0 '^count: 4 bytes, 7$' ./run typed.ptx k 32 6 count
# LLVM 22 names an empty section in any case.
expect "it has no debug information" 1 '^$' grep -E 'debug_(info|line|abbrev|str)' typed.ptx
expect "without optimisation" 0 '^$' "$cudasim" cc -ptx -G -o debug.ptx typed.ll
expect "as well" 0 '^0 0: 111 118 125 132$' ./run debug.ptx k 32 4

ll opaque.ll <<'LL'
define ptx_kernel void @k(ptr %p) {
  %x = load i32, ptr %p
  %y = mul i32 %x, 11
  store i32 %y, ptr %p
  ret void
}
LL
"llvm-as-$llvm" -o opaque.bc opaque.ll
cp opaque.bc content.ll
expect "the content decides what is bitcode" 0 '^$' "$cudasim" cc -ptx content.ll
expect "ptx_kernel is a kernel" 0 '^0 0: 11 4$' ./run content.ptx k 1 2

# Bounds of a launch in the PTX, as the PTX manual spells them.
ll bounds.ll <<'LL'
define void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @k, !"maxntidx", i32 128}
!2 = !{ptr @k, !"minctasm", i32 2}
!3 = !{ptr @k, !"cluster_max_blocks", i32 4}
LL
expect "bounds of a launch" 0 '^$' "$cudasim" cc -ptx bounds.ll
expect "are directives" 0 'maxntid 128.*minnctapersm 2.*maxclusterrank 4 ' tr '\n' ' ' <bounds.ptx
expect "of a kernel that runs" 0 '^0 0: 1$' ./run bounds.ptx k 1 1

# ---- several modules ------------------------------------------------------------------------

ll main.ll <<'LL'
declare i32 @twice(i32)
declare float @__nv_sqrtf(float)
define void @k(i32* %p) {
  %x = load i32, i32* %p
  %y = call i32 @twice(i32 %x)
  %f = sitofp i32 %y to float
  %g = fmul float %f, 8.0
  %r = call float @__nv_sqrtf(float %g)
  %z = fptosi float %r to i32
  store i32 %z, i32* %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
LL
ll other.ll <<'LL'
define i32 @twice(i32 %x) {
  %y = shl i32 %x, 1
  ret i32 %y
}
define i32 @unused(i32 %x) {
  %y = call i32 @missing(i32 %x)
  ret i32 %y
}
declare i32 @missing(i32)
LL
"llvm-as-$llvm" -o other.bc other.ll
expect "a lazy module is linked as needed" 0 '^$' "$cudasim" cc -ptx --lazy-module=other.bc main.ll
# sqrt(2 * 8)
expect "with the rest and libdevice" 0 '^0 0: 4$' ./run main.ptx k 1 1
expect "what is not needed is left out" 1 '^$' grep -E 'unused|missing' main.ptx
expect "a module that lacks something" 0 '^$' "$cudasim" cc -ptx main.ll -o part.ptx
expect "is PTX alone" 1 '^$' grep '^//cudasim' part.ptx
expect "which names it" 0 '\.extern \.func .* twice' tr '\n' ' ' <part.ptx
expect "a function for others" 0 '^$' "$cudasim" cc -ptx -o functions.ptx typed.ll other.ll
expect "stays visible" 0 '^\.visible \.func .* twice\(' cat functions.ptx

sed '/unused/,$d' other.ll >half.ll
printf '%s\n' "$version" >>half.ll
expect "a part to be linked" 0 '^$' "$cudasim" cc -ltoir main.ll
expect "another one" 0 '^$' "$cudasim" cc -ltoir half.ll
expect "are linked" 0 '^$' "$cudasim" cc -ptx -dlink -o linked.ptx main.ltoir half.ltoir
expect "and run" 0 '^0 0: 4$' ./run linked.ptx k 1 1

# ---- intrinsics of NVVM IR ------------------------------------------------------------------

ll warp.ll <<'LL'
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.vote.sync(i32, i32, i1)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i32(i32, i32)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i64(i32, i64)
declare void @llvm.nvvm.membar(i32)
declare void @llvm.nvvm.membar.gl()
declare i32 @llvm.nvvm.barrier0.popc(i32)
declare i32 @llvm.nvvm.barrier0.and(i32)
declare i32 @llvm.nvvm.barrier0.or(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare float @llvm.nvvm.atomic.load.add.f32.p0f32(float*, float)
declare i32 @llvm.nvvm.atomic.load.inc.32.p0i32(i32*, i32)
declare i32 @llvm.nvvm.atomic.load.dec.32.p0i32(i32*, i32)
define internal void @put(i32* %p, i32 %n, i32 %v) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp eq i32 %i, 5
  br i1 %is, label %yes, label %no
yes:
  %q = getelementptr i32, i32* %p, i32 %n
  store i32 %v, i32* %q
  br label %no
no:
  ret void
}
; What lane 5 of 32 gets.
define void @k(i32* %p) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = mul i32 %i, 10
  %s0 = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, i32 0, i32 %v, i32 7, i32 31)
  %s0v = extractvalue { i32, i1 } %s0, 0
  call void @put(i32* %p, i32 0, i32 %s0v)
  %s1 = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, i32 1, i32 %v, i32 3, i32 0)
  %s1v = extractvalue { i32, i1 } %s1, 0
  call void @put(i32* %p, i32 1, i32 %s1v)
  %s2 = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, i32 2, i32 %v, i32 30, i32 31)
  %s2v = extractvalue { i32, i1 } %s2, 0
  %s2p = extractvalue { i32, i1 } %s2, 1
  %s2i = zext i1 %s2p to i32
  %s2s = add i32 %s2v, %s2i
  call void @put(i32* %p, i32 2, i32 %s2s)
  %s3 = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, i32 3, i32 %v, i32 1, i32 31)
  %s3v = extractvalue { i32, i1 } %s3, 0
  %s3p = extractvalue { i32, i1 } %s3, 1
  %s3i = zext i1 %s3p to i32
  %s3s = add i32 %s3v, %s3i
  call void @put(i32* %p, i32 3, i32 %s3s)
  %low = icmp ult i32 %i, 4
  %any = icmp ult i32 %i, 40
  %b = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 3, i1 %low)
  %bv = extractvalue { i32, i1 } %b, 0
  call void @put(i32* %p, i32 4, i32 %bv)
  %a0 = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 0, i1 %any)
  %a0p = extractvalue { i32, i1 } %a0, 1
  %a0i = zext i1 %a0p to i32
  %a1 = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 1, i1 %low)
  %a1p = extractvalue { i32, i1 } %a1, 1
  %a1i = zext i1 %a1p to i32
  %a2 = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 2, i1 %low)
  %a2p = extractvalue { i32, i1 } %a2, 1
  %a2i = zext i1 %a2p to i32
  %a01 = shl i32 %a0i, 2
  %a11 = shl i32 %a1i, 1
  %a3 = or i32 %a01, %a11
  %a = or i32 %a3, %a2i
  call void @put(i32* %p, i32 5, i32 %a)
  %half = lshr i32 %i, 2
  %m0 = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %half)
  call void @put(i32* %p, i32 6, i32 %m0)
  %wide = zext i32 %half to i64
  %m1 = call i32 @llvm.nvvm.match.any.sync.i64(i32 -1, i64 %wide)
  call void @put(i32* %p, i32 7, i32 %m1)
  %m2 = call { i32, i1 } @llvm.nvvm.match.all.sync.i32(i32 -1, i32 9)
  %m2v = extractvalue { i32, i1 } %m2, 0
  %m2p = extractvalue { i32, i1 } %m2, 1
  %m2i = zext i1 %m2p to i32
  %m2s = add i32 %m2v, %m2i
  call void @put(i32* %p, i32 8, i32 %m2s)
  %m3 = call { i32, i1 } @llvm.nvvm.match.all.sync.i64(i32 -1, i64 %wide)
  %m3v = extractvalue { i32, i1 } %m3, 0
  %m3p = extractvalue { i32, i1 } %m3, 1
  %m3i = zext i1 %m3p to i32
  %m3s = add i32 %m3v, %m3i
  call void @put(i32* %p, i32 9, i32 %m3s)
  call void @llvm.nvvm.membar(i32 0)
  call void @llvm.nvvm.membar(i32 1)
  call void @llvm.nvvm.membar(i32 2)
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %lowi = zext i1 %low to i32
  %p0 = call i32 @llvm.nvvm.barrier0.popc(i32 %lowi)
  call void @put(i32* %p, i32 10, i32 %p0)
  %p1 = call i32 @llvm.nvvm.barrier0.and(i32 %lowi)
  %p2 = call i32 @llvm.nvvm.barrier0.or(i32 %lowi)
  %p1n = icmp ne i32 %p1, 0
  %p2n = icmp ne i32 %p2, 0
  %p1i = zext i1 %p1n to i32
  %p2i = zext i1 %p2n to i32
  %p1s = shl i32 %p1i, 1
  %p3 = or i32 %p1s, %p2i
  call void @put(i32* %p, i32 11, i32 %p3)
  %c0 = getelementptr i32, i32* %p, i32 40
  %o0 = call i32 @llvm.nvvm.atomic.load.inc.32.p0i32(i32* %c0, i32 200)
  %c1 = getelementptr i32, i32* %p, i32 41
  %o1 = call i32 @llvm.nvvm.atomic.load.dec.32.p0i32(i32* %c1, i32 200)
  %f = bitcast i32* %p to float*
  %c2 = getelementptr float, float* %f, i32 42
  %is0 = icmp eq i32 %i, 0
  br i1 %is0, label %first, label %rest
first:
  store float 0.5, float* %c2
  br label %rest
rest:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %o2 = call float @llvm.nvvm.atomic.load.add.f32.p0f32(float* %c2, float 1.0)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %x0 = load i32, i32* %c0
  call void @put(i32* %p, i32 12, i32 %x0)
  %x1 = load i32, i32* %c1
  call void @put(i32* %p, i32 13, i32 %x1)
  %x2 = load float, float* %c2
  %x3 = fmul float %x2, 2.0
  %x4 = fptosi float %x3 to i32
  call void @put(i32* %p, i32 14, i32 %x4)
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
LL
expect "NVVM IR's intrinsics" 0 '^$' "$cudasim" cc -ptx warp.ll
# Lane 7's 70; lane 2's 20; no lane 35, so the own 50; lane 4's 40 and true; lanes 0 to 3; all of
# them, some, not uniform; lanes 4 to 7, twice; all, -1 and true; not all; 4; not all but some;
# 121 + 32; 124 - 32; (0.5 + 32) * 2
expect "do what the specification says" 0 \
	'^0 0: 70 20 50 41 15 6 240 240 0 0 4 1 153 92 65$' ./run warp.ptx k 32 15

# Its modes as Numba 0.61 has them, in a function that gets them; 0 and 3 of those above.
ll modes.ll <<'LL'
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.vote.sync(i32, i32, i1)
define { i32, i1 } @any(i32 %mask, i32 %mode, i32 %a, i32 %b, i32 %c) noinline {
  %r = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 %mask, i32 %mode, i32 %a, i32 %b, i32 %c)
  ret { i32, i1 } %r
}
define { i32, i1 } @vote(i32 %mask, i32 %mode, i1 %p) {
  %r = call { i32, i1 } @llvm.nvvm.vote.sync(i32 %mask, i32 %mode, i1 %p)
  ret { i32, i1 } %r
}
define void @k(i32* %p) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = mul i32 %i, 10
  %r0 = call { i32, i1 } @any(i32 -1, i32 0, i32 %v, i32 7, i32 31)
  %x0 = extractvalue { i32, i1 } %r0, 0
  %r3 = call { i32, i1 } @any(i32 -1, i32 3, i32 %v, i32 1, i32 31)
  %x3 = extractvalue { i32, i1 } %r3, 0
  %low = icmp ult i32 %i, 4
  %b = call { i32, i1 } @vote(i32 -1, i32 3, i1 %low)
  %y = extractvalue { i32, i1 } %b, 0
  %s0 = mul i32 %x0, 10000
  %s1 = mul i32 %y, 100
  %s2 = add i32 %s0, %s1
  %s3 = add i32 %s2, %x3
  %q = getelementptr i32, i32* %p, i32 %i
  store i32 %s3, i32* %q
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
LL
expect "modes that are no constants" 0 '^$' "$cudasim" cc -ptx modes.ll
expect "are chosen when it runs" 0 '^0 0: 701510 701500 701530 701520$' ./run modes.ptx k 32 4

# All of A is 1, of B 2, of C 0.5: each sum is 32.5.
operands() { local i; for i in {0..7}; do printf ', %s %s%d' "$1" "$2" "$i"; done; }
fragment() {
	local i
	for i in {0..7}; do echo "  %$1$i = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %$1, $i"; done
}
eight='{ i32, i32, i32, i32, i32, i32, i32, i32 }'
floats='{ float, float, float, float, float, float, float, float }'
ll matrix.ll <<LL
@a = addrspace(1) global [128 x i32] [$(printf 'i32 1006648320, %.0s' {1..127})i32 1006648320]
@b = addrspace(1) global [128 x i32] [$(printf 'i32 1073758208, %.0s' {1..127})i32 1073758208]
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare $eight @llvm.nvvm.hmma.m16n16k16.ld.a.p1i32(i32 addrspace(1)*, i32, i32)
declare $eight @llvm.nvvm.hmma.m16n16k16.ld.b.p1i32(i32 addrspace(1)*, i32, i32)
declare $floats @llvm.nvvm.hmma.m16n16k16.mma.f32.f32(i32, i32$(operands i32 %a)$(operands i32 %b)$(operands float %c))
define void @k(i32* %p) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = call $eight @llvm.nvvm.hmma.m16n16k16.ld.a.p1i32(i32 addrspace(1)* getelementptr inbounds ([128 x i32], [128 x i32] addrspace(1)* @a, i64 0, i64 0), i32 16, i32 0)
  %b = call $eight @llvm.nvvm.hmma.m16n16k16.ld.b.p1i32(i32 addrspace(1)* getelementptr inbounds ([128 x i32], [128 x i32] addrspace(1)* @b, i64 0, i64 0), i32 16, i32 1)
$(fragment a)
$(fragment b)
  %d = call $floats @llvm.nvvm.hmma.m16n16k16.mma.f32.f32(i32 1, i32 0$(operands i32 %a)$(operands i32 %b)$(printf ', float 0.5%.0s' {1..8}))
  %x = extractvalue $floats %d, 3
  %y = fmul float %x, 2.0
  %z = fptosi float %y to i32
  %q = getelementptr i32, i32* %p, i32 %i
  store i32 %z, i32* %q
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
LL
expect "NVVM IR's matrix operations" 0 '^$' "$cudasim" cc -ptx matrix.ll
expect "multiply" 0 '^0 0: 65 65 65 65 65$' ./run matrix.ptx k 32 5

# Without debug information, the two ways are different places all the same.
ll masks.ll <<'LL'
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @k(i32* %p) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, i32* %p, i32 %i
  %o = and i32 %i, 1
  %odd = icmp eq i32 %o, 1
  br i1 %odd, label %yes, label %no
yes:
  %x = call i32 asm sideeffect "activemask.b32 $0;", "=r"()
  store i32 %x, i32* %q
  br label %end
no:
  %y = call i32 asm sideeffect "activemask.b32 $0;", "=r"()
  store i32 %y, i32* %q
  br label %end
end:
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
LL
expect "two ways of a branch" 0 '^$' "$cudasim" cc -ptx masks.ll
expect "have masks of their own" 0 '^0 0: 85 170 85 170$' ./run masks.ptx k 8 4

# Each thread of 8 reads the word of another one, which writes it.
ll race.ll <<'LL'
@s = internal addrspace(3) global [8 x i32] undef
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @k(i32* %p) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr [8 x i32], [8 x i32] addrspace(3)* @s, i32 0, i32 %i
  store i32 %i, i32 addrspace(3)* %a
  %j = sub i32 7, %i
  %b = getelementptr [8 x i32], [8 x i32] addrspace(3)* @s, i32 0, i32 %j
  %x = load i32, i32 addrspace(3)* %b
  %q = getelementptr i32, i32* %p, i32 %i
  store i32 %x, i32* %q
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
LL
expect "checkers see code without debug information" 0 '^$' "$cudasim" cc -ptx race.ll
expect "and say where without a line" 3 '^=========     (Write|Read).* at k in \?\?:0$' "$cudasim" check --tool racecheck \
	--error-exitcode 3 ./run race.ptx k 8 1

# Two blocks; each thread takes ten times the word of the other block's thread behind the barrier.
ll groups.ll <<'LL'
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i64 @cudaCGGetIntrinsicHandle(i32)
declare i32 @cudaCGSynchronize(i64, i32)
define void @k(i32* %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %o = shl i32 %b, 3
  %i = add i32 %o, %t
  %w = getelementptr i32, i32* %p, i32 %i
  store i32 %i, i32* %w
  %g = call i64 @cudaCGGetIntrinsicHandle(i32 1)
  %r = call i32 @cudaCGSynchronize(i64 %g, i32 0)
  %j = xor i32 %i, 8
  %q = getelementptr i32, i32* %p, i32 %j
  %x = load i32, i32* %q
  %s = call i32 @cudaCGSynchronize(i64 %g, i32 0)
  %y = mul i32 %x, 10
  %z = add i32 %y, %r
  store i32 %z, i32* %w
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
LL
sed 's/int launched = .*/int launched = cuLaunchCooperativeKernel(kernel, 2, 1, 1, 8, 1, 1, 0, nullptr, parameters);/' run.cu >together.cu
"$cudasim" cc together.cu -o together -lcuda
expect "a grid's barrier by name" 0 '^$' "$cudasim" cc -ptx groups.ll
expect "waits for all blocks" 0 '^0 0: 80 90 100 110 120 130 140 150 0 10 20$' ./together groups.ptx k 8 11
expect "another launch has no handle" 0 '^0 0: 251 281$' ./run groups.ptx k 2 2
expect "Numba finds it in the PTX" 0 'cudaCGGetIntrinsicHandle' cat groups.ptx

for call in \
	'void @llvm.nvvm.foo.bar(i32 1)|intrinsic llvm\.nvvm\.foo\.bar is not supported' \
	'void @llvm.nvvm.membar(i32 3)|the level 3 is reserved' \
	'void @llvm.nvvm.cluster.barrier(i32 17)|the flags 0x11 are reserved' \
	'void @llvm.nvvm.vote.sync(i32 1)|intrinsic llvm\.nvvm\.vote\.sync has an incorrect type'; do
	name=${call%%|*}
	ll wrong.ll <<LL
declare ${name%(*}(i32)
define void @k(i32* %p) {
  call $name
  ret void
}
LL
	expect "refused: $name" 1 "${call#*|}" "$cudasim" cc -ptx wrong.ll
done

# ---- debug information ----------------------------------------------------------------------
# As Numba writes it: DWARF 4, values of variables, locals behind the first instruction.
cat >lines.py <<'PY'
def k(p):
    i = threadIdx.x

    y = p[i] * 3
    p[i] = y
PY
ll lines.ll <<'LL'
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.declare(metadata, metadata, metadata)
define void @k(i32* %p) !dbg !10 {
entry:
  %keep = alloca i32*
  store i32* %p, i32** %keep, !dbg !21
  call void @llvm.dbg.declare(metadata i32** %keep, metadata !16, metadata !DIExpression()), !dbg !21
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !20
  call void @llvm.dbg.value(metadata i32 %i, metadata !15, metadata !DIExpression()), !dbg !20
  %w = getelementptr inbounds i32, i32* %p, i32 %i, !dbg !22
  %late = alloca i32*
  store i32* %w, i32** %late, !dbg !22
  call void @llvm.dbg.declare(metadata i32** %late, metadata !18, metadata !DIExpression()), !dbg !22
  %x = load i32, i32* %w, !dbg !22
  %y = mul i32 %x, 3, !dbg !22
  call void @llvm.dbg.value(metadata i32 %y, metadata !17, metadata !DIExpression()), !dbg !22
  store i32 %y, i32* %w, !dbg !23
  ret void, !dbg !23
}
!nvvm.annotations = !{!0}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3, !4}
!0 = !{void (i32*)* @k, !"kernel", i32 1}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, producer: "by hand", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!2 = !DIFile(filename: "lines.py", directory: ".")
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DISubprogram(name: "k", linkageName: "k", scope: !2, file: !2, line: 1, type: !11, isLocal: false, isDefinition: true, scopeLine: 1, isOptimized: true, unit: !1)
!11 = !DISubroutineType(types: !12)
!12 = !{null, !14}
!13 = !DIBasicType(name: "int32", size: 32, encoding: DW_ATE_signed)
!14 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13, size: 64)
!15 = !DILocalVariable(name: "i", scope: !10, file: !2, line: 2, type: !13)
!16 = !DILocalVariable(name: "p", arg: 1, scope: !10, file: !2, line: 1, type: !14)
!17 = !DILocalVariable(name: "y", scope: !10, file: !2, line: 4, type: !13)
!18 = !DILocalVariable(name: "place", scope: !10, file: !2, line: 4, type: !14)
!20 = !DILocation(line: 2, column: 1, scope: !10)
!21 = !DILocation(line: 1, column: 1, scope: !10)
!22 = !DILocation(line: 4, column: 1, scope: !10)
!23 = !DILocation(line: 5, column: 1, scope: !10)
LL
# debug NAME REGEX COMMAND...: at line 5 of thread 6, whose word is 19.
debug() {
	local commands=() command
	for command in 'set breakpoint pending on' 'break lines.py:5' run 'cuda thread 6' "${@:3}" kill; do
		commands+=(-ex "$command")
	done
	expect "$1" 0 "$2" "$cudasim" debug -batch "${commands[@]}" ./run lines.ptx k 32 8
}
expect "debug information is read" 0 '^$' "$cudasim" cc -ptx -G lines.ll
expect "and changes nothing" 0 '^0 0: 3 12 21 30$' ./run lines.ptx k 32 4
# As libNVVM 13.0, whose -g decides nothing: what PTX has is up to the compile unit.
for kind in FullDebug:1 LineTablesOnly:1 DebugDirectivesOnly:0; do
	sed "s/FullDebug/${kind%:*}/" lines.ll >kind.ll
	for option in '' -G -lineinfo; do
		"$cudasim" cc -ptx $option kind.ll
		expect "PTX of ${kind%:*}${option:+ with $option}" 0 "^${kind#*:} [1-9]" \
			sh -c 'echo $(grep -c "section.*debug_info" kind.ptx) $(grep -c "[.]loc" kind.ptx)'
	done
done
debug "a breakpoint on a line of another language" 'hit Breakpoint 1, k.* at lines\.py:5' bt
debug "a value that is still there" '^y = 57$' 'info locals'
debug "one whose last use was before" '^\$1 = 6$' 'print i'
debug "a parameter" '^\$1 = 19$' 'print p[i]'
debug "a local behind other instructions" '^\$1 = 19$' 'print *place'
sed -i 's/emissionKind: FullDebug/emissionKind: DebugDirectivesOnly/' lines.ll
expect "lines alone" 0 '^$' "$cudasim" cc -ptx -lineinfo lines.ll
debug "are places as well" 'hit Breakpoint 1, k.* at lines\.py:5' bt

# ---- the oldest dialect ---------------------------------------------------------------------

cat >first.ll <<LL
$head
define internal i32 @next(i32* %p) {
  %q = getelementptr inbounds i32* %p, i64 1
  %x = load i32* %q, align 4
  ret i32 %x
}
define void @k(i32* %p) {
  %x = call i32 (i32*)* @next(i32* %p), !dbg !4
  %old = cmpxchg i32* %p, i32 1, i32 %x seq_cst
  %y = add i32 %old, %x
  %q = getelementptr inbounds i32* %p, i64 2
  store i32 %y, i32* %q
  ret void
}
!nvvm.annotations = !{!0}
!0 = metadata !{void (i32*)* @k, metadata !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = metadata !{i32 1, i32 2}
!4 = metadata !{i32 1, i32 0, metadata !0, null}
LL
expect "text of LLVM 3.4" 0 'debug information of this old form is left out' "$cudasim" cc -ptx first.ll
# Word 0 is 1 and becomes 4, word 2 becomes 1 + 4.
expect "runs" 0 '^0 0: 4 4 5 10$' ./run first.ptx k 1 4

# ---- what is wrong --------------------------------------------------------------------------

ll wrong.ll <<'LL'
define void @k(i32* %p) {
  %x = load i32, i32* %p
  %y = add i64 %x, 1
  ret void
}
LL
expect "an error names the place in the original" 1 \
	"^wrong\.ll:5:16: error: '%x' defined with type 'i32' but expected 'i64'$" "$cudasim" cc -ptx wrong.ll
grep -v '^!' typed.ll >wrong.ll
expect "a module has a version" 1 '^wrong\.ll: error: incompatible IR detected' "$cudasim" cc -ptx wrong.ll
sed 's/^!900 = .*/!900 = !{i32 4, i32 0}/' typed.ll >wrong.ll
expect "that is known" 1 '^IR version 4\.0 incompatible' "$cudasim" cc -ptx wrong.ll
sed '/^target triple/d' typed.ll >wrong.ll
expect "and a triple" 1 'Module does not contain a triple' "$cudasim" cc -ptx wrong.ll
sed '/^target datalayout/d' typed.ll >wrong.ll
expect "and a data layout" 1 'Data Layout string is empty' "$cudasim" cc -ptx wrong.ll
expect "a function is defined once" 1 "link error: error: Linking globals named 'twice': symbol multiply defined!" \
	"$cudasim" cc -ptx -o x.ptx main.ll other.ll other.bc
head -c 40 other.bc >damaged.bc
expect "damaged bitcode" 1 '^damaged\.bc: error: not LLVM bitcode' "$cudasim" cc -ptx damaged.bc
expect "NVVM IR makes images only" 1 'NVVM IR is compiled with -ptx, -cubin, -fatbin or -ltoir' "$cudasim" cc -c main.ll
expect "and is not mixed" 1 'NVVM IR \(\.ll, \.bc\) is compiled with other NVVM IR only' \
	"$cudasim" cc -ptx main.ll run.cu
expect "--lazy-module is for it" 1 'is for NVVM IR' "$cudasim" cc -ptx --lazy-module=other.bc run.cu
expect "a check writes nothing" 0 '^$' "$cudasim" cc -ptx -fdevice-syntax-only typed.ll -o none.ptx
expect "at all" fail . ls none.ptx
ll wrong.ll <<'LL'
define void @k(i32* %p) {
  fence seq_cst
  ret void
}
LL
expect "and is stricter" 1 'Illegal instruction: fence' "$cudasim" cc -ptx -fdevice-syntax-only wrong.ll
export CUDASIM_CACHE=$scratch/cache
for name in one two; do
	mkdir $name
	cp main.ll other.bc $name
	(cd $name && "$cudasim" cc -v -ptx --lazy-module=other.bc main.ll) >$name.log 2>&1
done
expect "the cache knows it by its content" 0 'cache: main\.ll: reused' cat two.log
"llvm-as-$llvm" -o two/other.bc <(sed 's/shl i32 %x, 1/shl i32 %x, 3/' other.ll)
cd two || exit 1
expect "and by the lazy modules'" 0 'cache: main\.ll: stored' "$cudasim" cc -v -ptx --lazy-module=other.bc main.ll
finish
