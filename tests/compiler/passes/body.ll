; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=plain-body/body %s | FileCheck %s --check-prefixes=ACTS,LEAVES,PLAIN
; RUN: cudasim-devcc --run-pass=watched-body/body %s | FileCheck %s --check-prefixes=ACTS,LEAVES,WATCHED
; Functions have the body's name, and indirect calls load the body's code from the descriptor:
; the second entry of an AVX-512 body, the third of a watched one.

; PLAIN-LABEL: define void @kernel.v4
; WATCHED-LABEL: define void @kernel.watched
; PLAIN: %[[SLOT:.*]] = getelementptr inbounds i8, ptr %f, i64 8
; WATCHED: %[[SLOT:.*]] = getelementptr inbounds i8, ptr %f, i64 16
; ACTS: %[[CODE:.*]] = load ptr, ptr %[[SLOT]]
; ACTS-NEXT: call void %[[CODE]](ptr %p)
define void @kernel(ptr %p, ptr %f) {
  call void %f(ptr %p)
; LEAVES: call void @direct
  call void @direct(ptr %p)
  ret void
}
define internal void @direct(ptr %p) {
  store i32 1, ptr %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
