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

struct waits {
	uint32_t live, meeting, converging, at_barrier, at_phase, yielding, arriving, n;
	bool leaves; /* somebody has come to what only a fiber can do */
	struct lane_meeting meetings[LANES];
};

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
		m.kind = loop_operation(op, &sub, &mask);
		m.lanes = loop_with_argument(l, op, sub, rest, &m.sub);
		m.lanes = loop_with_argument(l, op, mask, m.lanes, &m.mask);
		rest &= ~m.lanes;
		/* Tools hear of an operation whose mask lacks the lane from its thread. */
		w->leaves |= loop_is_watched(l->block) && m.lanes & ~m.mask;
		note_meeting(w, m);
	}
}

static void look(const struct lanes *l, const struct places *p, struct waits *w)
{
	w->live = w->meeting = w->converging = w->at_barrier = w->at_phase = 0;
	w->yielding = w->arriving = w->n = 0;
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
		else if (op->kind == CUDASIM_REGION_YIELD)
			w->yielding |= here->lanes;
		else if (op->kind == CUDASIM_REGION_MBARRIER ||
			 op->kind == CUDASIM_REGION_CLUSTER_WAIT)
			w->at_phase |= here->lanes;
		else if (op->kind == CUDASIM_REGION_ARRIVE ||
			 op->kind == CUDASIM_REGION_MBARRIER_ARRIVE ||
			 op->kind == CUDASIM_REGION_CLUSTER_ARRIVE)
			w->arriving |= here->lanes;
		else if (is_barrier(op))
			w->at_barrier |= here->lanes;
		else if (converges(op))
			w->converging |= here->lanes;
		else
			note_meetings(l, op, here, w);
	}
}

/* Those that go nowhere before something has happened. */
static uint32_t all_waiting(const struct waits *w)
{
	return w->meeting | w->converging | w->at_barrier | w->at_phase | w->yielding;
}

/* Whether the operation goes on with those that have come to it (warp.h: struct meeting). */
static bool goes_on(const struct lanes *l, const struct waits *w, const struct lane_meeting *m)
{
	if (!(w->live & ~m->mask))
		return !(w->live & ~m->lanes);
	if (all_waiting(w) != w->live)
		return false;
	if (m->lanes & ~m->mask)
		return m->lanes == all_of(l) && m->at != CUDASIM_AT_MIXED;
	return !(m->mask & w->live & ~m->lanes);
}

/* ---- operations and regions ------------------------------------------------------------- */

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
		loop_meet(l, m);
		places_add(p, l, m->lanes);
	}
	return any;
}

/* Those at a place that may go on where nobody else can move. */
static uint32_t candidates(const struct lanes *l, const struct place *here, const struct waits *w)
{
	if (here->lanes & w->at_phase)
		return loop_over(l, here->at, here->lanes);
	return here->lanes & w->converging;
}

/* Nobody else can move: those at the place that comes first go on. False where all wait for other
 * warps. */
static bool converge(const struct lanes *l, struct places *p, const struct waits *w)
{
	const struct cudasim_site *first = NULL;
	uint64_t result[LANES];
	uint32_t lanes = 0, at = 0;
	for (uint32_t i = 0; i < p->n && (w->converging | w->at_phase); i++) {
		const struct place *here = &p->place[i];
		uint32_t found = candidates(l, here, w);
		if (!found)
			continue;
		const struct cudasim_site *site = loop_op(l->loop, here->at)->site;
		if (lanes && site == first) {
			lanes |= found;
			at = CUDASIM_AT_MIXED;
		} else if (!lanes || warp_site_before(site, first)) {
			first = site;
			lanes = found;
			at = here->at;
		}
	}
	if (!lanes)
		return false;
	places_remove(p, lanes);
	l->block->moves += (lanes & w->at_phase) != 0;
	if (at != CUDASIM_AT_MIXED && lanes & w->at_phase) {
		loop_answer(l, at, lanes, 1);
	} else if (!loop_meet_as_vectors(l, lanes, at)) {
		for (uint32_t i = 0; i < LANES; i++)
			result[i] = lanes; /* of waits for mbarriers: not 0 */
		loop_finish(l, lanes, result);
	}
	places_add(p, l, lanes);
	return true;
}

