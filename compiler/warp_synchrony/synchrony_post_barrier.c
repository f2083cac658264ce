/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_post_barrier.c - where a program counts on all warps having loaded what they load right
 * behind a barrier before any of them stores there again.
 *
 *	__syncthreads();
 *	float sum = shared[0];          all threads, the last step of a reduction
 *	...                             no barrier
 *	shared[warp] = other;           the next reduction's first step
 *
 * That is a race. But on hardware the warps of a block leave a barrier together and load at
 * once, and the first store comes some dozens of cycles later, so such programs pass, and
 * are many. Here a thread, or a warp, would run from the barrier into the next reduction
 * before others have loaded. So behind the load the block's threads wait
 * (__cudasim_post_barrier) until all have come that far.
 *
 * Looked for is a load of shared memory that every thread executes behind a barrier, of
 * one address for all, and from which a store that may hit that address can be reached
 * without another barrier. In a program without races there is none, but where an array
 * is used in parts whose ends are not known; that one pays for a meeting it does not need.
 *
 * Rejected: all loads behind a barrier and all stores to other addresses. A tree of sums
 * (if (t < n) s[t] += s[t + n]) looks like that and is right; and hardware does not bear out
 * programs that load much, or under conditions, behind a barrier: on an H200 they mostly
 * fail with many warps. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/abi.h"
#include "device.h"
#include "llvm_functions.h"
#include "uniformity.h"
#include "warp_synchrony.h"

enum {
	MAX_CHAIN = 32, /* blocks behind a barrier */
	MAX_AHEAD = 512, /* blocks looked at behind a load */
	NO_NUMBER = -1,
};

struct question {
	/* values: with each phi taken for different, so that an address is the same in each round
	 * of a loop, too. */
	const struct uniformity *branches, *values;
	const LLVMValueRef *shared;
	unsigned n_shared;
	unsigned char *meet;
};

static const char *callee_name(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	size_t n;
	return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
}

/* ---- addresses ------------------------------------------------------------ */

/* Something that lies in the block (blockIdx, blockDim and their kin), to which the thread's
 * context points. */
static bool is_of_block(LLVMValueRef load)
{
	int64_t offset;
	LLVMValueRef block = address_base(load, LLVMGetOperand(load, 0), &offset);
	if (!LLVMIsALoadInst(block))
		return false;
	LLVMValueRef context = address_base(block, LLVMGetOperand(block, 0), &offset);
	return !strcmp(callee_name(context), "__cudasim_context") &&
	       offset == offsetof(struct cudasim_thread, block);
}

/* What the threads of a block have in common; the barrier says that all of them are there. */
static enum uniformity_source source_of(LLVMValueRef value, void *phis_differ)
{
	if (LLVMIsALoadInst(value))
		return is_of_block(value) ? UNIFORMITY_SAME : UNIFORMITY_DIFFERS;
	bool differs = LLVMIsAArgument(value) || LLVMIsACallInst(value) ||
		       LLVMIsAAllocaInst(value) || LLVMIsAAtomicRMWInst(value) ||
		       LLVMIsAAtomicCmpXchgInst(value) ||
		       (*(bool *)phis_differ && LLVMIsAPHINode(value));
	return differs ? UNIFORMITY_DIFFERS : UNIFORMITY_FOLLOWS;
}

/* An address as far as it is known: a variable of shared memory and, unless that is -1, the
 * offset there. var is NULL where it is another memory's, or not known. */
struct target {
	LLVMValueRef var;
	int64_t offset, size;
};

/* type: what is accessed, NULL where its size is not known. */
static struct target target_of(const struct question *q, LLVMValueRef i, LLVMValueRef address,
			       LLVMTypeRef type)
{
	struct target t = {.offset = -1, .size = -1};
	LLVMValueRef base = address_base(i, address, &t.offset);
	for (unsigned k = 0; k < q->n_shared; k++)
		if (q->shared[k] == base)
			t.var = base;
	if (type)
		t.size = (int64_t)type_store_size(i, type);
	return t;
}

static bool may_hit(const struct target *load, const struct target *store)
{
	if (load->var != store->var)
		return false;
	if (load->offset < 0 || store->offset < 0 || store->size < 0)
		return true;
	return load->offset < store->offset + store->size &&
	       store->offset < load->offset + load->size;
}

