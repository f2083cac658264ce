; SPDX-License-Identifier: Apache-2.0
; RUN: llvm-as %S/inputs/libdevice.ll -o %t; cudasim-devcc --libdevice=%t --run-pass=libdevice %s | FileCheck %s
; What is called of libdevice is linked; what nobody calls is not, and questions are answered.

; ACTS-LABEL: define float @calls
; ACTS: call float @__nv_doubled(float %x)
; LEAVES: call float @own(float
define float @calls(float %x) {
  %y = call float @__nv_doubled(float %x)
  %z = call float @own(float %y)
  ret float %z
}
declare float @__nv_doubled(float)
declare float @own(float)

; LEAVES-NOT: @__nv_unused
; ACTS: define internal float @__nv_doubled(
; ACTS-NOT: __nvvm_reflect
; ACTS: fadd {{.*}}float
