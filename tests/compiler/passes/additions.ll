; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=additions %s | FileCheck %s
; Four marked additions side by side are one comparison and exchange of 16 bytes, where these lie
; on a boundary of 16, and three are not.

; ACTS-LABEL: define void @four
; ACTS: cmpxchg ptr %p, i128
define void @four(ptr %p) {
  %p1 = getelementptr i32, ptr %p, i64 1
  %p2 = getelementptr i32, ptr %p, i64 2
  %p3 = getelementptr i32, ptr %p, i64 3
  %a = atomicrmw add ptr %p, i32 1 monotonic, !cudasim.last !0
  %b = atomicrmw add ptr %p1, i32 2 monotonic, !cudasim.last !0
  %c = atomicrmw add ptr %p2, i32 3 monotonic, !cudasim.last !0
  %d = atomicrmw add ptr %p3, i32 4 monotonic, !cudasim.last !0
  ret void
}

; LEAVES-LABEL: define void @three
; LEAVES-NOT: cmpxchg
; LEAVES: ret void
define void @three(ptr %p) {
  %p1 = getelementptr i32, ptr %p, i64 1
  %p2 = getelementptr i32, ptr %p, i64 2
  %a = atomicrmw add ptr %p, i32 1 monotonic, !cudasim.last !0
  %b = atomicrmw add ptr %p1, i32 2 monotonic, !cudasim.last !0
  %c = atomicrmw add ptr %p2, i32 3 monotonic, !cudasim.last !0
  ret void
}
!0 = !{}
