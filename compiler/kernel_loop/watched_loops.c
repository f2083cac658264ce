/* SPDX-License-Identifier: Apache-2.0 */
#include "watched_loops.h"

#include <assert.h>
#include <stdlib.h>

#include "attributes.h"
#include "llvm_functions.h"
#include "names.h"
#include "watch.h"

/* What a kernel may do whose events are those of single threads. */
static const struct {
	uint32_t flag; /* CUDASIM_KERNEL_* */
	const char *what;
} single[] = {
	{CUDASIM_KERNEL_YIELD, "has loops that may wait for other threads"},
	{CUDASIM_KERNEL_RECURSIVE, "is recursive"},
	{CUDASIM_KERNEL_INDIRECT, "calls through pointers"},
	{CUDASIM_KERNEL_HEAP, "allocates memory"},
	{CUDASIM_KERNEL_PRINTS, "prints"},
};

const char *watched_loop_refuse(const struct layout_kernel *kernel)
{
	if (kernel->why_not_loop)
		return kernel->why_not_loop;
	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		if (kernel->flags & single[i].flag)
			return single[i].what;
	return NULL;
}

bool watched_loops_are_any(const struct device_layout *layout)
{
	for (size_t i = 0; i < layout->n_kernels; i++)
		if (!watched_loop_refuse(&layout->kernels[i]))
			return true;
	return false;
}

struct cudasim_error *pass_watched_kernels(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_kernels; i++)
		if (watched_loop_refuse(&layout->kernels[i]))
			function_delete_body(
				LLVMGetNamedFunction(dm->module, layout->kernels[i].name));
	return NULL;
}

const char *watched_loop_forbidden(const struct callgraph *graph, LLVMValueRef kernel)
{
	bool *reached = calloc(graph->n + 1, sizeof(*reached));
	const char *what = NULL;
	assert(reached);
	callgraph_reach(graph, callgraph_find(graph, kernel), reached);
	for (size_t i = 0; i < graph->n && !what; i++) {
		LLVMAttributeRef a = reached[i] ? LLVMGetStringAttributeAtIndex(
							  graph->nodes[i].function, WHOLE_FUNCTION,
							  WATCH_NO_LOOPS, sizeof WATCH_NO_LOOPS - 1)
						: NULL;
		unsigned length;
		if (a)
			what = LLVMGetStringAttributeValue(a, &length);
	}
	free(reached);
	return what;
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
