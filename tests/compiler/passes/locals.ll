; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=locals %s | FileCheck %s
; Variables are aligned for any access of up to 16 bytes that their size allows.

; ACTS-LABEL: define void @small
; ACTS: alloca [4 x float], align 16
; ACTS: alloca [3 x float], align 8
; ACTS: alloca [3 x i8], align 2
define void @small() {
  %four = alloca [4 x float], align 4
  %three = alloca [3 x float], align 4
  %bytes = alloca [3 x i8], align 1
  ret void
}

; LEAVES-LABEL: define void @enough
; LEAVES: alloca [4 x float], align 32
; LEAVES: alloca i8, align 1
define void @enough() {
  %four = alloca [4 x float], align 32
  %byte = alloca i8, align 1
  ret void
}
