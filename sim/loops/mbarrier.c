/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier.c - threads that arrive at mbarriers and wait for their phases, on fibers and in loops.
 *
 * What else is done to mbarriers is device code (compiler/builtins/mbarrier.c). One worker runs all
 * threads that can reach an mbarrier, those of a block or of its cluster. */
#include <stdint.h>

#include "block.h"
#include "cluster.h"
#include "dispatch.h"
#include "loop.h"

#define COUNT ((1ull << CUDASIM_MBARRIER_COUNT_BITS) - 1)
#define TX (((1ull << CUDASIM_MBARRIER_TX_BITS) - 1) << 2 * CUDASIM_MBARRIER_COUNT_BITS)
#define PARITY (1ull << CUDASIM_MBARRIER_PARITY_BIT)

static uint64_t *at_address(uint64_t mbarrier)
{
	return (uint64_t *)(uintptr_t)mbarrier; /* NOLINT(performance-no-int-to-ptr) */
}

/* Is the phase of that parity over? */
static bool is_over(uint64_t mbarrier, uint32_t how)
{
	return *at_address(mbarrier) >> CUDASIM_MBARRIER_PARITY_BIT != (how & 1);
}

/* How many arrivals a flagged count means. */
static uint32_t arrivals(uint32_t count)
{
	return count & ~CUDASIM_MBARRIER_DROP;
}

/* An H200 faults then; memory that nobody has set up is let pass there. */
static bool is_too_many(uint64_t state, uint32_t count)
{
	return arrivals(count) > (state & COUNT) && state >> CUDASIM_MBARRIER_COUNT_BITS & COUNT;
}

static uint64_t after_arrivals(uint64_t state, uint32_t count)
{
	uint64_t n = arrivals(count) & COUNT, after = (state & ~COUNT) | ((state - n) & COUNT);
	if (count & CUDASIM_MBARRIER_DROP)
		after -= n << CUDASIM_MBARRIER_COUNT_BITS;
	if (after & (COUNT | TX))
		return after;
	return (after ^ PARITY) | (after >> CUDASIM_MBARRIER_COUNT_BITS & COUNT);
}

static void arrive(uint64_t mbarrier, uint32_t count)
{
	uint64_t *state = at_address(mbarrier), before = *state,
		 after = after_arrivals(before, count);
	*state = after;
	if ((before ^ after) & PARITY)
		__cudasim_mbarrier_wake(state);
}

/* ---- on fibers ------------------------------------------------------------------------ */

uint64_t __cudasim_mbarrier_arrive(uint64_t mbarrier, uint32_t count, uint64_t loaded,
				   const struct cudasim_site *site)
{
	uint64_t before = *at_address(mbarrier);
	(void)loaded;
	if (is_too_many(before, count))
		__cudasim_trap(CUDASIM_TRAP_MBARRIER, site);
	arrive(mbarrier, count);
	return before;
}

uint32_t __cudasim_mbarrier_wait(uint64_t mbarrier, uint32_t how, uint64_t loaded,
				 const struct cudasim_site *site)
{
	(void)loaded;
	bool over = is_over(mbarrier, how), woken = false;
	if (!over) {
		struct thread *t = thread_self();
		__cudasim_yield(at_address(mbarrier), CUDASIM_WAIT_MBARRIER | 8, site);
		woken = t->woken;
		t->woken = false;
		over = how & CUDASIM_MBARRIER_TRY && is_over(mbarrier, how);
	}
	if (!over && !woken)
		return 0;
	__cudasim_reconverge(site);
	return 1;
}

uint32_t __cudasim_mbarrier_woken(void)
{
	struct thread *t = thread_self();
	if (t->pub.want & THREAD_BORROWED || block_of(t)->loop)
		return 0;
	bool woken = t->woken;
	t->woken = false;
	return woken;
}

/* ---- in loops --------------------------------------------------------------------------- */

