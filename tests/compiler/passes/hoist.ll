; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=hoist %s | FileCheck %s
; What does not change in a loop is computed before it; what does is not.

; ACTS-LABEL: define void @sets
; ACTS: %twice = mul i32 %n, 2
; ACTS: phi i32
; LEAVES: %own = mul i32 %t, 3
define void @sets(ptr %p, i32 %n) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %threads ]
  %twice = mul i32 %n, 2
  %own = mul i32 %t, 3
  %sum = add i32 %twice, %own
  store volatile i32 %sum, ptr %p, align 4
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out
out:
  ret void
}
