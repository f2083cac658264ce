/* SPDX-License-Identifier: Apache-2.0 */
/* warp_loop.c - a kernel whose threads meet in warps as loops over 32 lanes.
 *
 * The kernel is cut at its barriers and warp operations (region_formation.h). Between two
 * barriers of the block one warp goes after the other; a warp goes from region to
 * region, each a loop over its 32 lanes that LLVM vectorises, and at a cut that all have
 * come to the operation is done on arrays (warp_ops.c), if it names the whole warp or
 * tiles of it. Where the lanes of a warp part, are fewer than 32, or name other masks, libcudasim
 * steps them until they agree again (sim/loops/loop.c), and takes them out of the loop and onto
 * fibers where it cannot. Where a row of threads does not hold whole warps, it steps them
 * through the regions that ask for threadIdx.
 *
 *   phase:  for each warp:
 *             region k: 32 lanes through the continuation; the next region, if they agree
 *             cut k:    a barrier ends the warp's turn; an operation leads to region k
 *           all ended? else the barrier opens, or those at a post-barrier point go on
 *
 * Rejected: all warps of the block through one region after the other. Programs have
 * single warps do what others do not, and 32 lanes' values stay in the first-level
 * cache. */
#define _GNU_SOURCE
#include "warp_loop.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "region_formation.h"
#include "debug_metadata.h"
#include "loop_marks.h"
#include "loop_nest.h"
#include "continuation.h"
#include "warp_continuation.h"
#include "warp_lanes.h"
#include "warp_loop_limits.h"
#include "warp_ops.h"
#include "warp_table.h"

enum { LANES = CUDASIM_WARP_SIZE };

struct driver {
	struct loop_nest nest;
	const struct region_plan *cut;
	LLVMValueRef continuation, lanes, table;
	LLVMValueRef frame, words, n, n_warps;
	LLVMValueRef one, fast; /* a single row of threads; rows hold whole warps */
	/* Variables of the function: the warp; the region that it stands before, and
	 * whether it may begin it; where it is in the block; of a phase: all warps' words
	 * together, and whether libcudasim has to open the barrier. */
	LLVMValueRef warp, region, ready, x, y, z, ended, complex;
	LLVMValueRef at_post_barrier, waits; /* of a phase: some warp does, or waits at a barrier */
	bool has_post_barrier, is_small, watched;
	LLVMValueRef part, first; /* of the warp: its frame, its first thread */
	LLVMBasicBlockRef phase, next_warp, dispatch, slow, arrived, out, odd;
	LLVMBasicBlockRef *regions, *arrivals;
	LLVMValueRef *calls; /* of the continuation with a constant region */
};

/* ---- small things ------------------------------------------------------------------ */

static LLVMValueRef get(struct driver *d, LLVMValueRef variable)
{
	return LLVMBuildLoad2(d->nest.builder, d->nest.i32, variable, "");
}

static void set(struct driver *d, LLVMValueRef variable, LLVMValueRef value)
{
	LLVMBuildStore(d->nest.builder, value, variable);
}

static void set_number(struct driver *d, LLVMValueRef variable, uint32_t value)
{
	set(d, variable, nest_number(&d->nest, value));
}

static LLVMValueRef is_equal(struct driver *d, LLVMValueRef value, uint32_t number)
{
	return LLVMBuildICmp(d->nest.builder, LLVMIntEQ, value, nest_number(&d->nest, number), "");
}

static void go(struct driver *d, LLVMBasicBlockRef to)
{
	LLVMBuildBr(d->nest.builder, to);
}

static void continue_in(struct driver *d, LLVMBasicBlockRef block)
{
	LLVMPositionBuilderAtEnd(d->nest.builder, block);
}

static LLVMValueRef element(struct driver *d, LLVMValueRef array, LLVMValueRef index)
{
	LLVMBuilderRef b = d->nest.builder;
	index = LLVMBuildZExt(b, index, d->nest.i64, "");
	return LLVMBuildInBoundsGEP2(b, d->nest.i32, array, &index, 1, "");
}

