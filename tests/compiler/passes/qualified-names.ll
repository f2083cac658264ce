; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=qualified-names %s | FileCheck %s
; A function of C++ is named with its namespace; one of C keeps its name.

; ACTS-DAG: DISubprogram(name: "geo::put", linkageName: "_ZN3geo3putEPi"
; LEAVES-DAG: DISubprogram(name: "plain", scope
define void @_ZN3geo3putEPi(ptr %p) !dbg !5 {
  ret void, !dbg !7
}
define void @plain() !dbg !6 {
  ret void, !dbg !8
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "user.cu", directory: "/home/user")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "put", linkageName: "_ZN3geo3putEPi", scope: !9, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "plain", scope: !1, file: !1, line: 2, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 1, scope: !5)
!8 = !DILocation(line: 2, scope: !6)
!9 = !DINamespace(name: "geo", scope: null)
