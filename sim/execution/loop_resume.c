/* SPDX-License-Identifier: Apache-2.0 */
/* loop_resume.c - a thread that has left its block's loop goes on as a fiber. */
#include "loop.h"

#include "dispatch.h"
#include "mma.h"

/* A matrix product with the running thread's registers. */
static void multiply_own(const struct lanes *l, const struct cudasim_region_op *op, uint32_t lane)
{
	uint32_t form = (uint32_t)op->arg[0].constant, n = cudasim_mma_n_words(form);
	uint32_t(*words)[LANES] = loop_registers(l, op), own[CUDASIM_MMA_MOST_WORDS];
	for (uint32_t i = 0; i < n; i++)
		own[i] = words[i][lane];
	__cudasim_mma(form, own, op->site);
	for (uint32_t i = cudasim_mma_c_at(form); i < n; i++)
		words[i][lane] = own[i];
}

/* Do what the thread waits for, as the running thread. */
static uint64_t perform(const struct lanes *l, const struct cudasim_region_op *op, uint32_t lane)
{
	uint32_t a[5];
	for (uint32_t i = 0; i < 5; i++)
		a[i] = loop_word(l, op, i, lane);
	switch ((enum cudasim_region_op_kind)op->kind) {
	case CUDASIM_REGION_BARRIER:
		__cudasim_barrier(a[0], a[1], op->site);
		return 0;
	case CUDASIM_REGION_BARRIER_REDUCE:
		return __cudasim_barrier_reduce(a[0], a[1], a[2], a[3], op->site);
	case CUDASIM_REGION_SYNCWARP:
		__cudasim_syncwarp(a[0], op->site);
		return 0;
	case CUDASIM_REGION_SHFL:
		return __cudasim_shfl(a[0], a[1], a[2], a[3], a[4], op->site);
	case CUDASIM_REGION_VOTE:
		return __cudasim_vote(a[0], a[1], a[2], op->site);
	case CUDASIM_REGION_MATCH_ANY:
		return __cudasim_match_any(a[0], loop_argument(l, op, 1, lane), op->site);
	case CUDASIM_REGION_MATCH_ALL:
		return __cudasim_match_all(a[0], loop_argument(l, op, 1, lane), op->site);
	case CUDASIM_REGION_REDUX:
		return __cudasim_redux(a[0], a[1], a[2], op->site);
	case CUDASIM_REGION_ELECT:
		return __cudasim_elect(a[0], op->site);
	case CUDASIM_REGION_MMA:
		multiply_own(l, op, lane);
		return 0;
	case CUDASIM_REGION_ACTIVEMASK:
		return __cudasim_activemask(op->site);
	case CUDASIM_REGION_CONVERGE:
		__cudasim_reconverge(op->site);
		return 0;
	case CUDASIM_REGION_POST_BARRIER:
		__cudasim_post_barrier(op->site);
		return 0;
	case CUDASIM_REGION_LEAVE:
		break;
	}
	return 0;
}

void loop_resume(struct thread *t)
{
	struct block *b = block_of(t);
	struct lanes l = loop_lanes(b->left, b, b->run->params, b->left_frame, t->pub.warp);
	uint32_t lane = t->pub.lane, at = l.at[lane];
	while (at != CUDASIM_AT_EXIT) {
		const struct cudasim_region *cut = &l.loop->cuts[loop_region(at)];
		for (uint32_t i = loop_done(at); i < cut->n; i++) {
			const struct cudasim_region_op *op = &l.loop->ops[cut->first + i];
			loop_give(&l, op, lane, perform(&l, op, lane));
		}
		at = loop_continue(&l, lane, loop_region(at));
	}
}