static LLVMValueRef word_of_warp(struct driver *d)
{
	return element(d, d->words, get(d, d->warp));
}

/* ---- regions ------------------------------------------------------------------------- */

static LLVMValueRef call_continuation(struct driver *d, LLVMValueRef lane, unsigned k)
{
	struct warp_place place = {d->part, get(d, d->x), get(d, d->y), get(d, d->z), d->first};
	return warp_continuation_call(&d->nest, d->continuation, &place, lane, k);
}

/* The regions that the warp's lanes have come to: an array of words. */
static LLVMValueRef states(struct driver *d)
{
	return nest_at(&d->nest, d->part, d->cut->frame_bytes * LANES);
}

/* An i1: all lanes have come to one region, *region. Looked at behind their loop, in which nothing goes
 * from lane to lane, so that it may be vectors. */
static LLVMValueRef have_agreed(struct driver *d, LLVMValueRef *region)
{
	LLVMBuilderRef b = d->nest.builder;
	LLVMTypeRef words = LLVMVectorType(d->nest.i32, LANES);
	LLVMValueRef zero = nest_number(&d->nest, 0), all = LLVMBuildLoad2(b, words, states(d), "");
	LLVMSetAlignment(all, 64);
	*region = LLVMBuildExtractElement(b, all, zero, "");
	LLVMValueRef first = LLVMBuildInsertElement(b, LLVMGetPoison(words), *region, zero, "");
	first = LLVMBuildShuffleVector(b, first, first, LLVMConstNull(words), "");
	LLVMValueRef differ = LLVMBuildICmp(b, LLVMIntNE, all, first, "");
	return is_equal(d, LLVMBuildBitCast(b, differ, d->nest.i32, ""), 0);
}

static LLVMBasicBlockRef arrival(struct driver *d, uint32_t region)
{
	return d->arrivals[region == CONTINUATION_EXIT ? d->cut->n_regions : region];
}

/* All lanes of a warp through one region. */
static void add_region(struct driver *d, unsigned k)
{
	struct loop_nest *m = &d->nest;
	uint32_t next = d->cut->regions[k].next;
	LLVMBasicBlockRef loop = nest_block(m, "lanes"), end = nest_block(m, "end");
	LLVMBasicBlockRef before = d->regions[k];
	continue_in(d, before);
	if (d->cut->regions[k].has_rows) {
		before = nest_block(m, "rows");
		set_number(d, d->region, k);
		LLVMBuildCondBr(m->builder, d->fast, before, d->odd);
		continue_in(d, before);
	}
	go(d, loop);
	continue_in(d, loop);
	LLVMValueRef lane = LLVMBuildPhi(m->builder, m->i32, "lane"), zero = nest_number(m, 0);
	d->calls[k] = call_continuation(d, lane, k);
	if (next == REGION_SEVERAL)
		LLVMBuildStore(m->builder, d->calls[k], element(d, states(d), lane));
	LLVMValueRef following = LLVMBuildNUWAdd(m->builder, lane, nest_number(m, 1), "");
	LLVMValueRef again = LLVMBuildICmp(m->builder, LLVMIntULT, following, nest_number(m, LANES),
					   "");
	LLVMValueRef back_edge = LLVMBuildCondBr(m->builder, again, loop, end);
	thread_loop_mark(back_edge);
	if (next != REGION_SEVERAL || d->is_small)
		thread_loop_mark_lanes(back_edge);
	LLVMAddIncoming(lane, &zero, &before, 1);
	LLVMAddIncoming(lane, &following, &loop, 1);
	continue_in(d, end);
	if (next != REGION_SEVERAL) {
		go(d, arrival(d, next));
		return;
	}
	LLVMBasicBlockRef apart = nest_block(m, "apart"), agreed = nest_block(m, "agreed");
	LLVMValueRef region;
	LLVMBuildCondBr(m->builder, have_agreed(d, &region), agreed, apart);
	continue_in(d, agreed);
	set(d, d->region, region);
	go(d, d->arrived);
	continue_in(d, apart);
	set_number(d, d->region, CUDASIM_AT_MIXED);
	go(d, d->slow);
}

