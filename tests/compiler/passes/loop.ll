; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,shared,loop %s | FileCheck %s
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,shared,loop %s | FileCheck %s --check-prefixes=ASSUMES
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,shared,loop %s | FileCheck %s --check-prefixes=REMAKES
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,shared,variables,loop %s | FileCheck %s --check-prefixes=FINDS
; A kernel has a function that runs all threads of a block in loops, around a barrier in several;
; one that calls itself has none.
@tile = internal addrspace(3) global [64 x i32] undef, align 4

; ACTS-DAG: define hidden void @__cudasim_{{[0-9]+}}_loop_straight(
; ACTS-DAG: define hidden void @__cudasim_{{[0-9]+}}_loop_meets(
; LEAVES-NOT: _loop_calls_itself
define void @straight(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %t, ptr %q, align 4
  ret void
}

define void @meets(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 %t, ptr addrspace(3) %own, align 4
  call void @llvm.nvvm.barrier0()
  %j = sub i64 63, %i
  %other = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  %x = load i32, ptr addrspace(3) %other, align 4
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %x, ptr %q, align 4
  ret void
}

define void @calls_itself(ptr %p) {
  %n = call i32 @again(i32 5)
  store i32 %n, ptr %p
  ret void
}

define internal i32 @again(i32 %n) noinline {
  call void @llvm.nvvm.barrier0()
  %last = icmp eq i32 %n, 0
  br i1 %last, label %out, label %on
on:
  %m = sub i32 %n, 1
  %r = call i32 @again(i32 %m)
  ret i32 %r
out:
  ret i32 0
}
; What only other blocks than the source assumes need is left out of the loop for these.
; ASSUMES-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_assumes(
; ASSUMES: icmp ule i32 %{{[0-9]+}}, 8
; ASSUMES: icmp ugt i32 %{{[0-9]+}}, 32
; ASSUMES: br i1 %{{[0-9]+}}, label %assumed, label %other
; ASSUMES: assumed:
; ASSUMES-NOT: call
; ASSUMES: other:
; ASSUMES: call {{.*}}@__cudasim_loop_
define void @assumes(ptr %p) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 %t, ptr addrspace(3) %own, align 4
  call void @__cudasim_reconverge(ptr null), !cudasim.other-block !4
  %j = add i64 %i, 1
  %next = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  store i32 7, ptr addrspace(3) %next, align 4
  ret void
}

; Where variables are is asked again behind the barrier, and so is what constant memory holds.
; FINDS-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_scales(
; FINDS-NOT: call ptr @__cudasim_loop_frame(
; FINDS: {{^}$}}
@factors = addrspace(4) externally_initialized global [4 x i32] zeroinitializer, align 4
define void @scales(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %wide = zext i32 %b to i64
  %at = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @factors to ptr), i64 %wide
  %f = load i32, ptr %at, align 4
  %i = sext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 %f, ptr addrspace(3) %own, align 4
  call void @llvm.nvvm.barrier0()
  %j = sub i64 63, %i
  %other = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  %x = load i32, ptr addrspace(3) %other, align 4
  %y = mul i32 %x, %f
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %y, ptr %q, align 4
  %g = load i32, ptr %at, align 4
  store i32 %g, ptr %p, align 4
  ret void
}

; Whether a thread is inside of an array is asked again behind the barrier, not kept.
; REMAKES-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_guarded(
; REMAKES-NOT: call ptr @__cudasim_loop_frame(
; REMAKES: {{^}$}}
define void @guarded(ptr %p, i64 %height, i64 %width) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %tx1 = sext i32 %tx to i64
  %ty1 = sext i32 %ty to i64
  %bx1 = sext i32 %bx to i64
  %by1 = sext i32 %by to i64
  %nx1 = sext i32 %nx to i64
  %ny1 = sext i32 %ny to i64
  %x0 = mul i64 %bx1, %nx1
  %x = add i64 %x0, %tx1
  %y0 = mul i64 %by1, %ny1
  %y = add i64 %y0, %ty1
  %low = icmp slt i64 %y, %height
  %left = icmp slt i64 %x, %width
  %inside = select i1 %low, i1 %left, i1 false
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %tx1
  br i1 %inside, label %load, label %wait
load:
  store i32 %tx, ptr addrspace(3) %own, align 4
  br label %wait
wait:
  call void @llvm.nvvm.barrier0()
  br i1 %inside, label %store, label %out
store:
  %v = load i32, ptr addrspace(3) %own, align 4
  %row = mul i64 %y, %width
  %i = add i64 %row, %x
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %v, ptr %q, align 4
  br label %out
out:
  ret void
}

declare void @__cudasim_reconverge(ptr) convergent
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0() convergent
!nvvm.annotations = !{!0, !1, !2, !3, !5, !6}
!0 = !{ptr @straight, !"kernel", i32 1}
!1 = !{ptr @meets, !"kernel", i32 1}
!2 = !{ptr @calls_itself, !"kernel", i32 1}
!3 = !{ptr @assumes, !"kernel", i32 1}
!4 = !{}
!5 = !{ptr @guarded, !"kernel", i32 1}
!6 = !{ptr @scales, !"kernel", i32 1}
attributes #0 = { "cudasim-assumed-block"="8,0,warps" }
