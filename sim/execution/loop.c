/* SPDX-License-Identifier: Apache-2.0 */
/* loop.c - loops over a block's threads whose lanes part or name masks of their own.
 *
 * Code that the compiler makes runs the regions of a cut kernel for 32 lanes at once as
 * long as these agree (compiler/warp_loop/warp_loop.c). Here the lanes of a warp go step by step,
 * and meet by the rules of warp.c: by mask and kind, converging ones when nobody else
 * can move. What the rules do not let go on without other warps, other than at barrier
 * 0 with all threads, leaves the loop: each thread that has not ended becomes one that
 * waits, on a fiber, for the operation where it stands, by calling it. So errors, too,
 * are found and told in one place only. */
#include "loop.h"

#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "dispatch.h"
#include "mma.h"

/* ---- leaving the loop ----------------------------------------------------------- */

/* Each warp's word becomes its lanes' states. Those before w wait at what their words
 * tell, those behind have seen it open, and w's own states are right. */
static void spell_out(const struct cudasim_loop *loop, struct block *b, void *frame, uint32_t w)
{
	const uint32_t *words = loop_words(loop, b, frame);
	for (uint32_t i = 0; i < b->n_warps; i++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, i);
		uint32_t at = words[i];
		if (i == w || at == CUDASIM_AT_MIXED)
			continue;
		if (i > w && at != CUDASIM_AT_EXIT)
			at = loop_ready(loop, at);
		for (uint32_t lane = 0; lane < l.n; lane++)
			l.at[lane] = at;
	}
}

/* All threads leave the loop; they have all begun. */
static void leave(const struct cudasim_loop *loop, struct block *b, void *frame, uint32_t w)
{
	struct worker *worker = b->worker;
	worker->in_device = 0;
	spell_out(loop, b, frame, w);
	b->loop = false;
	b->left = loop;
	loop_keep_frame(b, frame);
	b->n_live = 0;
	b->active_warps = 0;
	for (uint32_t i = 0; i < b->n_warps; i++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, i);
		b->live[i] = 0;
		for (uint32_t lane = 0; lane < l.n; lane++) {
			bool lives = l.at[lane] != CUDASIM_AT_EXIT;
			b->live[i] |= (uint32_t)lives << lane;
			block_thread(b, i, lane)->state = lives ? THREAD_FRESH : THREAD_EXITED;
		}
		b->active[i] = b->live[i];
		b->active_warps |= (uint32_t)(b->live[i] != 0) << i;
		b->n_live += (uint32_t)__builtin_popcount(b->live[i]);
	}
	b->progress += b->n_threads - b->n_live;
	b->warp = 0;
	worker_keep_rest(b);
	worker->in_device = IN_DEVICE;
}

/* ---- a warp's lanes ------------------------------------------------------------ */

/* Waits for other warps. */
static bool is_barrier(const struct cudasim_region_op *op)
{
	return op->kind == CUDASIM_REGION_BARRIER || op->kind == CUDASIM_REGION_BARRIER_REDUCE ||
	       op->kind == CUDASIM_REGION_POST_BARRIER;
}

static bool converges(const struct cudasim_region_op *op)
{
	return op->kind == CUDASIM_REGION_ACTIVEMASK || op->kind == CUDASIM_REGION_CONVERGE;
}

/* A warp-wide operation as libcudasim's own tables name it. */
struct operation {
	uint32_t kind, sub, mask;
	struct warp_operand operand;
};

