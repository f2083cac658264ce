; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=inline-hooks %s | FileCheck %s
; Hooks, which ask for it, are inlined, and nothing of the user's.

; ACTS-LABEL: define void @kernel
; ACTS-NOT: call void @hook
; ACTS: store i32 1, ptr %p
; LEAVES: call void @own(ptr %p)
define void @kernel(ptr %p) {
  call void @hook(ptr %p)
  call void @own(ptr %p)
  ret void
}

define internal void @hook(ptr %p) alwaysinline {
  store i32 1, ptr %p
  ret void
}

define internal void @own(ptr %p) {
  store i32 2, ptr %p
  ret void
}
