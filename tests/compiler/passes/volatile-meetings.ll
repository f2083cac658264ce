; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=volatile-meetings %s | FileCheck %s
; Rounds of volatile loads and stores in one stretch, as at the end of a reduction, are marked where
; one turns into the other: each store behind a load and each load behind a store. One load and one
; store, as of a lock or flag, are not.

; ACTS-LABEL: define void @reduces
; ACTS: load volatile i32, ptr %p, align 4{{$}}
; ACTS: store volatile {{.*}}!cudasim.meet
; ACTS: load volatile {{.*}}!cudasim.meet
; ACTS: store volatile {{.*}}!cudasim.meet
; ACTS: load volatile {{.*}}!cudasim.meet
define void @reduces(ptr %p, ptr %q) {
  %a = load volatile i32, ptr %p, align 4
  store volatile i32 %a, ptr %q, align 4
  %b = load volatile i32, ptr %p, align 4
  store volatile i32 %b, ptr %q, align 4
  %c = load volatile i32, ptr %p, align 4
  ret void
}

; LEAVES-LABEL: define void @flag
; LEAVES-NOT: !cudasim.meet
; LEAVES: ret void
define void @flag(ptr %p, ptr %q) {
  store volatile i32 1, ptr %p, align 4
  %a = load volatile i32, ptr %q, align 4
  ret void
}
