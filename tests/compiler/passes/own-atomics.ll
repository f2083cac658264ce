; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=own-atomics %s | FileCheck %s
; Atomics of a single thread's scope are loads and stores; others stay.

; ACTS-LABEL: define i32 @own
; ACTS-NOT: atomicrmw
; ACTS: load volatile i32, ptr %p
; ACTS: add i32
; ACTS: store volatile i32
; ACTS: ret i32
define i32 @own(ptr %p) {
  %r = atomicrmw add ptr %p, i32 1 syncscope("singlethread") monotonic
  ret i32 %r
}

; LEAVES-LABEL: define i32 @of_the_block
; LEAVES: atomicrmw add ptr %p, i32 1 syncscope("block") monotonic
define i32 @of_the_block(ptr %p) {
  %r = atomicrmw add ptr %p, i32 1 syncscope("block") monotonic
  ret i32 %r
}
