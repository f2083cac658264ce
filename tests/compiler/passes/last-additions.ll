; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,last-additions %s | FileCheck %s
; An addition that each thread ends with, to words side by side, is marked; one whose answer the
; thread looks at is not.

; ACTS-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_ends.v4
; ACTS: atomicrmw add {{.*}}!cudasim.last
define void @ends(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %i
  %r = atomicrmw add ptr %q, i32 %t monotonic
  ret void
}

; LEAVES-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_answers.v4
; LEAVES: atomicrmw add
; LEAVES-NOT: !cudasim.last
; LEAVES: ret void
define void @answers(ptr %p, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %i
  %r = atomicrmw add ptr %q, i32 %t monotonic
  %o = getelementptr i32, ptr %out, i64 %i
  store i32 %r, ptr %o, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @ends, !"kernel", i32 1}
!1 = !{ptr @answers, !"kernel", i32 1}
