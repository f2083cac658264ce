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

/* ---- places --------------------------------------------------------------------- */

/* Lanes whose states are equal. */
struct place {
	uint32_t at, lanes;
};

/* Where the lanes of a warp are. */
struct places {
	uint32_t n;
	struct place place[LANES];
};

/* Enter lanes by their states. */
static void places_add(struct places *p, const struct lanes *l, uint32_t lanes)
{
	while (lanes) {
		uint32_t at = l->at[loop_first(lanes)], same = lanes & loop_equal(l->at, at), i = 0;
		lanes &= ~same;
		while (i < p->n && p->place[i].at != at)
			i++;
		if (i == p->n)
			p->place[p->n++] = (struct place){at, 0};
		p->place[i].lanes |= same;
	}
}

static void places_remove(struct places *p, uint32_t lanes)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		struct place left = {p->place[i].at, p->place[i].lanes & ~lanes};
		if (left.lanes)
			p->place[n++] = left;
	}
	p->n = n;
}

static uint32_t all_of(const struct lanes *l)
{
	return UINT32_MAX >> (LANES - l->n);
}

static void places_look(struct places *p, const struct lanes *l)
{
	p->n = 0;
	places_add(p, l, all_of(l));
}

/* ---- what they wait for --------------------------------------------------------------- */

/* Lanes that wait for one operation, as libcudasim's own tables name it. */
struct lane_meeting {
	uint32_t kind, sub, mask, lanes;
	uint32_t at; /* of all of them, or CUDASIM_AT_MIXED */
};

struct waits {
	uint32_t live, meeting, converging, at_barrier, arriving, n;
	bool leaves; /* somebody has come to what only a fiber can do */
	struct lane_meeting meetings[LANES];
};

/* Which of libcudasim's operations it is; the arguments that are its variant and its mask, or -1. */
static uint32_t operation_of(const struct cudasim_region_op *op, int *sub, int *mask)
{
	static const struct {
		uint8_t kind;
		int8_t sub, mask;
	} table[] = {
		[CUDASIM_REGION_SHFL] = {CUDASIM_WARP_SHFL, 0, 1},
		[CUDASIM_REGION_VOTE] = {CUDASIM_WARP_VOTE, 0, 1},
		[CUDASIM_REGION_REDUX] = {CUDASIM_WARP_REDUX, 0, 1},
		[CUDASIM_REGION_MATCH_ANY] = {CUDASIM_WARP_MATCH_ANY, -1, 0},
		[CUDASIM_REGION_MATCH_ALL] = {CUDASIM_WARP_MATCH_ALL, -1, 0},
		[CUDASIM_REGION_ELECT] = {CUDASIM_WARP_ELECT, -1, 0},
		[CUDASIM_REGION_MMA] = {CUDASIM_WARP_MMA, 0, -1},
		[CUDASIM_REGION_SYNCWARP] = {CUDASIM_WARP_SYNC, -1, 0},
	};
	*sub = table[op->kind].sub;
	*mask = table[op->kind].mask;
	return table[op->kind].kind;
}

static void note_meeting(struct waits *w, struct lane_meeting new)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct lane_meeting *m = &w->meetings[i];
		if (m->kind != new.kind || m->sub != new.sub || m->mask != new.mask)
			continue;
		m->lanes |= new.lanes;
		if (m->at != new.at)
			m->at = CUDASIM_AT_MIXED;
		return;
	}
	w->meetings[w->n++] = new;
}

/* Lanes at one operation meet by its variant and mask. */
static void note_meetings(const struct lanes *l, const struct cudasim_region_op *op,
			  const struct place *p, struct waits *w)
{
	w->meeting |= p->lanes;
	for (uint32_t rest = p->lanes; rest;) {
		int sub, mask;
		struct lane_meeting m = {.mask = UINT32_MAX, .at = p->at};
		m.kind = operation_of(op, &sub, &mask);
		m.lanes = loop_with_argument(l, op, sub, rest, &m.sub);
		m.lanes = loop_with_argument(l, op, mask, m.lanes, &m.mask);
		rest &= ~m.lanes;
		note_meeting(w, m);
	}
}

