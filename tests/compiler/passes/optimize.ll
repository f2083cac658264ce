; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=optimize %s | FileCheck %s
; RUN: cudasim-devcc -O0 --run-pass=optimize %s | FileCheck %s --check-prefix=NOT-OPTIMISED

; ACTS-LABEL: define {{.*}}i32 @doubles.v4
; ACTS-NOT: alloca
; ACTS: ret i32
; NOT-OPTIMISED-LABEL: define {{.*}}i32 @doubles.v4
; NOT-OPTIMISED: alloca i32
define i32 @doubles(i32 %x) {
  %v = alloca i32, align 4
  store i32 %x, ptr %v, align 4
  %a = load i32, ptr %v, align 4
  %r = mul i32 %a, 2
  ret i32 %r
}

; What another thread may see is done.
; LEAVES-LABEL: define {{.*}}void @stores.v4
; LEAVES: store volatile i32 1, ptr %
; LEAVES: store volatile i32 2, ptr %
define void @stores(ptr %p) {
  store volatile i32 1, ptr %p, align 4
  store volatile i32 2, ptr %p, align 4
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @doubles, !"kernel", i32 1}
!1 = !{ptr @stores, !"kernel", i32 1}
