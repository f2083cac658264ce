; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=copies %s | FileCheck %s --check-prefixes=ACTS,LEAVES,QUOTIENT
; RUN: cudasim-devcc --ftz=1 --run-pass=copies %s | FileCheck %s --check-prefixes=ACTS,LEAVES,FLUSHED
; x * 1 is x, a NaN or a subnormal number as well; x / 1 where nothing is flushed.

; ACTS-LABEL: define float @times_one
; ACTS: ret float %x
define float @times_one(float %x) {
  %r = fmul float %x, 1.0
  ret float %r
}

; QUOTIENT-LABEL: define float @by_one
; QUOTIENT: ret float %x
; FLUSHED-LABEL: define float @by_one
; FLUSHED: ret float %r
define float @by_one(float %x) {
  %r = fdiv float %x, 1.0
  ret float %r
}

; x + 0 is no copy: -0 + 0 is 0.
; LEAVES-LABEL: define float @plus_zero
; LEAVES: ret float %r
define float @plus_zero(float %x) {
  %r = fadd float %x, 0.0
  ret float %r
}
