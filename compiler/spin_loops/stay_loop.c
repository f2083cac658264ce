/* SPDX-License-Identifier: Apache-2.0 */
/* stay_loop.c - see stay_loop.h.
 *
 * A value is *unsteady* where it may differ from round to round with memory as it is: a clock, what
 * the loop carries from round to round (counters), and what is computed from these. What is
 * carried is steady after all where each round puts a steady value there. A branch by an unsteady
 * condition makes unsteady what comes behind it: what variables are given there and where paths
 * meet. The loop is proven where no way out stands behind such a branch, or is one.
 *
 * Loads are steady if their address is. So plain stores are refused, but for those to variables that
 * nobody else can reach. wait_loop.c asks for less, which is enough to explain a hang. */
#include "stay_loop.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 2000, MOST_BLOCKS = 256, MOST_VARIABLES = 64 };

struct block {
	LLVMBasicBlockRef ref;
	bool reached;  /* from the header, without ways that are never taken */
	bool unsteady; /* behind a branch by an unsteady condition, in the same round */
};

struct value {
	LLVMValueRef ref;
	struct block *block;
	bool unsteady;
	bool carried; /* a phi of the header's that has not been found steady */
};

/* A variable of the function's that the loop stores to. */
struct variable {
	LLVMValueRef ref;
	bool carried; /* not found steady */
};

struct loop {
	struct block blocks[MOST_BLOCKS];
	struct value *values, **sorted; /* in order; by reference */
	struct variable variables[MOST_VARIABLES];
	unsigned n_blocks, n_values, n_variables;
};

static struct block *block_of(struct loop *l, LLVMBasicBlockRef ref)
{
	for (unsigned i = 0; i < l->n_blocks; i++)
		if (l->blocks[i].ref == ref)
			return &l->blocks[i];
	return NULL;
}

static int compare(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)(*(struct value *const *)a)->ref;
	uintptr_t y = (uintptr_t)(*(struct value *const *)b)->ref;
	return x < y ? -1 : x > y;
}

/* NULL for what the loop does not compute. */
static struct value *value_of(const struct loop *l, LLVMValueRef ref)
{
	struct value key = {.ref = ref}, *of = &key, **found;
	found = LLVMIsAInstruction(ref) ? bsearch(&of, l->sorted, l->n_values, sizeof of, compare)
					: NULL;
	return found ? *found : NULL;
}

static struct variable *variable_of(struct loop *l, LLVMValueRef ref)
{
	for (unsigned i = 0; i < l->n_variables; i++)
		if (l->variables[i].ref == ref)
			return &l->variables[i];
	return NULL;
}

static bool is_steady(const struct loop *l, LLVMValueRef ref)
{
	const struct value *v = value_of(l, ref);
	return !v || !v->unsteady;
}

/* ---- ways that are never taken ----------------------------------------------------
 * libcu++ asserts of a time that it fits where it has just been found to be short. */

struct range {
	int64_t low, high;
};

/* What the condition, or its opposite, says of what it compares: NULL where nothing. */
static LLVMValueRef range_of(LLVMValueRef condition, bool holds, struct range *ret)
{
	if (LLVMIsABinaryOperator(condition) && LLVMGetInstructionOpcode(condition) == LLVMXor &&
	    LLVMIsAConstantInt(LLVMGetOperand(condition, 1)) &&
	    LLVMConstIntGetZExtValue(LLVMGetOperand(condition, 1)) == 1)
		return range_of(LLVMGetOperand(condition, 0), !holds, ret);
	if (!LLVMIsAICmpInst(condition) || !LLVMIsAConstantInt(LLVMGetOperand(condition, 1)) ||
	    LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(condition, 1))) > 64)
		return NULL;
	int64_t c = LLVMConstIntGetSExtValue(LLVMGetOperand(condition, 1));
	LLVMIntPredicate by = LLVMGetICmpPredicate(condition);
	bool below = by == LLVMIntSLT || by == LLVMIntSLE,
	     above = by == LLVMIntSGT || by == LLVMIntSGE;
	bool with = by == LLVMIntSLE || by == LLVMIntSGE;
	*ret = (struct range){INT64_MIN, INT64_MAX};
	if ((!below && !above) || c == INT64_MIN || c == INT64_MAX)
		return NULL;
	if (below == holds)
		ret->high = with == holds ? c : c - 1;
	else
		ret->low = with == holds ? c : c + 1;
	return LLVMGetOperand(condition, 0);
}

