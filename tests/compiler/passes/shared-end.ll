; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=shared-end %s | FileCheck %s
; __shared__ variables are gone, others are not.
; ACTS-NOT: @one =
; LEAVES: @other = {{.*}}global i32
@one = internal addrspace(3) global i32 undef, align 4
@other = addrspace(1) externally_initialized global i32 0, align 4

define void @kernel(ptr %p) {
  store i32 1, ptr addrspace(3) @one, align 4
  store i32 1, ptr addrspace(1) @other, align 4
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
