/* SPDX-License-Identifier: Apache-2.0 */
/* pass_yield.c - loops that may spin give way at their back-edges.
 *
 * A thread may wait for another only by reading memory that the other writes:
 * by an atomic whose answer it looks at, a volatile load, or around a fence. A
 * loop that holds one of those, itself or in a function it calls, counts the
 * thread's fuel down at each back-edge and lets others run when it is used up.
 * Loops without them (and histograms, whose atomics answer nobody) stay bare.
 * The pass works on the base, for all bodies. */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "hooks.h"

static void *must(void *memory)
{
	if (!memory) {
		fputs("cudasim-devcc: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

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
	bool waits;
	enum { NEW, OPEN, DONE } state;
	unsigned mark; /* of the loop that was collected last */
};

struct graph {
	struct block *blocks;
	unsigned n, mark;
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

/* The natural loop of the edge latch -> header: may it wait? */
static bool loop_waits(struct graph *g, unsigned latch, unsigned header)
{
	unsigned *stack = must(malloc(g->n * sizeof *stack)), n = 0;
	bool found = g->blocks[header].waits;
	g->mark++;
	g->blocks[header].mark = g->mark;
	if (g->blocks[latch].mark != g->mark) {
		g->blocks[latch].mark = g->mark;
		stack[n++] = latch;
	}
	while (n && !found) {
		const struct block *b = &g->blocks[stack[--n]];
		found = b->waits;
		for (unsigned i = 0; i < b->n_from; i++) {
			struct block *from = &g->blocks[b->from[i]];
			if (from->mark != g->mark) {
				from->mark = g->mark;
				stack[n++] = b->from[i];
			}
		}
	}
	free(stack);
	return found;
}

static void give_way(struct graph *g, LLVMBasicBlockRef latch)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(latch);
	LLVMPositionBuilderBefore(g->builder, end);
	LLVMSetCurrentDebugLocation2(g->builder, LLVMInstructionGetDebugLoc(end));
	LLVMValueRef site = site_for(g->dm, end, CUDASIM_SITE_OTHER);
	hook_call(g->dm, g->builder, HOOK_YIELD, &site, 1);
}

static void visit(struct graph *g, unsigned k)
{
	struct block *b = &g->blocks[k];
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b->ref);
	bool latch = false;
	b->state = OPEN;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
		unsigned to = number_of(g, LLVMGetSuccessor(end, i));
		if (g->blocks[to].state == NEW)
			visit(g, to);
		else if (g->blocks[to].state == OPEN && !latch)
			latch = loop_waits(g, k, to);
	}
	b->state = DONE;
	if (latch)
		give_way(g, b->ref);
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
		visit(g, 0);
	}
	for (k = 0; k < g->n; k++)
		free(g->blocks[k].from);
	free(g->blocks);
}

struct cudasim_error *pass_yield(struct device_module *dm)
{
	struct waiting set = { 0 };
	struct graph g = { .waiting = &set, .dm = dm };
	find_waiting(dm, &set);
	g.builder = LLVMCreateBuilderInContext(dm->context);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		if (!is_ours(f))
			visit_function(&g, f);
	LLVMDisposeBuilder(g.builder);
	free(set.list);
	return NULL;
}
