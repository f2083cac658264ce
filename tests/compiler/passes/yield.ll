; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=yield %s | FileCheck %s
; A loop that reads what another thread may write counts fuel down and lets others run.

; ACTS-LABEL: define void @waits
; ACTS: call {{.*}}@__cudasim_hook_yield
define void @waits(ptr %flag) {
entry:
  br label %loop
loop:
  %value = load volatile i32, ptr %flag, align 4
  %again = icmp eq i32 %value, 0
  br i1 %again, label %loop, label %out
out:
  ret void
}

; LEAVES-LABEL: define i32 @sums
; LEAVES-NOT: @__cudasim_hook_yield
; LEAVES: ret i32
define i32 @sums(ptr %data, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %total, %loop ]
  %value = load i32, ptr %data, align 4
  %total = add i32 %sum, %value
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %out
out:
  ret i32 %total
}
