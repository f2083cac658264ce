; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=lower-switches %s | FileCheck %s
; A switch becomes branches; a branch stays.

; ACTS-LABEL: define void @first_and_last
; ACTS-NOT: switch
; ACTS: icmp eq i32 %t, 15
; ACTS: icmp eq i32 %t, 0
; ACTS: ret void
define void @first_and_last(ptr %p, i32 %t) {
entry:
  switch i32 %t, label %out [
    i32 0, label %first
    i32 15, label %last
  ]
first:
  store i32 1, ptr %p, align 4
  br label %out
last:
  store i32 2, ptr %p, align 4
  br label %out
out:
  ret void
}

; LEAVES-LABEL: define void @branch
; LEAVES: br i1 %is, label %yes, label %out
; LEAVES: ret void
define void @branch(ptr %p, i1 %is) {
entry:
  br i1 %is, label %yes, label %out
yes:
  store i32 1, ptr %p, align 4
  br label %out
out:
  ret void
}