static struct operation operation_of(const struct lanes *l, const struct cudasim_region_op *op,
				     uint32_t lane)
{
	switch ((enum cudasim_region_op_kind)op->kind) {
	case CUDASIM_REGION_SHFL:
		return (struct operation){
			CUDASIM_WARP_SHFL,
			loop_word(l, op, 0, lane),
			loop_word(l, op, 1, lane),
			{loop_word(l, op, 2, lane), loop_word(l, op, 3, lane),
			 loop_word(l, op, 4, lane)},
		};
	case CUDASIM_REGION_VOTE:
		return (struct operation){
			CUDASIM_WARP_VOTE,
			loop_word(l, op, 0, lane),
			loop_word(l, op, 1, lane),
			{loop_word(l, op, 2, lane) != 0, 0, 0},
		};
	case CUDASIM_REGION_REDUX:
		return (struct operation){
			CUDASIM_WARP_REDUX,
			loop_word(l, op, 0, lane),
			loop_word(l, op, 1, lane),
			{loop_word(l, op, 2, lane), 0, 0},
		};
	case CUDASIM_REGION_MATCH_ANY:
	case CUDASIM_REGION_MATCH_ALL:
		return (struct operation){
			op->kind == CUDASIM_REGION_MATCH_ANY ? CUDASIM_WARP_MATCH_ANY
							     : CUDASIM_WARP_MATCH_ALL,
			0,
			loop_word(l, op, 0, lane),
			{loop_argument(l, op, 1, lane), 0, 0},
		};
	case CUDASIM_REGION_ELECT:
		return (struct operation){
			CUDASIM_WARP_ELECT, 0, loop_word(l, op, 0, lane), {0, 0, 0}};
	case CUDASIM_REGION_MMA:
		return (struct operation){
			CUDASIM_WARP_MMA,
			loop_word(l, op, 0, lane),
			UINT32_MAX,
			{0, 0, 0},
		};
	default:
		return (struct operation){
			CUDASIM_WARP_SYNC, 0, loop_word(l, op, 0, lane), {0, 0, 0}};
	}
}

/* What the lanes of a warp wait for. */
struct waits {
	struct operation operation[LANES];
	uint32_t live, meeting, converging, at_barrier;
	bool leaves; /* somebody has come to what only a fiber can do */
};

static void look(const struct lanes *l, struct waits *w)
{
	w->live = w->meeting = w->converging = w->at_barrier = 0;
	w->leaves = false;
	for (uint32_t lane = 0; lane < l->n; lane++) {
		uint32_t bit = 1u << lane;
		if (l->at[lane] == CUDASIM_AT_EXIT)
			continue;
		w->live |= bit;
		if (loop_is_ready(l->loop, l->at[lane]))
			continue;
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		if (op->kind == CUDASIM_REGION_LEAVE) {
			w->leaves = true;
		} else if (is_barrier(op)) {
			w->at_barrier |= bit;
		} else if (converges(op)) {
			w->converging |= bit;
		} else {
			w->meeting |= bit;
			w->operation[lane] = operation_of(l, op, lane);
		}
	}
}

static void finish(const struct lanes *l, uint32_t lanes, const uint64_t *result)
{
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		loop_give(l, loop_op(l->loop, l->at[lane]), lane, result[lane]);
		l->at[lane] += 1u << 16;
	}
}

/* The lanes that have come to what this one waits for. */
static uint32_t arrived(const struct waits *w, uint32_t lane)
{
	const struct operation *own = &w->operation[lane];
	uint32_t lanes = 0;
	for (uint32_t rest = w->meeting; rest; rest &= rest - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(rest);
		const struct operation *other = &w->operation[i];
		if (other->mask == own->mask && other->kind == own->kind && other->sub == own->sub)
			lanes |= 1u << i;
	}
	return lanes;
}

/* A matrix product of lanes that may have come to it at several cuts. */
static void multiply(const struct lanes *l, uint32_t lanes)
{
	uint32_t words[CUDASIM_MMA_MOST_WORDS][LANES] = {0}, form = 0, n = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		form = (uint32_t)op->arg[0].constant;
		n = cudasim_mma_n_words(form);
		for (uint32_t i = 0; i < n; i++)
			words[i][lane] = loop_registers(l, op)[i][lane];
	}
	mma_compute(form, words);
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		for (uint32_t i = cudasim_mma_c_at(form); i < n; i++)
			loop_registers(l, op)[i][lane] = words[i][lane];
		l->at[lane] += 1u << 16;
	}
}

static bool are_at_one_place(const struct lanes *l, uint32_t lanes)
{
	uint32_t at = l->at[__builtin_ctz(lanes)];
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		if (l->at[__builtin_ctz(rest)] != at)
			return false;
	return true;
}

/* Whether the operation goes on with those that have come to it (warp.h: struct meeting). */
static bool goes_on(const struct lanes *l, const struct waits *w, uint32_t mask, uint32_t lanes)
{
	uint32_t waiting = w->meeting | w->converging | w->at_barrier;
	if (!(w->live & ~mask))
		return !(w->live & ~lanes);
	if (waiting != w->live)
		return false;
	if (lanes & ~mask)
		return lanes == (l->n < LANES ? (1u << l->n) - 1 : UINT32_MAX) &&
		       are_at_one_place(l, lanes);
	return !(mask & w->live & ~lanes);
}

