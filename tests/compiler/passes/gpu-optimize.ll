; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --gpu=sm_90 --run-pass=gpu-optimize %s | FileCheck %s
; What another thread may see is done; what nobody sees is not.
target triple = "nvptx64-nvidia-cuda"

; ACTS-LABEL: define {{.*}}i32 @doubles
; ACTS-NOT: alloca
; ACTS: ret i32
define i32 @doubles(i32 %x) {
  %v = alloca i32, align 4
  store i32 %x, ptr %v, align 4
  %a = load i32, ptr %v, align 4
  %r = mul i32 %a, 2
  ret i32 %r
}

; LEAVES-LABEL: define {{.*}}void @stores
; LEAVES: store volatile i32 1, ptr %p
; LEAVES: store volatile i32 2, ptr %p
define void @stores(ptr %p) {
  store volatile i32 1, ptr %p, align 4
  store volatile i32 2, ptr %p, align 4
  ret void
}