/* Those of the lanes at one place whose mbarrier and other argument are the first one's. */
static uint32_t with_mbarrier(const struct lanes *l, const struct cudasim_region_op *op,
			      uint32_t lanes, uint64_t *mbarrier, uint32_t *other)
{
	lanes = loop_with_argument(l, op, 1, lanes, other);
	*mbarrier = loop_argument(l, op, 0, loop_first(lanes));
	if (!op->arg[0].size)
		return lanes;
	const unsigned char *array = l->frame + (uint64_t)op->arg[0].offset * LANES;
	return lanes & loop_equal_wide((const uint64_t *)(const void *)array, *mbarrier);
}

uint32_t loop_over(const struct lanes *l, uint32_t at, uint32_t lanes)
{
	const struct cudasim_region_op *op = loop_op(l->loop, at);
	uint32_t over = 0;
	if (op->kind == CUDASIM_REGION_CLUSTER_WAIT)
		return loop_cluster_over(l, lanes);
	for (uint32_t how; lanes;) {
		uint64_t mbarrier;
		uint32_t same = with_mbarrier(l, op, lanes, &mbarrier, &how);
		over |= is_over(mbarrier, how) ? same : 0;
		lanes &= ~same;
	}
	return over;
}

void loop_answer(const struct lanes *l, uint32_t at, uint32_t lanes, uint32_t answer)
{
	const struct cudasim_region_op *op = loop_op(l->loop, at);
	uint32_t *low = (uint32_t *)(void *)(l->frame + (uint64_t)op->low * LANES);
	if (op->low != UINT32_MAX)
		loop_fill(low, lanes, answer);
	loop_move(l, lanes, at + (1u << 16));
}

bool loop_arrive(const struct lanes *l, uint32_t at, uint32_t lanes)
{
	const struct cudasim_region_op *op = loop_op(l->loop, at);
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = loop_first(rest), count = loop_word(l, op, 1, lane);
		uint64_t mbarrier = loop_argument(l, op, 0, lane), before = *at_address(mbarrier);
		if (is_too_many(before, count))
			return false;
		arrive(mbarrier, count);
		loop_give(l, op, lane, before);
		l->at[lane] += 1u << 16;
	}
	return true;
}

void loop_sleep(const struct lanes *l, void *frame)
{
	l->block->asleep |= 1u << l->warp;
	l->block->asleep_loop = l->loop;
	l->block->asleep_frame = frame;
}

/* Lanes of a warp whose turn is over. */
static bool wake_lanes(const struct lanes *l, const void *mbarrier)
{
	bool sleeps = false;
	for (uint32_t rest = UINT32_MAX >> (LANES - l->n); rest;) {
		uint32_t at = l->at[loop_first(rest)], lanes = rest & loop_equal(l->at, at), how;
		rest &= ~lanes;
		if (!loop_stands_before(l, loop_first(lanes), CUDASIM_REGION_MBARRIER))
			continue;
		while (lanes) {
			uint64_t own;
			uint32_t same = with_mbarrier(l, loop_op(l->loop, at), lanes, &own, &how);
			lanes &= ~same;
			if (own == (uintptr_t)mbarrier)
				loop_answer(l, at, same, 1);
			else
				sleeps = true;
		}
	}
	return sleeps;
}

static void wake_warps(struct block *b, const void *mbarrier)
{
	for (uint32_t rest = b->asleep; rest; rest &= rest - 1) {
		uint32_t w = loop_first(rest);
		struct lanes l = loop_lanes(b->asleep_loop, b, NULL, b->asleep_frame, w);
		if (!wake_lanes(&l, mbarrier))
			b->asleep &= ~(1u << w);
	}
}

/* ---- the end of a phase ------------------------------------------------------------------- */

/* Only the block's own threads can wait for an mbarrier, but all of its cluster arrive. */
void __cudasim_mbarrier_wake(const void *mbarrier)
{
	const struct cluster *cluster = block_of(thread_self())->cluster;
	for (uint32_t i = 0; i < cluster->n_blocks; i++) {
		struct block *b = cluster->blocks[i];
		if (b && b->loop)
			wake_warps(b, mbarrier);
		for (uint32_t k = 0; b && b->n_sleep && k < b->n_threads; k++)
			b->threads[k].woken |= b->threads[k].sleeps_at == mbarrier;
	}
}
