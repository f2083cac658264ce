; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=shared-values %s | FileCheck %s
; A constant that holds a __shared__ variable's address becomes a variable of each function
; that reads it.
@upper = internal addrspace(3) global [4 x i32] undef, align 4
@plain = internal addrspace(1) global [4 x i32] zeroinitializer, align 4
@halves = private unnamed_addr constant [2 x ptr] [ptr addrspacecast (ptr addrspace(3) @upper to ptr), ptr null], align 8
@tables = private unnamed_addr constant [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @plain to ptr), ptr null], align 8

; ACTS-NOT: @halves =
; LEAVES: @tables = private unnamed_addr constant

; ACTS-LABEL: define ptr @reads_shared
; ACTS: %[[LOCAL:.*]] = alloca [2 x ptr], align 8
; ACTS: store ptr addrspacecast (ptr addrspace(3) @upper to ptr)
; ACTS: load ptr, ptr %[[LOCAL]]
define ptr @reads_shared() {
  %p = load ptr, ptr @halves, align 8
  ret ptr %p
}

; LEAVES-LABEL: define ptr @reads_global
; LEAVES-NOT: alloca
; LEAVES: load ptr, ptr @tables
define ptr @reads_global() {
  %p = load ptr, ptr @tables, align 8
  ret ptr %p
}
