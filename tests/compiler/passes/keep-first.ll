; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=keep-first,unroll-short %s | FileCheck %s
; RUN: cudasim-devcc --run-pass=unroll-short %s | FileCheck %s --check-prefix=ELSE
; Of a loop over threads LLVM takes no first iteration out, for which 16 threads would be one and
; 15; of other loops it may.

; ACTS-LABEL: define void @first_stores_zero
; ACTS: phi i64 {{.*}}[ 0, %entry ]
; ACTS: ret void
; ELSE-LABEL: define void @first_stores_zero
; ELSE: phi i64 {{.*}}[ 1, %
; ELSE: ret void
define void @first_stores_zero(ptr %p, i64 %n) {
entry:
  br label %threads
threads:
  %t = phi i64 [ 0, %entry ], [ %next, %end ]
  %first = icmp eq i64 %t, 0
  br i1 %first, label %zero, label %end
zero:
  store i32 0, ptr %p, align 4
  br label %end
end:
  %q = getelementptr i32, ptr %p, i64 %t
  store i32 1, ptr %q, align 4
  %next = add nuw i64 %t, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}

; LEAVES-LABEL: define void @other
; LEAVES: phi i64 {{.*}}[ 1, %
; LEAVES: ret void
define void @other(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %end ]
  %first = icmp eq i64 %t, 0
  br i1 %first, label %zero, label %end
zero:
  store i32 0, ptr %p, align 4
  br label %end
end:
  %q = getelementptr i32, ptr %p, i64 %t
  store i32 1, ptr %q, align 4
  %next = add nuw i64 %t, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %out
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.parallel_accesses", !2}
!2 = distinct !{}
