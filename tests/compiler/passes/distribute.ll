; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=distribute %s | FileCheck %s
; What one thread of a row, or one row of a block, does behind an equality has a loop of its own;
; not where it uses what was loaded before, nor where the threads' loop is no region's.

; The first thread's piece runs once, where there is such a thread, and the row's behind what is
; the same for all. A division that only one piece needs is in no other one.
; ACTS-LABEL: define void @halo(
; ACTS: br i1 %{{[0-9]+}}, label %[[LEFT:piece[0-9]*]], label %[[THEN:pieces[0-9]*]]
; ACTS: [[THEN]]:
; ACTS: %{{[0-9]+}} = freeze i1 %both
; ACTS: br i1 %{{[0-9]+}}, label %[[TOP:piece[0-9]*]], label %
; ACTS: threads.piece:
; ACTS: phi i32
; ACTS: br i1 %inside.piece, label %work.piece, label %end.piece
; ACTS: store float %v.piece
; ACTS-NOT: {{store|udiv|select}}
; ACTS: br i1 %again.piece, label %threads.piece
; ACTS-NOT: phi
; ACTS: store float %b.piece, ptr %tile
; ACTS-NOT: {{store|udiv}}
; ACTS: br label %[[THEN]]
; ACTS: phi i32
; ACTS: udiv
; ACTS: store float %a.piece
; ACTS: br i1 %{{again.*}}, label %threads.piece{{[0-9]+}}
; ACTS: {{^}$}}
define void @halo(ptr %in, ptr %tile, i32 %n, i32 %j, i32 %width, i1 %top, i64 %row, i64 %row1) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  %x = add nuw i32 %j, %t
  %inside = icmp ult i32 %x, %width
  br i1 %inside, label %work, label %end
work:
  %w = zext i32 %x to i64
  %from = getelementptr float, ptr %in, i64 %w
  %v = load float, ptr %from, align 4
  %o = zext i32 %t to i64
  %o1 = add nuw nsw i64 %o, 1
  %to = getelementptr float, ptr %tile, i64 %o1
  store float %v, ptr %to, align 4
  %first = icmp eq i64 %o1, 1
  %inner = icmp ne i32 %x, 0
  %left = select i1 %first, i1 %inner, i1 false
  br i1 %left, label %border, label %on
border:
  %before = getelementptr i8, ptr %from, i64 -4
  %b = load float, ptr %before, align 4
  store float %b, ptr %tile, align 4
  br label %on
on:
  %is_top = icmp eq i64 %row, 0
  %both = and i1 %is_top, %top
  br i1 %both, label %copy, label %end
copy:
  %q = udiv i64 %w, %row1
  %above = getelementptr float, ptr %from, i64 %q
  %a = load float, ptr %above, align 4
  %up = getelementptr i8, ptr %to, i64 -72
  store float %a, ptr %up, align 4
  br label %end
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}

; LEAVES-LABEL: define void @uses(
; LEAVES-NOT: piece
; LEAVES: ret void
define void @uses(ptr %in, ptr %tile, i32 %n) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext i32 %t to i64
  %from = getelementptr float, ptr %in, i64 %w
  %v = load float, ptr %from, align 4
  %to = getelementptr float, ptr %tile, i64 %w
  store float 0.0, ptr %to, align 4
  %first = icmp eq i32 %t, 0
  br i1 %first, label %border, label %end
border:
  store float %v, ptr %in, align 4
  br label %end
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}

; LEAVES-LABEL: define void @no_region(
; LEAVES-NOT: piece
; LEAVES: ret void
define void @no_region(ptr %in, ptr %tile, i32 %n) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext i32 %t to i64
  %to = getelementptr float, ptr %tile, i64 %w
  store float 0.0, ptr %to, align 4
  %first = icmp eq i32 %t, 0
  br i1 %first, label %border, label %end
border:
  store float 1.0, ptr %in, align 4
  br label %end
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !4
out:
  ret void
}
!0 = distinct !{!0, !1, !3}
!1 = !{!"llvm.loop.parallel_accesses", !2}
!2 = distinct !{}
!3 = !{!"cudasim.row"}
!4 = distinct !{!4, !1}
