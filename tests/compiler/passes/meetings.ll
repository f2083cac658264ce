; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,meetings %s | FileCheck %s
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,meetings %s | FileCheck %s --check-prefixes=ASSUMES
; A load of what another lane has stored in shared memory is marked; not that of a thread that comes
; back to its own place, nor one that a barrier keeps in order.
@tile = internal addrspace(3) global [64 x i32] undef, align 4

; ACTS-LABEL: define void @passes_on
; ACTS: store i32
; ACTS: load i32, ptr addrspace(3) {{.*}}!cudasim.meet
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
; LEAVES-NOT: !cudasim.meet
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
; LEAVES-NOT: !cudasim.meet
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
; What one column stores where the next one has stored needs a meeting in blocks that have a next one, by
; the number that is compared with: marks say whether in any block, in which order, and whether in blocks of
; that size.
; ASSUMES-LABEL: define void @border
; ASSUMES-SAME: #[[BLOCK:[0-9]+]]
; ASSUMES: store volatile i32 7, {{.*}} !cudasim.meet ![[MARK:[0-9]+]]
; ASSUMES-LABEL: define void @step
; ASSUMES-SAME: #[[WARPS:[0-9]+]]
; ASSUMES: store i32 %x, {{.*}} !cudasim.meet ![[OTHER:[0-9]+]]
; ASSUMES-DAG: attributes #[[BLOCK]] = {{.*}}"cudasim-assumed-block"="8,0,warps"
; ASSUMES-DAG: attributes #[[WARPS]] = {{.*}}"cudasim-assumed-block"="0,0,warps"
; ASSUMES-DAG: ![[MARK]] = !{i32 1, i32 {{[0-9]+}}, i32 0}
; ASSUMES-DAG: ![[OTHER]] = !{i32 1, i32 {{[0-9]+}}, i32 0}
define void @border() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store volatile i32 %t, ptr addrspace(3) %own, align 4
  %is = icmp eq i32 %t, 7
  br i1 %is, label %last, label %out
last:
  %j = add i64 %i, 1
  %next = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  store volatile i32 7, ptr addrspace(3) %next, align 4
  br label %out
out:
  ret void
}

; What other lanes have loaded is overwritten between two barriers: a block of several warps has to be
; apart there anyway.
define void @step(i32 %d) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  %n = xor i32 %t, %d
  %j = zext i32 %n to i64
  %other = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  %x = load i32, ptr addrspace(3) %other, align 4
  store i32 %x, ptr addrspace(3) %own, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0() convergent
!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @passes_on, !"kernel", i32 1}
!1 = !{ptr @keeps, !"kernel", i32 1}
!2 = !{ptr @has_a_barrier, !"kernel", i32 1}
!3 = !{ptr @border, !"kernel", i32 1}
!4 = !{ptr @step, !"kernel", i32 1}
