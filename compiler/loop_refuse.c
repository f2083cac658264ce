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

/* The first meeting in a function; NULL if there is none. */
static char *meeting_in(const struct device_program *program, LLVMValueRef function, size_t *size)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			++*size;
			if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)))
				continue;
			const char *what = meeting(name_of(LLVMGetCalledValue(i)));
			if (what)
				return text_at(program, what, i);
		}
	}
	return NULL;
}

char *loop_refuse(struct device_module *dm, const struct callgraph *graph,
		  const struct layout_kernel *kernel)
{
	char *text = NULL;
	size_t size = 0;
	if (kernel->cluster[0] * kernel->cluster[1] * kernel->cluster[2] > 1)
		return strdup("has blocks in clusters");
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, kernel->name);
	bool *reached = calloc(graph->n + 1, sizeof(*reached));
	assert(reached);
	callgraph_reach(graph, callgraph_find(graph, function), reached);
	/* The kernel's own places first: they are what the user looks for. */
	text = meeting_in(dm->program, function, &size);
	for (size_t i = 0; i < graph->n && !text; i++) {
		if (reached[i] && graph->nodes[i].function != function)
			text = meeting_in(dm->program, graph->nodes[i].function, &size);
	}
	free(reached);
	if (!text && size > LARGEST) {
		int n = asprintf(&text, "is too large (%zu instructions)", size);
		assert(n >= 0);
		(void)n;
	}
	return text;
}
