/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_release.c - where a warp writes global memory together and one of its lanes
 * then says so.
 *
 *	p[lane] = v;                    each lane its own word
 *	__threadfence();
 *	if (lane == 1)                  one lane for all
 *		atomicAnd(&lock, ~HELD);
 *
 * On hardware the lanes store before the fence, all of them, and the one lane's atomic comes
 * after. Here the first lanes to run would give the lock away before the others have stored.
 * So the warp meets at the end of the block that chooses the lane, where three things
 * come together, without a meeting between them: a store to memory that is neither shared
 * nor local, a fence, and an atomic in a block that is entered by lanes of one number only.
 * Only functions in which a warp's lanes work together otherwise, too (a shuffle, a
 * vote), are looked at.
 *
 * Rejected: a meeting at each fence. Where each lane has a lock of its own, the lane that
 * holds it would wait for lanes that wait for it. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "llvm_functions.h"
#include "warp_synchrony.h"

enum {
	MAX_BACK = 64, /* blocks looked at before a choice */
	MAX_DEPTH = 8, /* of a choice's expression */
	NO_NUMBER = -1,
};

/* What has been passed on the way back from a choice. */
struct way {
	LLVMBasicBlockRef seen[MAX_BACK];
	unsigned n_seen;
	bool stored; /* behind a fence, each lane its own */
};

static bool is_fence(LLVMValueRef i)
{
	return LLVMIsAFenceInst(i) && strcmp(instruction_sync_scope(i), "singlethread");
}

static bool is_atomic(LLVMValueRef i)
{
	return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

/* The variable, parameter or value that an address is made from. */
static LLVMValueRef base_of(LLVMValueRef address)
{
	for (unsigned depth = 0; depth < 3 * MAX_DEPTH; depth++) {
		if (!LLVMIsAGetElementPtrInst(address) && !LLVMIsAAddrSpaceCastInst(address) &&
		    !LLVMIsAConstantExpr(address))
			break;
		address = LLVMGetOperand(address, 0);
	}
	return address;
}

static bool is_global(LLVMValueRef address)
{
	LLVMValueRef base = base_of(address);
	return !LLVMIsAAllocaInst(base) && LLVMGetPointerAddressSpace(LLVMTypeOf(base)) != 3;
}

/* A thread's own number, or what is computed of it. */
static bool is_of_lane(LLVMValueRef value, unsigned depth)
{
	if (depth > MAX_DEPTH || !LLVMIsAInstruction(value))
		return false;
	if (synchrony_is_context(value))
		return true;
	if (LLVMIsAPHINode(value) || LLVMIsALoadInst(value) || LLVMIsACallInst(value))
		return false;
	for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
		if (is_of_lane(LLVMGetOperand(value, (unsigned)i), depth + 1))
			return true;
	return false;
}

/* The block that lanes of one number enter, of a branch's two; NULL if it is none. */
static LLVMBasicBlockRef chosen(LLVMValueRef branch)
{
	if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
		return NULL;
	LLVMValueRef c = LLVMGetCondition(branch);
	if (!LLVMIsAICmpInst(c) || !LLVMIsAConstantInt(LLVMGetOperand(c, 1)) ||
	    !is_of_lane(LLVMGetOperand(c, 0), 0))
		return NULL;
	switch (LLVMGetICmpPredicate(c)) {
	case LLVMIntEQ:
		return LLVMGetSuccessor(branch, 0);
	case LLVMIntNE:
		return LLVMGetSuccessor(branch, 1);
	default:
		return NULL;
	}
}

static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef only = NULL;
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); u;
	     u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user))
			continue;
		if (only && only != LLVMGetInstructionParent(user))
			return NULL;
		only = LLVMGetInstructionParent(user);
	}
	return only;
}

static bool is_elected(LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef before = only_predecessor(block);
	return before && chosen(LLVMGetBasicBlockTerminator(before)) == block;
}

/* An atomic in global memory, before any meeting. */
static bool tells(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		if (synchrony_is_meeting(i))
			return false;
		if (is_atomic(i) && is_global(LLVMGetOperand(i, 0)))
			return true;
	}
	return false;
}

/* Back from the block's end: first a fence, then a store, on some way and without a meeting. */
static void look_back(struct way *w, LLVMBasicBlockRef block, bool fenced)
{
	for (unsigned i = 0; i < w->n_seen; i++)
		if (w->seen[i] == block)
			return;
	if (w->n_seen == MAX_BACK)
		return;
	w->seen[w->n_seen++] = block;
	bool elected = is_elected(block);
	for (LLVMValueRef i = LLVMGetLastInstruction(block); i && !w->stored;
	     i = LLVMGetPreviousInstruction(i)) {
		if (synchrony_is_meeting(i))
			return;
		fenced |= is_fence(i);
		w->stored = fenced && !elected && LLVMIsAStoreInst(i) &&
			    is_global(LLVMGetOperand(i, 1));
	}
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); u && !w->stored;
	     u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAInstruction(user) && LLVMIsATerminatorInst(user))
			look_back(w, LLVMGetInstructionParent(user), fenced);
	}
}

/* The number of the block's end, NO_NUMBER where inlining or an optimisation has made it. */
static int64_t end_number(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetBasicBlockTerminator(block);
	while ((i = LLVMGetPreviousInstruction(i))) {
		LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
		size_t n;
		if (callee && LLVMIsAFunction(callee) &&
		    !strcmp(LLVMGetValueName2(callee, &n), SYNCHRONY_MARKER))
			return (int64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
		if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || is_atomic(i) ||
		    LLVMIsAMemIntrinsic(i))
			break;
	}
	return NO_NUMBER;
}

static bool works_together(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (synchrony_is_meeting(i) && !synchrony_is_barrier(i))
				return true;
	return false;
}

void synchrony_analyse_releases(LLVMValueRef function, unsigned char *meet)
{
	if (!works_together(function))
		return;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMBasicBlockRef one = chosen(LLVMGetBasicBlockTerminator(b));
		struct way way = {.n_seen = 0};
		if (!one || only_predecessor(one) != b || !tells(one))
			continue;
		look_back(&way, b, false);
		int64_t number = way.stored ? end_number(b) : NO_NUMBER;
		if (number != NO_NUMBER)
			meet[number] |= SYNCHRONY_BEFORE;
	}
}
