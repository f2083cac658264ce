/* SPDX-License-Identifier: Apache-2.0 */
/* pass_yield.c - loops that may spin give way at their back-edges.
 *
 * A thread may wait for another only by reading memory that the other writes:
 * by an atomic whose answer it looks at, a volatile load, or around a fence. A
 * loop that holds one of those, itself or in a function it calls, counts the
 * thread's fuel down at each back-edge and lets others run when it is used up.
 * Loops without them (and histograms, whose atomics answer nobody) stay bare.
 * The pass works on the base, for all bodies.
 *
 * libcudasim also hears which address the loop looks at, for the table of who waits for what:
 * where the address can be computed at the back-edge from variables of the function, it is
 * computed there once more, so that loops that never give way keep nothing for it. Of loops that
 * nothing but memory ends it hears that, too: by the site's kind. */
#include <llvm-c/DebugInfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spin_loops.h"
#include "hooks.h"
#include "spin.h"
#include "stay_loop.h"
#include "wait_loop.h"
#include "must.h"

/* Functions known to spin, or to hold what a caller's loop may spin on. */
struct waiting {
	LLVMValueRef *list;
	size_t n;
};

static bool waits(const struct waiting *set, LLVMValueRef function)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->list[i] == function)
			return true;
	return false;
}

static const char *name_of(LLVMValueRef function)
{
	size_t n;
	return LLVMGetValueName2(function, &n);
}

static bool call_may_wait(const struct waiting *set, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee))
		return true; /* through a pointer: who knows */
	const char *name = name_of(callee);
	if (strncmp(name, "__cudasim_", 10))
		return waits(set, callee);
	if (strstr(name, "atomic") || strstr(name, "atom_"))
		return LLVMGetFirstUse(call) != NULL;
	return strstr(name, "membar") || strstr(name, "fence") || strstr(name, "nanosleep") ||
	       strstr(name, "mbarrier");
}

/* May a loop around this instruction wait for another thread by it? */
static bool may_wait(const struct waiting *set, LLVMValueRef i)
{
	if (LLVMIsALoadInst(i))
		return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic ||
		       (LLVMGetVolatile(i) && !LLVMIsAAllocaInst(LLVMGetOperand(i, 0)));
	if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
		return LLVMGetFirstUse(i) != NULL;
	if (LLVMIsAFenceInst(i))
		return true;
	return LLVMIsACallInst(i) && call_may_wait(set, i);
}

static bool is_ours(LLVMValueRef function)
{
	return LLVMIsDeclaration(function) || !strncmp(name_of(function), "__cudasim_", 10) ||
	       !strncmp(name_of(function), "__nv_", 5);
}

static bool function_waits(const struct waiting *set, LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (may_wait(set, i))
				return true;
	return false;
}

static void find_waiting(struct device_module *dm, struct waiting *set)
{
	size_t before;
	do {
		before = set->n;
		for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f;
		     f = LLVMGetNextFunction(f)) {
			if (is_ours(f) || waits(set, f) || !function_waits(set, f))
				continue;
			set->list = must(realloc(set->list, (set->n + 1) * sizeof *set->list));
			set->list[set->n++] = f;
		}
	} while (set->n != before);
}

/* ---- loops ---------------------------------------------------------------- */

struct block {
	LLVMBasicBlockRef ref;
	unsigned *from, n_from; /* predecessors */
	unsigned header, loop_size; /* of the smallest loop around it, in blocks; size 0: none */
	bool waits;
	enum { NEW, OPEN, DONE } state;
	unsigned mark; /* of the loop that was collected last */
};

struct edge {
	unsigned latch, header;
};

struct graph {
	struct block *blocks;
	struct edge *back; /* edges, in the order in which they are found */
	unsigned n, mark, n_back;
	const struct waiting *waiting;
	struct device_module *dm;
	LLVMBuilderRef builder;
};

