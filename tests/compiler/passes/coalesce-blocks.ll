; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=coalesce-blocks %s | FileCheck %s
; Where blockIdx.x and threadIdx.x are used in blockIdx.x * blockDim.x + threadIdx.x alone, the
; loop over threads goes through all blocks of the row; not where threadIdx.x is stored, too.

; ACTS-LABEL: define void @in_their_sum
; ACTS: %row = mul {{.*}}i32 %e,
; ACTS: icmp ult i32 %next, %row
define void @in_their_sum(ptr %params, ptr %block, i32 %n) {
entry:
  %p = load ptr, ptr %params, align 8
  %size = getelementptr i8, ptr %block, i64 12
  %e = load i32, ptr %size, align 4
  %first = load i32, ptr %block, align 4
  br label %blocks
blocks:
  %k = phi i32 [ 0, %entry ], [ %kn, %end ]
  %c = add i32 %first, %k
  br label %threads
threads:
  %t = phi i32 [ 0, %blocks ], [ %next, %threads ]
  %m = mul i32 %c, %e
  %i = add i32 %m, %t
  %w = sext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %w
  store i32 1, ptr %q, align 4
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %e
  br i1 %again, label %threads, label %end, !llvm.loop !0
end:
  %kn = add nuw i32 %k, 1
  %more = icmp ult i32 %kn, %n
  br i1 %more, label %blocks, label %out
out:
  ret void
}

; LEAVES-LABEL: define void @by_itself
; LEAVES: icmp ult i32 %next, %e
; LEAVES: icmp ult i32 %kn, %n
define void @by_itself(ptr %params, ptr %block, i32 %n) {
entry:
  %p = load ptr, ptr %params, align 8
  %size = getelementptr i8, ptr %block, i64 12
  %e = load i32, ptr %size, align 4
  %first = load i32, ptr %block, align 4
  br label %blocks
blocks:
  %k = phi i32 [ 0, %entry ], [ %kn, %end ]
  %c = add i32 %first, %k
  br label %threads
threads:
  %t = phi i32 [ 0, %blocks ], [ %next, %threads ]
  %m = mul i32 %c, %e
  %i = add i32 %m, %t
  %w = sext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %w
  store i32 %t, ptr %q, align 4
  %next = add nuw i32 %t, 1
  %again = icmp ult i32 %next, %e
  br i1 %again, label %threads, label %end, !llvm.loop !0
end:
  %kn = add nuw i32 %k, 1
  %more = icmp ult i32 %kn, %n
  br i1 %more, label %blocks, label %out
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.parallel_accesses", !2}
!2 = distinct !{}
