%S = type { i32, %S*, [2 x float addrspace(3)*] }
@t = constant <{ i8*, i32 (i8*, ...)* }> <{ i8* bitcast (void ()* @k to i8*), i32 (i8*, ...)* null }>
define void @k(%S* byval align 8 %p, <4 x i32*> %v) {
  %q = getelementptr inbounds %S, %S* %p, i64 0, i32 1 ; *
  %x = load volatile %S*, %S** %q, align 8, !dbg !1
  %r = call i32 (i8*, ...) %f(i8* null, i32 1)
  ret void
}
!0 = !{void (%S*, <4 x i32*>)* @k, !"kernel", i32 1}
