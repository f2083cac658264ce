/* SPDX-License-Identifier: Apache-2.0 */
/* wait_loop.c - see wait_loop.h.
 *
 * Each branch of the loop must follow from loads, atomics and what the loop does not change. A
 * variable of the function is followed to what the loop stores there; one that depends on
 * itself (a counter) is none of these, nor is a clock, or what a called function answers. */
#include "wait_loop.h"

#include <string.h>

enum { MOST_VALUES = 64 };

struct walk {
	const LLVMBasicBlockRef *blocks;
	unsigned n_blocks;
	LLVMValueRef values[MOST_VALUES]; /* that have been asked about */
	bool known[MOST_VALUES];          /* answered: pure. Otherwise still being asked */
	unsigned n;
};

static bool is_inside(const struct walk *w, LLVMValueRef instruction)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
	for (unsigned i = 0; i < w->n_blocks; i++)
		if (w->blocks[i] == block)
			return true;
	return false;
}

/* What libcudasim or the built-in functions answer from memory. */
static bool asks_memory(LLVMValueRef call)
{
	size_t n;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
	return !strncmp(name, "__cudasim_", 10) &&
	       (strstr(name, "atomic") || strstr(name, "atom_") || strstr(name, "mbarrier"));
}

static bool is_harmless(LLVMValueRef call)
{
	size_t n;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
	return asks_memory(call) || LLVMGetIntrinsicID(callee) ||
	       (!strncmp(name, "__cudasim_", 10) &&
		(strstr(name, "membar") || strstr(name, "fence") || strstr(name, "nanosleep") ||
		 strstr(name, "clock") || strstr(name, "globaltimer") || strstr(name, "vprintf")));
}

static bool is_pure(struct walk *w, LLVMValueRef v);

/* What the loop may have put into the variable. */
static bool variable_is_pure(struct walk *w, LLVMValueRef variable)
{
	for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsALoadInst(user))
			continue;
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable &&
		    LLVMGetOperand(user, 0) != variable) {
			if (is_inside(w, user) && !is_pure(w, LLVMGetOperand(user, 0)))
				return false;
			continue;
		}
		if (!LLVMIsACallInst(user) || !LLVMGetIntrinsicID(LLVMGetCalledValue(user)))
			return false; /* others may store there */
	}
	return true;
}

static bool operands_are_pure(struct walk *w, LLVMValueRef v)
{
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		if (!is_pure(w, LLVMGetOperand(v, (unsigned)i)))
			return false;
	return true;
}

static bool instruction_is_pure(struct walk *w, LLVMValueRef v)
{
	if (LLVMIsALoadInst(v)) {
		LLVMValueRef from = LLVMGetOperand(v, 0);
		if (LLVMIsAAllocaInst(from))
			return variable_is_pure(w, from);
		while (LLVMIsAGetElementPtrInst(from) || LLVMIsACastInst(from))
			from = LLVMGetOperand(from, 0);
		return !LLVMIsAAllocaInst(from);
	}
	if (LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v))
		return true;
	if (LLVMIsACallInst(v))
		return asks_memory(v);
	if (LLVMIsAPHINode(v)) {
		for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
			if (!is_pure(w, LLVMGetIncomingValue(v, i)))
				return false;
		return true;
	}
	return (LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) ||
		LLVMIsASelectInst(v) || LLVMIsAExtractValueInst(v) || LLVMIsAFreezeInst(v)) &&
	       operands_are_pure(w, v);
}

static bool is_pure(struct walk *w, LLVMValueRef v)
{
	if (!LLVMIsAInstruction(v) || !is_inside(w, v))
		return true;
	for (unsigned i = 0; i < w->n; i++)
		if (w->values[i] == v)
			return w->known[i];
	if (w->n == MOST_VALUES)
		return false;
	unsigned own = w->n++;
	w->values[own] = v;
	w->known[own] = false;
	w->known[own] = instruction_is_pure(w, v);
	return w->known[own];
}

bool wait_loop_is_pure(const LLVMBasicBlockRef *blocks, unsigned n)
{
	struct walk w = {.blocks = blocks, .n_blocks = n, .n = 0};
	for (unsigned i = 0; i < n; i++) {
		for (LLVMValueRef v = LLVMGetFirstInstruction(blocks[i]); v;
		     v = LLVMGetNextInstruction(v))
			if (LLVMIsACallInst(v) && !is_harmless(v))
				return false;
		LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[i]);
		bool branches = LLVMIsABranchInst(end) && LLVMIsConditional(end);
		if (!branches && !LLVMIsASwitchInst(end) && !LLVMIsABranchInst(end))
			return false;
		if ((branches || LLVMIsASwitchInst(end)) &&
		    !is_pure(&w, branches ? LLVMGetCondition(end) : LLVMGetOperand(end, 0)))
			return false;
	}
	return true;
}
