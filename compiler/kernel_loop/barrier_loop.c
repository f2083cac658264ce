/* SPDX-License-Identifier: Apache-2.0 */
/* barrier_loop.c - a kernel with barriers as loops over the block's threads.
 *
 * A continuation function runs one thread from one barrier to the next (region_formation.h). The
 * kernel's loop calls it for all threads of the block with the same region, inlined
 * with the region a constant, so that each region becomes a loop of its own that LLVM
 * vectorises like any other; nested loops as in pass_loop.c. Where threads have come to
 * different barriers, or some have ended, the next regions are run thread by thread by
 * the continuation function itself, until all agree again: a barrier counts arrivals and exits,
 * wherever they come from, so all that have not ended go on together. */
#include "barrier_loop.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "region_formation.h"
#include "debug_metadata.h"
#include "loop_events.h"
#include "loop_marks.h"
#include "loop_nest.h"
#include "continuation.h"

/* Instructions of a loop in a large module. There are many such kernels, then, and twelve of
 * twice this size took half a minute. */
enum { MOST_OF_LARGE = 8000 };

/* False, with why, where the kernel cannot be cut. */
static bool make_continuation(struct loop_nest *m, struct layout_kernel *kernel,
			      const struct callgraph *graph, struct loop_runner *runner,
			      struct region_plan *cut, const char **why)
{
	if (!step_build(m, kernel, graph, false, why))
		return false;
	if (loop_lower(m->dm, m->function, &m->values)) {
		*why = "calls a function between barriers";
		return false;
	}
	loop_list_run(runner, LOOP_CONTINUATION, m->function, kernel);
	if (m->dm->stage == DEVICE_WATCHED_LOOPS && (*why = loop_events_settle(m->function)))
		return false;
	return regions_form(m->function, false, cut, why);
}

/* Are barriers all that tools are to hear of, beside accesses, and do all threads that have not ended
 * come to each? */
static bool can_be_watched(const struct region_plan *cut)
{
	for (unsigned k = 0; k < cut->n_regions; k++)
		if (cut->regions[k].n_ops && (cut->regions[k].n_ops > 1 ||
					      cut->regions[k].op[0].kind != CUDASIM_REGION_BARRIER))
			return false;
	return cut->uniform_flow;
}

/* ---- the loops ------------------------------------------------------------------- */

struct driver {
	struct loop_nest nest;
	LLVMValueRef continuation, frame, n;
	LLVMValueRef next; /* array: the region that each thread has come to */
	LLVMValueRef low, high; /* variables: the bounds of those */
	const struct region_plan *cut;
	/* variable: a thread's region begins at a post-barrier point */
	LLVMValueRef at_post_barrier;
	LLVMBasicBlockRef choose; /* goes on as low and high say */
	LLVMValueRef *calls; /* of the continuation with a constant region */
	/* Of a plan with uniform control flow: its function, what it keeps, its calls, whether
	 * each thread has not ended (an i8 each) and which regions have to ask. */
	LLVMValueRef uniform_flow, kept, alive;
	LLVMValueRef *flows;
	LLVMBasicBlockRef out, *starts;
	uint64_t asks;
};

static LLVMValueRef minimum(struct driver *d, LLVMIntPredicate is, LLVMValueRef a, LLVMValueRef b)
{
	LLVMBuilderRef builder = d->nest.builder;
	return LLVMBuildSelect(builder, LLVMBuildICmp(builder, is, a, b, ""), a, b, "");
}

static LLVMValueRef load(struct driver *d, LLVMValueRef variable)
{
	return LLVMBuildLoad2(d->nest.builder, d->nest.i32, variable, "");
}

static bool is_post_barrier(const struct driver *d, unsigned k)
{
	return d->cut->regions[k].n_ops &&
	       d->cut->regions[k].op[0].kind == CUDASIM_REGION_POST_BARRIER;
}

