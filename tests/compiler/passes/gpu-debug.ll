; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --gpu=sm_90 --run-pass=gpu-debug %s | FileCheck %s --check-prefixes=ACTS,LEAVES
; RUN: cudasim-devcc --gpu=sm_90 --gpu-debug --run-pass=gpu-debug %s | FileCheck %s --check-prefix=FULL
; Lines stay whatever the options; the rest of debug information with --gpu-debug alone.

; LEAVES: %r = mul i32 %x, 2, !dbg
define i32 @doubles(i32 %x) !dbg !5 {
  %r = mul i32 %x, 2, !dbg !6
  ret i32 %r, !dbg !6
}
; ACTS: emissionKind: DebugDirectivesOnly
; FULL: emissionKind: FullDebug

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "user.cu", directory: "/home/user")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "doubles", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 2, scope: !5)
