; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,vectorize,share-end %s | FileCheck %s
; RUN: cudasim-devcc --bodies=v4 --run-pass=retarget,intrinsics,runtime,inline,vectorize,share-end %s | FileCheck %s --check-prefix=ALONE
; Of the AVX-512 body's loops those without vectors are gone, where there is another plain body.

; LEAVES: define hidden void @__cudasim_{{[0-9]+}}_loop_has_a_loop.v4
; ACTS-NOT: _loop_straight.v4
; ALONE: _loop_straight.v4

; A loop inside of each thread, whose length differs from thread to thread.
define void @has_a_loop(ptr %p, ptr %counts) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %q = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %q, align 4
  %c = getelementptr i32, ptr %counts, i64 %i
  %n = load i32, ptr %c, align 4
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ %x, %entry ], [ %y, %loop ]
  %y = fadd float %sum, %x
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %out
out:
  store float %y, ptr %q, align 4
  ret void
}

; LLVM makes vectors of this one by itself, later.
define void @straight(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %q = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %q, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr %q, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @has_a_loop, !"kernel", i32 1}
!1 = !{ptr @straight, !"kernel", i32 1}
