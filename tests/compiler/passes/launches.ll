; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --rdc --run-pass=launches %s | FileCheck %s
; A launch is a call of libcudasim with the arguments packed: an int at 0, a pointer at 8. A
; kernel's address is its row's in the table of kernels.

; ACTS-LABEL: define void @parent
; ACTS: %[[ARGS:.*]] = alloca [16 x i8], align 16
; ACTS-NOT: call void @child
; ACTS: store i32 7, ptr %
; ACTS: getelementptr inbounds i8, ptr %[[ARGS]], i64 8
; ACTS: @__cudasim_launch(ptr @__cudasim_{{[0-9]+}}_kernel_child, ptr %[[ARGS]], ptr %grid, ptr %block, i64 0, ptr null
define void @parent(ptr %p, ptr %grid, ptr %block) {
  %no = call i32 @__cudaPushCallConfiguration(ptr %grid, ptr %block, i64 0, ptr null)
  %skip = icmp ne i32 %no, 0
  br i1 %skip, label %end, label %go
go:
  call void @child(i32 7, ptr %p)
  br label %end
end:
  ret void
}

define void @child(i32 %n, ptr %p) {
  store i32 %n, ptr %p
  ret void
}

; LEAVES-LABEL: define void @calls
; LEAVES: call void @function(i32 7, ptr %p)
define void @calls(ptr %p) {
  call void @function(i32 7, ptr %p)
  ret void
}

define void @function(i32 %n, ptr %p) {
  store i32 %n, ptr %p
  ret void
}
declare i32 @__cudaPushCallConfiguration(ptr, ptr, i64, ptr)
!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @parent, !"kernel", i32 1}
!1 = !{ptr @child, !"kernel", i32 1}
!2 = !{ptr @calls, !"kernel", i32 1}
