; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=asm-strings %s | FileCheck %s
; A constant string among the operands (constraint X) is part of the text.
@add = private unnamed_addr constant [4 x i8] c"add\00"

; ACTS-LABEL: define i32 @by_name
; ACTS: asm "add.s32 $0, $1, $1;", "=r,r,X"
define i32 @by_name(i32 %x) {
  %r = call i32 asm "$2.s32 $0, $1, $1;", "=r,r,X"(i32 %x, ptr @add)
  ret i32 %r
}

; LEAVES-LABEL: define i32 @no_string
; LEAVES: asm "add.s32 $0, $1, $1;", "=r,r"(i32 %x)
define i32 @no_string(i32 %x) {
  %r = call i32 asm "add.s32 $0, $1, $1;", "=r,r"(i32 %x)
  ret i32 %r
}
