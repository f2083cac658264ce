/* SPDX-License-Identifier: Apache-2.0 */
/* loop_refuse.c - which kernels get no loop over their block's threads: those whose
 * threads meet each other (barriers, warp operations, lockstep). A kernel that may
 * spin gets one, as a thread whose fuel is used up leaves the loop. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "names.h"
#include "sites.h"

enum {
	LARGEST = 40000, /* instructions of all that a kernel reaches */
};

/* What threads meet at, and how to say that. */
static const char *meeting(const char *function)
{
	static const char *const table[][2] = {
		{"__cudasim_barrier", "waits at a barrier of the block"},
		{"__cudasim_barrier_arrive", "arrives at a barrier of the block"},
		{"__cudasim_barrier_reduce", "waits at a barrier of the block"},
		{"__cudasim_cluster_arrive", "arrives at the cluster's barrier"},
		{"__cudasim_cluster_wait", "waits at the cluster's barrier"},
		{"__cudasim_syncwarp", "synchronizes its warp"},
		{"__cudasim_shfl", "shuffles between lanes"},
		{"__cudasim_vote", "votes in its warp"},
		{"__cudasim_match_any", "matches values in its warp"},
		{"__cudasim_match_all", "matches values in its warp"},
		{"__cudasim_redux", "reduces over its warp"},
		{"__cudasim_elect", "elects a lane"},
		{"__cudasim_activemask", "asks for the active lanes"},
		{"__cudasim_converge", "counts on the lockstep of a warp"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!strcmp(table[i][0], function))
			return table[i][1];
	}
	return NULL;
}

static char *text_at(const struct device_program *program, const char *what, LLVMValueRef call)
{
	struct place place = {0};
	char *text = NULL;
	int n;
	if (place_of(program, call, &place) || (place.file && place.line))
		n = asprintf(&text, "%s (%s:%u)", what, place.file, place.line);
	else
		n = asprintf(&text, "%s", what);
	assert(n >= 0);
	return text;
}

/* The first meeting in a function that is a barrier, or that is none; NULL if there
 * is none. */
static char *meeting_in(const struct device_program *program, LLVMValueRef function,
			bool barriers, size_t *size)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			++*size;
			if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)))
				continue;
			const char *name = name_of(LLVMGetCalledValue(i));
			const char *what = meeting(name);
			if (what && !strcmp(name, "__cudasim_barrier") == barriers)
				return text_at(program, what, i);
		}
	}
	return NULL;
}

/* The first such meeting in all that the kernel reaches. The kernel's own places come
 * first: they are what the user looks for. */
static char *meeting_of(struct device_module *dm, const struct callgraph *graph,
			LLVMValueRef kernel, bool barriers, size_t *size)
{
	bool *reached = calloc(graph->n + 1, sizeof(*reached));
	assert(reached);
	callgraph_reach(graph, callgraph_find(graph, kernel), reached);
	char *text = meeting_in(dm->program, kernel, barriers, size);
	for (size_t i = 0; i < graph->n && !text; i++) {
		if (reached[i] && graph->nodes[i].function != kernel)
			text = meeting_in(dm->program, graph->nodes[i].function, barriers, size);
	}
	free(reached);
	return text;
}

char *loop_refuse(struct device_module *dm, const struct callgraph *graph,
		  const struct layout_kernel *kernel)
{
	size_t size = 0;
	if (kernel->cluster[0] * kernel->cluster[1] * kernel->cluster[2] > 1)
		return strdup("has blocks in clusters");
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, kernel->name);
	char *text = meeting_of(dm, graph, function, false, &size);
	if (!text && size > LARGEST) {
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
	char *where = meeting_of(dm, graph, function, true, &size), *text;
	int n = asprintf(&text, "%s and %s", where ? where : "waits at a barrier", why);
	assert(n >= 0);
	(void)n;
	free(where);
	return text;
}