/* ---- cuts ------------------------------------------------------------------------------ */

static bool is_barrier(const struct kernel_region *region)
{
	return region->n_ops == 1 && (region->op[0].kind == CUDASIM_REGION_BARRIER ||
				      region->op[0].kind == CUDASIM_REGION_BARRIER_REDUCE);
}

/* __syncthreads() */
static bool is_plain_barrier(const struct kernel_region *region)
{
	const struct region_value *arg = region->op[0].arg;
	return region->op[0].kind == CUDASIM_REGION_BARRIER && !arg[0].size && !arg[0].constant &&
	       !arg[1].size && !arg[1].constant;
}

static bool is_post_barrier(const struct kernel_region *region)
{
	return region->n_ops == 1 && region->op[0].kind == CUDASIM_REGION_POST_BARRIER;
}

static void end_turn(struct driver *d, uint32_t word)
{
	LLVMBuildStore(d->nest.builder, nest_number(&d->nest, word), word_of_warp(d));
	go(d, d->next_warp);
}

static void add_operations(struct driver *d, unsigned k)
{
	struct loop_nest *m = &d->nest;
	const struct kernel_region *region = &d->cut->regions[k];
	LLVMBasicBlockRef other = nest_block(m, "other"), full = nest_block(m, "full");
	LLVMValueRef all = NULL;
	bool known = true;
	for (unsigned i = 0; i < region->n_ops; i++)
		known &= warp_op_is_known(&region->op[i]);
	for (unsigned i = 0; i < region->n_ops && known; i++) {
		LLVMValueRef is = warp_op_fits(m, d->part, &region->op[i]);
		if (is)
			all = all ? LLVMBuildAnd(m->builder, all, is, "") : is;
	}
	if (!known)
		go(d, other);
	else if (all)
		LLVMBuildCondBr(m->builder, all, full, other);
	else
		go(d, full);
	continue_in(d, full);
	if (known && d->watched)
		warp_ops_tell(m, region, d->table, d->frame, get(d, d->warp), k);
	for (unsigned i = 0; i < region->n_ops && known; i++)
		warp_op_build(m, d->part, &region->op[i]);
	go(d, d->regions[k]);
	continue_in(d, other);
	set_number(d, d->region, k);
	set_number(d, d->ready, 0);
	go(d, d->slow);
}

/* All lanes of a warp have come to one cut. */
static void add_arrival(struct driver *d, unsigned k)
{
	const struct kernel_region *region = &d->cut->regions[k];
	continue_in(d, d->arrivals[k]);
	if (is_barrier(region) || is_post_barrier(region)) {
		if (d->has_post_barrier)
			set_number(d, is_post_barrier(region) ? d->at_post_barrier : d->waits, 1);
		if (is_barrier(region) && !is_plain_barrier(region))
			set_number(d, d->complex, 1);
		end_turn(d, k);
		return;
	}
	add_operations(d, k);
}

/* To the block for the number in region. */
static void add_choice(struct driver *d, LLVMBasicBlockRef from, LLVMBasicBlockRef *blocks,
		       LLVMBasicBlockRef other)
{
	continue_in(d, from);
	LLVMValueRef choice = LLVMBuildSwitch(d->nest.builder, get(d, d->region), other,
					      d->cut->n_regions);
	for (unsigned k = 0; k < d->cut->n_regions; k++)
		LLVMAddCase(choice, nest_number(&d->nest, k), blocks[k]);
}

/* A region that asks for threadIdx, where that does not count on along the lanes: through
 * the continuation, one by one. The operations are vectors all the same. */
