; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=atomics %s | FileCheck %s
; An atomic addition of reals compares and swaps; one of integers stays.

; ACTS-LABEL: define void @kernel
; ACTS-NOT: atomicrmw fadd
; ACTS: cmpxchg
; LEAVES: atomicrmw add ptr %p, i32 1
define void @kernel(ptr %p, ptr %q) {
  %x = atomicrmw fadd ptr %q, float 1.0 monotonic
  %n = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
