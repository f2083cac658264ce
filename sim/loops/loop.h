/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - the lanes of a warp in a loop; see struct cudasim_loop. */
#ifndef CUDASIM_SIM_LOOP_H
#define CUDASIM_SIM_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "block.h"

/* ---- what loop*.c and mbarrier.c share --------------------------- */

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

static inline uint32_t loop_equal_wide(const uint64_t values[LANES], uint64_t value)
{
	typedef uint64_t vector __attribute__((vector_size(16)));
	vector any = {0}, bits = {1, 2};
	for (uint32_t i = 0; i < LANES; i += 2) {
		vector two;
		memcpy(&two, values + i, sizeof two);
		any |= (vector)(two == value) & bits;
		bits <<= 2;
	}
	return (uint32_t)(any[0] | any[1]);
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

/* words[i] becomes the value where bit i is set. */
static inline void loop_fill(uint32_t words[LANES], uint32_t bits, uint32_t value)
{
	typedef uint32_t vector __attribute__((vector_size(16)));
	vector bit = {1, 2, 4, 8};
	for (uint32_t i = 0; i < LANES; i += 4) {
		vector four, which = (vector)((bits & bit) != 0);
		memcpy(&four, words + i, sizeof four);
		four = (four & ~which) | (value & which);
		memcpy(words + i, &four, sizeof four);
		bit <<= 4;
	}
}

/* The lanes' states become this one. */
static inline void loop_move(const struct lanes *l, uint32_t lanes, uint32_t at)
{
	loop_fill(l->at, lanes, at);
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

/* ---- what lanes do together --------------------------------------------------------- */

/* Lanes that wait for one operation, as libcudasim's own tables name it. */
struct lane_meeting {
	uint32_t kind, sub, mask, lanes;
	uint32_t at; /* of all of them, or CUDASIM_AT_MIXED */
};

/* The lanes, wherever they stand, are given the results of their operations, which are done. */
void loop_finish(const struct lanes *l, uint32_t lanes, const uint64_t *result);

/* The lanes of the warp follow each other in x. */
bool loop_is_row(const struct lanes *l);

/* struct cudasim_loop's lanes(). */
void loop_call_lanes(const struct lanes *l, uint32_t lanes, uint32_t region, uint32_t what);

/* The operations that lanes at one place have met at, as vectors, and, unless it is the whole warp's,
 * what follows. False where these are not such operations. */
bool loop_meet_as_vectors(const struct lanes *l, uint32_t lanes, uint32_t at);

/* The operation to which all of them have come. */
void loop_meet(const struct lanes *l, const struct lane_meeting *m);

/* Lanes at one place, which they may leave, go through the region behind it. */
void loop_run(const struct lanes *l, uint32_t at, uint32_t lanes);

/* Which of libcudasim's operations it is (enum cudasim_warp_kind); the arguments that are its variant
 * and its mask, or -1. */
uint32_t loop_operation(const struct cudasim_region_op *op, int *sub, int *mask);

/* What a lane brings to it. */
struct warp_operand loop_operand(const struct lanes *l, const struct cudasim_region_op *op,
				 uint32_t kind, uint32_t lane);

/* ---- what tools hear (loop_tell.c) ------------------------------------------------------ */

static inline bool loop_is_watched(const struct block *b)
{
	return b->pub.launch->watch;
}

/* Where there are tools: lanes have met, wherever they stand; or at the cut before a region. Before the
 * operation is done. */
void loop_tell_meeting(const struct lanes *l, const struct lane_meeting *m);
void loop_tell_cut(const struct lanes *l, uint32_t region, uint32_t lanes);

/* All threads of the block stand at one barrier of all of them: tools hear of it. False where that
 * is not so: each thread has to tell them itself that it arrives. */
bool loop_tell_barrier(const struct cudasim_loop *loop, struct block *b, void *frame);

/* ---- lanes that wait ------------------------------------------------------------------ */

enum loop_turn {
	LOOP_GOES_ON,
	LOOP_TURN_ENDS, /* other warps' turns come next */
	LOOP_LEAVES, /* the block's threads have to leave the loop */
};

/* Nobody of the warp can move, and these lanes stand where loops that may wait give way. They take some
 * more turns of these. Where that comes to nothing others get theirs: the block's other warps, and
 * where these, too, have gone nowhere, other blocks. */
enum loop_turn loop_wait(const struct lanes *l, uint32_t lanes);

/* A barrier of the block has opened. */
void loop_note_opening(struct block *b);

/* Those of the lanes at one place, a wait for an mbarrier or for the cluster, whose phase is over. */
uint32_t loop_over(const struct lanes *l, uint32_t at, uint32_t lanes);

/* They have this answer, and go on. */
void loop_answer(const struct lanes *l, uint32_t at, uint32_t lanes, uint32_t answer);

/* Lanes at one place arrive at mbarriers and go on. False where one arrives too often: it stays. */
bool loop_arrive(const struct lanes *l, uint32_t at, uint32_t lanes);

/* The same of lanes that wait at the cluster's barrier. */
uint32_t loop_cluster_over(const struct lanes *l, uint32_t lanes);

/* Lanes at one place arrive at the cluster's barrier and go on. False where one has arrived before. */
bool loop_cluster_arrive(const struct lanes *l, uint32_t at, uint32_t lanes);

/* Other blocks run. False where all that runs has come to nothing for long. */
bool loop_rest(struct block *b, void *frame);

/* The warp's turn ends with lanes that wait for mbarriers. */
void loop_sleep(const struct lanes *l, void *frame);

#endif
