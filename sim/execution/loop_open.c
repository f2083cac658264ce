/* SPDX-License-Identifier: Apache-2.0 */
/* loop_open.c - the barrier of a block in a loop, whose warps all wait or have ended. */
#include "loop.h"

#include "block.h"

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

/* __syncthreads() */
static bool is_plain(const struct cudasim_loop *loop, uint32_t at)
{
	if (at == CUDASIM_AT_EXIT)
		return true;
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

uint32_t __cudasim_loop_open(const struct cudasim_loop *loop, struct cudasim_block *pub,
			     void *frame)
{
	struct block *b = (struct block *)pub;
	struct votes votes = {0};
	if (open_plain(loop, b, frame))
		return 1;
	loop_spell_out(loop, b, frame, UINT32_MAX - 1);
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
		loop_leave(loop, b, frame, b->n_warps);
		return 0;
	}
	for (uint32_t w = 0; w < b->n_warps; w++) {
		struct lanes l = loop_lanes(loop, b, NULL, frame, w);
		open_lanes(&l, &votes);
	}
	return 1;
}
