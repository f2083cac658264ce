; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=arithmetic %s | FileCheck %s
; What C++ leaves undefined does what the GPU does.

; A quotient by zero is all ones here.
; ACTS-LABEL: define i32 @divides
; ACTS: icmp eq i32 %y, 0
; ACTS: select
; ACTS: udiv i32 %x,
define i32 @divides(i32 %x, i32 %y) {
  %q = udiv i32 %x, %y
  ret i32 %q
}

; A shift by the width or more is 0, overflow wraps, a conversion saturates.
; ACTS-LABEL: define i32 @shifts
; ACTS: icmp ult i32 %n, 32
; ACTS: shl i32 %x,
; ACTS: select {{.*}}, i32 0
define i32 @shifts(i32 %x, i32 %n) {
  %r = shl nsw i32 %x, %n
  ret i32 %r
}

; ACTS-LABEL: define i32 @wraps
; ACTS: add i32 %x, 1
define i32 @wraps(i32 %x) {
  %r = add nsw i32 %x, 1
  ret i32 %r
}

; ACTS-LABEL: define i32 @converts
; ACTS: call i32 @llvm.fptosi.sat.i32.f32(float %x)
define i32 @converts(float %x) {
  %r = fptosi float %x to i32
  ret i32 %r
}

; LEAVES-LABEL: define i32 @defined
; LEAVES-NEXT: %q = udiv i32 %x, 7
; LEAVES-NEXT: %s = shl i32 %q, 3
; LEAVES-NEXT: ret i32 %s
define i32 @defined(i32 %x) {
  %q = udiv i32 %x, 7
  %s = shl i32 %q, 3
  ret i32 %s
}
