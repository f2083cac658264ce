; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=spin %s | FileCheck %s
; A volatile load that decides whether its loop goes on is marked.

; ACTS-LABEL: define void @waits
; ACTS: load volatile i32, ptr %flag, align 4, !cudasim.spin
define void @waits(ptr %flag) {
entry:
  br label %loop
loop:
  %value = load volatile i32, ptr %flag, align 4
  %again = icmp eq i32 %value, 0
  br i1 %again, label %loop, label %out
out:
  ret void
}

; LEAVES-LABEL: define void @counts
; LEAVES: load volatile i32, ptr %data, align 4{{$}}
define void @counts(ptr %data, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %value = load volatile i32, ptr %data, align 4
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %out
out:
  ret void
}
