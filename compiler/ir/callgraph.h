/* SPDX-License-Identifier: Apache-2.0 */
/* callgraph.h - who calls whom in a module.
 *
 * An indirect call may reach every function of the same type whose address is
 * taken anywhere in the module. */
#ifndef CUDASIM_COMPILER_CALLGRAPH_H
#define CUDASIM_COMPILER_CALLGRAPH_H

#include "device.h"
#include "hash.h"

struct callgraph_node {
	LLVMValueRef function; /* defined or declared */
	size_t *callees;       /* indices of nodes, each once, in order of the calls */
	size_t n_callees;
	bool indirect;         /* has an indirect call */
};

struct callgraph {
	struct callgraph_node *nodes; /* in the module's order */
	size_t n;
	struct hash index; /* functions to node numbers */
};

/* The graph of dm->module as it is now. address_taken says which functions an
 * indirect call may reach; NULL: those with a use that is not a call. */
struct callgraph *callgraph_new(struct device_module *dm,
				bool (*address_taken)(LLVMValueRef function, void *arg), void *arg);
/* Whether a function has a use that is not a call. arg is not used. */
bool callgraph_address_taken(LLVMValueRef function, void *arg);

void callgraph_free(struct callgraph *graph);

/* The function's node; it must be one of the module's. */
size_t callgraph_find(const struct callgraph *graph, LLVMValueRef function);

/* reached[i] becomes true for all nodes that root reaches, itself included.
 * Returns true if there is a cycle among them. */
bool callgraph_reach(const struct callgraph *graph, size_t root, bool *reached);

/* The largest sum of weights on a way from root, each node counted once even
 * in cycles. */
uint64_t callgraph_depth(const struct callgraph *graph, size_t root, const uint64_t *weights);

#endif
