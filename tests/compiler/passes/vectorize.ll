; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,vectorize %s | FileCheck %s
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,watched-loops-body/vectorize %s | FileCheck %s --check-prefixes=TELLS
; A loop over threads that LLVM would leave scalar, since it has a loop inside, runs threads as
; the lanes of vectors: 16 of 32 bits in 512. One that LLVM vectorises stays as it is.

; ACTS-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_has_a_loop.v4
; ACTS: fadd <16 x float>
; LEAVES-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_straight.v4
; LEAVES-NOT: <16 x float>
; LEAVES: fadd float
; LEAVES: ret void

; An event is one for 32 lanes, with a base and a stride, or with their addresses.
; TELLS-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_tells.watched
; TELLS: call void @__cudasim_on_lanes(ptr %{{[0-9]+}}, i32 %[[FIRST:[0-9]+]], i32 %[[LANES:[0-9]+]], ptr %{{[a-z0-9.]+}}, i64 4, ptr null, i64 4, i32 2097153, ptr null, i64 0, ptr null)
; TELLS: store <32 x i64>
; TELLS: call void @__cudasim_on_lanes(ptr %{{[0-9]+}}, i32 %[[FIRST]], i32 %[[LANES]], ptr null, i64 0, ptr nonnull %{{[a-z0-9.]+}}, i64 4, i32 2097154, ptr nonnull %{{[a-z0-9.]+}}, i64 0, ptr null)
define void @tells(ptr %p, ptr %to) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %i
  call void @__cudasim_loop_access(i32 %t, ptr %q, i64 4, i32 2097153, i64 0, ptr null)
  %x = load i32, ptr %q, align 4
  %k = sext i32 %x to i64
  %r = getelementptr i32, ptr %to, i64 %k
  %bits = zext i32 %x to i64
  call void @__cudasim_loop_access(i32 %t, ptr %r, i64 4, i32 2097154, i64 %bits, ptr null)
  store i32 %x, ptr %r, align 4
  ret void
}
declare void @__cudasim_loop_access(i32, ptr, i64, i32, i64, ptr)

; A loop inside of each thread, whose length differs from thread to thread.
define void @has_a_loop(ptr %p, ptr %counts) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %q = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %q, align 4
  %c = getelementptr i32, ptr %counts, i64 %i
  %n = load i32, ptr %c, align 4
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ %x, %entry ], [ %y, %loop ]
  %y = fadd float %sum, %x
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %out
out:
  store float %y, ptr %q, align 4
  ret void
}

; LLVM makes vectors of this one by itself, later.
define void @straight(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %q = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %q, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr %q, align 4
  ret void
}

; An array of the thread's own: element k of 16 lanes stands side by side.
; ACTS-LABEL: define hidden void @__cudasim_{{[0-9]+}}_loop_has_an_array.v4
; ACTS: alloca [512 x i8]
; ACTS-NOT: masked.gather
; ACTS: ret void
define void @has_an_array(ptr %p, i32 %n) {
entry:
  %a = alloca [8 x float], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %q = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %q, align 4
  br label %fill
fill:
  %k = phi i32 [ 0, %entry ], [ %k1, %fill ]
  %e = getelementptr [8 x float], ptr %a, i64 0, i32 %k
  store float %x, ptr %e, align 4
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %fill, label %sum
sum:
  %j = phi i32 [ 0, %fill ], [ %j1, %sum ]
  %s = phi float [ 0.0, %fill ], [ %s1, %sum ]
  %f = getelementptr [8 x float], ptr %a, i64 0, i32 %j
  %y = load float, ptr %f, align 4
  %s1 = fadd float %s, %y
  %j1 = add i32 %j, 1
  %again = icmp slt i32 %j1, %n
  br i1 %again, label %sum, label %out
out:
  store float %s1, ptr %q, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!nvvm.annotations = !{!0, !1, !2, !3}
!2 = !{ptr @has_an_array, !"kernel", i32 1}
!0 = !{ptr @has_a_loop, !"kernel", i32 1}
!1 = !{ptr @straight, !"kernel", i32 1}
!3 = !{ptr @tells, !"kernel", i32 1}
