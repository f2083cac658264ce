; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,join-loads %s | FileCheck %s
; Two bytes side by side that make one number are one load; what is no number of neighbours stays.

; ACTS-LABEL: define void @neighbours.v4
; ACTS-NOT: load i8
; ACTS: load i16, ptr {{.*}}, align 1
; ACTS: ret void
define void @neighbours(ptr %p, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %at = getelementptr i8, ptr %p, i64 %i
  %low = load i8, ptr %at, align 1
  %q = getelementptr i8, ptr %at, i64 1
  %high = load i8, ptr %q, align 1
  %a = zext i8 %low to i16
  %b = zext i8 %high to i16
  %c = shl i16 %b, 8
  %d = or i16 %a, %c
  %o = getelementptr i16, ptr %out, i64 %i
  store i16 %d, ptr %o, align 2
  ret void
}

; LEAVES-LABEL: define void @apart.v4
; LEAVES: load i8
; LEAVES: load i8
; LEAVES: ret void
define void @apart(ptr %p, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %at = getelementptr i8, ptr %p, i64 %i
  %low = load i8, ptr %at, align 1
  %q = getelementptr i8, ptr %at, i64 2
  %high = load i8, ptr %q, align 1
  %a = zext i8 %low to i16
  %b = zext i8 %high to i16
  %c = shl i16 %b, 8
  %d = or i16 %a, %c
  %o = getelementptr i16, ptr %out, i64 %i
  store i16 %d, ptr %o, align 2
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @neighbours, !"kernel", i32 1}
!1 = !{ptr @apart, !"kernel", i32 1}
