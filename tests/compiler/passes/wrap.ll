; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=wrap %s | FileCheck %s
; A marked index is widened with its sign, so that one below zero comes before the array; others
; stay.

; ACTS-LABEL: define ptr @marked
; ACTS: sext i32 %i to i64
; ACTS-NOT: zext
; ACTS: ret ptr
define ptr @marked(ptr %p, i32 %i) {
  %w = zext i32 %i to i64, !cudasim.wraps !0
  %q = getelementptr i32, ptr %p, i64 %w
  ret ptr %q
}

; LEAVES-LABEL: define ptr @unmarked
; LEAVES: zext i32 %i to i64
define ptr @unmarked(ptr %p, i32 %i) {
  %w = zext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %w
  ret ptr %q
}
!0 = !{}
