; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,promises,align %s | FileCheck %s
; A loop over threads checks the addresses of its accesses, where they may be misaligned.

; ACTS-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_words.v4
; ACTS: ptrtoint
; ACTS: and i64 %{{.*}}, 3
; ACTS: ret void
define void @words(ptr %p) {
  store i32 1, ptr %p, align 4
  ret void
}

; LEAVES-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_bytes.v4
; LEAVES-NOT: ptrtoint
; LEAVES: ret void
define void @bytes(ptr %p) {
  store i8 1, ptr %p, align 1
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @words, !"kernel", i32 1}
!1 = !{ptr @bytes, !"kernel", i32 1}