static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block)
{
	LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
	if (!use || LLVMGetNextUse(use) || !LLVMIsATerminatorInst(LLVMGetUser(use)))
		return NULL;
	return LLVMGetInstructionParent(LLVMGetUser(use));
}

static bool is_conditional(LLVMValueRef end)
{
	return LLVMIsABranchInst(end) && LLVMIsConditional(end);
}

/* Do branches that lead to the block say that its own never goes that way? */
static bool is_never_taken(LLVMBasicBlockRef block, unsigned successor)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	struct range own, known;
	LLVMValueRef of = is_conditional(end) ? range_of(LLVMGetCondition(end), !successor, &own)
					      : NULL;
	for (LLVMBasicBlockRef from; of && (from = only_predecessor(block)); block = from) {
		end = LLVMGetBasicBlockTerminator(from);
		if (!is_conditional(end) || LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
			continue;
		bool holds = LLVMGetSuccessor(end, 0) == block;
		if (range_of(LLVMGetCondition(end), holds, &known) == of &&
		    (known.low > own.high || known.high < own.low))
			return true;
	}
	return false;
}

static void reach(struct loop *l, struct block *b)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b->ref);
	b->reached = true;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
		struct block *to = block_of(l, LLVMGetSuccessor(end, i));
		if (to && !to->reached && !is_never_taken(b->ref, i))
			reach(l, to);
	}
}

/* ---- what may stand in the loop ------------------------------------------------------ */

static const char *callee_of(LLVMValueRef call)
{
	size_t n;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	return LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
}

static bool has_any(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

static bool is_atomic_call(const char *name)
{
	static const char *const words[] = {"atomic", "atom_", "mbarrier", NULL};
	return !strncmp(name, "__cudasim_", 10) && has_any(name, words);
}

static bool is_clock(const char *name)
{
	static const char *const words[] = {"clock", "globaltimer", "vprintf", "llvm.read", NULL};
	return has_any(name, words);
}

static bool may_stand(LLVMValueRef call)
{
	static const char *const of_ours[] = {"context",      "cluster_map", "sreg",  "membar",
					      "fence",        "nanosleep",   "yield", "reconverge",
					      "post_barrier", NULL};
	static const char *const of_llvm[] = {"llvm.dbg", "llvm.lifetime", "llvm.assume",
					      "llvm.experimental.noalias", NULL};
	const char *name = callee_of(call);
	if (!strncmp(name, "llvm.", 5)) {
		bool answers = LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind;
		return answers || has_any(name, of_llvm);
	}
	return !strncmp(name, "__cudasim_", 10) &&
	       (has_any(name, of_ours) || is_atomic_call(name) || is_clock(name));
}

/* A variable of the function's whose address goes nowhere. */
static bool is_own(LLVMValueRef address)
{
	if (!LLVMIsAAllocaInst(address))
		return false;
	for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		bool stores = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != address;
		bool marks = LLVMIsACallInst(user) &&
			     !strncmp(callee_of(user), "llvm.lifetime", 13);
		if (!LLVMIsALoadInst(user) && !stores && !marks)
			return false;
	}
	return true;
}

/* Its answer follows from its operands, or is_unsteady() says otherwise. */
static bool is_allowed(LLVMValueRef v)
{
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMCall:
		return may_stand(v);
	case LLVMStore:
		return is_own(LLVMGetOperand(v, 1));
	case LLVMBr:
	case LLVMSwitch:
	case LLVMPHI:
	case LLVMLoad:
	case LLVMFence:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMGetElementPtr:
	case LLVMICmp:
	case LLVMFCmp:
	case LLVMSelect:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector:
	case LLVMFreeze:
	case LLVMFNeg:
		return true;
	default:
		return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v);
	}
}