static void add_odd(struct driver *d)
{
	struct loop_nest *m = &d->nest;
	LLVMBasicBlockRef agreed = nest_block(m, "agreed");
	continue_in(d, d->odd);
	LLVMValueRef args[] = {
		d->table, m->values.real_block, LLVMGetParam(m->function, 0),
		d->frame, get(d, d->warp),      get(d, d->region),
	};
	LLVMValueRef region = device_call_runtime(m->dm, m->builder, "__cudasim_loop_lanes", args,
						  6, NULL, CUDASIM_SITE_OTHER);
	set(d, d->region, region);
	LLVMBuildCondBr(m->builder, is_equal(d, region, CUDASIM_AT_MIXED), d->slow, agreed);
	continue_in(d, agreed);
	/* Only to where such regions lead: what the others store is still in registers when
	 * their operations load it, if nobody else comes there. */
	bool several = false, *led = calloc(d->cut->n_regions + 1, sizeof(*led));
	assert(led);
	for (unsigned k = 0; k < d->cut->n_regions; k++) {
		const struct kernel_region *from = &d->cut->regions[k];
		several |= from->has_rows && from->next == REGION_SEVERAL;
		if (from->has_rows && from->next < d->cut->n_regions)
			led[from->next] = true;
	}
	LLVMBasicBlockRef other = several ? d->arrived : d->arrivals[d->cut->n_regions];
	LLVMValueRef choice = LLVMBuildSwitch(m->builder, region, other, d->cut->n_regions);
	for (unsigned k = 0; k < d->cut->n_regions; k++)
		if (led[k])
			LLVMAddCase(choice, nest_number(m, k), d->arrivals[k]);
	free(led);
}

/* Lane by lane, by libcudasim. */
static void add_slow(struct driver *d)
{
	struct loop_nest *m = &d->nest;
	LLVMBasicBlockRef stays = nest_block(m, "stays"), waits = nest_block(m, "waits"),
			  goes = nest_block(m, "goes");
	continue_in(d, d->slow);
	LLVMValueRef args[] = {
		d->table,         m->values.real_block, LLVMGetParam(m->function, 0),
		d->frame,         get(d, d->warp),      get(d, d->region),
		get(d, d->ready),
	};
	LLVMValueRef region = device_call_runtime(m->dm, m->builder, "__cudasim_loop_warp", args, 7,
						  NULL, CUDASIM_SITE_OTHER);
	LLVMBuildCondBr(m->builder, is_equal(d, region, CUDASIM_AT_EXIT), d->out, stays);
	continue_in(d, stays);
	LLVMBuildCondBr(m->builder, is_equal(d, region, CUDASIM_AT_MIXED), waits, goes);
	continue_in(d, waits);
	set_number(d, d->complex, 1);
	go(d, d->next_warp);
	continue_in(d, goes);
	set(d, d->region, region);
	go(d, d->dispatch);
}

/* ---- the function ------------------------------------------------------------------------ */

/* Where the warp's first thread is. */
static void add_place(struct driver *d)
{
	struct loop_nest *m = &d->nest;
	LLVMBuilderRef b = m->builder;
	LLVMBasicBlockRef rows = nest_block(m, "rows"), row = nest_block(m, "row"),
			  placed = nest_block(m, "placed");
	LLVMBuildCondBr(b, d->one, row, rows);
	continue_in(d, row);
	set(d, d->x, d->first);
	set_number(d, d->y, 0);
	set_number(d, d->z, 0);
	go(d, placed);
	continue_in(d, rows);
	LLVMValueRef index = LLVMBuildUDiv(b, d->first, m->extent[0], "");
	set(d, d->x, LLVMBuildSub(b, d->first, LLVMBuildMul(b, index, m->extent[0], ""), ""));
	set(d, d->y, LLVMBuildURem(b, index, m->extent[1], ""));
	set(d, d->z, LLVMBuildUDiv(b, index, m->extent[1], ""));
	go(d, placed);
	continue_in(d, placed);
}

