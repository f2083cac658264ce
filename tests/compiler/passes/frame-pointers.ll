; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=frame-pointers %s | FileCheck %s

; ACTS: define void @defined(){{.*}} #[[ALL:[0-9]+]]
define void @defined() {
  call void @declared()
  ret void
}
; LEAVES: declare void @declared(){{$}}
declare void @declared()
; ACTS: attributes #[[ALL]] = { "frame-pointer"="all" }
