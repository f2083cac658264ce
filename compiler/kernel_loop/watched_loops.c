/* SPDX-License-Identifier: Apache-2.0 */
#include "watched_loops.h"

#include <assert.h>
#include <stdlib.h>

#include "attributes.h"
#include "llvm_functions.h"
#include "names.h"
#include "watch.h"

/* Of what a kernel may do, that whose events are those of single threads. */
enum {
	SINGLE = CUDASIM_KERNEL_WARP | CUDASIM_KERNEL_YIELD | CUDASIM_KERNEL_CONVERGE |
		 CUDASIM_KERNEL_RECURSIVE | CUDASIM_KERNEL_INDIRECT | CUDASIM_KERNEL_HEAP |
		 CUDASIM_KERNEL_PRINTS,
};

bool watched_loop_may_be(const struct layout_kernel *kernel)
{
	return !kernel->why_not_loop && !(kernel->flags & SINGLE);
}

bool watched_loops_are_any(const struct device_layout *layout)
{
	for (size_t i = 0; i < layout->n_kernels; i++)
		if (watched_loop_may_be(&layout->kernels[i]))
			return true;
	return false;
}

struct cudasim_error *pass_watched_kernels(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_kernels; i++)
		if (!watched_loop_may_be(&layout->kernels[i]))
			function_delete_body(
				LLVMGetNamedFunction(dm->module, layout->kernels[i].name));
	return NULL;
}

bool watched_loop_is_forbidden(const struct callgraph *graph, LLVMValueRef kernel)
{
	bool *reached = calloc(graph->n + 1, sizeof(*reached)), forbidden = false;
	assert(reached);
	callgraph_reach(graph, callgraph_find(graph, kernel), reached);
	for (size_t i = 0; i < graph->n; i++)
		forbidden |= reached[i] && LLVMGetStringAttributeAtIndex(
						   graph->nodes[i].function, WHOLE_FUNCTION,
						   WATCH_NO_LOOPS, sizeof WATCH_NO_LOOPS - 1);
	free(reached);
	return forbidden;
}

struct cudasim_error *watched_loops_keep(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			LLVMSetLinkage(f, LLVMInternalLinkage);
	for (size_t i = 0; i < layout->n_kernels; i++) {
		char *name = name_shared(dm->program, "loop", layout->kernels[i].name);
		LLVMValueRef loop = LLVMGetNamedFunction(dm->module, name);
		if (loop) {
			LLVMSetLinkage(loop, LLVMExternalLinkage);
			LLVMSetVisibility(loop, LLVMHiddenVisibility);
		}
		free(name);
	}
	return device_run_passes(dm, "globaldce");
}