static void look(const struct lanes *l, const struct places *p, struct waits *w)
{
	w->live = w->meeting = w->converging = w->at_barrier = w->arriving = w->n = 0;
	w->leaves = false;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct place *here = &p->place[i];
		if (here->at == CUDASIM_AT_EXIT)
			continue;
		w->live |= here->lanes;
		if (loop_is_ready(l->loop, here->at))
			continue;
		const struct cudasim_region_op *op = loop_op(l->loop, here->at);
		if (op->kind == CUDASIM_REGION_LEAVE)
			w->leaves = true;
		else if (op->kind == CUDASIM_REGION_ARRIVE)
			w->arriving |= here->lanes;
		else if (is_barrier(op))
			w->at_barrier |= here->lanes;
		else if (converges(op))
			w->converging |= here->lanes;
		else
			note_meetings(l, op, here, w);
	}
}

/* Whether the operation goes on with those that have come to it (warp.h: struct meeting). */
static bool goes_on(const struct lanes *l, const struct waits *w, const struct lane_meeting *m)
{
	uint32_t waiting = w->meeting | w->converging | w->at_barrier;
	if (!(w->live & ~m->mask))
		return !(w->live & ~m->lanes);
	if (waiting != w->live)
		return false;
	if (m->lanes & ~m->mask)
		return m->lanes == all_of(l) && m->at != CUDASIM_AT_MIXED;
	return !(m->mask & w->live & ~m->lanes);
}

/* ---- operations and regions ------------------------------------------------------------- */

static void finish(const struct lanes *l, uint32_t lanes, const uint64_t *result)
{
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = loop_first(rest);
		loop_give(l, loop_op(l->loop, l->at[lane]), lane, result[lane]);
		l->at[lane] += 1u << 16;
	}
}

/* A matrix product of lanes that may have come to it at several cuts. */
static void multiply(const struct lanes *l, uint32_t lanes)
{
	uint32_t words[CUDASIM_MMA_MOST_WORDS][LANES] = {0}, form = 0, n = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = loop_first(rest);
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		form = (uint32_t)op->arg[0].constant;
		n = cudasim_mma_n_words(form);
		for (uint32_t i = 0; i < n; i++)
			words[i][lane] = loop_registers(l, op)[i][lane];
	}
	mma_compute(form, words);
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = loop_first(rest);
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		for (uint32_t i = cudasim_mma_c_at(form); i < n; i++)
			loop_registers(l, op)[i][lane] = words[i][lane];
		l->at[lane] += 1u << 16;
	}
}

/* Lane after lane, which may stand at several places. */
static void compute(const struct lanes *l, const struct lane_meeting *m)
{
	struct warp_operand operand[LANES];
	uint64_t result[LANES] = {0};
	for (uint32_t rest = m->lanes; rest; rest &= rest - 1) {
		uint32_t lane = loop_first(rest);
		const struct cudasim_region_op *op = loop_op(l->loop, l->at[lane]);
		struct warp_operand *o = &operand[lane];
		*o = (struct warp_operand){0};
		if (m->kind == CUDASIM_WARP_SHFL)
			*o = (struct warp_operand){loop_word(l, op, 2, lane),
						   loop_word(l, op, 3, lane),
						   loop_word(l, op, 4, lane)};
		else if (m->kind == CUDASIM_WARP_VOTE)
			o->value = loop_word(l, op, 2, lane) != 0;
		else if (m->kind == CUDASIM_WARP_REDUX)
			o->value = loop_word(l, op, 2, lane);
		else if (m->kind == CUDASIM_WARP_MATCH_ANY || m->kind == CUDASIM_WARP_MATCH_ALL)
			o->value = loop_argument(l, op, 1, lane);
	}
	if (m->kind != CUDASIM_WARP_SYNC)
		warp_compute(m->kind, m->sub, m->lanes, operand, result);
	finish(l, m->lanes, result);
}

/* The lanes of the warp follow each other in x. */
static bool is_row(const struct lanes *l)
{
	const uint32_t *n = l->block->pub.ntid;
	return n[1] * n[2] == 1 || n[0] % LANES == 0;
}

static void call_lanes(const struct lanes *l, uint32_t lanes, uint32_t region, uint32_t what)
{
	const uint32_t *n = l->block->pub.ntid;
	uint32_t linear = l->warp * LANES, x = linear, y = 0, z = 0;
	if (n[1] * n[2] > 1) {
		x = linear % n[0];
		y = linear / n[0] % n[1];
		z = linear / n[0] / n[1];
	}
	l->block->stepped = UINT32_MAX;
	l->loop->lanes(l->params, &l->block->pub, l->frame, x, y, z, linear, lanes, region, what);
}

/* The operations that lanes at one place have met at, as vectors, and, unless it is the whole warp's,
 * what follows. False where these are not such operations. */
