; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=line-tables %s | FileCheck %s
; Lines stay, variables and types go.

; ACTS-LABEL: define i32 @doubles
; ACTS-NOT: #dbg_value
; LEAVES: %r = mul i32 %x, 2, !dbg ![[LINE:[0-9]+]]
define i32 @doubles(i32 %x) !dbg !5 {
    #dbg_value(i32 %x, !7, !DIExpression(), !6)
  %r = mul i32 %x, 2, !dbg !6
  ret i32 %r, !dbg !6
}
; ACTS-NOT: DILocalVariable
; LEAVES: ![[LINE]] = !DILocation(line: 2
; ACTS-NOT: DILocalVariable

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "user.cu", directory: "/home/user")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "doubles", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 2, scope: !5)
!7 = !DILocalVariable(name: "x", arg: 1, scope: !5, file: !1, line: 1, type: !8)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
