/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - the lanes of a warp in a loop, and threads that have left it; see struct
 * cudasim_loop. */
#ifndef CUDASIM_SIM_LOOP_H
#define CUDASIM_SIM_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "block.h"

struct thread;

/* Run t, whose block's threads have left their loop (block->left), from the cut where
 * it stands to its end. */
void loop_resume(struct thread *t);

/* ---- what loop.c, loop_wait.c and loop_resume.c share --------------------------- */

enum { LANES = 32 };

/* A warp in a loop. */
struct lanes {
	const struct cudasim_loop *loop;
	struct block *block;
	const void *params;
	unsigned char *frame; /* the warp's part */
	uint32_t *at;         /* the lanes' states */
	uint32_t warp;
	uint32_t n; /* lanes that exist */
};

static inline struct lanes loop_lanes(const struct cudasim_loop *loop, struct block *b,
				      const void *params, void *frame, uint32_t w)
{
	uint32_t n = b->n_threads - w * LANES;
	unsigned char *own = (unsigned char *)frame + loop->thread_bytes * LANES * w;
	return (struct lanes){
		.loop = loop,
		.block = b,
		.params = params,
		.frame = own,
		.at = (uint32_t *)(void *)(own + (uint64_t)loop->thread_at * LANES),
		.warp = w,
		.n = n < LANES ? n : LANES,
	};
}

static inline uint32_t *loop_words(const struct cudasim_loop *loop, const struct block *b,
				   void *frame)
{
	return (uint32_t *)(void *)((unsigned char *)frame +
				    loop->thread_bytes * LANES * b->n_warps);
}

static inline uint32_t loop_region(uint32_t at)
{
	return at & 0xffff;
}

static inline uint32_t loop_done(uint32_t at)
{
	return at >> 16;
}

/* The state of a thread that may begin the region. */
static inline uint32_t loop_ready(const struct cudasim_loop *loop, uint32_t region)
{
	return loop->cuts[region].n << 16 | region;
}

static inline bool loop_is_ready(const struct cudasim_loop *loop, uint32_t at)
{
	return at != CUDASIM_AT_EXIT && loop_done(at) == loop->cuts[loop_region(at)].n;
}

/* The operation at which a thread waits. */
static inline const struct cudasim_region_op *loop_op(const struct cudasim_loop *loop, uint32_t at)
{
	return &loop->ops[loop->cuts[loop_region(at)].first + loop_done(at)];
}

static inline uint64_t loop_argument(const struct lanes *l, const struct cudasim_region_op *op,
				     uint32_t i, uint32_t lane)
{
	const struct cudasim_region_value *v = &op->arg[i];
	const unsigned char *array = l->frame + (uint64_t)v->offset * LANES;
	if (!v->size)
		return v->constant;
	return v->size == 8 ? ((const uint64_t *)(const void *)array)[lane]
			    : ((const uint32_t *)(const void *)array)[lane];
}

static inline uint32_t loop_word(const struct lanes *l, const struct cudasim_region_op *op,
				 uint32_t i, uint32_t lane)
{
	return (uint32_t)loop_argument(l, op, i, lane);
}

static inline uint32_t loop_first(uint32_t lanes)
{
	return (uint32_t)__builtin_ctz(lanes);
}

/* Bit i: words[i] is the value. */
static inline uint32_t loop_equal(const uint32_t words[LANES], uint32_t value)
{
	typedef uint32_t vector __attribute__((vector_size(16)));
	vector any = {0}, bits = {1, 2, 4, 8};
	for (uint32_t i = 0; i < LANES; i += 4) {
		vector four;
		memcpy(&four, words + i, sizeof four);
		any |= (vector)(four == value) & bits;
		bits <<= 4;
	}
	return any[0] | any[1] | any[2] | any[3];
}

/* Those of the lanes whose argument (a word) is the first one's, which is *ret. i < 0: all, and what
 * *ret was. */
static inline uint32_t loop_with_argument(const struct lanes *l, const struct cudasim_region_op *op,
					  int i, uint32_t lanes, uint32_t *ret)
{
	if (i < 0)
		return lanes;
	const struct cudasim_region_value *v = &op->arg[i];
	*ret = loop_word(l, op, (uint32_t)i, loop_first(lanes));
	if (!v->size)
		return lanes;
	return lanes &
	       loop_equal((const uint32_t *)(const void *)(l->frame + (uint64_t)v->offset * LANES),
			  *ret);
}

/* The lanes' states become this one. */
static inline void loop_move(const struct lanes *l, uint32_t lanes, uint32_t at)
{
	for (uint32_t lane = 0; lane < LANES; lane++)
		l->at[lane] = lanes >> lane & 1 ? at : l->at[lane];
}

static inline void loop_give(const struct lanes *l, const struct cudasim_region_op *op,
			     uint32_t lane, uint64_t result)
{
	uint32_t *low = (uint32_t *)(void *)(l->frame + (uint64_t)op->low * LANES);
	uint32_t *high = (uint32_t *)(void *)(l->frame + (uint64_t)op->high * LANES);
	if (op->low != UINT32_MAX)
		low[lane] = (uint32_t)result;
	if (op->high != UINT32_MAX)
		high[lane] = (uint32_t)(result >> 32);
}

static inline uint32_t loop_continue(const struct lanes *l, uint32_t lane, uint32_t region)
{
	const uint32_t *n = l->block->pub.ntid;
	uint32_t linear = l->warp * LANES + lane, x = linear, y = 0, z = 0;
	if (n[1] * n[2] > 1) {
		x = linear % n[0];
		y = linear / n[0] % n[1];
		z = linear / n[0] / n[1];
	}
	l->block->stepped = linear;
	return l->loop->continuation(l->params, &l->block->pub, l->frame, x, y, z, linear, LANES,
				     lane, region);
}

static inline uint32_t (*loop_registers(const struct lanes *l,
					const struct cudasim_region_op *op))[LANES]
{
	return (uint32_t(*)[LANES])(void *)(l->frame + (uint64_t)op->arg[1].offset * LANES);
}

static inline bool loop_stands_before(const struct lanes *l, uint32_t lane, uint32_t kind)
{
	return l->at[lane] != CUDASIM_AT_EXIT && !loop_is_ready(l->loop, l->at[lane]) &&
	       loop_op(l->loop, l->at[lane])->kind == kind;
}

/* Each warp's word becomes its lanes' states. Those before w wait at what their words
 * tell, those behind have seen it open, and w's own states are right. */
void loop_spell_out(const struct cudasim_loop *loop, struct block *b, void *frame, uint32_t w);

/* All threads leave the loop; they have all begun. */
void loop_leave(const struct cudasim_loop *loop, struct block *b, void *frame, uint32_t w);

/* The frame outlives the loop's call, or other blocks run meanwhile: it is the block's now. */
void loop_keep_frame(struct block *b, void *frame);

/* Lanes that give way wait for other blocks, perhaps: as long as that may be the whole block waits
 * in its loop. False where its threads have to leave it. */
bool loop_wait(const struct lanes *l);

#endif
