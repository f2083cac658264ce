/* SPDX-License-Identifier: Apache-2.0 */
/* watch_access.h - what an instruction does to memory, in the terms of abi.h. */
#ifndef CUDASIM_COMPILER_WATCH_ACCESS_H
#define CUDASIM_COMPILER_WATCH_ACCESS_H

#include <llvm-c/Target.h>

#include "device.h"

/* One access: a value of any pointer type, a size in bytes as an i64 value, and
 * the flags of __cudasim_on_access(). */
struct watch_access {
	LLVMValueRef address, size;
	uint32_t flags;
	uint32_t alignment; /* bytes that a GPU needs, 1 for any: 1, 2, 4, 8, 16 */
	uint32_t want; /* CUDASIM_WANT_ACCESS, _LOCAL or, where it is not known, both */
};

enum { WATCH_MAX_ACCESSES = 2 };

/* The accesses of an instruction, in the order in which they happen. Returns
 * their number, 0..WATCH_MAX_ACCESSES. */
unsigned watch_accesses(LLVMValueRef instruction, LLVMTargetDataRef layout,
			struct watch_access *ret);

/* True for a memcpy, and for a load whose value goes nowhere but into stores, results and
 * other values of which that is true. */
bool watch_hands_on(LLVMValueRef instruction);

/* The variable (an alloca or a global) that an address is computed from, by an index that is
 * not constant, and its size in bytes. NULL where the code does not say so: behind a pointer
 * that was loaded or passed, and for arrays of unknown size. */
LLVMValueRef watch_variable(LLVMValueRef address, LLVMTargetDataRef layout, uint64_t *bytes);

/* True for a fence; *scope is an enum cudasim_scope, *order an enum
 * cudasim_order. */
bool watch_fence(LLVMValueRef instruction, uint32_t *scope, uint32_t *order);

#endif
