/* SPDX-License-Identifier: Apache-2.0 */
/* loop_open.c - the barrier of a block in a loop, whose warps all wait or have ended. */
#include "loop.h"

#include "block.h"
#include "cluster.h"

/* The lanes that wait at a barrier, by warp, and what the barrier's threads say there. */
struct waiting {
	uint32_t lanes[32];
	uint32_t expected; /* 0: all threads of the block */
	uint32_t n_voted, n_true;
};

/* What all threads of a block wait for. */
struct waits {
	struct waiting at[CUDASIM_N_BARRIERS];
	uint32_t live[32], n_live;
	uint32_t ids;   /* bit per barrier: somebody waits there */
	bool is_wrong; /* somebody waits at a barrier that cannot be */
	bool yields;   /* somebody's loop gives way */
	bool asks;     /* somebody waits for an mbarrier or the cluster */
	bool is_over;  /* and may go on */
};

/* Lanes at one place, whose barriers may differ. */
static void look_at(const struct lanes *l, uint32_t at, uint32_t rest, struct waits *w)
{
	const struct cudasim_region_op *op = loop_op(l->loop, at);
	if (op->kind == CUDASIM_REGION_MBARRIER || op->kind == CUDASIM_REGION_CLUSTER_WAIT) {
		w->asks = true;
		w->is_over |= loop_over(l, at, rest) != 0;
	}
	w->yields |= op->kind == CUDASIM_REGION_YIELD;
	if (op->kind != CUDASIM_REGION_BARRIER && op->kind != CUDASIM_REGION_BARRIER_REDUCE)
		return;
	for (uint32_t id, expected; rest;) {
		uint32_t lanes = loop_with_argument(l, op, 0, rest, &id);
		lanes = loop_with_argument(l, op, 1, lanes, &expected);
		rest &= ~lanes;
		if (!barrier_is_valid(id, expected)) {
			w->is_wrong = true;
			continue;
		}
		struct waiting *here = &w->at[id];
		w->ids |= 1u << id;
		here->lanes[l->warp] |= lanes;
		if (expected)
			here->expected = expected;
		for (; op->kind == CUDASIM_REGION_BARRIER_REDUCE && lanes; lanes &= lanes - 1) {
			here->n_voted++;
			here->n_true += loop_word(l, op, 3, loop_first(lanes)) != 0;
		}
	}
}

static void look(const struct lanes *l, struct waits *w)
{
	uint32_t ended = loop_equal(l->at, CUDASIM_AT_EXIT);
	w->live[l->warp] = UINT32_MAX >> (LANES - l->n) & ~ended;
	w->n_live += (uint32_t)__builtin_popcount(w->live[l->warp]);
	for (uint32_t rest = w->live[l->warp]; rest;) {
		uint32_t at = l->at[loop_first(rest)], lanes = rest & loop_equal(l->at, at);
		rest &= ~lanes;
		if (loop_is_ready(l->loop, at) || l->block->paused >> l->warp & 1)
			w->is_over =
				true; /* woken (mbarrier.c), or its turn has ended before (loop_wait.c) */
		else
			look_at(l, at, lanes, w);
	}
}

static uint32_t count(uint32_t lanes)
{
	return (uint32_t)__builtin_popcount(lanes);
}

/* The number of warps, from the first on, whose arrivals complete the barrier; 0: it is not complete.
 * With a count, a warp whose remaining lanes have all arrived counts as 32 (barrier.h). Who
 * arrived without waiting came before those that wait. */
