; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=unused-clocks %s | FileCheck %s
; A clock that is read for nobody is not read; one that somebody uses is, and so is what else is called.
declare i64 @__cudasim_globaltimer()
declare i64 @__cudasim_clock64()
declare i64 @other()

; ACTS-LABEL: define void @unused
; ACTS-NOT: @__cudasim
; LEAVES: call i64 @other()
; ACTS: ret void
define void @unused() {
  %a = call i64 @__cudasim_globaltimer()
  %b = call i64 @__cudasim_clock64()
  %time = sub i64 %b, %a
  %c = call i64 @other()
  ret void
}

; LEAVES-LABEL: define i64 @used
; LEAVES: call i64 @__cudasim_globaltimer()
; LEAVES: call i64 @__cudasim_clock64()
define i64 @used() {
  %a = call i64 @__cudasim_globaltimer()
  %b = call i64 @__cudasim_clock64()
  %time = sub i64 %b, %a
  ret i64 %time
}
