/* SPDX-License-Identifier: Apache-2.0 */
/* loop_refuse.c - which kernels get no loop over their block's threads: those that are too large. A kernel that
 * may spin gets one, as a thread whose fuel is used up leaves the loop. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "names.h"
#include "sites.h"
#include "tensor.h"

enum {
	LARGEST = 40000, /* instructions of all that a kernel reaches */
};

/* How threads meet, from what any loop can hold to what one over warps can. NO_MEETING is asked for where only the
 * instructions are to be counted. */
enum meeting { NOWHERE, AT_BARRIERS, IN_WARPS, NO_MEETING };

/* What threads meet at, and how to say that. */
static enum meeting meeting(const char *function, const char **what)
{
	static const struct {
		const char *name, *what;
		enum meeting meeting;
	} table[] = {
		{"__cudasim_barrier", "waits at a barrier of the block", AT_BARRIERS},
		{"__cudasim_barrier_reduce", "waits at a barrier of the block", IN_WARPS},
		{"__cudasim_barrier_arrive", "arrives at a barrier of the block", IN_WARPS},
		{"__cudasim_cluster_arrive", "arrives at the cluster's barrier", IN_WARPS},
		{"__cudasim_cluster_wait", "waits at the cluster's barrier", IN_WARPS},
		{"__cudasim_mbarrier_wait", "waits for an mbarrier", IN_WARPS},
		{"__cudasim_syncwarp", "synchronizes its warp", IN_WARPS},
		{"__cudasim_shfl", "shuffles between lanes", IN_WARPS},
		{"__cudasim_vote", "votes in its warp", IN_WARPS},
		{"__cudasim_match_any", "matches values in its warp", IN_WARPS},
		{"__cudasim_match_all", "matches values in its warp", IN_WARPS},
		{"__cudasim_redux", "reduces over its warp", IN_WARPS},
		{"__cudasim_elect", "elects a lane", IN_WARPS},
		{"__cudasim_activemask", "reads the active lanes", IN_WARPS},
		{"__cudasim_post_barrier", "races after a barrier of the block", AT_BARRIERS},
		{"__cudasim_reconverge", "relies on the lockstep of a warp", IN_WARPS},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].name, function))
			continue;
		*what = table[i].what;
		return table[i].meeting;
	}
	uint32_t form;
	*what = "multiplies matrices in its warp";
	return tensor_is_product(function, &form) ? IN_WARPS : NOWHERE;
}

static char *text_at(const struct device_program *program, const char *what, LLVMValueRef call)
{
	struct source_position place = {0};
	char *text = NULL;
	int n;
	if (place_of(program, call, &place) || (place.file && place.line))
		n = asprintf(&text, "%s (%s:%u)", what, place.file, place.line);
	else
		n = asprintf(&text, "%s", what);
	assert(n >= 0);
	return text;
}

/* At a barrier of its own number or count: warps take different ways to such. */
static bool has_number(LLVMValueRef call)
{
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef n = LLVMGetOperand(call, i);
		if (!LLVMIsAConstantInt(n) || LLVMConstIntGetZExtValue(n))
			return true;
	}
	return false;
}

static enum meeting meeting_at(LLVMValueRef call, const char **what)
{
	const char *name = name_of(LLVMGetCalledValue(call));
	enum meeting where = meeting(name, what);
	return where == AT_BARRIERS && !strcmp(name, "__cudasim_barrier") && has_number(call)
		       ? IN_WARPS
		       : where;
}

/* The first meeting in a function of `least` or worse; NULL if there is none. */
static char *meeting_in(const struct device_program *program, LLVMValueRef function,
			enum meeting least, size_t *size)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			const char *what;
			++*size;
			if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)))
				continue;
			if (meeting_at(i, &what) >= least)
				return text_at(program, what, i);
		}
	}
	return NULL;
}

/* The first such meeting in all that the kernel reaches. The kernel's own places come
 * first: they are what the user looks for. */
static char *meeting_of(struct device_module *dm, const struct callgraph *graph,
			LLVMValueRef kernel, enum meeting least, size_t *size)
{
	bool *reached = calloc(graph->n + 1, sizeof(*reached));
	assert(reached);
	callgraph_reach(graph, callgraph_find(graph, kernel), reached);
	char *text = meeting_in(dm->program, kernel, least, size);
	for (size_t i = 0; i < graph->n && !text; i++) {
		if (reached[i] && graph->nodes[i].function != kernel)
			text = meeting_in(dm->program, graph->nodes[i].function, least, size);
	}
	free(reached);
	return text;
}

bool loop_meets_in_warps(struct device_module *dm, const struct callgraph *graph,
			 const struct layout_kernel *kernel)
{
	size_t size = 0;
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, kernel->name);
	char *text = meeting_of(dm, graph, function, IN_WARPS, &size);
	free(text);
	return text != NULL;
}

char *loop_refuse(struct device_module *dm, const struct callgraph *graph,
		  const struct layout_kernel *kernel)
{
	size_t size = 0;
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, kernel->name);
	char *text = meeting_of(dm, graph, function, NO_MEETING, &size);
	if (size > LARGEST) {
		int n = asprintf(&text, "is too large (%zu instructions)", size);
		assert(n >= 0);
		(void)n;
	}
	return text;
}

char *loop_refuse_to_cut(struct device_module *dm, const struct callgraph *graph,
			 const struct layout_kernel *kernel, const char *why)
{
	size_t size = 0;
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, kernel->name);
	char *where = meeting_of(dm, graph, function, IN_WARPS, &size), *text;
	if (!where)
		where = meeting_of(dm, graph, function, AT_BARRIERS, &size);
	int n = asprintf(&text, "%s and %s", where ? where : "waits at a barrier", why);
	assert(n >= 0);
	(void)n;
	free(where);
	return text;
}

char *loop_say_too_large(size_t n_instructions)
{
	char *text;
	int n = asprintf(&text, "would become too large (%zu instructions)", n_instructions);
	assert(n >= 0);
	(void)n;
	return text;
}
