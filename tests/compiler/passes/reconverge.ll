; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,meetings,reconverge %s | FileCheck %s --check-prefixes=ACTS,LEAVES,ORDER
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,meetings,reconverge %s | FileCheck %s --check-prefixes=LIMITS
; Lanes that load what another lane stored in shared memory meet before; a thread that comes
; back to its own place does not, nor do threads that a barrier keeps in order.
@tile = internal addrspace(3) global [64 x i32] undef, align 4
@row = internal addrspace(3) global [64 x i32] undef, align 4

; ACTS-LABEL: define void @passes_on
; ACTS: store i32
; ACTS: call void @__cudasim_reconverge(
; ACTS: load i32, ptr addrspace(3)
define void @passes_on(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 %t, ptr addrspace(3) %own, align 4
  %j = add i64 %i, 1
  %next = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  %x = load i32, ptr addrspace(3) %next, align 4
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %x, ptr %q, align 4
  ret void
}

; LEAVES-LABEL: define void @keeps
; LEAVES-NOT: @__cudasim_reconverge
; LEAVES: ret void
define void @keeps(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 %t, ptr addrspace(3) %own, align 4
  %x = load i32, ptr addrspace(3) %own, align 4
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %x, ptr %q, align 4
  ret void
}

; LEAVES-LABEL: define void @has_a_barrier
; LEAVES-NOT: @__cudasim_reconverge
; LEAVES: ret void
define void @has_a_barrier(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 %t, ptr addrspace(3) %own, align 4
  call void @llvm.nvvm.barrier0()
  %j = add i64 %i, 1
  %next = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  %x = load i32, ptr addrspace(3) %next, align 4
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %x, ptr %q, align 4
  ret void
}

; The order of places in the table is that in which a warp comes to them: those of a function that is
; called come before the one behind the call.
; ORDER-LABEL: define void @behind_a_call
; ORDER: call void @sum(
; ORDER: call void @__cudasim_reconverge(ptr getelementptr {{.*}}sites, i64 96))
define void @behind_a_call(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 %t, ptr addrspace(3) %own, align 4
  call void @sum(i64 %i)
  %x = load i32, ptr addrspace(3) @tile, align 4
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %x, ptr %q, align 4
  ret void
}
; ORDER-LABEL: define internal void @sum
; ORDER: call void @__cudasim_reconverge(ptr getelementptr {{.*}}sites, i64 48))
; ORDER: call void @__cudasim_reconverge(ptr getelementptr {{.*}}sites, i64 72))
define void @sum(i64 %i) {
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  %j = add i64 %i, 1
  %next = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  %x = load i32, ptr addrspace(3) %next, align 4
  store i32 %x, ptr addrspace(3) %own, align 4
  ret void
}
; A meeting that blocks of 8 threads do not need says so.
; LIMITS-LABEL: define void @border
; LIMITS: call void @__cudasim_reconverge({{.*}}), !cudasim.other-block
define void @border() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @row, i64 %i
  store i32 %t, ptr addrspace(3) %own, align 4
  %is = icmp eq i32 %t, 7
  br i1 %is, label %last, label %out
last:
  %j = add i64 %i, 1
  %next = getelementptr i32, ptr addrspace(3) @row, i64 %j
  store i32 7, ptr addrspace(3) %next, align 4
  br label %out
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0() convergent
!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @passes_on, !"kernel", i32 1}
!1 = !{ptr @keeps, !"kernel", i32 1}
!2 = !{ptr @has_a_barrier, !"kernel", i32 1}
!3 = !{ptr @behind_a_call, !"kernel", i32 1}
!4 = !{ptr @border, !"kernel", i32 1}
