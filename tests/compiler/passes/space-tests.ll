; SPDX-License-Identifier: Apache-2.0
; RUN: cudasim-devcc --run-pass=space-tests %s | FileCheck %s
; isspacep.shared, `address - block->shared < block->shared_bytes`, of an address that is made from
; block->shared is true; of another address it is left. 40 and 48 are the offsets of the two fields.

; ACTS-LABEL: define i1 @own
; ACTS: ret i1 true
define i1 @own(ptr %block, i64 %i) {
  %at = getelementptr inbounds i8, ptr %block, i64 40
  %shared = load ptr, ptr %at, align 8
  %p = getelementptr inbounds i64, ptr %shared, i64 %i
  %address = ptrtoint ptr %p to i64
  %start = ptrtoint ptr %shared to i64
  %offset = sub i64 %address, %start
  %n = getelementptr inbounds i8, ptr %block, i64 48
  %bytes = load i32, ptr %n, align 8
  %wide = zext i32 %bytes to i64
  %is = icmp ult i64 %offset, %wide
  ret i1 %is
}

; ACTS-LABEL: define i1 @not_outside
; ACTS: load i32, ptr %n, align 8, !range
; ACTS: ret i1 false
define i1 @not_outside(ptr %block, i64 %i) {
  %at = getelementptr inbounds i8, ptr %block, i64 40
  %shared = load ptr, ptr %at, align 8
  %p = getelementptr inbounds i64, ptr %shared, i64 %i
  %again = load ptr, ptr %at, align 8
  %address = ptrtoint ptr %p to i64
  %start = ptrtoint ptr %again to i64
  %offset = sub i64 %address, %start
  %n = getelementptr inbounds i8, ptr %block, i64 48
  %bytes = load i32, ptr %n, align 8
  %wide = zext i32 %bytes to i64
  %is = icmp uge i64 %offset, %wide
  ret i1 %is
}

; LEAVES-LABEL: define i1 @any
; LEAVES: ret i1 %is
define i1 @any(ptr %block, ptr %p) {
  %at = getelementptr inbounds i8, ptr %block, i64 40
  %shared = load ptr, ptr %at, align 8
  %address = ptrtoint ptr %p to i64
  %start = ptrtoint ptr %shared to i64
  %offset = sub i64 %address, %start
  %n = getelementptr inbounds i8, ptr %block, i64 48
  %bytes = load i32, ptr %n, align 8
  %wide = zext i32 %bytes to i64
  %is = icmp ult i64 %offset, %wide
  ret i1 %is
}

; LEAVES-LABEL: define i1 @of_another_block
; LEAVES: ret i1 %is
define i1 @of_another_block(ptr %block, ptr %other) {
  %at = getelementptr inbounds i8, ptr %block, i64 40
  %shared = load ptr, ptr %at, align 8
  %there = getelementptr inbounds i8, ptr %other, i64 40
  %p = load ptr, ptr %there, align 8
  %address = ptrtoint ptr %p to i64
  %start = ptrtoint ptr %shared to i64
  %offset = sub i64 %address, %start
  %n = getelementptr inbounds i8, ptr %block, i64 48
  %bytes = load i32, ptr %n, align 8
  %wide = zext i32 %bytes to i64
  %is = icmp ult i64 %offset, %wide
  ret i1 %is
}