/* Meetings to which everybody has come; false if there is none. */
static bool meet(const struct lanes *l, const struct waits *w)
{
	bool any = false;
	for (uint32_t rest = w->meeting; rest;) {
		uint32_t first = (uint32_t)__builtin_ctz(rest), lanes = arrived(w, first);
		const struct operation *o = &w->operation[first];
		rest &= ~lanes;
		if (!goes_on(l, w, o->mask, lanes))
			continue;
		if (o->kind == CUDASIM_WARP_MMA) {
			multiply(l, lanes);
			any = true;
			continue;
		}
		struct warp_operand operand[LANES];
		uint64_t result[LANES] = {0};
		for (uint32_t i = 0; i < LANES; i++)
			if (lanes >> i & 1)
				operand[i] = w->operation[i].operand;
		if (o->kind != CUDASIM_WARP_SYNC)
			warp_compute(o->kind, o->sub, lanes, operand, result);
		finish(l, lanes, result);
		any = true;
	}
	return any;
}

/* Nobody else can move: those at the place that comes first go on. */
static void converge(const struct lanes *l, uint32_t converging)
{
	const struct cudasim_site *first = NULL;
	uint64_t result[LANES];
	uint32_t lanes = 0;
	for (uint32_t rest = converging; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		const struct cudasim_site *site = loop_op(l->loop, l->at[lane])->site;
		if (lanes && site == first) {
			lanes |= 1u << lane;
		} else if (!lanes || warp_site_before(site, first)) {
			first = site;
			lanes = 1u << lane;
		}
	}
	for (uint32_t i = 0; i < LANES; i++)
		result[i] = lanes;
	finish(l, lanes, result);
}

/* The region that all 32 lanes may begin, or CUDASIM_AT_MIXED. */
static uint32_t common(const struct lanes *l)
{
	if (l->n < LANES || !loop_is_ready(l->loop, l->at[0]))
		return CUDASIM_AT_MIXED;
	for (uint32_t lane = 1; lane < LANES; lane++)
		if (l->at[lane] != l->at[0])
			return CUDASIM_AT_MIXED;
	return loop_region(l->at[0]);
}

static void run_ready(const struct lanes *l)
{
	for (uint32_t lane = 0; lane < l->n; lane++)
		if (loop_is_ready(l->loop, l->at[lane]))
			l->at[lane] = loop_continue(l, lane, loop_region(l->at[lane]));
}

/* The warp's word, when all its lanes wait at barriers or have ended. */
static uint32_t summary(const struct lanes *l)
{
	uint32_t any = l->at[0];
	for (uint32_t lane = 1; lane < l->n; lane++)
		if (l->at[lane] != any)
			return CUDASIM_AT_MIXED;
	return any == CUDASIM_AT_EXIT || l->n == LANES ? any : CUDASIM_AT_MIXED;
}

uint32_t __cudasim_loop_lanes(const struct cudasim_loop *loop, struct cudasim_block *pub,
			      const void *params, void *frame, uint32_t w, uint32_t region)
{
	struct block *b = (struct block *)pub;
	struct lanes l = loop_lanes(loop, b, params, frame, w);
	uint32_t linear = w * LANES, x = linear % pub->ntid[0], y = linear / pub->ntid[0], z;
	uint32_t low = UINT32_MAX, high = 0;
	z = y / pub->ntid[1];
	y %= pub->ntid[1];
	for (uint32_t lane = 0; lane < LANES; lane++) {
		b->stepped = linear + lane;
		uint32_t at = loop->continuation(params, pub, l.frame, x, y, z, linear + lane,
						 LANES, lane, region);
		l.at[lane] = at;
		low = at < low ? at : low;
		high = at > high ? at : high;
		if (++x < pub->ntid[0])
			continue;
		x = 0;
		if (++y == pub->ntid[1]) {
			y = 0;
			z++;
		}
	}
	b->stepped = UINT32_MAX;
	return low == high ? low : CUDASIM_AT_MIXED;
}

/* ---- the warp -------------------------------------------------------------------- */

