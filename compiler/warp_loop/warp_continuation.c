/* SPDX-License-Identifier: Apache-2.0 */
#include "warp_continuation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "continuation.h"
#include "loop_events.h"
#include "names.h"

/* A thread that has given way goes on with a full tank. */
static void refuel(struct loop_nest *m, LLVMValueRef call)
{
	LLVMPositionBuilderBefore(m->builder, LLVMGetNextInstruction(call));
	LLVMValueRef self = context_self(m->dm, m->builder);
	size_t fuel = offsetof(struct cudasim_thread, fuel);
	LLVMValueRef thread = LLVMBuildLoad2(m->builder, m->ptr, self, "");
	LLVMValueRef full = LLVMBuildLoad2(m->builder, m->i32, nest_at(m, thread, fuel), "");
	LLVMBuildStore(m->builder, full, nest_at(m, m->values.context, fuel));
}

static void refuel_all(struct loop_nest *m)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m->function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
			    !strcmp(name_of(LLVMGetCalledValue(i)), "__cudasim_yield"))
				refuel(m, i);
}

/* Can a watched loop do, and tell tools of, all that the threads wait for? */
static bool can_be_watched(const struct region_plan *cut)
{
	for (unsigned k = 0; k < cut->n_regions; k++)
		for (unsigned i = 0; i < cut->regions[k].n_ops; i++)
			switch (cut->regions[k].op[i].kind) {
			case CUDASIM_REGION_LEAVE:
			case CUDASIM_REGION_ARRIVE:
			case CUDASIM_REGION_MBARRIER:
			case CUDASIM_REGION_MBARRIER_ARRIVE:
			case CUDASIM_REGION_CLUSTER_ARRIVE:
			case CUDASIM_REGION_CLUSTER_WAIT:
			case CUDASIM_REGION_YIELD:
				return false;
			default:
				break;
			}
	return true;
}

bool warp_continuation_build(struct loop_nest *m, struct layout_kernel *kernel,
			     const struct callgraph *graph, struct loop_runner *runner, size_t most,
			     struct region_plan *cut, const char **why, size_t *size)
{
	if (!step_build(m, kernel, graph, true, why))
		return false;
	m->values.is_cut = region_begins_at;
	if (loop_lower(m->dm, m->function, &m->values)) {
		*why = "calls a function between its meetings";
		return false;
	}
	refuel_all(m);
	loop_list_run(runner, LOOP_WARP_CONTINUATION, m->function, kernel);
	*size = device_size(m->function);
	if (*size > most)
		return false;
	if (m->dm->stage == DEVICE_WATCHED_LOOPS && (*why = loop_events_settle(m->function)))
		return false;
	if (!regions_form(m->function, true, cut, why))
		return false;
	if (m->dm->stage != DEVICE_WATCHED_LOOPS || can_be_watched(cut))
		return true;
	*why = "waits elsewhere than at its block's barriers";
	free(cut->regions);
	return false;
}

LLVMValueRef warp_continuation_call(struct loop_nest *m, LLVMValueRef continuation,
				    const struct warp_place *place, LLVMValueRef lane,
				    unsigned region)
{
	LLVMValueRef args[N_WARP_CONTINUATION_PARAMS] = {
		[CONTINUATION_PARAMS] = LLVMGetParam(m->function, 0),
		[CONTINUATION_BLOCK] = m->values.block,
		[CONTINUATION_FRAME] = place->frame,
		[CONTINUATION_X] = LLVMBuildNUWAdd(m->builder, place->x, lane, ""),
		[CONTINUATION_Y] = place->y,
		[CONTINUATION_Z] = place->z,
		[CONTINUATION_LINEAR] = LLVMBuildNUWAdd(m->builder, place->linear, lane, ""),
		[CONTINUATION_N] = nest_number(m, CUDASIM_WARP_SIZE),
		[CONTINUATION_INDEX] = lane,
		[CONTINUATION_REGION] = nest_number(m, region),
	};
	return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(continuation), continuation, args,
			      N_WARP_CONTINUATION_PARAMS, "");
}
