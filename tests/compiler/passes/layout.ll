; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=layout %s | FileCheck %s
; Addresses of variables stand in instructions of their own, so that passes after it can replace
; them; other constants stay as they are.
@tile = internal addrspace(3) global [4 x i32] undef, align 4
@table = private unnamed_addr constant [2 x i32] [i32 1, i32 2], align 4

; ACTS-LABEL: define void @kernel
; ACTS: getelementptr {{.*}}ptr addrspace(3) @tile, i64
; ACTS-NEXT: load i32, ptr addrspace(3) %
define void @kernel(ptr %p) {
  %x = load i32, ptr addrspace(3) getelementptr ([4 x i32], ptr addrspace(3) @tile, i64 0, i64 2), align 4
  %y = load i32, ptr getelementptr ([2 x i32], ptr @table, i64 0, i64 1), align 4
; LEAVES: load i32, ptr getelementptr
  %z = add i32 %x, %y
  store i32 %z, ptr %p, align 4
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
