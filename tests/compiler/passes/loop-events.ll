; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=watched-loops-body/loop-events %s | FileCheck %s
; An event that is left is one thread's: of an access told of one lane, of others as that thread.
; In a kernel's watched loop alone.

; LEAVES-LABEL: define void @kernel.watched
; LEAVES: call void @__cudasim_loop_access(i32 %thread, ptr %p
; ACTS-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_kernel.watched
; ACTS: call void @__cudasim_on_lanes(ptr %1, i32 %[[T:.*]], i32 1, ptr %[[P:.*]], i64 0, ptr null, i64 4, i32 2097153, ptr null, i64 0, ptr null)
; ACTS-NEXT: call {{.*}}ptr @__cudasim_loop_watched(ptr %1, i32 %[[T]])
; ACTS-NEXT: call void @__cudasim_on_unwritten(ptr %[[P]], i64 4, ptr null, ptr null)
define void @kernel(ptr %p, i32 %thread) {
  call void @__cudasim_loop_access(i32 %thread, ptr %p, i64 4, i32 2097153, i64 0, ptr null)
  call void @__cudasim_loop_unwritten(i32 %thread, ptr %p, i64 4, ptr null, ptr null)
  ret void
}

declare void @__cudasim_loop_access(i32, ptr, i64, i32, i64, ptr)
declare void @__cudasim_loop_unwritten(i32, ptr, i64, ptr, ptr)
!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
