; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget %s | FileCheck %s
; x86-64 instead of NVPTX; functions but kernels are internal, and what nobody uses goes.
target triple = "nvptx64-nvidia-cuda"
; ACTS: target triple = "x86_64-

; LEAVES: define {{.*}}void @kernel(
define void @kernel(ptr %p) {
  call void @helper(ptr %p)
  ret void
}

; ACTS: define internal void @helper(
; ACTS-NOT: @unused
define void @helper(ptr %p) #0 {
  store i32 1, ptr %p
  ret void
}

define internal void @unused() {
  ret void
}

; ACTS-NOT: "target-cpu"="sm_90"
attributes #0 = { "target-cpu"="sm_90" }
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
