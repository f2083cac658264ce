; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=widen-induction %s | FileCheck %s
; An index of 32 bits that counts with the thread is wide from the start, where none wraps; a copy
; of the loop runs elsewhere. One that is wide already needs no copy.

; ACTS-LABEL: define void @narrow
; ACTS: seldom
; ACTS: ret void
define void @narrow(ptr %p, i32 %n, i32 %first) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %threads ]
  %i = add i32 %first, %t
  %w = sext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %w
  store i32 %t, ptr %q, align 4
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}

; LEAVES-LABEL: define void @sets
; LEAVES-NOT: seldom
; LEAVES: ret void

define void @sets(ptr %p, i32 %n) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %threads ]
  %w = zext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %w
  store i32 %t, ptr %q, align 4
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.parallel_accesses", !2}
!2 = distinct !{}
