; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=canonical-nans %s | FileCheck %s
; A sum that is no number is 0x7fffffff where it is stored; a value that is only moved keeps its
; bits, and so does a double.

; ACTS-LABEL: define void @adds
; ACTS: %[[SUM:.*]] = fadd float %x, %y
; ACTS: fcmp {{.*}}float %[[SUM]]
; ACTS: select
; ACTS-NOT: store float %[[SUM]]
; ACTS: ret void
define void @adds(ptr %p, float %x, float %y) {
  %r = fadd float %x, %y
  store float %r, ptr %p, align 4
  ret void
}

; LEAVES-LABEL: define void @moves
; LEAVES-NOT: fcmp
; LEAVES: store float %x, ptr %q
define void @moves(ptr %p, ptr %q) {
  %x = load float, ptr %p, align 4
  store float %x, ptr %q, align 4
  ret void
}

; LEAVES-LABEL: define void @adds_doubles
; LEAVES-NOT: fcmp
; LEAVES: store double %r, ptr %p
define void @adds_doubles(ptr %p, double %x, double %y) {
  %r = fadd double %x, %y
  store double %r, ptr %p, align 8
  ret void
}
