; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=builtin-variables %s | FileCheck %s
; warpSize, which the front end only declares, is the constant 32.
@warpSize = external addrspace(1) global i32, align 4
@mine = external addrspace(1) global i32, align 4

; ACTS-LABEL: define i32 @reads_warp_size
; ACTS-NOT: load
; ACTS: ret i32 32
define i32 @reads_warp_size() {
  %n = load i32, ptr addrspace(1) @warpSize, align 4
  ret i32 %n
}

; LEAVES-LABEL: define i32 @reads_a_variable
; LEAVES: %n = load i32, ptr addrspace(1) @mine
; LEAVES: ret i32 %n
define i32 @reads_a_variable() {
  %n = load i32, ptr addrspace(1) @mine, align 4
  ret i32 %n
}