/* Whether that region begins at a post-barrier point; an i1. */
static LLVMValueRef are_at_post_barrier(struct driver *d, LLVMValueRef region)
{
	LLVMBuilderRef b = d->nest.builder;
	LLVMValueRef any = LLVMConstNull(LLVMInt1TypeInContext(d->nest.dm->context));
	for (unsigned k = 1; k < d->cut->n_regions; k++)
		if (is_post_barrier(d, k))
			any = LLVMBuildOr(
				b, any,
				LLVMBuildICmp(b, LLVMIntEQ, region, nest_number(&d->nest, k), ""),
				"");
	return any;
}

/* The running thread has come to this region. */
static void note(struct driver *d, LLVMValueRef place, LLVMValueRef region)
{
	LLVMBuilderRef builder = d->nest.builder;
	LLVMBuildStore(builder, region, place);
	LLVMBuildStore(builder, minimum(d, LLVMIntULT, region, load(d, d->low)), d->low);
	LLVMBuildStore(builder, minimum(d, LLVMIntUGT, region, load(d, d->high)), d->high);
	LLVMValueRef at_post_barrier = LLVMBuildZExt(builder, are_at_post_barrier(d, region),
						     d->nest.i32, "");
	LLVMBuildStore(builder,
		       LLVMBuildOr(builder, load(d, d->at_post_barrier), at_post_barrier, ""),
		       d->at_post_barrier);
}

static void reset(struct driver *d)
{
	LLVMBuildStore(d->nest.builder, nest_number(&d->nest, CONTINUATION_EXIT), d->low);
	LLVMBuildStore(d->nest.builder, nest_number(&d->nest, 0), d->high);
	LLVMBuildStore(d->nest.builder, nest_number(&d->nest, 0), d->at_post_barrier);
}

static LLVMValueRef call_continuation(struct driver *d, LLVMValueRef block, LLVMValueRef region)
{
	struct loop_nest *m = &d->nest;
	LLVMValueRef kept = d->kept ? d->kept : LLVMGetUndef(m->ptr);
	LLVMValueRef args[N_CONTINUATION_PARAMS] = {
		[CONTINUATION_PARAMS] = LLVMGetParam(m->function, 0),
		[CONTINUATION_BLOCK] = block,
		[CONTINUATION_FRAME] = d->frame,
		[CONTINUATION_X] = m->index[0],
		[CONTINUATION_Y] = m->index[1],
		[CONTINUATION_Z] = m->index[2],
		[CONTINUATION_LINEAR] = m->values.linear,
		[CONTINUATION_N] = d->n,
		[CONTINUATION_INDEX] = m->values.linear,
		[CONTINUATION_REGION] = region,
		[CONTINUATION_KEPT] = kept,
	};
	return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(d->continuation), d->continuation,
			      args, N_CONTINUATION_PARAMS, "");
}

static LLVMValueRef place_of(struct driver *d)
{
	struct loop_nest *m = &d->nest;
	LLVMValueRef index = LLVMBuildZExt(m->builder, m->values.linear, m->i64, "");
	return LLVMBuildInBoundsGEP2(m->builder, m->i32, d->next, &index, 1, "");
}

/* All threads through one region. */
static LLVMBasicBlockRef add_region(struct driver *d, unsigned k)
{
	struct loop_nest *m = &d->nest;
	LLVMBasicBlockRef start = nest_block(m, "region");
	LLVMPositionBuilderAtEnd(m->builder, start);
	reset(d);
	nest_open(m);
	d->calls[k] = call_continuation(d, m->values.block, nest_number(m, k));
	note(d, place_of(d), d->calls[k]);
	thread_loop_mark(nest_close(m));
	LLVMBuildBr(m->builder, d->choose);
	return start;
}

