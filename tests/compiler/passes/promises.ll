; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=promises %s | FileCheck %s
; On a GPU a function that runs past its end returns, address 0 may be read, and memory may be
; read as another type than was written.
declare void @stops() noreturn

; ACTS-LABEL: define i32 @runs_past_its_end
; ACTS-NOT: unreachable
; ACTS: ret i32
define i32 @runs_past_its_end() {
  unreachable
}

; ACTS-LABEL: define float @reads
; ACTS-SAME: #[[DOUBTS:[0-9]+]]
; ACTS: load float, ptr %p
; ACTS-NOT: !tbaa
; ACTS: ret float
define float @reads(ptr %p) {
  %x = load float, ptr %p, align 4, !tbaa !0
  ret float %x
}

; LEAVES-LABEL: define void @ends_in_a_stop
; LEAVES: call void @stops()
; LEAVES-NEXT: unreachable
define void @ends_in_a_stop() {
  call void @stops()
  unreachable
}

; ACTS: attributes #[[DOUBTS]] = { {{.*}}null_pointer_is_valid
!0 = !{!1, !1, i64 0}
!1 = !{!"float", !2}
!2 = !{!"root"}
