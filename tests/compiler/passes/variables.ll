; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=variables %s | FileCheck %s
; A __device__ variable is a place in the running device's instance; constants that nobody
; names are LLVM's to read.
; ACTS: @__cudasim_{{[0-9]+}}_var_counter = external hidden addrspace(1) global i32
@counter = addrspace(1) externally_initialized global i32 0, align 4
; LEAVES: = available_externally {{.*}}constant [2 x i32] [i32 1, i32 2]
@table = private unnamed_addr constant [2 x i32] [i32 1, i32 2], align 4

@limits = addrspace(4) externally_initialized global [4 x i32] zeroinitializer, align 4

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

; What kernels only read is the same all through a launch; what is volatile is read each time.
; ACTS-LABEL: define void @reads
; ACTS: load i32, ptr {{.*}}!invariant.load
; ACTS: load i32, ptr {{.*}}!invariant.load
; LEAVES: %c = load volatile i32, ptr %{{[0-9]+}}, align 4{{$}}
; LEAVES: %d = load i32, ptr addrspace(1) %{{[0-9]+}}, align 4{{$}}
define void @reads(ptr %to, i64 %i) {
  %a = load i32, ptr addrspacecast (ptr addrspace(4) getelementptr ([4 x i32], ptr addrspace(4) @limits, i64 0, i64 1) to ptr), align 4
  %p = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @limits to ptr), i64 %i
  %b = load i32, ptr %p, align 4
  %c = load volatile i32, ptr addrspacecast (ptr addrspace(4) @limits to ptr), align 4
  %d = load i32, ptr addrspace(1) @counter, align 4
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %x = add i32 %ab, %cd
  store i32 %x, ptr %to
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @kernel, !"kernel", i32 1}
!1 = !{ptr @reads, !"kernel", i32 1}