/* Each thread through a region of its own; while some are at a post-barrier point, these only. */
static LLVMBasicBlockRef add_mixed(struct driver *d)
{
	struct loop_nest *m = &d->nest;
	LLVMBasicBlockRef start = nest_block(m, "mixed"), run = nest_block(m, "run"),
			  then = nest_block(m, "then");
	LLVMPositionBuilderAtEnd(m->builder, start);
	LLVMValueRef at_post_barrier = LLVMBuildICmp(
		m->builder, LLVMIntNE, load(d, d->at_post_barrier), nest_number(m, 0), "");
	reset(d);
	nest_open(m);
	LLVMBasicBlockRef here = LLVMGetInsertBlock(m->builder);
	LLVMValueRef place = place_of(d), region = load(d, place);
	LLVMValueRef over = LLVMBuildICmp(m->builder, LLVMIntEQ, region,
					  nest_number(m, CONTINUATION_EXIT), "");
	LLVMValueRef other = LLVMBuildNot(m->builder, are_at_post_barrier(d, region), "");
	LLVMValueRef stays = LLVMBuildAnd(m->builder, at_post_barrier, other, "");
	LLVMBuildCondBr(m->builder, LLVMBuildOr(m->builder, over, stays, ""), then, run);
	LLVMPositionBuilderAtEnd(m->builder, run);
	/* The real block: the loop's copy stays in registers. */
	LLVMValueRef come = call_continuation(d, m->values.real_block, region);
	LLVMBuildBr(m->builder, then);
	LLVMPositionBuilderAtEnd(m->builder, then);
	LLVMValueRef phi = LLVMBuildPhi(m->builder, m->i32, "");
	LLVMAddIncoming(phi, &region, &here, 1);
	LLVMAddIncoming(phi, &come, &run, 1);
	note(d, place, phi);
	nest_close(m);
	LLVMBuildBr(m->builder, d->choose);
	return start;
}

static LLVMValueRef add_frame(struct driver *d, uint64_t bytes)
{
	struct loop_nest *m = &d->nest;
	LLVMValueRef each = LLVMConstInt(m->i64, bytes + sizeof(uint32_t), 0);
	LLVMValueRef n = LLVMBuildZExt(m->builder, d->n, m->i64, "");
	LLVMValueRef args[] = {m->values.real_block, LLVMBuildNUWMul(m->builder, n, each, "")};
	d->frame = device_call_runtime(m->dm, m->builder, "__cudasim_loop_frame", args, 2, NULL,
				       CUDASIM_SITE_OTHER);
	LLVMValueRef offset = LLVMBuildNUWMul(m->builder, n, LLVMConstInt(m->i64, bytes, 0), "");
	return LLVMBuildInBoundsGEP2(m->builder, m->i8, d->frame, &offset, 1, "");
}

static void build(struct driver *d, const struct layout_kernel *kernel, unsigned n_regions,
		  uint64_t bytes)
{
	struct loop_nest *m = &d->nest;
	nest_declare(m, kernel);
	LLVMPositionBuilderAtEnd(m->builder, nest_block(m, "entry"));
	d->low = LLVMBuildAlloca(m->builder, m->i32, "low");
	d->high = LLVMBuildAlloca(m->builder, m->i32, "high");
	d->at_post_barrier = LLVMBuildAlloca(m->builder, m->i32, "at_post_barrier");
	nest_copy_block(m, kernel);
	d->n = LLVMBuildNUWMul(m->builder, m->extent[0],
			       LLVMBuildNUWMul(m->builder, m->extent[1], m->extent[2], ""), "");
	d->next = add_frame(d, bytes);
	d->choose = nest_block(m, "choose");
	LLVMBasicBlockRef same = nest_block(m, "same"), out = nest_block(m, "out");
	LLVMBasicBlockRef first = add_region(d, 0);
	LLVMPositionBuilderAtEnd(m->builder, LLVMGetEntryBasicBlock(m->function));
	LLVMBuildBr(m->builder, first);
	LLVMBasicBlockRef mixed = n_regions > 1 ? add_mixed(d) : out;
	LLVMPositionBuilderAtEnd(m->builder, d->choose);
	LLVMValueRef low = load(d, d->low), high = load(d, d->high);
	LLVMBuildCondBr(m->builder, LLVMBuildICmp(m->builder, LLVMIntEQ, low, high, ""), same,
			mixed);
	LLVMPositionBuilderAtEnd(m->builder, same);
	LLVMValueRef choice = LLVMBuildSwitch(m->builder, low, out, n_regions);
	for (unsigned k = 1; k < n_regions; k++)
		LLVMAddCase(choice, nest_number(m, k), add_region(d, k));
	LLVMPositionBuilderAtEnd(m->builder, out);
	LLVMBuildRetVoid(m->builder);
}