/* The beginning of a warp's turn. */
static void add_warp(struct driver *d)
{
	struct loop_nest *m = &d->nest;
	LLVMBuilderRef b = m->builder;
	LLVMBasicBlockRef lives = nest_block(m, "lives"), whole = nest_block(m, "whole");
	LLVMValueRef warp = get(d, d->warp), wide = LLVMBuildZExt(b, warp, m->i64, "");
	uint64_t bytes = (d->cut->frame_bytes + 16) * LANES;
	LLVMValueRef offset = LLVMBuildNUWMul(b, wide, LLVMConstInt(m->i64, bytes, 0), "");
	d->part = LLVMBuildInBoundsGEP2(b, m->i8, d->frame, &offset, 1, "part");
	d->first = LLVMBuildNUWMul(b, warp, nest_number(m, LANES), "first");
	LLVMValueRef word = LLVMBuildLoad2(b, m->i32, word_of_warp(d), "");
	set(d, d->region, word);
	set_number(d, d->ready, 1);
	LLVMBuildCondBr(b, is_equal(d, word, CUDASIM_AT_EXIT), d->next_warp, lives);
	continue_in(d, lives);
	LLVMValueRef last = LLVMBuildNUWAdd(b, d->first, nest_number(m, LANES), "");
	LLVMValueRef full = LLVMBuildICmp(b, LLVMIntULE, last, d->n, "");
	LLVMBuildCondBr(b, full, whole, d->slow);
	continue_in(d, whole);
	add_place(d);
	go(d, d->dispatch);
}

/* The end of a warp's turn, and of all warps' turns. */
static void add_end(struct driver *d, LLVMBasicBlockRef warp)
{
	struct loop_nest *m = &d->nest;
	LLVMBuilderRef b = m->builder;
	LLVMBasicBlockRef over = nest_block(m, "over"), some = nest_block(m, "some"),
			  open = nest_block(m, "open");
	continue_in(d, d->next_warp);
	LLVMValueRef word = LLVMBuildLoad2(b, m->i32, word_of_warp(d), "");
	set(d, d->ended, LLVMBuildAnd(b, get(d, d->ended), word, ""));
	LLVMValueRef next = LLVMBuildNUWAdd(b, get(d, d->warp), nest_number(m, 1), "");
	set(d, d->warp, next);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, d->n_warps, ""), warp, over);
	continue_in(d, over);
	LLVMBuildCondBr(b, is_equal(d, get(d, d->ended), CUDASIM_AT_EXIT), d->out, some);
	continue_in(d, some);
	LLVMValueRef complex = get(d, d->complex);
	if (d->has_post_barrier) /* the barrier opens once nobody is at a post-barrier point */
		complex = LLVMBuildOr(
			b, complex,
			LLVMBuildAnd(b, get(d, d->at_post_barrier), get(d, d->waits), ""), "");
	if (d->watched) /* it tells tools of barriers */
		go(d, open);
	else
		LLVMBuildCondBr(b, is_equal(d, complex, 0), d->phase, open);
	continue_in(d, open);
	LLVMValueRef args[] = {d->table, m->values.real_block, d->frame};
	LLVMValueRef on = device_call_runtime(m->dm, b, "__cudasim_loop_open", args, 3, NULL,
					      CUDASIM_SITE_OTHER);
	LLVMBuildCondBr(b, is_equal(d, on, 0), d->out, d->phase);
}

static LLVMValueRef variable(struct driver *d, const char *name)
{
	return LLVMBuildAlloca(d->nest.builder, d->nest.i32, name);
}

static void add_variables(struct driver *d)
{
	LLVMValueRef *all[] = {&d->warp,  &d->region,  &d->ready,           &d->x,    &d->y, &d->z,
			       &d->ended, &d->complex, &d->at_post_barrier, &d->waits};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		*all[i] = variable(d, "");
		set_number(d, *all[i], 0);
	}
}