/* Lanes at one place arrive at barriers and go on. What is complete by it opens when all warps wait
 * (loop_open.c). False where that would be an error. */
static bool arrive_at(const struct lanes *l, const struct place *here)
{
	struct block *b = l->block;
	const struct cudasim_region_op *op = loop_op(l->loop, here->at);
	if (op->kind == CUDASIM_REGION_MBARRIER_ARRIVE)
		return loop_arrive(l, here->at, here->lanes);
	if (op->kind == CUDASIM_REGION_CLUSTER_ARRIVE)
		return loop_cluster_arrive(l, here->at, here->lanes);
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
		loop_run(l, ready.place[i].at, ready.place[i].lanes);
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
	       loop_is_row(l);
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
			loop_operation(op, &sub, &argument);
		if (loop_with_argument(l, op, argument, here.lanes, &mask) != here.lanes ||
		    here.lanes & ~mask)
			return false;
		what |= CUDASIM_LANES_MEET;
		loop_tell_cut(l, loop_region(here.at), here.lanes);
	}
	loop_call_lanes(l, here.lanes, loop_region(here.at), what);
	places_remove(p, here.lanes);
	places_add(p, l, here.lanes);
	return true;
}

/* ---- the warp -------------------------------------------------------------------- */

/* One step of lanes that do not all stand at one place: what has become possible there, or, where nothing
 * has, some more turns of loops that wait. Then regions that lanes may begin. */
static enum loop_turn step(const struct lanes *l, struct places *places, struct waits *waits)
{
	look(l, places, waits);
	if (waits->leaves || (waits->arriving && loop_is_watched(l->block)) ||
	    (waits->arriving && !arrive(l, places, waits->arriving)))
		return LOOP_LEAVES;
	if (waits->arriving || meet(l, places, waits))
		return LOOP_GOES_ON;
	if (waits->live != all_waiting(waits) || converge(l, places, waits))
		return LOOP_GOES_ON;
	if (waits->yielding) {
		enum loop_turn turn = loop_wait(l, waits->yielding);
		places_look(places, l);
		return turn;
	}
	/* Somebody may come yet where lanes of this warp wait for a phase to end. */
	return waits->meeting && !waits->at_phase ? LOOP_LEAVES : LOOP_TURN_ENDS;
}

uint32_t __cudasim_loop_warp(const struct cudasim_loop *loop, struct cudasim_block *pub,
			     const void *params, void *frame, uint32_t w, uint32_t region,
			     uint32_t is_open)
{
	struct block *b = (struct block *)pub;
	struct lanes l = loop_lanes(loop, b, params, frame, w);
	struct places places;
	struct waits waits;
	enum loop_turn turn = LOOP_GOES_ON;
	if (region != CUDASIM_AT_MIXED)
		for (uint32_t lane = 0; lane < l.n; lane++)
			l.at[lane] = is_open ? loop_ready(loop, region) : region;
	b->asleep &= ~(1u << w);
	b->paused &= ~(1u << w);
	places_look(&places, &l);
	while (turn == LOOP_GOES_ON) {
		while (step_alone(&l, &places))
			continue;
		turn = step(&l, &places, &waits);
		uint32_t next = turn == LOOP_GOES_ON ? common(&l, &places) : CUDASIM_AT_MIXED;
		if (next != CUDASIM_AT_MIXED) {
			b->stepped = UINT32_MAX;
			return next;
		}
		if (turn == LOOP_GOES_ON)
			run_ready(&l, &places);
	}
	b->stepped = UINT32_MAX;
	if (turn == LOOP_LEAVES) {
		loop_leave(loop, b, frame, w);
		return CUDASIM_AT_EXIT;
	}
	if (waits.at_phase)
		loop_sleep(&l, frame);
	loop_words(loop, b, frame)[w] = summary(&l, &places);
	return CUDASIM_AT_MIXED;
}