/* ---- uniform control flow --------------------------------------- */

/* What each region does, all threads do, and then it is decided once which one follows.
 * Threads that have ended are passed over in the regions that may come after that. */
static uint64_t find_asking(const struct region_plan *cut)
{
	uint64_t asks = 0, before;
	for (unsigned k = 0; k < cut->n_regions; k++)
		if (cut->regions[k].loses)
			asks |= cut->regions[k].following;
	do {
		before = asks;
		for (unsigned k = 0; k < cut->n_regions; k++)
			if (asks >> k & 1)
				asks |= cut->regions[k].following;
	} while (asks != before);
	return asks;
}

static LLVMValueRef alive_at(struct driver *d, LLVMValueRef linear)
{
	struct loop_nest *m = &d->nest;
	LLVMValueRef index = LLVMBuildZExt(m->builder, linear, m->i64, "");
	return LLVMBuildInBoundsGEP2(m->builder, m->i8, d->alive, &index, 1, "");
}

/* The thread through the region; leaves the builder where its iteration ends. */
static void pass_thread(struct driver *d, unsigned k, bool loses)
{
	struct loop_nest *m = &d->nest;
	LLVMBasicBlockRef end = NULL;
	if (d->asks >> k & 1) {
		LLVMBasicBlockRef run = nest_block(m, "run");
		end = nest_block(m, "then");
		LLVMValueRef alive = LLVMBuildLoad2(m->builder, m->i8,
						    alive_at(d, m->values.linear), "");
		alive = LLVMBuildICmp(m->builder, LLVMIntNE, alive, LLVMConstNull(m->i8), "");
		LLVMBuildCondBr(m->builder, alive, run, end);
		LLVMPositionBuilderAtEnd(m->builder, run);
	}
	d->calls[k] = call_continuation(d, m->values.block, nest_number(m, k));
	if (loses) {
		LLVMValueRef alive = LLVMBuildICmp(m->builder, LLVMIntNE, d->calls[k],
						   nest_number(m, CONTINUATION_EXIT), "");
		LLVMBuildStore(m->builder, LLVMBuildZExt(m->builder, alive, m->i8, ""),
			       alive_at(d, m->values.linear));
	}
	if (end) {
		LLVMBuildBr(m->builder, end);
		LLVMPositionBuilderAtEnd(m->builder, end);
	}
}

/* Over where nobody is alive. */
static void add_survey(struct driver *d)
{
	struct loop_nest *m = &d->nest;
	LLVMBuilderRef b = m->builder;
	LLVMBasicBlockRef from = LLVMGetInsertBlock(b), loop = nest_block(m, "survey"),
			  end = nest_block(m, "surveyed"), on = nest_block(m, "on");
	LLVMValueRef zero = nest_number(m, 0), none = LLVMConstNull(m->i8);
	LLVMBuildBr(b, loop);
	LLVMPositionBuilderAtEnd(b, loop);
	LLVMValueRef i = LLVMBuildPhi(b, m->i32, ""), any = LLVMBuildPhi(b, m->i8, "");
	LLVMValueRef both = LLVMBuildOr(b, any, LLVMBuildLoad2(b, m->i8, alive_at(d, i), ""), "");
	LLVMValueRef next = LLVMBuildNUWAdd(b, i, nest_number(m, 1), "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, d->n, ""), loop, end);
	LLVMAddIncoming(i, &zero, &from, 1);
	LLVMAddIncoming(i, &next, &loop, 1);
	LLVMAddIncoming(any, &none, &from, 1);
	LLVMAddIncoming(any, &both, &loop, 1);
	LLVMPositionBuilderAtEnd(b, end);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, both, none, ""), on, d->out);
	LLVMPositionBuilderAtEnd(b, on);
}

