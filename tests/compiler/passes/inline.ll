; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=inline %s | FileCheck %s
; Functions that ask for it are inlined, others stay, and what nobody calls goes.

; ACTS-NOT: @builtin
; ACTS-LABEL: define i32 @user
; ACTS: mul i32 %x, %x
define i32 @user(i32 %x) {
  %r = call i32 @builtin(i32 %x)
  ret i32 %r
}

; LEAVES-LABEL: define i32 @calls
; LEAVES: call i32 @own(i32 %x)
define i32 @calls(i32 %x) {
  %r = call i32 @own(i32 %x)
  ret i32 %r
}

; ACTS-NOT: define internal i32 @builtin
define internal i32 @builtin(i32 %x) alwaysinline {
  %r = mul i32 %x, %x
  ret i32 %r
}

; LEAVES: define internal i32 @own
define internal i32 @own(i32 %x) {
  %r = mul i32 %x, 3
  ret i32 %r
}
