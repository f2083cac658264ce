; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=local-loads %s | FileCheck %s
; A load of a local variable may differ from one thread of the loop to the next; one through a
; parameter stays invariant.

; ACTS-LABEL: define i32 @loads
; ACTS: load i32, ptr %v, align 4{{$}}
; LEAVES: load i32, ptr %p, align 4, !invariant.load
define i32 @loads(ptr %p) {
  %v = alloca i32, align 4
  store i32 1, ptr %v, align 4
  %x = load i32, ptr %v, align 4, !invariant.load !0
  %y = load i32, ptr %p, align 4, !invariant.load !0
  %r = add i32 %x, %y
  ret i32 %r
}
!0 = !{}
