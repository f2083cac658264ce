; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=idle-yields %s | FileCheck %s
; A loop that comes round only after an mbarrier's phase was found not to be over gives way nowhere else, nor
; sleeps. One that may come round without waiting keeps both.
declare i32 @__cudasim_mbarrier_wait(i64, i32, i64, ptr)
declare void @__cudasim_yield(ptr, i32, ptr)
declare void @__cudasim_nanosleep(i32, ptr)
declare i32 @flag()

; ACTS-LABEL: define void @waits
; ACTS-NOT: call void
; ACTS: ret void
define void @waits(i64 %bar) {
entry:
  br label %ask
ask:
  %over = call i32 @__cudasim_mbarrier_wait(i64 %bar, i32 1, i64 0, ptr null)
  %not = icmp eq i32 %over, 0
  br i1 %not, label %again, label %out
again:
  call void @__cudasim_nanosleep(i32 20, ptr null)
  call void @__cudasim_yield(ptr null, i32 0, ptr null)
  br label %ask
out:
  ret void
}

; The phase may be over, and the loop waits for something else.
; LEAVES-LABEL: define void @waits_for_another
; LEAVES: call void @__cudasim_yield(
; LEAVES: ret void
define void @waits_for_another(i64 %bar) {
entry:
  br label %ask
ask:
  %over = call i32 @__cudasim_mbarrier_wait(i64 %bar, i32 1, i64 0, ptr null)
  %not = icmp eq i32 %over, 0
  br i1 %not, label %again, label %look
look:
  %f = call i32 @flag()
  %set = icmp ne i32 %f, 0
  br i1 %set, label %out, label %again
again:
  call void @__cudasim_yield(ptr null, i32 0, ptr null)
  br label %ask
out:
  ret void
}

; The wait is outside of the loop that gives way.
; LEAVES-LABEL: define void @loop_behind
; LEAVES: call void @__cudasim_yield(
; LEAVES: ret void
define void @loop_behind(i64 %bar) {
entry:
  br label %ask
ask:
  %over = call i32 @__cudasim_mbarrier_wait(i64 %bar, i32 1, i64 0, ptr null)
  %not = icmp ne i32 %over, 0
  br i1 %not, label %out, label %look
look:
  %f = call i32 @flag()
  %set = icmp ne i32 %f, 0
  br i1 %set, label %ask, label %again
again:
  call void @__cudasim_yield(ptr null, i32 0, ptr null)
  br label %look
out:
  ret void
}
