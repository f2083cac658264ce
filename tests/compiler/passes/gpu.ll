; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --gpu=sm_90 --run-pass=gpu %s | FileCheck %s
; What may be missing and is missing is null; what is there is not.
target triple = "nvptx64-nvidia-cuda"

; ACTS-LABEL: define void @kernel
; ACTS-NOT: @missing
; ACTS: store ptr addrspace(1) null, ptr %p
; LEAVES: store ptr @present, ptr %q
define void @kernel(ptr %p, ptr %q) {
  store ptr addrspace(1) @missing, ptr %p
  store ptr @present, ptr %q
  ret void
}

define weak void @present() {
  ret void
}
@missing = extern_weak addrspace(1) global i32
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
