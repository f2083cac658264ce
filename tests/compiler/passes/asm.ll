; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=asm %s | FileCheck %s
; Inline PTX is LLVM IR afterwards.

; ACTS-LABEL: define i32 @adds
; ACTS-NOT: asm
; ACTS: add i32
; ACTS: ret i32
define i32 @adds(i32 %x, i32 %y) {
  %r = call i32 asm "add.s32 $0, $1, $2;", "=r,r,r"(i32 %x, i32 %y)
  ret i32 %r
}

; The carry goes from one statement to the next through a variable.
; ACTS-LABEL: define i32 @carries
; ACTS: alloca i1
; ACTS-NOT: asm
; ACTS: ret i32
define i32 @carries(i32 %x, i32 %y) {
  %low = call i32 asm "add.cc.u32 $0, $1, $2;", "=r,r,r"(i32 %x, i32 %y)
  %high = call i32 asm "addc.u32 $0, $1, $2;", "=r,r,r"(i32 %low, i32 0)
  ret i32 %high
}

; LEAVES-LABEL: define i32 @without
; LEAVES-NEXT: %r = add i32 %x, %x
; LEAVES-NEXT: ret i32 %r
define i32 @without(i32 %x) {
  %r = add i32 %x, %x
  ret i32 %r
}
