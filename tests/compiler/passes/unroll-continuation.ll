; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=unroll-continuation %s | FileCheck %s
; Short loops of a known length are none.


; ACTS-LABEL: define void @four_times
; ACTS-NOT: phi
; ACTS: ret void
define void @four_times(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr %p, align 4
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 4
  br i1 %again, label %loop, label %out
out:
  ret void
}

; LEAVES-LABEL: define void @n_times
; LEAVES: phi i32
; LEAVES: ret void
define void @n_times(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr %p, align 4
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %out
out:
  ret void
}

