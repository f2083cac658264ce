/* SPDX-License-Identifier: Apache-2.0 */
#include "callgraph.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);
	assert(p);
	return p;
}

static void index_fill(struct callgraph *graph)
{
	for (size_t i = 0; i < graph->n; i++)
		if (!hash_put(&graph->index, graph->nodes[i].function, hash_number(i)))
			must_fail();
}

size_t callgraph_find(const struct callgraph *graph, LLVMValueRef function)
{
	const void *number = hash_get(&graph->index, function);
	assert(number);
	return hash_number_of(number);
}

static void add_callee(struct callgraph_node *node, size_t callee, size_t *seen, size_t stamp)
{
	if (seen[callee] == stamp)
		return;
	seen[callee] = stamp;
	if (!(node->n_callees & (node->n_callees - 1))) {
		size_t capacity = node->n_callees ? 2 * node->n_callees : 1;
		node->callees = realloc(node->callees, capacity * sizeof(*node->callees));
		assert(node->callees);
	}
	node->callees[node->n_callees++] = callee;
}

bool callgraph_address_taken(LLVMValueRef function, void *arg)
{
	(void)arg;
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
			return true;
		for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++) {
			if (LLVMGetOperand(user, i) == function)
				return true;
		}
	}
	return false;
}

/* What function f may call indirectly through a call of the given type. */
static void add_targets(struct callgraph *graph, size_t f, LLVMTypeRef type, const bool *taken,
			size_t *seen)
{
	for (size_t i = 0; i < graph->n; i++) {
		if (taken[i] && LLVMGlobalGetValueType(graph->nodes[i].function) == type)
			add_callee(&graph->nodes[f], i, seen, f + 1);
	}
}

static void add_calls(struct callgraph *graph, size_t f, const bool *taken, size_t *seen)
{
	struct callgraph_node *node = &graph->nodes[f];
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(node->function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!LLVMIsACallInst(i))
				continue;
			LLVMValueRef callee = LLVMGetCalledValue(i);
			if (LLVMIsAFunction(callee)) {
				if (!LLVMGetIntrinsicID(callee))
					add_callee(node, callgraph_find(graph, callee), seen,
						   f + 1);
			} else if (!LLVMIsAInlineAsm(callee)) {
				node->indirect = true;
				add_targets(graph, f, LLVMGetCalledFunctionType(i), taken, seen);
			}
		}
	}
}

struct callgraph *callgraph_new(struct device_module *dm,
				bool (*address_taken)(LLVMValueRef function, void *arg), void *arg)
{
	struct callgraph *graph = allocate(1, sizeof(*graph));
	if (!address_taken)
		address_taken = callgraph_address_taken;
	LLVMValueRef f;
	for (f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		graph->n++;
	graph->nodes = allocate(graph->n, sizeof(*graph->nodes));
	bool *taken = allocate(graph->n, sizeof(*taken));
	size_t *seen = allocate(graph->n, sizeof(*seen));
	size_t n = 0;
	for (f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		graph->nodes[n].function = f;
		taken[n++] = !LLVMGetIntrinsicID(f) && address_taken(f, arg);
	}
	index_fill(graph);
	for (size_t i = 0; i < graph->n; i++)
		add_calls(graph, i, taken, seen);
	free(seen);
	free(taken);
	return graph;
}

void callgraph_free(struct callgraph *graph)
{
	if (!graph)
		return;
	for (size_t i = 0; i < graph->n; i++)
		free(graph->nodes[i].callees);
	free(graph->nodes);
	hash_fini(&graph->index);
	free(graph);
}

/* A node on the stack of a depth-first walk. */
struct step {
	size_t node, next;
};

bool callgraph_reach(const struct callgraph *graph, size_t root, bool *reached)
{
	bool cycle = false;
	struct step *stack = allocate(graph->n, sizeof(*stack));
	bool *open = allocate(graph->n, sizeof(*open));
	size_t depth = 0;
	memset(reached, 0, graph->n * sizeof(*reached));
	stack[depth++] = (struct step){root, 0};
	reached[root] = open[root] = true;
	while (depth) {
		struct step *top = &stack[depth - 1];
		const struct callgraph_node *node = &graph->nodes[top->node];
		if (top->next == node->n_callees) {
			open[top->node] = false;
			depth--;
			continue;
		}
		size_t callee = node->callees[top->next++];
		cycle |= open[callee];
		if (reached[callee])
			continue;
		reached[callee] = open[callee] = true;
		stack[depth++] = (struct step){callee, 0};
	}
	free(open);
	free(stack);
	return cycle;
}

uint64_t callgraph_depth(const struct callgraph *graph, size_t root, const uint64_t *weights)
{
	struct step *stack = allocate(graph->n, sizeof(*stack));
	bool *reached = allocate(graph->n, sizeof(*reached));
	uint64_t *deepest = allocate(graph->n, sizeof(*deepest)); /* below, without itself */
	size_t depth = 0;
	stack[depth++] = (struct step){root, 0};
	reached[root] = true;
	while (depth) {
		struct step *top = &stack[depth - 1];
		const struct callgraph_node *node = &graph->nodes[top->node];
		if (top->next == node->n_callees) {
			uint64_t own = weights[top->node] + deepest[top->node];
			if (--depth && deepest[stack[depth - 1].node] < own)
				deepest[stack[depth - 1].node] = own;
			continue;
		}
		size_t callee = node->callees[top->next++];
		if (reached[callee]) {
			/* A finished one counts; one that is open closes a cycle. */
			uint64_t own = weights[callee] + deepest[callee];
			if (deepest[top->node] < own)
				deepest[top->node] = own;
			continue;
		}
		reached[callee] = true;
		stack[depth++] = (struct step){callee, 0};
	}
	uint64_t sum = weights[root] + deepest[root];
	free(deepest);
	free(reached);
	free(stack);
	return sum;
}
