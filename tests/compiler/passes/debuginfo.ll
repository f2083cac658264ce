; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=debuginfo %s | FileCheck %s
; A __shared__ variable is a local of the function that names it, found through a slot on its
; stack; one that the function does not name is not.

; ACTS-LABEL: define void @names
; ACTS: %[[SLOT:.*]] = alloca ptr
; ACTS: store {{.*}}ptr %[[SLOT]]
; ACTS: #dbg_declare(ptr %[[SLOT]], ![[TILE:[0-9]+]], !DIExpression(DW_OP_deref)
define void @names(ptr %p) !dbg !5 {
  store i32 1, ptr addrspace(3) @tile, align 4, !dbg !7
  ret void, !dbg !7
}

; LEAVES-LABEL: define void @names_none
; LEAVES-NOT: {{alloca ptr addrspace|tile}}
; LEAVES: ret void
define void @names_none(ptr %p) !dbg !6 {
  ret void, !dbg !8
}

; ACTS: ![[TILE]] = !DILocalVariable(name: "tile"
@tile = internal addrspace(3) global i32 undef, align 4, !dbg !9

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!nvvm.annotations = !{!12, !13}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug, globals: !{!9})
!1 = !DIFile(filename: "user.cu", directory: "/home/user")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "names", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "names_none", scope: !1, file: !1, line: 5, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 2, scope: !5)
!8 = !DILocation(line: 6, scope: !6)
!9 = !DIGlobalVariableExpression(var: !10, expr: !DIExpression())
!10 = distinct !DIGlobalVariable(name: "tile", scope: !5, file: !1, line: 2, type: !11, isLocal: true, isDefinition: true)
!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!12 = !{ptr @names, !"kernel", i32 1}
!13 = !{ptr @names_none, !"kernel", i32 1}
