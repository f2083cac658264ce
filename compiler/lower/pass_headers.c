/* SPDX-License-Identifier: Apache-2.0 */
/* pass_headers.c - small functions of the toolkit's and the compiler's headers
 * are inlined: afterwards what atomicAdd() or __shfl_sync() does stands in the
 * user's own function, with the user's line in its chain of places.
 *
 * On the base, before anything asks for a site. Without it, events, barriers
 * and faults would name a header that the user never saw. Functions of the
 * user's own stay as they are, __forceinline__ or not.
 *
 * Nobody looks at the variables of a header's function either. They are put into
 * registers, callees first, before the function is inlined: Thrust and CUB are
 * towers of functions that do nothing but hand arguments on, which this folds
 * away instead of copying it into every caller (to 20 times the code). No other
 * pass may run yet, since C++'s undefined behaviour is still in the code. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "callgraph.h"
#include "lower.h"
#include "llvm_functions.h"
#include "sites.h"

enum { LIMIT = 150 /* instructions, once variables are in registers */ };

static bool is_small(LLVMValueRef function)
{
	unsigned n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (++n > LIMIT)
				return false;
	return true;
}

/* ---- callees first ------------------------------------------------------------------ */

struct headers {
	struct device_module *dm;
	struct callgraph *graph;
	struct function_passes *passes;
	bool *seen;    /* by node */
	bool *inlined; /* by node: wherever it is called */
};

static bool is_hidden(const struct headers *h, LLVMValueRef function)
{
	struct source_position place;
	return place_function(function, &place) && place_hidden(h->dm->program, &place);
}

static bool calls_inlined(const struct headers *h, LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	return callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) &&
	       h->inlined[callgraph_find(h->graph, callee)];
}

/* The calls are counted and collected first: inlining moves what follows one. What
 * an inlined function still calls is not to be inlined. */
static size_t find_calls(const struct headers *h, LLVMValueRef function, LLVMValueRef *calls)
{
	size_t n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!calls_inlined(h, i))
				continue;
			if (calls)
				calls[n] = i;
			n++;
		}
	}
	return n;
}

static void inline_callees(const struct headers *h, LLVMValueRef function)
{
	size_t n = find_calls(h, function, NULL);
	LLVMValueRef *calls = calloc(n + 1, sizeof(*calls));
	assert(calls);
	find_calls(h, function, calls);
	for (size_t i = 0; i < n; i++)
		call_try_inline(calls[i]);
	free(calls);
}

/* In a cycle the function that was come to first stays a function. */
static void visit(struct headers *h, size_t node)
{
	const struct callgraph_node *n = &h->graph->nodes[node];
	if (h->seen[node] || LLVMIsDeclaration(n->function))
		return;
	h->seen[node] = true;
	for (size_t i = 0; i < n->n_callees; i++)
		visit(h, n->callees[i]);
	inline_callees(h, n->function);
	if (!is_hidden(h, n->function))
		return;
	debug_drop_variables(n->function);
	function_passes_run(h->passes, n->function);
	h->inlined[node] = !attribute_has(n->function, "noinline") &&
			   (attribute_has(n->function, "alwaysinline") || is_small(n->function));
}

struct cudasim_error *pass_headers(struct device_module *dm)
{
	struct headers h = {.dm = dm,
			    .graph = callgraph_new(dm, NULL, NULL),
			    .passes = function_passes_new("sroa")};
	h.seen = calloc(h.graph->n + 1, sizeof(*h.seen));
	h.inlined = calloc(h.graph->n + 1, sizeof(*h.inlined));
	assert(h.seen && h.inlined);
	for (size_t i = 0; i < h.graph->n; i++)
		visit(&h, i);
	function_passes_free(h.passes);
	callgraph_free(h.graph);
	free(h.seen);
	free(h.inlined);
	return device_run_passes(dm, "globaldce");
}
