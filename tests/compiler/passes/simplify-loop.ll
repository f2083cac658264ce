; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=simplify-loop %s | FileCheck %s
; Variables whose address nobody has are registers.

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

