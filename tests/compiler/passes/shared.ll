; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=shared %s | FileCheck %s
; A __shared__ variable is a place in the block's window, behind its first 1024 bytes.
@one = internal addrspace(3) global i32 undef, align 4
@own = internal global i32 7, align 4

; ACTS-LABEL: define void @kernel
; ACTS: call ptr @__cudasim_window()
; ACTS: getelementptr inbounds i8, ptr %{{.*}}, i64 1024
; ACTS-NOT: @one
; ACTS: ret void
define void @kernel(ptr %p) {
  store i32 1, ptr addrspace(3) @one, align 4
  ret void
}

; LEAVES-LABEL: define void @without
; LEAVES-NEXT: store i32 2, ptr %p
; LEAVES-NEXT: ret void
define void @without(ptr %p) {
  store i32 2, ptr %p, align 4
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @kernel, !"kernel", i32 1}
!1 = !{ptr @without, !"kernel", i32 1}
