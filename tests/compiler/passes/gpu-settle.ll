; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --gpu=sm_90 --run-pass=gpu-settle %s | FileCheck %s
; No product or sum may be fused any more; the sign that copysign takes is moved as bits.

; ACTS-LABEL: define float @sums
; ACTS: fmul float %x, %y
; ACTS: fadd float
define float @sums(float %x, float %y, float %z) {
  %p = fmul contract float %x, %y
  %s = fadd contract float %p, %z
  ret float %s
}

; ACTS-LABEL: define double @sign
; ACTS-NOT: @llvm.copysign
; ACTS: ret double
define double @sign(double %x, double %y) {
  %r = call double @llvm.copysign.f64(double %x, double %y)
  ret double %r
}

; LEAVES-LABEL: define float @fused
; LEAVES-NEXT: %r = call float @llvm.fma.f32(float %x, float %y, float %z)
; LEAVES-NEXT: ret float %r
define float @fused(float %x, float %y, float %z) {
  %r = call float @llvm.fma.f32(float %x, float %y, float %z)
  ret float %r
}
declare double @llvm.copysign.f64(double, double)
declare float @llvm.fma.f32(float, float, float)