static unsigned number_of(const struct graph *g, LLVMBasicBlockRef ref)
{
	/* Blocks of one function before inlining are few. */
	for (unsigned i = 0; i < g->n; i++)
		if (g->blocks[i].ref == ref)
			return i;
	abort();
}

/* Mark the natural loop of the edge; returns the number of its blocks. */
static unsigned mark_loop(struct graph *g, const struct edge *edge)
{
	unsigned *stack = must(malloc(g->n * sizeof *stack)), n = 0, size = 1;
	g->mark++;
	g->blocks[edge->header].mark = g->mark;
	if (edge->latch != edge->header) {
		g->blocks[edge->latch].mark = g->mark;
		stack[n++] = edge->latch;
		size++;
	}
	while (n) {
		const struct block *b = &g->blocks[stack[--n]];
		for (unsigned i = 0; i < b->n_from; i++) {
			struct block *from = &g->blocks[b->from[i]];
			if (from->mark != g->mark) {
				from->mark = g->mark;
				stack[n++] = b->from[i];
				size++;
			}
		}
	}
	free(stack);
	return size;
}

static void nest(struct graph *g, const struct edge *edge)
{
	unsigned size = mark_loop(g, edge);
	for (unsigned k = 0; k < g->n; k++) {
		struct block *b = &g->blocks[k];
		if (b->mark == g->mark && (!b->loop_size || size < b->loop_size)) {
			b->loop_size = size;
			b->header = edge->header;
		}
	}
}

/* ---- what a loop looks at ------------------------------------------------- */

static bool is_sum(LLVMValueRef v)
{
	if (!LLVMIsABinaryOperator(v))
		return false;
	LLVMOpcode op = LLVMGetInstructionOpcode(v);
	return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMAnd ||
	       op == LLVMOr || op == LLVMXor;
}

/* The value's own instructions, once more at the builder's place; NULL where they would
 * read more than the function's variables. */
static LLVMValueRef again(struct graph *g, LLVMValueRef v, unsigned depth)
{
	enum { MOST_DEPTH = 12 };
	if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v))
		return v;
	bool loads = LLVMIsALoadInst(v) && !LLVMGetVolatile(v) &&
		     LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic &&
		     LLVMIsAAllocaInst(LLVMGetOperand(v, 0));
	if (depth == MOST_DEPTH ||
	    !(loads || LLVMIsAGetElementPtrInst(v) || LLVMIsACastInst(v) || is_sum(v)))
		return NULL;
	LLVMValueRef operands[8];
	unsigned n = (unsigned)LLVMGetNumOperands(v);
	if (n > sizeof operands / sizeof *operands)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		operands[i] = again(g, LLVMGetOperand(v, i), depth + 1);
		if (!operands[i])
			return NULL;
	}
	LLVMValueRef copy = LLVMInstructionClone(v);
	for (unsigned i = 0; i < n; i++)
		LLVMSetOperand(copy, i, operands[i]);
	LLVMInsertIntoBuilder(g->builder, copy);
	LLVMSetMetadata(copy, LLVMGetMDKindIDInContext(g->dm->context, "cudasim.again", 13),
			LLVMMDNodeInContext(g->dm->context, NULL, 0));
	return copy;
}

struct look {
	LLVMValueRef address; /* NULL: not known */
	LLVMTypeRef type;     /* of what is there, NULL: not known */
	bool decides;         /* it leads to a branch out of the loop */
};

static struct look look_of(LLVMValueRef i)
{
	struct look ret = {.decides = spin_decides(i)};
	if (LLVMIsALoadInst(i)) {
		ret.address = LLVMGetOperand(i, 0);
		ret.type = LLVMTypeOf(i);
	} else if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) {
		ret.address = LLVMGetOperand(i, 0);
		ret.type = LLVMTypeOf(LLVMGetOperand(i, 1));
	} else if (LLVMIsACallInst(i)) {
		/* Mostly an object with a member function, or a location and what is done to it. */
		LLVMTypeRef type = LLVMTypeOf(i);
		LLVMValueRef first = LLVMGetNumArgOperands(i) ? LLVMGetOperand(i, 0) : NULL;
		if (first && LLVMGetTypeKind(LLVMTypeOf(first)) == LLVMPointerTypeKind)
			ret.address = first;
		if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 32)
			ret.type = type;
	}
	return ret;
}

