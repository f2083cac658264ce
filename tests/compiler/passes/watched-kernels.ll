; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,layout,watched-kernels %s | FileCheck %s
; A kernel whose threads meet in their warps gets no watched loop: it is left out. Others stay.

; ACTS-DAG: declare void @meets(ptr)
; LEAVES-DAG: define void @straight(ptr %p)
define void @meets(ptr %p) {
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  store i32 1, ptr %p, align 4
  ret void
}

define void @straight(ptr %p) {
  store i32 2, ptr %p, align 4
  ret void
}

declare void @llvm.nvvm.bar.warp.sync(i32)
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @meets, !"kernel", i32 1}
!1 = !{ptr @straight, !"kernel", i32 1}