/* The frame, and behind it a word for each warp. */
static void add_frame(struct driver *d)
{
	struct loop_nest *m = &d->nest;
	LLVMBuilderRef b = m->builder;
	uint64_t bytes = (d->cut->frame_bytes + 16) * LANES;
	LLVMValueRef warps = LLVMBuildZExt(b, d->n_warps, m->i64, "");
	LLVMValueRef each = LLVMConstInt(m->i64, bytes + sizeof(uint32_t), 0);
	LLVMValueRef args[] = {m->values.real_block, LLVMBuildNUWMul(b, warps, each, "")};
	d->frame = device_call_runtime(m->dm, b, "__cudasim_loop_frame", args, 2, NULL,
				       CUDASIM_SITE_OTHER);
	LLVMValueRef offset = LLVMBuildNUWMul(b, warps, LLVMConstInt(m->i64, bytes, 0), "");
	d->words = LLVMBuildInBoundsGEP2(b, m->i8, d->frame, &offset, 1, "");
	LLVMBuildMemSet(b, d->words, LLVMConstInt(m->i8, 0, 0),
			LLVMBuildNUWMul(b, warps, LLVMConstInt(m->i64, 4, 0), ""), 4);
}

static void add_entry(struct driver *d, const struct layout_kernel *kernel)
{
	struct loop_nest *m = &d->nest;
	LLVMBuilderRef b = m->builder;
	nest_declare(m, kernel);
	continue_in(d, nest_block(m, "entry"));
	add_variables(d);
	nest_copy_block(m, kernel);
	LLVMValueRef rows = LLVMBuildNUWMul(b, m->extent[1], m->extent[2], "");
	LLVMValueRef rest = LLVMBuildAnd(b, m->extent[0], nest_number(m, LANES - 1), "");
	d->n = LLVMBuildNUWMul(b, m->extent[0], rows, "");
	d->one = is_equal(d, rows, 1);
	d->fast = LLVMBuildOr(b, d->one, is_equal(d, rest, 0), "");
	d->n_warps = LLVMBuildLShr(b, LLVMBuildNUWAdd(b, d->n, nest_number(m, LANES - 1), ""),
				   nest_number(m, 5), "");
	add_frame(d);
}

static void add_blocks(struct driver *d)
{
	struct loop_nest *m = &d->nest;
	unsigned n = d->cut->n_regions;
	d->phase = nest_block(m, "phase");
	d->next_warp = nest_block(m, "next");
	d->dispatch = nest_block(m, "dispatch");
	d->slow = nest_block(m, "slow");
	d->arrived = nest_block(m, "arrived");
	d->odd = nest_block(m, "odd");
	d->out = nest_block(m, "out");
	for (unsigned k = 0; k < n; k++)
		d->regions[k] = nest_block(m, "region");
	for (unsigned k = 0; k <= n; k++)
		d->arrivals[k] = nest_block(m, "cut");
}

static void build(struct driver *d, const struct layout_kernel *kernel)
{
	struct loop_nest *m = &d->nest;
	unsigned n = d->cut->n_regions;
	add_entry(d, kernel);
	d->table = warp_table_build(m, d->cut, d->continuation, d->lanes);
	add_blocks(d);
	go(d, d->phase);
	continue_in(d, d->phase);
	LLVMBasicBlockRef warp = nest_block(m, "warp");
	set_number(d, d->warp, 0);
	set_number(d, d->ended, CUDASIM_AT_EXIT);
	set_number(d, d->complex, 0);
	set_number(d, d->at_post_barrier, 0);
	set_number(d, d->waits, 0);
	go(d, warp);
	continue_in(d, warp);
	add_warp(d);
	add_choice(d, d->dispatch, d->regions, d->slow);
	add_choice(d, d->arrived, d->arrivals, d->arrivals[n]);
	for (unsigned k = 0; k < n; k++) {
		add_region(d, k);
		add_arrival(d, k);
	}
	continue_in(d, d->arrivals[n]);
	end_turn(d, CUDASIM_AT_EXIT);
	add_odd(d);
	add_slow(d);
	add_end(d, warp);
	continue_in(d, d->out);
	LLVMBuildRetVoid(m->builder);
}

