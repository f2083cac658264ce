; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=narrow-bounds %s | FileCheck %s
; A loop over threads of which those below `half` alone do something ends at half; one in which
; the condition differs by what a thread loads goes through all.

; ACTS-LABEL: define void @lower_half
; ACTS: call i32 @llvm.umin.i32(
; ACTS: ret void
define void @lower_half(ptr %p, i32 %n, i32 %half) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  %works = icmp ult i32 %t, %half
  br i1 %works, label %work, label %end
work:
  %w = zext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %w
  store i32 %t, ptr %q, align 4
  br label %end
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}

; What is the same for all threads is asked before the loop.
; ACTS-LABEL: define void @inside
; ACTS: %[[LOW:[0-9]+]] = freeze i1 %low
; ACTS: br i1 %[[LOW]], label %some, label %out
; ACTS: threads:
; ACTS: select i1 true, i1 %left, i1 false
; ACTS: ret void
define void @inside(ptr %p, i32 %n, i1 %low, ptr %q) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext i32 %t to i64
  %from = getelementptr i32, ptr %q, i64 %w
  %x = load i32, ptr %from, align 4
  %left = icmp ult i32 %x, 7
  %in = select i1 %low, i1 %left, i1 false
  br i1 %in, label %work, label %end
work:
  %to = getelementptr i32, ptr %p, i64 %w
  store i32 %x, ptr %to, align 4
  br label %end
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}

; An index of 64 bits is a bound, too.
; ACTS-LABEL: define void @wide
; ACTS: %[[END:[0-9]+]] = zext i32 %n to i64
; ACTS: %[[MOST:[0-9]+]] = add nuw i64 %j, %[[END]]
; ACTS: call i64 @llvm.smin.i64(i64 %{{[0-9]+}}, i64 %[[MOST]])
; ACTS: trunc i64
; ACTS: ret void
define void @wide(ptr %p, i32 %n, i64 %j, i64 %width) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext i32 %t to i64
  %x = add nuw nsw i64 %j, %w
  %left = icmp slt i64 %x, %width
  br i1 %left, label %work, label %end
work:
  %to = getelementptr i32, ptr %p, i64 %x
  store i32 %t, ptr %to, align 4
  br label %end
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}

; LEAVES-LABEL: define void @wraps
; LEAVES-NOT: smin
; LEAVES: ret void
define void @wraps(ptr %p, i32 %n, i64 %j, i64 %width) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext i32 %t to i64
  %x = add nuw i64 %j, %w
  %left = icmp slt i64 %x, %width
  br i1 %left, label %work, label %end
work:
  %to = getelementptr i32, ptr %p, i64 %x
  store i32 %t, ptr %to, align 4
  br label %end
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}

; LEAVES-LABEL: define void @by_data
; LEAVES-NOT: umin
; LEAVES: icmp ult i32 %next, %n
define void @by_data(ptr %p, i32 %n, i32 %half) {
entry:
  br label %threads
threads:
  %t = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %w
  %x = load i32, ptr %q, align 4
  %works = icmp ult i32 %x, %half
  br i1 %works, label %work, label %end
work:
  store i32 %t, ptr %q, align 4
  br label %end
end:
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %threads, label %out, !llvm.loop !0
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.parallel_accesses", !2}
!2 = distinct !{}
