; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=drop-idle %s | FileCheck %s
; What nobody uses is gone, and branches that decide nothing; calls stay.

; ACTS-LABEL: define void @idle
; ACTS-NOT: icmp
; LEAVES: call i64 @clock()
; ACTS-NOT: br
; ACTS: ret void
define void @idle(i64 %before) {
  %now = call i64 @clock()
  %time = sub i64 %now, %before
  %long = icmp sgt i64 %time, 40000
  br i1 %long, label %sleep, label %out
sleep:
  br label %out
out:
  ret void
}
declare i64 @clock()
