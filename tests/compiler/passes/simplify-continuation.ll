; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=simplify-continuation %s | FileCheck %s
; Variables are registers, but for those whose address others have; loops stay.

; ACTS-LABEL: define i32 @local
; ACTS-NOT: alloca
; ACTS: ret i32 %x
define i32 @local(i32 %x) {
  %v = alloca i32, align 4
  store i32 %x, ptr %v, align 4
  %y = load i32, ptr %v, align 4
  ret i32 %y
}

; LEAVES-LABEL: define i32 @escapes
; LEAVES: alloca i32
; LEAVES: call void @other(
define i32 @escapes(i32 %x) {
  %v = alloca i32, align 4
  store i32 %x, ptr %v, align 4
  call void @other(ptr %v)
  %y = load i32, ptr %v, align 4
  ret i32 %y
}
declare void @other(ptr)

; LEAVES-LABEL: define void @four_times
; LEAVES: phi i32
; LEAVES: ret void
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
