%x = load i32* %p
%q = getelementptr inbounds [4 x i32]* %p, i64 0, i64 1
%o = cmpxchg i32* %p, i32 %a, i32 %b seq_cst
tail call void @llvm.dbg.value(metadata !{i32 %x}, i64 0, metadata !3), !dbg !4
!0 = metadata !{void ()* @k, metadata !"kernel", i32 1}
!5 = distinct !DISubprogram(name: "f", variables: !6)
uselistorder i8* null, { 1, 0 }