/* The address by which the marked loop of that header waits, and its bytes, at the builder's
 * place: a null pointer where that is not known. */
static void find_address(struct graph *g, unsigned header, LLVMValueRef *address, unsigned *bytes)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(g->dm->context, 0);
	struct look best = {NULL, NULL, false};
	for (unsigned k = 0; k < g->n; k++) {
		const struct block *b = &g->blocks[k];
		if (b->mark != g->mark || b->header != header || !b->waits)
			continue;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b->ref); i;
		     i = LLVMGetNextInstruction(i)) {
			struct look found = may_wait(g->waiting, i) ? look_of(i) : best;
			if (found.address && (!best.address || (found.decides && !best.decides)))
				best = found;
		}
	}
	*address = best.address ? again(g, best.address, 0) : NULL;
	*bytes = *address && best.type ? (unsigned)LLVMStoreSizeOfType(
						 LLVMGetModuleDataLayout(g->dm->module), best.type)
				       : 0;
	if (!*address)
		*address = LLVMConstNull(ptr);
	else if (LLVMGetPointerAddressSpace(LLVMTypeOf(*address)))
		*address = LLVMBuildAddrSpaceCast(g->builder, *address, ptr, "");
}

static bool only_waits(const struct graph *g)
{
	LLVMBasicBlockRef *blocks = must(malloc(g->n * sizeof *blocks));
	unsigned n = 0;
	for (unsigned k = 0; k < g->n; k++)
		if (g->blocks[k].mark == g->mark)
			blocks[n++] = g->blocks[k].ref;
	bool ret = wait_loop_is_pure(blocks, n);
	free(blocks);
	return ret;
}

static void give_way(struct graph *g, const struct edge *edge)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[edge->latch].ref), args[3];
	unsigned bytes;
	LLVMPositionBuilderBefore(g->builder, end);
	LLVMSetCurrentDebugLocation2(g->builder, LLVMInstructionGetDebugLoc(end));
	bool pure = only_waits(g);
	find_address(g, edge->header, &args[0], &bytes);
	bytes |= pure ? CUDASIM_WAIT_ONLY : 0;
	args[1] = LLVMConstInt(LLVMInt32TypeInContext(g->dm->context), bytes, 0);
	args[2] = site_for(g->dm, end, CUDASIM_SITE_OTHER);
	hook_call(g->dm, g->builder, HOOK_YIELD, args, 3);
}

static void find_back_edges(struct graph *g, unsigned k)
{
	struct block *b = &g->blocks[k];
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b->ref);
	b->state = OPEN;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
		unsigned to = number_of(g, LLVMGetSuccessor(end, i));
		if (g->blocks[to].state == NEW) {
			find_back_edges(g, to);
		} else if (g->blocks[to].state == OPEN) {
			g->back = must(realloc(g->back, (g->n_back + 1) * sizeof *g->back));
			g->back[g->n_back++] = (struct edge){k, to};
		}
	}
	b->state = DONE;
}

static bool marked_loop_waits(const struct graph *g)
{
	for (unsigned k = 0; k < g->n; k++)
		if (g->blocks[k].mark == g->mark && g->blocks[k].waits)
			return true;
	return false;
}

static void visit_loops(struct graph *g)
{
	unsigned done = UINT_MAX;
	for (unsigned i = 0; i < g->n_back; i++)
		nest(g, &g->back[i]);
	/* The edges of a latch are neighbours here. */
	for (unsigned i = 0; i < g->n_back; i++) {
		if (g->back[i].latch == done)
			continue;
		mark_loop(g, &g->back[i]);
		if (!marked_loop_waits(g))
			continue;
		give_way(g, &g->back[i]);
		done = g->back[i].latch;
	}
}

