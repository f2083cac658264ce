; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=kernels %s | FileCheck %s
; Each kernel has an entry that loads its parameters from the packed buffer: an int at 0, a
; pointer at 8.

; LEAVES-NOT: _entry_helper
; ACTS: define internal void @kernel
define void @kernel(i32 %n, ptr %p) {
  call void @helper(i32 %n, ptr %p)
  ret void
}

define internal void @helper(i32 %n, ptr %p) {
  store i32 %n, ptr %p
  ret void
}

; ACTS-LABEL: define hidden void @__cudasim_{{[0-9]+}}_entry_kernel
; ACTS-SAME: ptr {{.*}}%[[PARAMS:[0-9]+]])
; ACTS-DAG: load i32, ptr {{.*}}
; ACTS-DAG: getelementptr inbounds i8, ptr %[[PARAMS]], i64 8
; ACTS: call void @kernel(
; LEAVES-NOT: _entry_helper
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
