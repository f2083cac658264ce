; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=watch %s | FileCheck %s
; RUN: cudasim-devcc --run-pass=watched-loops/watch %s | FileCheck %s --check-prefixes=LOOPS
; Functions with debug information announce their accesses; those without are left alone.

; ACTS-LABEL: define void @kernel
; ACTS: call {{.*}}@__cudasim_hook
; ACTS: store i32 1, ptr %p
define void @kernel(ptr %p) !dbg !5 {
  store i32 1, ptr %p, align 4, !dbg !6
  call void @builtin(ptr %p), !dbg !6
  ret void, !dbg !6
}

; Of loops' threads by their number, wherever they are.
; LOOPS-LABEL: define void @kernel
; LOOPS: %linear = load i32
; LOOPS: call void @__cudasim_loop_access(i32 %linear, ptr %p, i64 4, i32 {{[0-9]+}}, i64 1, ptr
; LOOPS-NEXT: store i32 1, ptr %p

; LEAVES-LABEL: define internal void @builtin
; LEAVES-NEXT: store i32 2, ptr %p
; LEAVES-NEXT: ret void
define internal void @builtin(ptr %p) {
  store i32 2, ptr %p, align 4
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!nvvm.annotations = !{!7}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "user.cu", directory: "/home/user")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "kernel", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 2, scope: !5)
!7 = !{ptr @kernel, !"kernel", i32 1}
