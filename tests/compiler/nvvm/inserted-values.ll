; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --source=x -o %t --nvvm %s && opt -S %t | FileCheck %s
; What is taken out of an aggregate is what was put in, also under a constant; the rest stays.
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; ACTS-LABEL: define {{.*}}void @k
; ACTS-NOT: extractvalue
; ACTS: icmp slt i64 0, 0
; ACTS-NOT: extractvalue
; ACTS: store i64 %j
define void @k(i64* %p, i64 %j) {
  %a = insertvalue [2 x i64] undef, i64 0, 0
  %b = insertvalue [2 x i64] %a, i64 %j, 1
  %x = extractvalue [2 x i64] %b, 0
  %y = extractvalue [2 x i64] %b, 1
  %c = icmp slt i64 %x, 0
  %s = select i1 %c, i64 7, i64 0
  %q = getelementptr i64, i64* %p, i64 %s
  store i64 %y, i64* %q
  ret void
}

; LEAVES-LABEL: define i64 @given
; LEAVES: extractvalue [2 x i64] %b, 1
define i64 @given([2 x i64] %a) {
  %b = insertvalue [2 x i64] %a, i64 0, 0
  %y = extractvalue [2 x i64] %b, 1
  ret i64 %y
}
!nvvm.annotations = !{!0}
!0 = !{void (i64*, i64)* @k, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
