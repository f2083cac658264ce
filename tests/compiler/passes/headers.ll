; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=headers %s | FileCheck %s
; Small functions of the toolkit's headers are inlined; functions of the user's own are not.

; ACTS-NOT: @of_a_header
; ACTS-LABEL: define i32 @user
; ACTS: mul i32 %x, %x
; LEAVES: call i32 @own(
define i32 @user(i32 %x) !dbg !5 {
  %a = call i32 @of_a_header(i32 %x), !dbg !8
  %b = call i32 @own(i32 %a), !dbg !8
  ret i32 %b, !dbg !8
}

; ACTS-NOT: @of_a_header
define linkonce_odr i32 @of_a_header(i32 %x) !dbg !6 {
  %r = mul i32 %x, %x, !dbg !9
  ret i32 %r, !dbg !9
}

; LEAVES: define internal i32 @own(
define internal i32 @own(i32 %x) !dbg !7 {
  %r = mul i32 %x, 3, !dbg !10
  ret i32 %r, !dbg !10
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "user.cu", directory: "/home/user")
!2 = !DIFile(filename: "/usr/local/cuda/include/header.h", directory: "")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "user", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "of_a_header", scope: !2, file: !2, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!7 = distinct !DISubprogram(name: "own", scope: !1, file: !1, line: 5, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 2, scope: !5)
!9 = !DILocation(line: 2, scope: !6)
!10 = !DILocation(line: 6, scope: !7)
