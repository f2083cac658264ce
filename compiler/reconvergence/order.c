/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - see order.h.
 *
 * Blocks stand in the order of the source, also those that were inlined, so a kernel's code from
 * its first instruction to its last is the order in which a warp comes to places, but for the
 * rounds of loops. A function that is called in several kernels has one place for all of them. So
 * the orders of all kernels are merged into one list: each kernel's places that are not yet in it
 * are put behind the one before them. Where two kernels contradict each other the first is right,
 * and where a kernel comes to a place several times, the first time counts. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "warp_synchrony.h"
#include "order.h"

#define END UINT32_MAX

struct order {
	const unsigned char *wanted;
	uint32_t *next;           /* of each place in the list; place n is the list's beginning */
	bool *listed;
	uint32_t *seen;           /* the last kernel that came to a place */
	uint32_t n, at, kernel;   /* at: the place behind which the kernel is */
	LLVMValueRef *functions;  /* those that the kernel has come to */
	size_t n_functions, room;
};

static void come_to(struct order *o, uint32_t place)
{
	if (place >= o->n || !o->wanted[place] || o->seen[place] == o->kernel)
		return;
	o->seen[place] = o->kernel;
	if (!o->listed[place]) {
		o->next[place] = o->next[o->at];
		o->next[o->at] = place;
		o->listed[place] = true;
		o->at = place;
		return;
	}
	uint32_t later = o->next[o->at];
	while (later != END && later != place)
		later = o->next[later];
	if (later == place)
		o->at = place;
}

/* Is it the first time? */
static bool enter(struct order *o, LLVMValueRef function)
{
	for (size_t i = 0; i < o->n_functions; i++)
		if (o->functions[i] == function)
			return false;
	if (o->n_functions == o->room) {
		o->room = o->room ? 2 * o->room : 16;
		o->functions = must(realloc(o->functions, o->room * sizeof(LLVMValueRef)));
	}
	o->functions[o->n_functions++] = function;
	return true;
}

static void walk(struct order *o, LLVMValueRef function)
{
	if (!enter(o, function))
		return;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			size_t length;
			LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
			if (!callee || !LLVMIsAFunction(callee))
				continue;
			if (!LLVMIsDeclaration(callee))
				walk(o, callee);
			else if (!strcmp(LLVMGetValueName2(callee, &length), SYNCHRONY_MARKER))
				come_to(o,
					(uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) &
						~SYNCHRONY_JOIN);
		}
}

static bool is_called(LLVMValueRef function)
{
	return LLVMGetFirstUse(function) != NULL;
}

void order_places(LLVMModuleRef module, const unsigned char *wanted, uint32_t n, uint32_t *rank)
{
	struct order o = {.wanted = wanted, .n = n};
	uint32_t last = 0;
	o.next = must(malloc((n + 1) * sizeof *o.next));
	o.listed = must(calloc(n + 1, sizeof *o.listed));
	o.seen = must(calloc(n + 1, sizeof *o.seen));
	o.next[n] = END;
	/* Kernels first. */
	for (int called = 0; called < 2; called++)
		for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
			if (LLVMIsDeclaration(f) || is_called(f) != called)
				continue;
			o.kernel++;
			o.at = n;
			o.n_functions = 0;
			walk(&o, f);
		}
	memset(rank, 0, n * sizeof *rank);
	for (uint32_t place = o.next[n]; place != END; place = o.next[place])
		rank[place] = ++last;
	free(o.next);
	free(o.listed);
	free(o.seen);
	free(o.functions);
}
