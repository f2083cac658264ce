; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=unroll-short %s | FileCheck %s
; Short loops of a known length are none, and switches are branches.

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

; ACTS-LABEL: define i32 @chooses
; ACTS-NOT: switch
; ACTS: ret i32
define i32 @chooses(i32 %x, ptr %p) {
  switch i32 %x, label %other [
    i32 1, label %one
    i32 7, label %seven
  ]
one:
  store volatile i32 1, ptr %p
  ret i32 10
seven:
  store volatile i32 2, ptr %p
  ret i32 20
other:
  ret i32 0
}