static bool meet_as_vectors(const struct lanes *l, uint32_t lanes, uint32_t at)
{
	if (!l->loop->lanes || at == CUDASIM_AT_MIXED || loop_done(at) ||
	    !loop_op(l->loop, at)->by_lanes)
		return false;
	uint32_t region = loop_region(at), ready = loop_ready(l->loop, region);
	if (lanes != UINT32_MAX && is_row(l)) {
		call_lanes(l, lanes, region, CUDASIM_LANES_MEET | CUDASIM_LANES_RUN);
		return true;
	}
	call_lanes(l, lanes, region, CUDASIM_LANES_MEET);
	loop_move(l, lanes, ready);
	return true;
}

/* Meetings to which everybody has come; false if there is none. */
static bool meet(const struct lanes *l, struct places *p, const struct waits *w)
{
	bool any = false;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct lane_meeting *m = &w->meetings[i];
		if (!goes_on(l, w, m))
			continue;
		any = true;
		places_remove(p, m->lanes);
		if (m->kind == CUDASIM_WARP_MMA)
			multiply(l, m->lanes);
		else if (!meet_as_vectors(l, m->lanes, m->at))
			compute(l, m);
		places_add(p, l, m->lanes);
	}
	return any;
}

/* Nobody else can move: those at the place that comes first go on. */
static void converge(const struct lanes *l, struct places *p, uint32_t converging)
{
	const struct cudasim_site *first = NULL;
	uint64_t result[LANES];
	uint32_t lanes = 0, at = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct place *here = &p->place[i];
		if (!(here->lanes & converging))
			continue;
		const struct cudasim_site *site = loop_op(l->loop, here->at)->site;
		if (lanes && site == first) {
			lanes |= here->lanes;
			at = CUDASIM_AT_MIXED;
		} else if (!lanes || warp_site_before(site, first)) {
			first = site;
			lanes = here->lanes;
			at = here->at;
		}
	}
	places_remove(p, lanes);
	if (!meet_as_vectors(l, lanes, at)) {
		for (uint32_t i = 0; i < LANES; i++)
			result[i] = lanes;
		finish(l, lanes, result);
	}
	places_add(p, l, lanes);
}

/* Lanes at one place arrive at barriers and go on. What is complete by it opens when all warps wait
 * (loop_open.c). False where that would be an error. */
static bool arrive_at(const struct lanes *l, const struct place *here)
{
	struct block *b = l->block;
	const struct cudasim_region_op *op = loop_op(l->loop, here->at);
	uint32_t ended = loop_equal(l->at, CUDASIM_AT_EXIT);
	for (uint32_t rest = here->lanes, id, expected; rest;) {
		uint32_t lanes = loop_with_argument(l, op, 0, rest, &id);
		lanes = loop_with_argument(l, op, 1, lanes, &expected);
		rest &= ~lanes;
		if (!barrier_is_valid(id, expected))
			return false;
		struct barrier *bar = &b->barriers[id];
		b->pending_barriers |= 1u << id;
		if (expected)
			bar->expected = expected;
		bar->arrived[l->warp] |= lanes;
		bar->n_arrived += (uint32_t)__builtin_popcount(lanes);
		if (!(all_of(l) & ~ended & ~bar->arrived[l->warp]) &&
		    !(bar->rounded >> l->warp & 1)) {
			bar->rounded |= 1u << l->warp; /* as 32 (barrier.h) */
			bar->n_arrived += LANES -
					  (uint32_t)__builtin_popcount(bar->arrived[l->warp]);
		}
		loop_move(l, lanes, here->at + (1u << 16));
		/* Nobody waits where arrivals alone are enough: the next phase begins. */
		if (bar->expected && bar->n_arrived >= bar->expected) {
			*bar = (struct barrier){.epoch = bar->epoch + 1};
			b->pending_barriers &= ~(1u << id);
		}
	}
	return true;
}

static bool arrive(const struct lanes *l, struct places *p, uint32_t lanes)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->place[i].lanes & lanes && !arrive_at(l, &p->place[i]))
			return false;
	places_remove(p, lanes);
	places_add(p, l, lanes);
	return true;
}

/* The region that all 32 lanes may begin, or CUDASIM_AT_MIXED. */
static uint32_t common(const struct lanes *l, const struct places *p)
{
	if (p->n > 1 || l->n < LANES || !loop_is_ready(l->loop, p->place[0].at))
		return CUDASIM_AT_MIXED;
	return loop_region(p->place[0].at);
}

