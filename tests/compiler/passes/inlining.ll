; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=inlining %s | FileCheck %s
; A kernel that only its entry calls asks to be inlined there, and so does what the user wants
; inlined (which pass retarget has noted); other functions do not.

; ACTS: define internal void @kernel.v4(ptr %p){{.*}} #[[KERNEL:[0-9]+]]
define void @kernel(ptr %p) noinline {
  call void @wanted(ptr %p)
  call void @other(ptr %p)
  ret void
}

; ACTS: define internal void @wanted.v4(ptr %p){{.*}} #[[WANTED:[0-9]+]]
define internal void @wanted(ptr %p) alwaysinline {
  store i32 1, ptr %p
  ret void
}

; LEAVES: define internal void @other.v4(ptr %p){{.*}} #[[OTHER:[0-9]+]]
define internal void @other(ptr %p) noinline {
  store i32 2, ptr %p
  ret void
}
; ACTS-DAG: attributes #[[KERNEL]] = { {{.*}}alwaysinline
; ACTS-DAG: attributes #[[WANTED]] = { {{.*}}alwaysinline
; LEAVES-DAG: attributes #[[OTHER]] = { {{.*}}noinline
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