static uint32_t complete(const struct block *b, const struct waits *w, uint32_t id)
{
	const struct barrier *bar = &b->barriers[id];
	const struct waiting *here = &w->at[id];
	uint32_t expected = here->expected ? here->expected : bar->expected;
	uint32_t wanted = expected ? expected : w->n_live, n = expected ? bar->n_arrived : 0;
	for (uint32_t i = 0; !expected && i < b->n_warps; i++)
		n += count(bar->arrived[i] &
			   w->live[i]); /* without a count who has ended is not one */
	for (uint32_t i = 0; i < b->n_warps; i++) {
		uint32_t lanes = here->lanes[i] | bar->arrived[i];
		if (expected && lanes && !(w->live[i] & ~lanes) && !(bar->rounded >> i & 1))
			n += CUDASIM_WARP_SIZE - count(lanes);
		n += count(here->lanes[i]);
		if (n >= wanted && n)
			return i + 1;
	}
	return 0;
}

static uint32_t verdict(const struct waiting *here, uint32_t op)
{
	return op == CUDASIM_REDUCE_AND  ? here->n_true == here->n_voted
	       : op == CUDASIM_REDUCE_OR ? here->n_true != 0
					 : here->n_true;
}

/* Those of the first n_warps warps that wait at the barrier go on. */
static void open_barrier(const struct cudasim_loop *loop, struct block *b, void *frame,
			 const struct waits *w, uint32_t id, uint32_t n_warps)
{
	struct barrier *bar = &b->barriers[id];
	const struct waiting *here = &w->at[id];
	for (uint32_t i = 0; i < n_warps; i++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, i);
		for (uint32_t rest = here->lanes[i]; rest;) {
			uint32_t at = l.at[loop_first(rest)], lanes = rest & loop_equal(l.at, at);
			const struct cudasim_region_op *op = loop_op(loop, at);
			bool votes = op->kind == CUDASIM_REGION_BARRIER_REDUCE;
			rest &= ~lanes;
			for (uint32_t k = lanes; votes && k; k &= k - 1)
				loop_give(&l, op, loop_first(k),
					  verdict(here, loop_word(&l, op, 2, loop_first(k))));
			loop_move(&l, lanes, at + (1u << 16));
		}
	}
	uint64_t epoch = bar->epoch + 1;
	*bar = (struct barrier){.epoch = epoch};
	b->pending_barriers &= ~(1u << id);
}

/* Lanes' states say where they are, not their warps' words: some go on, others wait. */
static void follow_lanes(const struct cudasim_loop *loop, struct block *b, void *frame)
{
	uint32_t *words = loop_words(loop, b, frame);
	for (uint32_t i = 0; i < b->n_warps; i++)
		if (words[i] != CUDASIM_AT_EXIT)
			words[i] = CUDASIM_AT_MIXED;
}

/* Open what is complete; false where nothing is. */
static bool open_complete(const struct cudasim_loop *loop, struct block *b, void *frame,
			  const struct waits *w)
{
	bool any = false;
	for (uint32_t rest = w->ids; rest; rest &= rest - 1) {
		uint32_t id = (uint32_t)__builtin_ctz(rest), n = complete(b, w, id);
		if (n)
			open_barrier(loop, b, frame, w, id, n);
		any |= n != 0;
	}
	if (any)
		follow_lanes(loop, b, frame);
	return any;
}

