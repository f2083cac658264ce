; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=padding %s | FileCheck %s
; The bits beside a local structure's bit fields begin as zeros.

; ACTS-LABEL: define i32 @bit_field
; ACTS: %s = alloca i32
; ACTS: call void @llvm.memset{{.*}}(ptr {{.*}}%s, i8 0, i64 4,
; ACTS: load i32, ptr %s
define i32 @bit_field() {
  %s = alloca i32, align 4
  %old = load i32, ptr %s, align 4
  %kept = and i32 %old, -8
  %new = or i32 %kept, 5
  store i32 %new, ptr %s, align 4
  %all = load i32, ptr %s, align 4
  ret i32 %all
}

; LEAVES-LABEL: define i32 @whole
; LEAVES-NOT: memset
; LEAVES: ret i32
define i32 @whole(i32 %x) {
  %s = alloca i32, align 4
  store i32 %x, ptr %s, align 4
  %all = load i32, ptr %s, align 4
  ret i32 %all
}
