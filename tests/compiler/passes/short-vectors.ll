; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=short-vectors %s | FileCheck %s

; ACTS: define void @defined(){{.*}} #[[SHORT:[0-9]+]]
define void @defined() {
  call void @declared()
  ret void
}
; LEAVES: declare void @declared(){{$}}
declare void @declared()
; ACTS: attributes #[[SHORT]] = { "min-legal-vector-width"="256" }