/* ---- loops in which a thread stays ----------------------------------------- */

/* Mark the blocks of all loops with that header, as one loop, and collect them. */
static unsigned collect_loops(struct graph *g, unsigned header, LLVMBasicBlockRef *ret)
{
	bool *within = must(calloc(g->n, sizeof *within));
	unsigned n = 0;
	for (unsigned i = 0; i < g->n_back; i++) {
		if (g->back[i].header != header)
			continue;
		mark_loop(g, &g->back[i]);
		for (unsigned k = 0; k < g->n; k++)
			within[k] |= g->blocks[k].mark == g->mark;
	}
	g->mark++;
	for (unsigned k = 0; k < g->n; k++)
		if (within[k]) {
			g->blocks[k].mark = g->mark;
			ret[n++] = g->blocks[k].ref;
		}
	free(within);
	return n;
}

static bool gives_way(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	const char *name = callee && LLVMIsAFunction(callee) ? name_of(callee) : "";
	return !strcmp(name, "__cudasim_hook_yield") || !strcmp(name, "__cudasim_yield") ||
	       !strcmp(name, "__cudasim_nanosleep") || !strcmp(name, "__cudasim_mbarrier_wait");
}

/* Where the block's threads give way a site says what is proven of them. */
static void set_sites(struct graph *g, LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (gives_way(i))
			LLVMSetOperand(i, LLVMGetNumArgOperands(i) - 1,
				       site_for(g->dm, i, CUDASIM_SITE_STAYS));
}

/* Blocks of loops within a loop count with these: a thread may not come round the outer one. */
static void find_staying(struct graph *g)
{
	LLVMBasicBlockRef *blocks = must(malloc(g->n * sizeof *blocks));
	bool *stays = must(calloc(g->n, sizeof *stays)); /* by innermost header */
	for (unsigned k = 0; k < g->n; k++)
		if (g->blocks[k].loop_size && g->blocks[k].header == k) {
			unsigned n = collect_loops(g, k, blocks);
			stays[k] = marked_loop_waits(g) && stay_loop(blocks, n, g->blocks[k].ref);
		}
	for (unsigned k = 0; k < g->n; k++)
		if (g->blocks[k].loop_size && stays[g->blocks[k].header])
			set_sites(g, g->blocks[k].ref);
	free(stays);
	free(blocks);
}

static void link_blocks(struct graph *g)
{
	for (unsigned k = 0; k < g->n; k++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[k].ref);
		for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
			struct block *to = &g->blocks[number_of(g, LLVMGetSuccessor(end, i))];
			to->from = must(realloc(to->from, (to->n_from + 1) * sizeof *to->from));
			to->from[to->n_from++] = k;
		}
	}
}

static void visit_function(struct graph *g, LLVMValueRef function)
{
	unsigned k = 0;
	bool any = false;
	g->n = LLVMCountBasicBlocks(function);
	g->blocks = must(calloc(g->n, sizeof *g->blocks));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b), k++) {
		g->blocks[k].ref = b;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			g->blocks[k].waits |= may_wait(g->waiting, i);
		any |= g->blocks[k].waits;
	}
	if (any && g->n > 0) {
		link_blocks(g);
		g->n_back = 0;
		find_back_edges(g, 0);
		visit_loops(g);
		find_staying(g);
	}
	for (k = 0; k < g->n; k++)
		free(g->blocks[k].from);
	free(g->blocks);
}

struct cudasim_error *pass_yield(struct device_module *dm)
{
	struct waiting set = {0};
	struct graph g = {.waiting = &set, .dm = dm};
	find_waiting(dm, &set);
	g.builder = LLVMCreateBuilderInContext(dm->context);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		if (!is_ours(f))
			visit_function(&g, f);
	LLVMDisposeBuilder(g.builder);
	free(g.back);
	free(set.list);
	return NULL;
}
