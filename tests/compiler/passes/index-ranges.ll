; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=retarget,intrinsics,runtime,inline,index-ranges %s | FileCheck %s
; What a thread reads of its place has a GPU's limits; loads of anything else have none.

; ACTS-LABEL: define void @thread
; ACTS: load i32, ptr {{.*}}!range [[TID:![0-9]+]]
; ACTS: load i32, ptr {{.*}}!range [[TIDZ:![0-9]+]]
define void @thread(ptr %q) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %r = add i32 %x, %z
  store i32 %r, ptr %q
  ret void
}

; ACTS-LABEL: define void @block
; ACTS: load i32, ptr {{.*}}!range [[NTID:![0-9]+]]
; ACTS: load i32, ptr {{.*}}!range [[CTAID:![0-9]+]]
; ACTS: load i32, ptr {{.*}}!range [[CTAIDY:![0-9]+]]
define void @block(ptr %q) {
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %m = mul i32 %n, %b
  %r = add i32 %m, %c
  store i32 %r, ptr %q
  ret void
}

; LEAVES-LABEL: define void @others
; LEAVES-NOT: !range
; LEAVES: ret void
define void @others(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 12
  %a = load i32, ptr %p
  %b = load i32, ptr %q
  %d = call i32 @llvm.nvvm.read.ptx.sreg.clock()
  %s = add i32 %a, %b
  %r = add i32 %s, %d
  store i32 %r, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.clock()
!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @thread, !"kernel", i32 1}
!1 = !{ptr @block, !"kernel", i32 1}
!2 = !{ptr @others, !"kernel", i32 1}
; ACTS-DAG: [[TID]] = !{i32 0, i32 1024}
; ACTS-DAG: [[TIDZ]] = !{i32 0, i32 64}
; ACTS-DAG: [[NTID]] = !{i32 1, i32 1025}
; ACTS-DAG: [[CTAID]] = !{i32 0, i32 2147483647}
; ACTS-DAG: [[CTAIDY]] = !{i32 0, i32 65535}
