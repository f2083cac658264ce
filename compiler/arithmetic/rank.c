/* SPDX-License-Identifier: Apache-2.0 */
/* rank.c - ranks of values (LLVM 7's Reassociate.cpp tells how they are counted).
 *
 * Arguments have ranks 3, 4, 5, ... by their order. Each block, in order, begins at the
 * next number times 65536; in it what cannot be moved (loads, calls, phis, divisions)
 * counts on by one. Any other instruction has the highest rank of its operands and one,
 * but negations, which have their operand's. Constants have 0. */
#include "rank.h"

#include <stdint.h>
#include <stdlib.h>

#include "hash.h"

struct rank {
	struct hash ranks; /* by value, as a number */
};

static uintptr_t rank_of(const struct rank *r, LLVMValueRef value)
{
	return (uintptr_t)hash_get(&r->ranks, value);
}

static bool is_unmovable(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMPHI:
	case LLVMAlloca:
	case LLVMLoad:
	case LLVMInvoke:
	case LLVMCall:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMFDiv:
	case LLVMURem:
	case LLVMSRem:
	case LLVMFRem:
		return true;
	default:
		return false;
	}
}

/* Operands come before, but for those of phis. */
static uintptr_t count(const struct rank *r, LLVMValueRef i)
{
	uintptr_t highest = 0;
	for (int k = 0; k < LLVMGetNumOperands(i); k++) {
		uintptr_t rank = rank_of(r, LLVMGetOperand(i, (unsigned)k));
		highest = rank > highest ? rank : highest;
	}
	return highest + (LLVMGetInstructionOpcode(i) != LLVMFNeg);
}

static bool fill(struct rank *r, LLVMValueRef function)
{
	uintptr_t next = 2;
	for (LLVMValueRef a = LLVMGetFirstParam(function); a; a = LLVMGetNextParam(a))
		if (!hash_put(&r->ranks, a, (void *)++next))
			return false;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		uintptr_t here = ++next << 16;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			uintptr_t rank = is_unmovable(i) ? ++here : count(r, i);
			if (rank && !hash_put(&r->ranks, i, (void *)rank))
				return false;
		}
	}
	return true;
}

struct rank *rank_new(LLVMValueRef function)
{
	struct rank *r = calloc(1, sizeof(*r));
	if (r && !fill(r, function)) {
		rank_free(r);
		r = NULL;
	}
	return r;
}

void rank_free(struct rank *r)
{
	if (!r)
		return;
	hash_fini(&r->ranks);
	free(r);
}

bool rank_swaps(const struct rank *r, LLVMValueRef addition)
{
	return rank_of(r, LLVMGetOperand(addition, 1)) < rank_of(r, LLVMGetOperand(addition, 0));
}
