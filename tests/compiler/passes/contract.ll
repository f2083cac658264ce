; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=contract %s | FileCheck %s --check-prefixes=ACTS,LEAVES
; RUN: cudasim-devcc --fmad=0 --run-pass=contract %s | FileCheck %s --check-prefix=SEPARATE
; A product and a sum that allow it are one operation, with --fmad=1.

; ACTS-LABEL: define float @fuses
; ACTS: call {{.*}}float @llvm.fma.f32(float %x, float %y, float %z)
; SEPARATE-LABEL: define float @fuses
; SEPARATE: fadd
define float @fuses(float %x, float %y, float %z) {
  %p = fmul contract float %x, %y
  %s = fadd contract float %p, %z
  ret float %s
}

; LEAVES-LABEL: define float @as_written
; LEAVES: fmul float %x, %y
; LEAVES: fadd float
define float @as_written(float %x, float %y, float %z) {
  %p = fmul float %x, %y
  %s = fadd float %p, %z
  ret float %s
}