/* The blocks that are reached, and their instructions. */
static bool collect(struct loop *l, LLVMBasicBlockRef header)
{
	l->values = malloc(MOST_VALUES * sizeof *l->values);
	l->sorted = malloc(MOST_VALUES * sizeof(struct value *));
	if (!l->values || !l->sorted)
		return false;
	for (unsigned i = 0; i < l->n_blocks; i++) {
		struct block *b = &l->blocks[i];
		for (LLVMValueRef v = b->reached ? LLVMGetFirstInstruction(b->ref) : NULL; v;
		     v = LLVMGetNextInstruction(v)) {
			if (l->n_values == MOST_VALUES || !is_allowed(v))
				return false;
			bool carried = b->ref == header && LLVMIsAPHINode(v);
			l->sorted[l->n_values] = &l->values[l->n_values];
			l->values[l->n_values++] = (struct value){v, b, false, carried};
			LLVMValueRef to = LLVMIsAStoreInst(v) ? LLVMGetOperand(v, 1) : NULL;
			if (!to || variable_of(l, to))
				continue;
			if (l->n_variables == MOST_VARIABLES)
				return false;
			l->variables[l->n_variables++] = (struct variable){to, true};
		}
	}
	qsort(l->sorted, l->n_values, sizeof(struct value *), compare);
	return true;
}

/* ---- what is steady --------------------------------------------------------------- */

static bool phi_is_unsteady(struct loop *l, const struct value *v)
{
	bool same = true, unsteady = false;
	LLVMValueRef one = NULL;
	for (unsigned i = 0; i < LLVMCountIncoming(v->ref); i++) {
		const struct block *from = block_of(l, LLVMGetIncomingBlock(v->ref, i));
		LLVMValueRef of = LLVMGetIncomingValue(v->ref, i);
		if (from && !from->reached)
			continue;
		same &= !one || one == of;
		one = of;
		unsteady |= !is_steady(l, of);
	}
	return unsteady || (!same && v->block->unsteady);
}

static bool is_unsteady(struct loop *l, const struct value *v)
{
	if (LLVMIsAPHINode(v->ref))
		return v->carried || phi_is_unsteady(l, v);
	if (LLVMIsACallInst(v->ref) && is_clock(callee_of(v->ref)))
		return true;
	if (LLVMIsALoadInst(v->ref)) {
		LLVMValueRef from = LLVMGetOperand(v->ref, 0);
		const struct variable *variable = variable_of(l, from);
		if (LLVMIsAAllocaInst(from))
			return !is_own(from) || (variable && variable->carried);
	}
	for (int i = 0; i < LLVMGetNumOperands(v->ref); i++)
		if (!is_steady(l, LLVMGetOperand(v->ref, (unsigned)i)))
			return true;
	return false;
}

static bool spread_behind(struct loop *l, const struct block *b, LLVMBasicBlockRef header)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b->ref);
	bool changed = false;
	unsigned n = LLVMGetNumSuccessors(end);
	for (unsigned i = 0;
	     (b->unsteady || (n > 1 && !is_steady(l, LLVMGetOperand(end, 0)))) && i < n; i++) {
		struct block *to = block_of(l, LLVMGetSuccessor(end, i));
		if (!to || to->unsteady || to->ref == header)
			continue;
		to->unsteady = changed = true;
	}
	return changed;
}

static void spread(struct loop *l, LLVMBasicBlockRef header)
{
	for (unsigned i = 0; i < l->n_values; i++)
		l->values[i].unsteady = false;
	for (unsigned i = 0; i < l->n_blocks; i++)
		l->blocks[i].unsteady = false;
	for (bool changed = true; changed;) {
		changed = false;
		for (unsigned i = 0; i < l->n_values; i++) {
			struct value *v = &l->values[i];
			if (!v->unsteady && is_unsteady(l, v))
				v->unsteady = changed = true;
		}
		for (unsigned i = 0; i < l->n_blocks; i++)
			if (l->blocks[i].reached)
				changed |= spread_behind(l, &l->blocks[i], header);
	}
}

