; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --gpu=sm_90 --run-pass=gpu-define %s | FileCheck %s
; A conversion to an integer, which saturates in PTX and is undefined beyond in LLVM, is PTX.
; Functions but kernels are internal, and what nobody uses is gone.
target triple = "nvptx64-nvidia-cuda"

; LEAVES: define {{.*}}void @kernel(
; ACTS-NOT: fptosi
; ACTS: asm {{.*}}"cvt.rzi.s32.f32 $0, $1;"
; LEAVES: sitofp i32 %n to float
define void @kernel(ptr %p, float %x, i32 %n) {
  %i = fptosi float %x to i32
  %y = sitofp i32 %n to float
  call void @helper(ptr %p, i32 %i, float %y)
  ret void
}

; ACTS: define internal void @helper(
; ACTS-NOT: @unused
define void @helper(ptr %p, i32 %i, float %y) {
  store i32 %i, ptr %p
  store float %y, ptr %p
  ret void
}

define void @unused() {
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