uint32_t __cudasim_loop_warp(const struct cudasim_loop *loop, struct cudasim_block *pub,
			     const void *params, void *frame, uint32_t w, uint32_t region,
			     uint32_t is_open)
{
	struct block *b = (struct block *)pub;
	struct lanes l = loop_lanes(loop, b, params, frame, w);
	struct waits waits;
	if (region != CUDASIM_AT_MIXED)
		for (uint32_t lane = 0; lane < l.n; lane++)
			l.at[lane] = is_open ? loop_ready(loop, region) : region;
	for (;;) {
		look(&l, &waits);
		if (waits.leaves && !loop_wait(&l))
			break;
		if (waits.leaves)
			continue;
		if (meet(&l, &waits)) {
			/* as below */
		} else if (waits.live == (waits.meeting | waits.converging | waits.at_barrier)) {
			if (!waits.converging)
				break;
			converge(&l, waits.converging);
		}
		uint32_t next = common(&l);
		if (next != CUDASIM_AT_MIXED) {
			b->stepped = UINT32_MAX;
			return next;
		}
		run_ready(&l);
	}
	b->stepped = UINT32_MAX;
	if (waits.leaves || waits.meeting) {
		leave(loop, b, frame, w);
		return CUDASIM_AT_EXIT;
	}
	loop_words(loop, b, frame)[w] = summary(&l);
	return CUDASIM_AT_MIXED;
}

/* ---- a block's barrier ----------------------------------------------------------- */

/* What the block's threads say at a barrier with a reduction. */
struct votes {
	uint32_t n, n_true, n_live;
	bool others; /* somebody stands at another barrier */
};

static void count(const struct lanes *l, struct votes *v)
{
	for (uint32_t lane = 0; lane < l->n; lane++) {
		if (l->at[lane] == CUDASIM_AT_EXIT)
			continue;
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		v->n_live++;
		v->others |= loop_word(l, op, 0, lane) || loop_word(l, op, 1, lane);
		if (op->kind == CUDASIM_REGION_BARRIER_REDUCE) {
			v->n++;
			v->n_true += loop_word(l, op, 3, lane) != 0;
		}
	}
}

static void open_lanes(const struct lanes *l, const struct votes *v)
{
	for (uint32_t lane = 0; lane < l->n; lane++) {
		if (l->at[lane] == CUDASIM_AT_EXIT)
			continue;
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		if (op->kind == CUDASIM_REGION_BARRIER_REDUCE) {
			uint32_t kind = loop_word(l, op, 2, lane);
			loop_give(l, op, lane,
				  kind == CUDASIM_REDUCE_AND  ? v->n_true == v->n
				  : kind == CUDASIM_REDUCE_OR ? v->n_true != 0
							      : v->n_true);
		}
		l->at[lane] += 1u << 16;
	}
}

static bool at_post_barrier(const struct cudasim_loop *loop, uint32_t at)
{
	return at != CUDASIM_AT_EXIT && loop_op(loop, at)->kind == CUDASIM_REGION_POST_BARRIER;
}

static bool any_at_post_barrier(const struct cudasim_loop *loop, struct block *b, void *frame)
{
	for (uint32_t w = 0; w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		for (uint32_t lane = 0; lane < l.n; lane++)
			if (at_post_barrier(loop, l.at[lane]))
				return true;
	}
	return false;
}

/* Those at a post-barrier point go on. The others stay at their barrier, now as lanes, since a warp's
 * word would say that it is open. */
static void end_post_barrier(const struct cudasim_loop *loop, struct block *b, void *frame)
{
	uint32_t *words = loop_words(loop, b, frame);
	for (uint32_t w = 0; w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		for (uint32_t lane = 0; lane < l.n; lane++) {
			if (at_post_barrier(loop, l.at[lane]))
				l.at[lane] += 1u << 16;
			else if (l.at[lane] != CUDASIM_AT_EXIT)
				words[w] = CUDASIM_AT_MIXED;
		}
	}
}

uint32_t __cudasim_loop_open(const struct cudasim_loop *loop, struct cudasim_block *pub,
			     void *frame)
{
	struct block *b = (struct block *)pub;
	struct votes votes = {0};
	spell_out(loop, b, frame, UINT32_MAX - 1);
	if (any_at_post_barrier(loop, b, frame)) {
		end_post_barrier(loop, b, frame);
		return 1;
	}
	for (uint32_t w = 0; w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		count(&l, &votes);
	}
	if (!votes.n_live)
		return 0;
	if (votes.others) {
		leave(loop, b, frame, b->n_warps);
		return 0;
	}
	for (uint32_t w = 0; w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		open_lanes(&l, &votes);
	}
	return 1;
}
