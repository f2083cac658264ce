; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=runtime %s | FileCheck %s
; Calls of CUDA's device runtime are calls of libcudasim.
; ACTS-LABEL: define void @allocates
; ACTS-NOT: @malloc
; ACTS: call {{.*}}@__cudasim_
define void @allocates(ptr %p) {
  %m = call ptr @malloc(i64 16)
  store ptr %m, ptr %p
  ret void
}

; ACTS-LABEL: define void @traps
; ACTS: call void @__cudasim_trap(
define void @traps() {
  call void @llvm.trap()
  ret void
}

; LEAVES-LABEL: define void @calls_own
; LEAVES: call void @own(
define void @calls_own(ptr %p) {
  call void @own(ptr %p)
  ret void
}

define internal void @own(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}
declare ptr @malloc(i64)
declare void @llvm.trap()
!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @allocates, !"kernel", i32 1}
!1 = !{ptr @traps, !"kernel", i32 1}
!2 = !{ptr @calls_own, !"kernel", i32 1}
