; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=allow-unrolling %s | FileCheck %s
; What the front end says of every loop, that it is not to be unrolled, is gone; what else is said
; of it is not.

; ACTS-NOT: llvm.loop.unroll.disable
; LEAVES: llvm.loop.mustprogress
; ACTS-NOT: llvm.loop.unroll.disable
define void @loops(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %t, ptr %p, align 4
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %out, !llvm.loop !0
out:
  ret void
}
!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.mustprogress"}
!2 = !{!"llvm.loop.unroll.disable"}
