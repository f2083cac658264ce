/* SPDX-License-Identifier: Apache-2.0 */
/* loop_resume.c - threads leave their block's loop and go on as fibers. */
#include "loop.h"

#include "barrier.h"
#include "block.h"
#include "dispatch.h"
#include "mma.h"

/* ---- leaving the loop ----------------------------------------------------------- */

void loop_spell_out(const struct cudasim_loop *loop, struct block *b, void *frame, uint32_t w)
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

void loop_leave(const struct cudasim_loop *loop, struct block *b, void *frame, uint32_t w)
{
	struct worker *worker = b->worker;
	worker->in_device = 0;
	loop_spell_out(loop, b, frame, w);
	b->loop = false;
	if (loop_is_watched(b))
		b->barriers[0].epoch = b->n_loop_barriers;
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
	barrier_recount(b);
	b->warp = 0;
	worker_keep_rest(b);
	worker->in_device = IN_DEVICE;
}

/* ---- a thread that has left ------------------------------------------------------- */

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
	case CUDASIM_REGION_ARRIVE:
		__cudasim_barrier_arrive(a[0], a[1], op->site);
		return 0;
	case CUDASIM_REGION_CLUSTER_ARRIVE:
		__cudasim_cluster_arrive(op->site);
		return 0;
	case CUDASIM_REGION_CLUSTER_WAIT:
		__cudasim_cluster_wait(op->site);
		return 0;
	case CUDASIM_REGION_MBARRIER_ARRIVE:
		return __cudasim_mbarrier_arrive(loop_argument(l, op, 0, lane), a[1],
						 loop_argument(l, op, 2, lane), op->site);
	case CUDASIM_REGION_MBARRIER:
		return __cudasim_mbarrier_wait(loop_argument(l, op, 0, lane), a[1],
					       loop_argument(l, op, 2, lane), op->site);
	case CUDASIM_REGION_LEAVE:
	case CUDASIM_REGION_YIELD:
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
