; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=plain/pairs %s | FileCheck %s --check-prefixes=ACTS,LEAVES
; RUN: cudasim-devcc --run-pass=watched/pairs %s | FileCheck %s --check-prefix=WATCHED
; Sine and cosine of one argument are one call, in plain bodies.

; ACTS-LABEL: define double @both
; ACTS-NOT: @__nv_cos(
; ACTS: call void @__nv_sincos(double %x,
; ACTS-NOT: @__nv_cos(
; ACTS: ret double
; WATCHED-LABEL: define double @both
; WATCHED: call double @__nv_sin(double %x)
; WATCHED: call double @__nv_cos(double %x)
define double @both(double %x) {
  %s = call double @__nv_sin(double %x)
  %c = call double @__nv_cos(double %x)
  %r = fadd double %s, %c
  ret double %r
}

; LEAVES-LABEL: define double @of_two
; LEAVES: call double @__nv_sin(double %x)
; LEAVES: call double @__nv_cos(double %y)
define double @of_two(double %x, double %y) {
  %s = call double @__nv_sin(double %x)
  %c = call double @__nv_cos(double %y)
  %r = fadd double %s, %c
  ret double %r
}

@llvm.compiler.used = appending global [1 x ptr] [ptr @__nv_sincos], section "llvm.metadata"
define internal double @__nv_sin(double %x) {
  ret double %x
}
define internal double @__nv_cos(double %x) {
  ret double 1.0
}
define internal void @__nv_sincos(double %x, ptr %s, ptr %c) {
  store double %x, ptr %s
  store double 1.0, ptr %c
  ret void
}
