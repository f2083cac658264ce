; SPDX-License-Identifier: Apache-2.0
; What the assembly language of LLVM 14 has of types in it.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%node = type { i32, %node*, [2 x float addrspace(3)*], i8 (%node*, ...)* }
%packed = type <{ i8, <{ i16, i64* }>*, <4 x i32*> }>
%"odd name" = type { %packed, %hidden* }
%hidden = type opaque

@text = private unnamed_addr constant [4 x i8] c"a*\22\00", align 1
@place = addrspace(1) global i8* getelementptr inbounds ([4 x i8], [4 x i8]* @text, i64 0, i64 1), align 8
@functions = internal constant [2 x void (i32*)*] [void (i32*)* @callee, void (i32*)* null]
@first = addrspace(1) global %node { i32 7, %node* null, [2 x float addrspace(3)*] zeroinitializer, i8 (%node*, ...)* null }
@tile = internal addrspace(3) global [32 x [4 x double]] undef, align 8
@far = external addrspace(1) global float
@number = global i64 ptrtoint (%node addrspace(1)* @first to i64)
@other = alias i64, bitcast (i64* @number to i64*)
@used = appending global [1 x i8*] [i8* bitcast (void (%node*, <2 x i8*>)* @kernel to i8*)], section "llvm.metadata"

declare void @variadic(i8*, ...)
declare i32 @personality(...)
declare void @llvm.memcpy.p0i8.p1i8.i64(i8* noalias nocapture writeonly, i8 addrspace(1)* noalias nocapture readonly, i64, i1 immarg)
declare void @returns({ i8*, i32 }* sret({ i8*, i32 }), %packed* byval(%packed) align 8, float addrspace(1)* nonnull)

define internal void @callee(i32* nocapture readonly dereferenceable(4) %p) #0 {
  ret void
}

define void @kernel(%node* byval(%node) align 8 %n, <2 x i8*> %v) {
entry:
  %slot = alloca i8*, align 8
  %pair = alloca { i8*, i32 }, i32 2
  %next = getelementptr inbounds %node, %node* %n, i64 0, i32 1
  %0 = load %node*, %node** %next, align 8
  %1 = load volatile i32, i32* getelementptr inbounds (%node, %node* addrspacecast (%node addrspace(1)* @first to %node*), i32 0, i32 0), align 4
  %is = icmp eq %node* %0, null
  br i1 %is, label %yes, label %no
yes:
  %f = load void (i32*)*, void (i32*)** getelementptr inbounds ([2 x void (i32*)*], [2 x void (i32*)*]* @functions, i64 0, i64 0)
  call void %f(i32* null)
  call void (i8*, ...) @variadic(i8* getelementptr inbounds ([4 x i8], [4 x i8]* @text, i32 0, i32 0), i32 %1, double* null)
  %w = call i32 asm sideeffect "ld.u32 $0, [$1];", "=r,l"(i32* null) #1
  br label %no
no:
  %m = phi i8* [ null, %entry ], [ inttoptr (i64 16 to i8*), %yes ]
  %e = extractelement <2 x i8*> %v, i32 1
  %s = select i1 %is, i8* %m, i8* %e
  store i8* %s, i8** %slot
  %g = getelementptr i8, <2 x i8*> %v, <2 x i64> <i64 1, i64 2>
  %c = bitcast <2 x i8*> %g to <2 x i32*>
  %a = cmpxchg weak i8** %slot, i8* null, i8* %s syncscope("block") acq_rel monotonic
  %b = extractvalue { i8*, i1 } %a, 0
  %r = atomicrmw add i32* null, i32 1 seq_cst
  %x = load atomic i64, i64* @number acquire, align 8
  call void @llvm.memcpy.p0i8.p1i8.i64(i8* align 1 %b, i8 addrspace(1)* align 1 bitcast (%node addrspace(1)* @first to i8 addrspace(1)*), i64 8, i1 false)
  %y = insertvalue { i8*, { i32, i8* } } undef, i8* %b, 1, 1
  switch i32 %1, label %end [
    i32 0, label %end
    i32 1, label %end
  ]
end:
  call void @returns({ i8*, i32 }* sret({ i8*, i32 }) %pair, %packed* byval(%packed) align 8 null, float addrspace(1)* nonnull @far)
  ret void
}

define i8* @space(i8 addrspace(5)* %p) {
  %q = addrspacecast i8 addrspace(5)* %p to i8*
  %r = ptrtoint i8* %q to i64
  ret i8* %q
}

attributes #0 = { noinline nounwind readnone "frame-pointer"="all" }
attributes #1 = { nounwind }

!nvvm.annotations = !{!0, !1}
!0 = !{void (%node*, <2 x i8*>)* @kernel, !"kernel", i32 1}
!1 = !{i64* @number, !"i32*", i32 2, !"pointer", !{i8* null, !"nested"}}
