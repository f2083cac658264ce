; SPDX-License-Identifier: Apache-2.0
; RUN: sed 's/CASE/add.s32/' %s > %t; cudasim-devcc --run-pass=asm-known %t | FileCheck %s --check-prefix=LEAVES
; RUN: not cudasim-devcc --run-pass=asm-known %s 2>&1 | FileCheck %s --check-prefix=ACTS
; An instruction that nothing can be made of is reported before any other work is done. One in
; a function that no kernel reaches is not the program's.

; ACTS: PTX instruction 'CASE
; LEAVES-NOT: error
; LEAVES: asm "add.s32 $0, $1, $1;"
define void @kernel(ptr %p) {
  %r = call i32 asm "CASE $0, $1, $1;", "=r,r"(i32 3)
  store i32 %r, ptr %p
  ret void
}

define internal i32 @unreached(i32 %x) {
  %r = call i32 asm "nonsense.s32 $0, $1, $1;", "=r,r"(i32 %x)
  ret i32 %r
}

!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
