; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=interchange %s | FileCheck %s
; The loop over threads goes into a grid-stride loop: its outer loop adds the stride, its inner one
; 1. Where the steps may not be as expected, a copy of the loop runs as it was. A loop that
; carries a sum from step to step stays inside.

; ACTS-LABEL: define void @strides
; ACTS: seldom
; ACTS: ret void
define void @strides(ptr %p, i32 %n, i32 %stride) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  br label %loop
loop:
  %i = phi i32 [ %t, %threads ], [ %j, %step ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %step, label %end
step:
  %w = sext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %w
  store i32 1, ptr %q, align 4
  %j = add i32 %i, %stride
  br label %loop
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %stride
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}

; LEAVES-LABEL: define void @sums
; LEAVES-NOT: seldom
; LEAVES: ret void
define void @sums(ptr %p, ptr %to, i32 %n, i32 %stride) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  br label %loop
loop:
  %i = phi i32 [ %t, %threads ], [ %j, %step ]
  %sum = phi i32 [ 0, %threads ], [ %total, %step ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %step, label %end
step:
  %w = sext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %w
  %x = load i32, ptr %q, align 4
  %total = add i32 %sum, %x
  store i32 %total, ptr %to, align 4
  %j = add i32 %i, %stride
  br label %loop
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %stride
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.parallel_accesses", !2}
!2 = distinct !{}