static void run_place(const struct lanes *l, const struct place *here)
{
	uint32_t region = loop_region(here->at);
	if (l->loop->lanes && here->lanes & (here->lanes - 1) && is_row(l)) {
		call_lanes(l, here->lanes, region, CUDASIM_LANES_RUN);
		return;
	}
	for (uint32_t rest = here->lanes; rest; rest &= rest - 1)
		l->at[loop_first(rest)] = loop_continue(l, loop_first(rest), region);
}

static void run_ready(const struct lanes *l, struct places *p)
{
	struct places ready = {.n = 0};
	uint32_t lanes = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		if (!loop_is_ready(l->loop, p->place[i].at))
			continue;
		ready.place[ready.n++] = p->place[i];
		lanes |= p->place[i].lanes;
	}
	for (uint32_t i = 0; i < ready.n; i++)
		run_place(l, &ready.place[i]);
	places_remove(p, lanes);
	places_add(p, l, lanes);
}

/* The warp's word, when all its lanes wait at barriers or have ended. */
static uint32_t summary(const struct lanes *l, const struct places *p)
{
	uint32_t any = p->place[0].at;
	return p->n == 1 && (any == CUDASIM_AT_EXIT || l->n == LANES) ? any : CUDASIM_AT_MIXED;
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

/* ---- one place ------------------------------------------------------------------- */

/* The place of all lanes that have not ended; false where they are at several, or are the whole
 * warp, or all have ended. */
static bool is_alone(const struct lanes *l, const struct places *p, struct place *ret)
{
	uint32_t i = p->n == 2 && p->place[0].at == CUDASIM_AT_EXIT;
	if (p->n > 2 || (p->n == 2 && !i && p->place[1].at != CUDASIM_AT_EXIT))
		return false;
	*ret = p->place[i];
	return ret->at != CUDASIM_AT_EXIT && ret->lanes != UINT32_MAX && l->loop->lanes &&
	       is_row(l);
}

/* The usual case, in short: nobody else can come to an operation that names all lanes that have not
 * ended. False where that is not so, and nothing has happened. */
static bool step_alone(const struct lanes *l, struct places *p)
{
	struct place here;
	uint32_t mask = UINT32_MAX, what = CUDASIM_LANES_RUN;
	if (!is_alone(l, p, &here))
		return false;
	if (!loop_is_ready(l->loop, here.at)) {
		const struct cudasim_region_op *op = loop_op(l->loop, here.at);
		int argument = -1, sub;
		if (loop_done(here.at) || !op->by_lanes)
			return false;
		if (!converges(op))
			operation_of(op, &sub, &argument);
		if (loop_with_argument(l, op, argument, here.lanes, &mask) != here.lanes ||
		    here.lanes & ~mask)
			return false;
		what |= CUDASIM_LANES_MEET;
	}
	call_lanes(l, here.lanes, loop_region(here.at), what);
	places_remove(p, here.lanes);
	places_add(p, l, here.lanes);
	return true;
}

/* ---- the warp -------------------------------------------------------------------- */

uint32_t __cudasim_loop_warp(const struct cudasim_loop *loop, struct cudasim_block *pub,
			     const void *params, void *frame, uint32_t w, uint32_t region,
			     uint32_t is_open)
{
	struct block *b = (struct block *)pub;
	struct lanes l = loop_lanes(loop, b, params, frame, w);
	struct places places;
	struct waits waits;
	if (region != CUDASIM_AT_MIXED)
		for (uint32_t lane = 0; lane < l.n; lane++)
			l.at[lane] = is_open ? loop_ready(loop, region) : region;
	places_look(&places, &l);
	for (;;) {
		while (step_alone(&l, &places))
			continue;
		look(&l, &places, &waits);
		if (waits.leaves) {
			if (!loop_wait(&l))
				break;
			places_look(&places, &l);
			continue;
		}
		if (waits.arriving && !arrive(&l, &places, waits.arriving)) {
			waits.leaves = true;
			break;
		}
		if (waits.arriving || meet(&l, &places, &waits)) {
			/* as below */
		} else if (waits.live == (waits.meeting | waits.converging | waits.at_barrier)) {
			if (!waits.converging)
				break;
			converge(&l, &places, waits.converging);
		}
		uint32_t next = common(&l, &places);
		if (next != CUDASIM_AT_MIXED) {
			b->stepped = UINT32_MAX;
			return next;
		}
		run_ready(&l, &places);
	}
	b->stepped = UINT32_MAX;
	if (waits.leaves || waits.meeting) {
		loop_leave(loop, b, frame, w);
		return CUDASIM_AT_EXIT;
	}
	loop_words(loop, b, frame)[w] = summary(&l, &places);
	return CUDASIM_AT_MIXED;
}
