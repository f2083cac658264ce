/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_memory.h - what the instructions that touch memory have in common. */
#ifndef CUDASIM_COMPILER_PTX_MEMORY_H
#define CUDASIM_COMPILER_PTX_MEMORY_H

#include "ptx_emit.h"

/* Address space of the statement's state space modifier, as NVVM IR numbers
 * them; 0 (generic) without one. */
unsigned ptx_space(const struct ptx_emit *emit);

/* The pointer, or where it is no multiple of bytes (a power of two) one that faults as
 * misaligned: for accesses that are several here and one on a GPU. */
LLVMValueRef ptx_aligned(struct ptx_emit *emit, LLVMValueRef pointer, unsigned bytes);

/* LLVM's name for the statement's scope; "" (system) without one. */
const char *ptx_scope(const struct ptx_emit *emit);

/* The statement's memory order, `absent` without one. */
LLVMAtomicOrdering ptx_ordering(const struct ptx_emit *emit, LLVMAtomicOrdering absent);

void ptx_build_fence(struct ptx_emit *emit, LLVMAtomicOrdering ordering, const char *scope);

/* The operation that the statement's modifiers name, on that type. */
LLVMAtomicRMWBinOp ptx_atomic_operation(const struct ptx_emit *emit, enum ptx_type type);

/* An atomic update of memory, by the operation, order and scope that the statement
 * says, as bulk copies do it (sums of f32 keep subnormals); answers the value
 * before. Single numbers only, halfs too. */
LLVMValueRef ptx_atomic_update(struct ptx_emit *emit, LLVMValueRef pointer, enum ptx_type type,
			       LLVMValueRef operand);

#endif
