/* SPDX-License-Identifier: Apache-2.0 */
#include "barrier.h"

#include <string.h>

#include "block.h"
#include "dispatch.h"
#include "observer.h"
#include "worker.h"

uint32_t barrier_expected(const struct block *b, const struct barrier *bar)
{
	return bar->expected ? bar->expected : b->n_live;
}

void barrier_describe(const struct block *b, uint32_t id, struct cudasim_barrier *ret)
{
	const struct barrier *bar = &b->barriers[id];
	*ret = (struct cudasim_barrier){
		.kind = CUDASIM_BARRIER_BLOCK,
		.id = id,
		.n_expected = bar->expected ? bar->expected : b->n_threads,
		.n_arrived = bar->n_arrived + (bar->expected ? 0 : b->n_threads - b->n_live),
		.epoch = bar->epoch,
	};
}

static void announce_open(struct block *b, uint32_t id, const struct cudasim_site *site)
{
	struct cudasim_barrier seen;
	if (!b->run->watched)
		return;
	barrier_describe(b, id, &seen);
	seen.site = site;
	observe_barrier_open(&b->pub, &seen);
}

static uint64_t verdict(const struct barrier *bar, uint32_t op)
{
	switch (op) {
	case CUDASIM_REDUCE_AND:
		return bar->n_true == bar->n_voted;
	case CUDASIM_REDUCE_OR:
		return bar->n_true != 0;
	default:
		return bar->n_true;
	}
}

/* Everybody has come: those that wait may go on. */
static __attribute__((noinline)) void barrier_open(struct block *b, uint32_t id,
						   const struct cudasim_site *site)
{
	struct barrier *bar = &b->barriers[id];
	announce_open(b, id, site);
	for (uint32_t w = 0; w < b->n_warps; w++) {
		uint32_t lanes = bar->waiting[w];
		if (bar->n_voted)
			for (uint32_t rest = lanes; rest; rest &= rest - 1) {
				struct thread *t = block_thread(b, w,
								(uint32_t)__builtin_ctz(rest));
				/* result holds the operation that the thread asked for. */
				t->result = verdict(bar, (uint32_t)t->result);
			}
		block_activate(b, w, lanes);
		bar->waiting[w] = bar->arrived[w] = 0;
	}
	bar->expected = bar->n_arrived = bar->rounded = bar->n_true = bar->n_voted = 0;
	bar->epoch++;
	b->pending_barriers &= ~(1u << id);
	b->openings++;
}

/* With a count, a warp whose remaining lanes have all arrived counts as 32. */
static void round_up(struct block *b, struct barrier *bar, uint32_t w)
{
	uint32_t lanes = bar->waiting[w] | bar->arrived[w];
	if (!bar->expected || bar->rounded >> w & 1 || !lanes || b->live[w] & ~lanes)
		return;
	bar->rounded |= 1u << w;
	bar->n_arrived += CUDASIM_WARP_SIZE - (uint32_t)__builtin_popcount(lanes);
}

static void open_if_complete(struct block *b, uint32_t id, const struct cudasim_site *site)
{
	struct barrier *bar = &b->barriers[id];
	if (bar->n_arrived >= barrier_expected(b, bar))
		barrier_open(b, id, site);
}

void barrier_exit(struct block *b, uint32_t w, uint32_t lane)
{
	for (uint32_t rest = b->pending_barriers; rest; rest &= rest - 1) {
		uint32_t id = (uint32_t)__builtin_ctz(rest);
		struct barrier *bar = &b->barriers[id];
		/* With a count its arrival stands; without, it is counted among the
		 * exited from now on. */
		if (!bar->expected && bar->arrived[w] >> lane & 1) {
			bar->arrived[w] &= ~(1u << lane);
			bar->n_arrived--;
		}
		round_up(b, bar, w);
		open_if_complete(b, id, NULL);
	}
}

void barrier_recount(struct block *b)
{
	for (uint32_t rest = b->pending_barriers; rest; rest &= rest - 1) {
		uint32_t id = (uint32_t)__builtin_ctz(rest);
		for (uint32_t w = 0; w < b->n_warps; w++)
			round_up(b, &b->barriers[id], w);
		open_if_complete(b, id, NULL);
	}
}

static __attribute__((noinline)) void announce_arrival(struct thread *t, uint32_t id,
						       uint32_t expected, bool arrive_only,
						       const struct cudasim_site *site)
{
	struct block *b = block_of(t);
	struct cudasim_barrier seen;
	if (!b->run->watched)
		return;
	barrier_describe(b, id, &seen);
	if (expected)
		seen.n_expected = expected;
	seen.arrive_only = arrive_only;
	seen.site = site;
	observe_barrier_arrive(&t->pub, &seen);
}

static struct barrier *barrier_arrive(struct thread *t, uint32_t id, uint32_t expected,
				      bool arrive_only, const struct cudasim_site *site)
{
	struct block *b = block_of(t);
	struct barrier *bar = &b->barriers[id & 15];
	if (__builtin_expect(!barrier_is_valid(id, expected), 0))
		dispatch_bad_barrier(t, id, expected, site);
	t->pub.site = site;
	announce_arrival(t, id, expected, arrive_only, site);
	b->pending_barriers |= 1u << id;
	if (expected)
		bar->expected = expected;
	bar->n_arrived++;
	return bar;
}

static __attribute__((noinline)) void barrier_wait(struct thread *t, uint32_t id, uint32_t expected,
						   uint32_t op, int pred,
						   const struct cudasim_site *site)
{
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp;
	struct barrier *bar = barrier_arrive(t, id, expected, false, site);
	if (pred >= 0) {
		bar->n_voted++;
		bar->n_true += (uint32_t)pred;
		t->result = op;
	}
	bar->waiting[w] |= 1u << t->pub.lane;
	block_deactivate(b, w, 1u << t->pub.lane);
	t->state = THREAD_BARRIER;
	t->barrier = (uint8_t)id;
	round_up(b, bar, w);
	open_if_complete(b, id, site);
	dispatch_suspend(t);
}

void __cudasim_barrier(uint32_t id, uint32_t n_threads, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct block *b = block_of(t);
	/* __syncthreads: barrier_wait() without what it need not. */
	if (__builtin_expect(!(id | n_threads), 1)) {
		if (__builtin_expect(b->run->watched, 0)) {
			t->pub.site = site;
			announce_arrival(t, 0, 0, false, site);
		}
		struct barrier *bar = &b->barriers[0];
		uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
		b->pending_barriers |= 1;
		bar->waiting[w] |= bit;
		block_deactivate(b, w, bit);
		t->pub.site = site;
		t->state = THREAD_BARRIER;
		t->barrier = 0;
		if (__builtin_expect(++bar->n_arrived >= b->n_live && !bar->expected, 0))
			barrier_open(b, 0, site);
		dispatch_suspend(t);
	} else {
		barrier_wait(t, id, n_threads, 0, -1, site);
	}
	dispatch_leave(t);
}

uint32_t __cudasim_barrier_reduce(uint32_t id, uint32_t n_threads, uint32_t op, uint32_t pred,
				  const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	barrier_wait(t, id, n_threads, op, pred != 0, site);
	dispatch_leave(t);
	return (uint32_t)t->result;
}

void __cudasim_barrier_arrive(uint32_t id, uint32_t n_threads, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp;
	struct barrier *bar = barrier_arrive(t, id, n_threads, true, site);
	bar->arrived[w] |= 1u << t->pub.lane;
	round_up(b, bar, w);
	open_if_complete(b, id, site);
	dispatch_leave(t);
}