/* What the instruction stores to; var is NULL where it does not, or not to shared memory. */
static struct target stored(const struct question *q, LLVMValueRef i)
{
	if (LLVMIsAStoreInst(i))
		return target_of(q, i, LLVMGetOperand(i, 1), LLVMTypeOf(LLVMGetOperand(i, 0)));
	if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
		return target_of(q, i, LLVMGetOperand(i, 0), LLVMTypeOf(LLVMGetOperand(i, 1)));
	if (LLVMIsAMemIntrinsic(i))
		return target_of(q, i, LLVMGetOperand(i, 0), NULL);
	return (struct target){.var = NULL};
}

/* ---- ways ----------------------------------------------------------------- */

enum found { NOTHING, BARRIER, STORE };

static enum found look_through(const struct question *q, LLVMValueRef from,
			       const struct target *load)
{
	for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
		if (synchrony_is_barrier(i))
			return BARRIER;
		struct target t = stored(q, i);
		if (t.var && may_hit(load, &t))
			return STORE;
	}
	return NOTHING;
}

/* Can a store that may hit the load's address be reached before a barrier? */
static bool is_overtaken(const struct question *q, LLVMValueRef after, const struct target *load)
{
	LLVMBasicBlockRef open[MAX_AHEAD], block = LLVMGetInstructionParent(after);
	unsigned n = 0, done = 0;
	enum found found = look_through(q, LLVMGetNextInstruction(after), load);
	for (;;) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
		if (found == STORE)
			return true;
		for (unsigned i = 0; found == NOTHING && i < LLVMGetNumSuccessors(end); i++) {
			unsigned k = 0;
			while (k < n && open[k] != LLVMGetSuccessor(end, i))
				k++;
			if (k == n && n < MAX_AHEAD)
				open[n++] = LLVMGetSuccessor(end, i);
		}
		if (done == n)
			return false;
		block = open[done++];
		found = look_through(q, LLVMGetFirstInstruction(block), load);
	}
}

/* The number of the access, NO_NUMBER where inlining or an optimisation has made it. */
static int64_t number_of(LLVMValueRef access)
{
	LLVMValueRef before = LLVMGetPreviousInstruction(access);
	uint32_t number;
	if (!before || !synchrony_read_marker(before, &number))
		return NO_NUMBER;
	return number & ~SYNCHRONY_JOIN;
}

/* A load that all threads execute from the barrier on. */
static void judge(const struct question *q, LLVMValueRef load, int64_t *last)
{
	LLVMValueRef address = LLVMGetOperand(load, 0);
	if (!uniformity_is_uniform(q->values, address))
		return;
	struct target t = target_of(q, load, address, LLVMTypeOf(load));
	int64_t number = number_of(load);
	if (t.var && number != NO_NUMBER && is_overtaken(q, load, &t))
		*last = number;
}

/* On from an instruction behind a barrier, as long as all threads go the same way. Several
 * loads need one place, behind the last of them. */
static void follow(const struct question *q, LLVMValueRef i, int64_t last, unsigned depth)
{
	LLVMValueRef end = NULL;
	for (; i && !end; i = LLVMGetNextInstruction(i)) {
		if (synchrony_is_meeting(i) || stored(q, i).var)
			goto out;
		if (LLVMIsALoadInst(i))
			judge(q, i, &last);
		if (LLVMIsATerminatorInst(i))
			end = i;
	}
	if (!end || !LLVMIsABranchInst(end) || depth >= MAX_CHAIN)
		goto out;
	if (uniformity_diverges(q->branches, LLVMGetInstructionParent(end)))
		goto out;
	for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
		follow(q, LLVMGetFirstInstruction(LLVMGetSuccessor(end, k)), last,
		       LLVMIsConditional(end) ? depth + MAX_CHAIN / 4 : depth + 1);
	return;
out:
	if (last != NO_NUMBER)
		q->meet[last] |= SYNCHRONY_POST_BARRIER;
}

void synchrony_analyse_post_barrier(LLVMValueRef function, const LLVMValueRef *shared,
				    unsigned n_shared, unsigned char *meet)
{
	if (!function_has(function, synchrony_is_barrier))
		return;
	bool phis_differ = false;
	struct uniformity *branches = uniformity_new(function, source_of, &phis_differ), *values;
	phis_differ = true;
	values = uniformity_new(function, source_of, &phis_differ);
	struct question q = {branches, values, shared, n_shared, meet};
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (synchrony_is_barrier(i))
				follow(&q, LLVMGetNextInstruction(i), NO_NUMBER, 0);
	uniformity_free(branches);
	uniformity_free(values);
}
