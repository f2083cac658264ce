; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=context %s | FileCheck %s
; The compiler's own functions are loads; others are called.

; ACTS-LABEL: define void @kernel
; ACTS-NOT: call ptr @__cudasim_window
; ACTS: load ptr, ptr
; LEAVES: call void @__cudasim_trap(
define void @kernel(ptr %p) {
  %w = call ptr @__cudasim_window()
  store ptr %w, ptr %p
  call void @__cudasim_trap(i32 1, ptr null)
  ret void
}
declare ptr @__cudasim_window()
declare void @__cudasim_trap(i32, ptr)
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
