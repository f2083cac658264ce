; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=layout %s | FileCheck %s
; Addresses of variables stand in instructions of their own, so that passes after it can replace
; them; other constants stay as they are.
@tile = internal addrspace(3) global [4 x i32] undef, align 4
@table = private unnamed_addr constant [2 x i32] [i32 1, i32 2], align 4

; ACTS-LABEL: define void @kernel
; ACTS: getelementptr {{.*}}ptr addrspace(3) @tile, i64
; ACTS-NEXT: load i32, ptr addrspace(3) %
define void @kernel(ptr %p) {
  %x = load i32, ptr addrspace(3) getelementptr ([4 x i32], ptr addrspace(3) @tile, i64 0, i64 2), align 4
  %y = load i32, ptr getelementptr ([2 x i32], ptr @table, i64 0, i64 1), align 4
; LEAVES: load i32, ptr getelementptr
  %z = add i32 %x, %y
  store i32 %z, ptr %p, align 4
  ret void
}

; Each has the place in the source of what uses it, whatever uses the address later.
; ACTS-LABEL: define void @lines
; ACTS: addrspacecast ptr addrspace(3) @tile to ptr, !dbg [[FIRST:![0-9]+]]
; ACTS-NEXT: load i32, ptr %{{.*}}, !dbg [[FIRST]]
define void @lines(ptr %p) !dbg !4 {
  %x = load i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 4, !dbg !6
  %y = load i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 4, !dbg !7
  %z = add i32 %x, %y, !dbg !7
  store i32 %z, ptr %p, align 4, !dbg !7
  ret void, !dbg !7
}
!nvvm.annotations = !{!0, !8}
!0 = !{ptr @kernel, !"kernel", i32 1}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.cu", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "lines", file: !2, line: 1, type: !5, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 2, scope: !4)
!7 = !DILocation(line: 3, scope: !4)
!8 = !{ptr @lines, !"kernel", i32 1}
