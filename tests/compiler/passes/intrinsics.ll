; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=intrinsics %s | FileCheck %s
; No intrinsic of NVVM's is left; LLVM's own stay.

; ACTS-LABEL: define i32 @kernel
; ACTS-NOT: @llvm.nvvm
; LEAVES: call i32 @llvm.ctpop.i32(
; ACTS-NOT: @llvm.nvvm
; ACTS: ret i32
define i32 @kernel() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @llvm.nvvm.barrier0()
  %n = call i32 @llvm.ctpop.i32(i32 %t)
  ret i32 %n
}
; ACTS-NOT: @llvm.nvvm
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0() convergent
declare i32 @llvm.ctpop.i32(i32)
