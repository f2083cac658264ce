; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=own-events %s | FileCheck %s
; Events of the function's own variables go, where the access certainly is within one and aligned.
; 2097153 and 2097154 are the flags of a load and a store of 4 bytes, aligned to 4.

; ACTS-LABEL: define void @own
; ACTS-NOT: call
; ACTS: ret void
define void @own(i32 %thread) {
  %x = alloca [4 x i32], align 16
  %second = getelementptr i32, ptr %x, i64 3
  call void @__cudasim_loop_access(i32 %thread, ptr %second, i64 4, i32 2097154, i64 0, ptr null)
  store i32 1, ptr %second, align 4
  ret void
}

; LEAVES-LABEL: define void @elsewhere
; LEAVES: call void @__cudasim_loop_access(i32 %thread, ptr %p,
; LEAVES: call void @__cudasim_loop_access(i32 %thread, ptr %behind,
; LEAVES: call void @__cudasim_loop_access(i32 %thread, ptr %some,
; LEAVES: ret void
define void @elsewhere(i32 %thread, ptr %p, i64 %i) {
  %x = alloca [4 x i32], align 16
  call void @__cudasim_loop_access(i32 %thread, ptr %p, i64 4, i32 2097153, i64 0, ptr null)
  %behind = getelementptr i32, ptr %x, i64 4
  call void @__cudasim_loop_access(i32 %thread, ptr %behind, i64 4, i32 2097153, i64 0, ptr null)
  %some = getelementptr i32, ptr %x, i64 %i
  call void @__cudasim_loop_access(i32 %thread, ptr %some, i64 4, i32 2097153, i64 0, ptr null)
  ret void
}

declare void @__cudasim_loop_access(i32, ptr, i64, i32, i64, ptr)