/* Of the header's: each round brings the same steady value. */
static bool phi_settles(struct loop *l, LLVMValueRef phi)
{
	LLVMValueRef one = NULL;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		const struct block *from = block_of(l, LLVMGetIncomingBlock(phi, i));
		LLVMValueRef of = LLVMGetIncomingValue(phi, i);
		if (!from || !from->reached || of == phi)
			continue;
		if ((one && one != of) || !is_steady(l, of))
			return false;
		one = of;
	}
	return true;
}

static bool variable_settles(const struct loop *l, LLVMValueRef variable)
{
	for (unsigned i = 0; i < l->n_values; i++) {
		const struct value *v = &l->values[i];
		if (LLVMIsAStoreInst(v->ref) && LLVMGetOperand(v->ref, 1) == variable &&
		    (v->block->unsteady || !is_steady(l, LLVMGetOperand(v->ref, 0))))
			return false;
	}
	return true;
}

/* What is carried and found to be steady is so from now on. */
static bool settle(struct loop *l)
{
	bool changed = false;
	for (unsigned i = 0; i < l->n_values; i++)
		if (l->values[i].carried && phi_settles(l, l->values[i].ref)) {
			l->values[i].carried = false;
			changed = true;
		}
	for (unsigned i = 0; i < l->n_variables; i++)
		if (l->variables[i].carried && variable_settles(l, l->variables[i].ref)) {
			l->variables[i].carried = false;
			changed = true;
		}
	return changed;
}

/* ---- the loop --------------------------------------------------------------------- */

static bool leaves(struct loop *l, const struct block *b)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b->ref);
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
		if (!block_of(l, LLVMGetSuccessor(end, i)) && !is_never_taken(b->ref, i))
			return true;
	return false;
}

static bool is_proven(struct loop *l)
{
	for (unsigned i = 0; i < l->n_blocks; i++) {
		const struct block *b = &l->blocks[i];
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b->ref);
		if (b->reached && leaves(l, b) &&
		    (b->unsteady ||
		     (LLVMGetNumSuccessors(end) > 1 && !is_steady(l, LLVMGetOperand(end, 0)))))
			return false;
	}
	for (unsigned i = 0; i < l->n_values; i++) {
		LLVMValueRef v = l->values[i].ref;
		bool atomic = LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v) ||
			      (LLVMIsACallInst(v) && is_atomic_call(callee_of(v)));
		if (!atomic)
			continue;
		if (l->values[i].block->unsteady)
			return false;
		for (int k = 0; k < LLVMGetNumOperands(v); k++)
			if (!is_steady(l, LLVMGetOperand(v, (unsigned)k)))
				return false;
	}
	return true;
}

static bool has_one_entry(struct loop *l, LLVMBasicBlockRef header)
{
	LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(header));
	for (unsigned i = 0; i < l->n_blocks; i++) {
		LLVMBasicBlockRef ref = l->blocks[i].ref;
		if (ref == header)
			continue;
		if (ref == first)
			return false;
		for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(ref)); u;
		     u = LLVMGetNextUse(u))
			if (!LLVMIsATerminatorInst(LLVMGetUser(u)) ||
			    !block_of(l, LLVMGetInstructionParent(LLVMGetUser(u))))
				return false;
	}
	return true;
}

bool stay_loop(const LLVMBasicBlockRef *blocks, unsigned n, LLVMBasicBlockRef header)
{
	struct loop l = {.n_blocks = 0};
	if (n > MOST_BLOCKS)
		return false;
	for (unsigned i = 0; i < n; i++)
		l.blocks[l.n_blocks++].ref = blocks[i];
	bool ret = has_one_entry(&l, header);
	if (ret)
		reach(&l, block_of(&l, header));
	ret = ret && collect(&l, header);
	for (bool changed = ret; changed;) {
		spread(&l, header);
		changed = settle(&l);
	}
	ret = ret && is_proven(&l);
	free(l.values);
	free(l.sorted);
	return ret;
}