static void add_way_region(struct driver *d, const struct region_plan *cut, unsigned k)
{
	struct loop_nest *m = &d->nest;
	const struct kernel_region *region = &cut->regions[k];
	LLVMPositionBuilderAtEnd(m->builder, d->starts[k]);
	if (m->dm->stage == DEVICE_WATCHED_LOOPS && region->n_ops) {
		LLVMValueRef all = LLVMConstNull(m->ptr);
		LLVMValueRef args[] = {m->values.real_block, region->op[0].site,
				       d->asks >> k & 1 ? d->alive : all};
		LLVMValueRef f = device_runtime(m->dm, "__cudasim_on_loop_barrier");
		LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, args, 3, "");
	}
	if (region->acts || region->loses) {
		if (region->has_rows)
			nest_open(m);
		else
			nest_open_flat(m, d->n);
		pass_thread(d, k, region->loses);
		LLVMValueRef back_edge = nest_close(m);
		thread_loop_mark(back_edge);
		thread_loop_mark_region(back_edge, region->has_rows && cut->has_rows);
	}
	if (region->loses)
		add_survey(d);
	LLVMValueRef none = LLVMGetPoison(m->i32);
	LLVMValueRef args[N_CONTINUATION_PARAMS] = {
		[CONTINUATION_PARAMS] = LLVMGetParam(m->function, 0),
		[CONTINUATION_BLOCK] = m->values.block,
		[CONTINUATION_FRAME] = LLVMGetPoison(m->ptr),
		[CONTINUATION_X] = none,
		[CONTINUATION_Y] = none,
		[CONTINUATION_Z] = none,
		[CONTINUATION_LINEAR] = none,
		[CONTINUATION_N] = d->n,
		[CONTINUATION_INDEX] = none,
		[CONTINUATION_REGION] = nest_number(m, k),
		[CONTINUATION_KEPT] = d->kept,
	};
	d->flows[k] = LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(d->uniform_flow),
				     d->uniform_flow, args, N_CONTINUATION_PARAMS, "");
	LLVMValueRef choice = LLVMBuildSwitch(m->builder, d->flows[k], d->out, cut->n_regions);
	for (unsigned i = 1; i < cut->n_regions; i++)
		if (region->following >> i & 1)
			LLVMAddCase(choice, nest_number(m, i), d->starts[i]);
}

static void build_way(struct driver *d, const struct layout_kernel *kernel,
		      const struct region_plan *cut)
{
	struct loop_nest *m = &d->nest;
	nest_declare(m, kernel);
	LLVMPositionBuilderAtEnd(m->builder, nest_block(m, "entry"));
	d->kept = LLVMBuildAlloca(m->builder, LLVMArrayType2(m->i8, cut->kept_bytes + 1), "kept");
	LLVMSetAlignment(d->kept, 16);
	nest_copy_block(m, kernel);
	d->n = LLVMBuildNUWMul(m->builder, m->extent[0],
			       LLVMBuildNUWMul(m->builder, m->extent[1], m->extent[2], ""), "");
	d->asks = find_asking(cut);
	if (cut->frame_bytes || d->asks)
		d->alive = add_frame(d, cut->frame_bytes);
	else
		d->frame = LLVMGetPoison(m->ptr);
	if (d->asks)
		LLVMBuildMemSet(m->builder, d->alive, LLVMConstInt(m->i8, 1, 0),
				LLVMBuildZExt(m->builder, d->n, m->i64, ""), 1);
	d->out = nest_block(m, "out");
	for (unsigned k = 0; k < cut->n_regions; k++)
		d->starts[k] = nest_block(m, "region");
	LLVMPositionBuilderAtEnd(m->builder, LLVMGetEntryBasicBlock(m->function));
	LLVMBuildBr(m->builder, d->starts[0]);
	for (unsigned k = 0; k < cut->n_regions; k++)
		add_way_region(d, cut, k);
	LLVMPositionBuilderAtEnd(m->builder, d->out);
	LLVMBuildRetVoid(m->builder);
}

