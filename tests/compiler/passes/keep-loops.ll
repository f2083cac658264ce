; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=keep-loops %s | FileCheck %s
; A loop over threads is not unrolled; other loops may be.

; ACTS-LABEL: define void @sets
; ACTS: !llvm.loop ![[THREADS:[0-9]+]]

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

; LEAVES-LABEL: define void @other
; LEAVES: !llvm.loop ![[OTHER:[0-9]+]]
define void @other(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %t, ptr %p, align 4
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %out, !llvm.loop !3
out:
  ret void
}
; ACTS-DAG: ![[THREADS]] = distinct !{![[THREADS]], !{{[0-9]+}}, ![[DISABLED:[0-9]+]]}
; ACTS-DAG: ![[DISABLED]] = !{!"llvm.loop.unroll.disable"}
; LEAVES-DAG: ![[OTHER]] = distinct !{![[OTHER]], !{{[0-9]+}}}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.parallel_accesses", !2}
!2 = distinct !{}
