; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=functions %s | FileCheck %s
; A function's address is its descriptor's; direct calls stay calls.

; ACTS-LABEL: define void @takes
; ACTS: store ptr @__cudasim_{{[0-9]+}}_function_callee, ptr %p
define void @takes(ptr %p) {
  store ptr @callee, ptr %p, align 8
  ret void
}

; LEAVES-LABEL: define void @calls
; LEAVES: call void @callee(ptr %p)
define void @calls(ptr %p) {
  call void @callee(ptr %p)
  ret void
}

define internal void @callee(ptr %p) {
  store i32 1, ptr %p
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @takes, !"kernel", i32 1}
!1 = !{ptr @calls, !"kernel", i32 1}
