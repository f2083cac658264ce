; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=mark-accesses %s | FileCheck %s
; What a loop over threads stores is in the group of its accesses, which may be done in any order;
; not so where a thread calls somebody, or uses a variable that is one for all.

; ACTS-LABEL: define void @sets
; ACTS: store i32 %t, ptr %q, align 4, !llvm.access.group

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

; LEAVES-LABEL: define void @calls
; LEAVES-NOT: !llvm.access.group
; LEAVES: ret void
define void @calls(ptr %p, i32 %n) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %threads ]
  %w = zext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %w
  store i32 %t, ptr %q, align 4
  call void @other(i32 %t)
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}
declare void @other(i32)
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.parallel_accesses", !2}
!2 = distinct !{}