static void inline_steps(struct driver *d)
{
	for (unsigned k = 0; k < d->cut->n_regions; k++) {
		debug_lend_location(d->calls[k]);
		call_inline(d->calls[k]);
	}
	continuation_is_seldom_called(d->continuation);
}

/* Returns the loop's function. */
static LLVMValueRef make_loop(struct device_module *dm, struct layout_kernel *kernel,
			      LLVMValueRef continuation, LLVMValueRef lanes,
			      const struct region_plan *cut, struct loop_runner *runner)
{
	size_t n = cut->n_regions + 1;
	struct driver d = {
		.continuation = continuation,
		.lanes = lanes,
		.cut = cut,
		.watched = dm->stage == DEVICE_WATCHED_LOOPS,
		.is_small = device_size(continuation) <= MOST_AS_STRAIGHT_CODE,
		.calls = calloc(n, sizeof(*d.calls)),
		.regions = calloc(n, sizeof(*d.regions)),
		.arrivals = calloc(n, sizeof(*d.arrivals)),
	};
	assert(d.calls && d.regions && d.arrivals);
	for (unsigned k = 0; k < cut->n_regions; k++)
		d.has_post_barrier |= is_post_barrier(&cut->regions[k]);
	nest_begin(&d.nest, dm);
	build(&d, kernel);
	inline_steps(&d);
	LLVMDisposeBuilder(d.nest.builder);
	free(d.calls);
	free(d.regions);
	free(d.arrivals);
	loop_list_run(runner, loop_list_of_warps(dm), d.nest.function, kernel);
	return d.nest.function;
}

static void delete_used(LLVMValueRef function)
{
	LLVMReplaceAllUsesWith(function, LLVMConstNull(LLVMTypeOf(function)));
	LLVMDeleteFunction(function);
}

char *loop_warp(struct device_module *dm, struct layout_kernel *kernel,
		const struct callgraph *graph, struct loop_runner *runner,
		struct warp_loop_spent *spent)
{
	struct loop_nest continuation;
	struct region_plan cut = {0};
	const char *why = NULL;
	size_t size = 0;
	bool watched = dm->stage == DEVICE_WATCHED_LOOPS;
	if (spent->in_vain > (watched ? MOST_SPENT_WATCHED : MOST_SPENT))
		return strdup("the module contains many kernels that would become too large");
	size_t most = watched                             ? MOST_WATCHED
		      : has_room(spent, MOST_OF_LARGE, 0) ? MOST_OF_LARGE_CONTINUATION
							  : MOST_OF_CONTINUATION;
	nest_begin(&continuation, dm);
	bool done = warp_continuation_build(&continuation, kernel, graph, runner, most, &cut, &why,
					    &size);
	LLVMDisposeBuilder(continuation.builder);
	if (!done) {
		LLVMDeleteFunction(continuation.function);
		spent->in_vain += size;
		return why ? strdup(why) : loop_say_too_large(size);
	}
	LLVMValueRef lanes = warp_lanes_declare(dm, kernel);
	LLVMValueRef loop = make_loop(dm, kernel, continuation.function, lanes, &cut, runner);
	size_t most_masked = watched ? MOST_UNDER_MASKS_WATCHED : MOST_UNDER_MASKS;
	size = device_size(loop);
	if (size <= MOST_INSTRUCTIONS && device_size(continuation.function) <= most_masked)
		warp_lanes_define(dm, kernel, lanes, continuation.function, &cut, runner);
	else
		delete_used(lanes);
	free(cut.regions);
	if (watched && size <= MOST_WATCHED)
		return NULL;
	if (!watched && has_room(spent, size, cut.n_regions)) {
		kernel->large_loop = size > MOST_INSTRUCTIONS;
		spent->large += kernel->large_loop ? size : 0;
		return NULL;
	}
	/* Its table goes with the other globals that nobody uses; so would the continuation, but each
	 * body would clean up its tens of thousands of instructions before. */
	LLVMDeleteFunction(loop);
	delete_used(continuation.function);
	spent->in_vain += size;
	return loop_say_too_large(size);
}
