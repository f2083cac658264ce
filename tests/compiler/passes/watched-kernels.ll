; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,layout,watched-kernels %s | FileCheck %s
; A kernel that calls through a pointer gets no watched loop: it is left out. Others stay, also those whose
; threads meet in their warps.

; ACTS-DAG: declare void @calls(ptr, ptr)
; LEAVES-DAG: define void @meets(ptr %p)
; LEAVES-DAG: define void @straight(ptr %p)
define void @calls(ptr %p, ptr %f) {
  call void %f()
  store i32 3, ptr %p, align 4
  ret void
}

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
!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @meets, !"kernel", i32 1}
!1 = !{ptr @straight, !"kernel", i32 1}
!2 = !{ptr @calls, !"kernel", i32 1}
