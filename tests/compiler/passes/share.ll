; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=kernels,share %s | FileCheck %s --check-prefix=ACTS
; RUN: cudasim-devcc --bodies=v4 --run-pass=kernels,share %s | FileCheck %s --check-prefix=LEAVES
; Beside another plain body the AVX-512 body has no entries of its own; alone it has.

; ACTS-NOT: define {{.*}}_entry_kernel.v4
; LEAVES: define hidden void @__cudasim_{{[0-9]+}}_entry_kernel.v4(
define void @kernel(ptr %p) {
  store i32 1, ptr %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
