; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=variables %s | FileCheck %s
; A __device__ variable is a place in the running device's instance; constants that nobody
; names are LLVM's to read.
; ACTS: @__cudasim_{{[0-9]+}}_var_counter = external hidden addrspace(1) global i32
@counter = addrspace(1) externally_initialized global i32 0, align 4
; LEAVES: = available_externally {{.*}}constant [2 x i32] [i32 1, i32 2]
@table = private unnamed_addr constant [2 x i32] [i32 1, i32 2], align 4

; ACTS-LABEL: define void @kernel
; ACTS: call ptr @__cudasim_variables()
; ACTS-NOT: @counter
; LEAVES: load i32, ptr @{{.*}}
; ACTS: ret void
define void @kernel(ptr %p, i64 %i) {
  store i32 1, ptr addrspace(1) @counter, align 4
  %x = load i32, ptr @table, align 4
  store i32 %x, ptr %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
