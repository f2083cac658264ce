; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=asm,contract-half %s | FileCheck %s --check-prefixes=ACTS,LEAVES
; RUN: cudasim-devcc --fmad=0 --run-pass=asm,contract-half %s | FileCheck %s --check-prefix=SEPARATE
; mul.f16 and add.f16 without .rn are one operation; with it they stay two.

; ACTS-LABEL: define i16 @fuses
; ACTS: call {{.*}}fma.f16
; SEPARATE-LABEL: define i16 @fuses
; SEPARATE-NOT: fma.f16
; SEPARATE: ret i16
define i16 @fuses(i16 %x, i16 %y, i16 %z) {
  %p = call i16 asm "mul.f16 $0, $1, $2;", "=h,h,h"(i16 %x, i16 %y)
  %s = call i16 asm "add.f16 $0, $1, $2;", "=h,h,h"(i16 %p, i16 %z)
  ret i16 %s
}

; LEAVES-LABEL: define i16 @rounds_each
; LEAVES-NOT: fma.f16
; LEAVES: ret i16
define i16 @rounds_each(i16 %x, i16 %y, i16 %z) {
  %p = call i16 asm "mul.rn.f16 $0, $1, $2;", "=h,h,h"(i16 %x, i16 %y)
  %s = call i16 asm "add.rn.f16 $0, $1, $2;", "=h,h,h"(i16 %p, i16 %z)
  ret i16 %s
}