static void inline_way(struct driver *d, unsigned n_regions)
{
	for (unsigned k = 0; k < n_regions; k++) {
		if (d->calls[k]) {
			debug_lend_location(d->calls[k]);
			call_inline(d->calls[k]);
		}
		debug_lend_location(d->flows[k]);
		call_inline(d->flows[k]);
	}
	LLVMDeleteFunction(d->continuation);
	LLVMDeleteFunction(d->uniform_flow);
}

/* ---- the function ------------------------------------------------------------------ */

static void inline_steps(struct driver *d, unsigned n_regions)
{
	debug_lend_location(d->calls[0]);
	for (unsigned k = 0; k < n_regions; k++)
		call_inline(d->calls[k]);
	continuation_is_seldom_called(d->continuation);
}

char *loop_cut(struct device_module *dm, struct layout_kernel *kernel,
	       const struct callgraph *graph, struct loop_runner *runner)
{
	struct loop_nest continuation;
	struct region_plan cut = {0};
	const char *why = NULL;
	nest_begin(&continuation, dm);
	bool done = make_continuation(&continuation, kernel, graph, runner, &cut, &why);
	unsigned n = cut.n_regions;
	LLVMDisposeBuilder(continuation.builder);
	bool watched = dm->stage == DEVICE_WATCHED_LOOPS;
	if (done && watched && !can_be_watched(&cut)) {
		why = "comes to its barriers as memory says";
		done = false;
		if (cut.uniform_flow)
			LLVMDeleteFunction(cut.uniform_flow);
		free(cut.regions);
	}
	if (!done) {
		LLVMDeleteFunction(continuation.function);
		return strdup(why);
	}
	struct driver d = {
		.cut = &cut,
		.continuation = continuation.function,
		.uniform_flow = cut.uniform_flow,
		.calls = calloc(n, sizeof(*d.calls)),
		.flows = calloc(n, sizeof(*d.flows)),
		.starts = calloc(n, sizeof(*d.starts)),
	};
	assert(d.calls && d.flows && d.starts);
	nest_begin(&d.nest, dm);
	if (cut.uniform_flow) {
		build_way(&d, kernel, &cut);
		inline_way(&d, n);
	} else {
		build(&d, kernel, n, cut.frame_bytes);
		inline_steps(&d, n);
	}
	LLVMDisposeBuilder(d.nest.builder);
	free(d.calls);
	free(d.flows);
	free(d.starts);
	free(cut.regions);
	loop_list_run(runner,
		      watched            ? LOOP_WATCHED_FLOW
		      : cut.uniform_flow ? LOOP_UNIFORM_FLOW
					 : LOOP_REGIONS,
		      d.nest.function, kernel);
	size_t size = device_size(d.nest.function);
	if (dm->large && size > MOST_OF_LARGE) {
		LLVMDeleteFunction(d.nest.function);
		if (!cut.uniform_flow) {
			LLVMReplaceAllUsesWith(d.continuation,
					       LLVMConstNull(LLVMTypeOf(d.continuation)));
			LLVMDeleteFunction(d.continuation);
		}
		return loop_say_too_large(size);
	}
	return NULL;
}
