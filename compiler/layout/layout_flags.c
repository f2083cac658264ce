/* SPDX-License-Identifier: Apache-2.0 */
/* layout_flags.c - what a kernel may do, from the functions that it reaches
 * (CUDASIM_KERNEL_*). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "callgraph.h"
#include "layout.h"
#include "names.h"
#include "tensor.h"

static uint32_t flag_of(const char *function)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} table[] = {
		{"__cudasim_barrier", CUDASIM_KERNEL_BARRIER},
		{"__cudasim_barrier_arrive", CUDASIM_KERNEL_BARRIER},
		{"__cudasim_barrier_reduce", CUDASIM_KERNEL_BARRIER},
		{"__cudasim_cluster_arrive", CUDASIM_KERNEL_BARRIER},
		{"__cudasim_cluster_wait", CUDASIM_KERNEL_BARRIER},
		{"__cudasim_syncwarp", CUDASIM_KERNEL_WARP},
		{"__cudasim_shfl", CUDASIM_KERNEL_WARP},
		{"__cudasim_vote", CUDASIM_KERNEL_WARP},
		{"__cudasim_match_any", CUDASIM_KERNEL_WARP},
		{"__cudasim_match_all", CUDASIM_KERNEL_WARP},
		{"__cudasim_redux", CUDASIM_KERNEL_WARP},
		{"__cudasim_elect", CUDASIM_KERNEL_WARP},
		{"__cudasim_activemask", CUDASIM_KERNEL_WARP},
		{"__cudasim_yield", CUDASIM_KERNEL_YIELD},
		{"__cudasim_reconverge", CUDASIM_KERNEL_CONVERGE},
		{"__cudasim_malloc", CUDASIM_KERNEL_HEAP},
		{"__cudasim_free", CUDASIM_KERNEL_HEAP},
		{"__cudasim_vprintf", CUDASIM_KERNEL_PRINTS},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!strcmp(table[i].name, function))
			return table[i].flag;
	}
	uint32_t form;
	return tensor_is_product(function, &form) ? CUDASIM_KERNEL_WARP : 0;
}

/* The number of a generic address, and not for a distance to another. */
static bool takes_bits(LLVMValueRef i)
{
	LLVMValueRef address = LLVMIsAPtrToIntInst(i) ? LLVMGetOperand(i, 0) : NULL;
	if (!address || LLVMGetPointerAddressSpace(LLVMTypeOf(address)))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsABinaryOperator(user) || LLVMGetInstructionOpcode(user) != LLVMSub ||
		    !LLVMIsAPtrToIntInst(LLVMGetOperand(user, 0)) ||
		    !LLVMIsAPtrToIntInst(LLVMGetOperand(user, 1)))
			return true;
	}
	return false;
}

struct cudasim_error *layout_flags(struct device_module *dm, struct device_layout *layout)
{
	struct callgraph *graph = callgraph_new(dm, NULL, NULL);
	bool *reached = calloc(graph->n + 1, sizeof(*reached));
	assert(reached);
	for (size_t k = 0; k < layout->n_kernels; k++) {
		struct layout_kernel *kernel = &layout->kernels[k];
		LLVMValueRef function = LLVMGetNamedFunction(dm->module, kernel->name);
		if (callgraph_reach(graph, callgraph_find(graph, function), reached))
			kernel->flags |= CUDASIM_KERNEL_RECURSIVE;
		for (size_t i = 0; i < graph->n; i++) {
			if (!reached[i])
				continue;
			kernel->flags |= flag_of(name_of(graph->nodes[i].function));
			if (graph->nodes[i].indirect)
				kernel->flags |= CUDASIM_KERNEL_INDIRECT;
			if (!(kernel->flags & CUDASIM_KERNEL_BITS) &&
			    function_has(graph->nodes[i].function, takes_bits))
				kernel->flags |= CUDASIM_KERNEL_BITS;
		}
	}
	free(reached);
	callgraph_free(graph);
	return NULL;
}
