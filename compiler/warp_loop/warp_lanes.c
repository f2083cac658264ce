/* SPDX-License-Identifier: Apache-2.0 */
/* warp_lanes.c - see warp_lanes.h.
 *
 * Where lanes part, where there are fewer than 32, or where some have ended, libcudasim takes
 * the lanes that stand before one region through it together (sim/loops/loop.c). A function of
 * its own, since the loop over warps has its lanes' values in registers where all 32 agree. */
#include "warp_lanes.h"

#include <assert.h>
#include <stdlib.h>

#include "alignment.h"
#include "attributes.h"
#include "continuation.h"
#include "debug_metadata.h"
#include "kernel_params.h"
#include "llvm_functions.h"
#include "loop_marks.h"
#include "names.h"
#include "warp_continuation.h"
#include "warp_ops.h"

enum { LANES = CUDASIM_WARP_SIZE };

enum { PARAMS, BLOCK, FRAME, X, Y, Z, LINEAR, MASK, REGION, WHAT, N_PARAMS };

LLVMValueRef warp_lanes_declare(struct device_module *dm, const struct layout_kernel *kernel)
{
	LLVMTypeRef types[N_PARAMS], pointer = LLVMPointerTypeInContext(dm->context, 0);
	for (unsigned i = 0; i < N_PARAMS; i++)
		types[i] = i <= FRAME ? pointer : LLVMInt32TypeInContext(dm->context);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(dm->context), types, N_PARAMS, 0);
	char *name = name_shared(dm->program, "lanes", kernel->name);
	LLVMValueRef lanes = LLVMAddFunction(dm->module, name, type);
	free(name);
	attribute_add(lanes, FRAME + 1, "noalias", 0);
	kernel_params_promise(lanes, kernel);
	alignment_mark_own(lanes, BLOCK);
	alignment_mark_own(lanes, FRAME);
	return lanes;
}

static LLVMValueRef parameter(struct loop_nest *m, unsigned i)
{
	return LLVMGetParam(m->function, i);
}

static LLVMValueRef call_continuation(struct loop_nest *m, LLVMValueRef continuation,
				      LLVMValueRef lane, unsigned k)
{
	struct warp_place place = {parameter(m, FRAME), parameter(m, X), parameter(m, Y),
				   parameter(m, Z), parameter(m, LINEAR)};
	return warp_continuation_call(m, continuation, &place, lane, k);
}

/* Go on in a new block where the caller asks for `what`. */
static LLVMBasicBlockRef asked(struct loop_nest *m, uint32_t what, LLVMBasicBlockRef otherwise)
{
	LLVMBasicBlockRef then = nest_block(m, "asked");
	LLVMValueRef is = LLVMBuildAnd(m->builder, parameter(m, WHAT), nest_number(m, what), "");
	is = LLVMBuildICmp(m->builder, LLVMIntNE, is, nest_number(m, 0), "");
	LLVMBuildCondBr(m->builder, is, then, otherwise);
	LLVMPositionBuilderAtEnd(m->builder, then);
	return then;
}

/* if (what & MEET) the cut's operations; if (what & RUN) the block that follows, which is returned. */
static LLVMBasicBlockRef add_cut(struct loop_nest *m, const struct kernel_region *region,
				 LLVMBasicBlockRef start, LLVMBasicBlockRef end)
{
	LLVMPositionBuilderAtEnd(m->builder, start);
	if (warp_ops_may_be_partial(region)) {
		LLVMBasicBlockRef met = nest_block(m, "met");
		asked(m, CUDASIM_LANES_MEET, met);
		warp_ops_build_partial(m, parameter(m, FRAME), region, parameter(m, MASK));
		LLVMBuildBr(m->builder, met);
		LLVMPositionBuilderAtEnd(m->builder, met);
	}
	return asked(m, CUDASIM_LANES_RUN, end);
}

/* for each lane: if (mask >> lane & 1) states[lane] = continuation(lane). Returns the call. */
static LLVMValueRef add_region(struct loop_nest *m, LLVMValueRef continuation,
			       const struct region_plan *cut, unsigned k, LLVMBasicBlockRef start,
			       LLVMBasicBlockRef end)
{
	LLVMBuilderRef b = m->builder;
	LLVMBasicBlockRef loop = nest_block(m, "lanes"), run = nest_block(m, "run"),
			  next = nest_block(m, "next");
	LLVMPositionBuilderAtEnd(b, start);
	LLVMBuildBr(b, loop);
	LLVMPositionBuilderAtEnd(b, loop);
	LLVMValueRef lane = LLVMBuildPhi(b, m->i32, "lane"), zero = nest_number(m, 0);
	LLVMValueRef bit = LLVMBuildShl(b, nest_number(m, 1), lane, "");
	bit = LLVMBuildAnd(b, parameter(m, MASK), bit, "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, bit, zero, ""), run, next);
	LLVMPositionBuilderAtEnd(b, run);
	LLVMValueRef call = call_continuation(m, continuation, lane, k);
	LLVMValueRef states = nest_at(m, parameter(m, FRAME), (size_t)cut->frame_bytes * LANES);
	LLVMValueRef index = LLVMBuildZExt(b, lane, m->i64, "");
	LLVMBuildStore(b, call, LLVMBuildInBoundsGEP2(b, m->i32, states, &index, 1, ""));
	LLVMBuildBr(b, next);
	LLVMPositionBuilderAtEnd(b, next);
	LLVMValueRef following = LLVMBuildNUWAdd(b, lane, nest_number(m, 1), "");
	LLVMValueRef again = LLVMBuildICmp(b, LLVMIntULT, following, nest_number(m, LANES), "");
	LLVMValueRef back_edge = LLVMBuildCondBr(b, again, loop, end);
	thread_loop_mark(back_edge);
	thread_loop_mark_region(back_edge, false);
	LLVMAddIncoming(lane, &zero, &start, 1);
	LLVMAddIncoming(lane, &following, &next, 1);
	return call;
}

void warp_lanes_define(struct device_module *dm, struct layout_kernel *kernel, LLVMValueRef lanes,
		       LLVMValueRef continuation, const struct region_plan *cut,
		       struct loop_runner *runner)
{
	struct loop_nest m;
	LLVMValueRef *calls = calloc(cut->n_regions + 1, sizeof(*calls));
	assert(calls);
	nest_begin(&m, dm);
	m.function = lanes;
	m.values.real_block = parameter(&m, BLOCK);
	LLVMSetLinkage(lanes, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(m.builder, nest_block(&m, "entry"));
	nest_copy_block(&m, kernel);
	LLVMBasicBlockRef end = nest_block(&m, "end");
	LLVMValueRef choice = LLVMBuildSwitch(m.builder, parameter(&m, REGION), end,
					      cut->n_regions);
	for (unsigned k = 0; k < cut->n_regions; k++) {
		LLVMBasicBlockRef start = nest_block(&m, "region");
		LLVMAddCase(choice, nest_number(&m, k), start);
		start = add_cut(&m, &cut->regions[k], start, end);
		calls[k] = add_region(&m, continuation, cut, k, start, end);
	}
	LLVMPositionBuilderAtEnd(m.builder, end);
	LLVMBuildRetVoid(m.builder);
	LLVMDisposeBuilder(m.builder);
	for (unsigned k = 0; k < cut->n_regions; k++) {
		debug_lend_location(calls[k]);
		call_inline(calls[k]);
	}
	free(calls);
	loop_list_run(runner, loop_list_of_warps(dm), lanes, kernel);
}