static bool at_post_barrier(const struct cudasim_loop *loop, uint32_t at)
{
	return at != CUDASIM_AT_EXIT && !loop_is_ready(loop, at) &&
	       loop_op(loop, at)->kind == CUDASIM_REGION_POST_BARRIER;
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

/* __syncthreads() */
static bool is_plain(const struct cudasim_loop *loop, uint32_t at)
{
	if (at == CUDASIM_AT_EXIT)
		return true;
	if (loop_is_ready(loop, at))
		return false;
	const struct cudasim_region_op *op = loop_op(loop, at);
	return op->kind == CUDASIM_REGION_BARRIER && !op->arg[0].size && !op->arg[0].constant &&
	       !op->arg[1].size && !op->arg[1].constant;
}

/* All stand at __syncthreads(): those whose warp's word says where need nothing else. False where
 * that is not so, and nothing has happened. */
static bool open_plain(const struct cudasim_loop *loop, struct block *b, void *frame)
{
	const uint32_t *words = loop_words(loop, b, frame);
	bool any = false;
	for (uint32_t w = 0; w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		if (words[w] != CUDASIM_AT_MIXED && !is_plain(loop, words[w]))
			return false;
		any |= words[w] != CUDASIM_AT_EXIT;
		for (uint32_t lane = 0; words[w] == CUDASIM_AT_MIXED && lane < l.n; lane++)
			if (!is_plain(loop, l.at[lane]))
				return false;
	}
	for (uint32_t w = 0; any && w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		for (uint32_t lane = 0; words[w] == CUDASIM_AT_MIXED && lane < l.n; lane++)
			if (l.at[lane] != CUDASIM_AT_EXIT)
				l.at[lane] += 1u << 16;
	}
	return any;
}

/* Nobody can go on. Whose phase is not over learns that, and asks again or does something else. False
 * where that has come to nothing several times. */
static bool answer_in_vain(const struct cudasim_loop *loop, struct block *b, void *frame)
{
	enum { MOST_IN_VAIN = 16 };
	b->n_vain = b->moves == b->moves_seen ? b->n_vain + 1 : 0;
	b->moves_seen = b->moves;
	for (uint32_t w = 0; w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		for (uint32_t lane = 0; lane < l.n; lane++)
			if (loop_stands_before(&l, lane, CUDASIM_REGION_MBARRIER) &&
			    !loop_over(&l, l.at[lane], 1u << lane))
				loop_answer(&l, l.at[lane], 1u << lane, 0);
	}
	return b->n_vain < MOST_IN_VAIN;
}

static bool any_is_over(const struct cudasim_loop *loop, struct block *b, void *frame)
{
	struct waits waits = {.n_live = 0};
	for (uint32_t w = 0; w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		look(&l, &waits);
	}
	return waits.is_over;
}

/* Of a cluster, other blocks may bring what nobody here does. */
static bool ask_again(const struct cudasim_loop *loop, struct block *b, void *frame)
{
	if (b->cluster->n_blocks == 1)
		return answer_in_vain(loop, b, frame);
	if (!loop_rest(b, frame))
		return false;
	if (any_is_over(loop, b, frame))
		b->progress++;
	else
		answer_in_vain(loop, b, frame);
	return true;
}

/* Some warps wait for others in loops, or for mbarriers. */
static bool goes_on(const struct cudasim_loop *loop, struct block *b, void *frame,
		    const struct waits *w)
{
	if (w->is_wrong || !(w->is_over || w->yields || w->asks))
		return false;
	if (!w->is_over && w->asks && !ask_again(loop, b, frame) && !w->yields)
		return false;
	follow_lanes(loop, b, frame);
	return true;
}

uint32_t __cudasim_loop_open(const struct cudasim_loop *loop, struct cudasim_block *pub,
			     void *frame)
{
	struct block *b = (struct block *)pub;
	bool told = !loop_is_watched(b) || loop_tell_barrier(loop, b, frame);
	if (told && open_plain(loop, b, frame)) {
		loop_note_opening(b);
		return 1;
	}
	loop_spell_out(loop, b, frame, UINT32_MAX - 1);
	struct waits waits = {.n_live = 0};
	for (uint32_t w = 0; w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		look(&l, &waits);
	}
	if (!waits.is_over && any_at_post_barrier(loop, b, frame)) {
		end_post_barrier(loop, b, frame);
		return 1;
	}
	if (!waits.n_live)
		return 0;
	if (told && b->cluster->n_arrived && cluster_recount(b, waits.live)) {
		follow_lanes(loop, b, frame);
		return 1;
	}
	if (told && !waits.is_wrong && open_complete(loop, b, frame, &waits)) {
		loop_note_opening(b);
		return 1;
	}
	if (told && goes_on(loop, b, frame, &waits))
		return 1;
	loop_leave(loop, b, frame, b->n_warps);
	return 0;
}
