; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=dead-cycles %s | FileCheck %s
; A value that only goes round the loop is gone; one that a store needs stays.

; ACTS-LABEL: define void @keeps
; ACTS-NOT: %kept = phi
; LEAVES: %sum = phi i32
; ACTS: ret void
define void @keeps(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %kept = phi i32 [ undef, %entry ], [ %last, %end ]
  %sum = phi i32 [ 0, %entry ], [ %more, %end ]
  %more = add i32 %sum, %i
  %odd = trunc i32 %i to i1
  br i1 %odd, label %then, label %end
then:
  br label %end
end:
  %last = phi i32 [ %i, %then ], [ %kept, %loop ]
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %out
out:
  store i32 %more, ptr %p, align 4
  ret void
}
