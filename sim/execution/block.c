/* SPDX-License-Identifier: Apache-2.0 */
#include "block.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observer.h"
#include "worker.h"

enum {
	FUEL_MOST = 1024, /* back-edges a thread may run through before it gives way */
	FUEL_LEAST = 32,
	FRUITLESS = 100, /* rounds after which a worker has time for switches: fuel 0 */
	PATIENCE = 32, /* rounds */
	MEET_ROUNDS = 4,
	MOST_FRAME_KEPT = 256 * 1024, /* bytes */
};

/* ---- making -------------------------------------------------------------- */

static void index_threads(struct block *b, const uint32_t ntid[3])
{
	memcpy(b->shape, ntid, sizeof b->shape);
	memset(b->threads, 0, (b->capacity * CUDASIM_WARP_SIZE + 1) * sizeof *b->threads);
	uint32_t i = 0;
	for (uint32_t z = 0; z < ntid[2]; z++)
		for (uint32_t y = 0; y < ntid[1]; y++)
			for (uint32_t x = 0; x < ntid[0]; x++, i++) {
				struct thread *t = &b->threads[i];
				t->pub.tid[0] = x;
				t->pub.tid[1] = y;
				t->pub.tid[2] = z;
				t->pub.lane = i % CUDASIM_WARP_SIZE;
				t->pub.warp = i / CUDASIM_WARP_SIZE;
				t->pub.linear = i;
				t->pub.block = &b->pub;
			}
}

static bool make_room(struct block *b, uint32_t n_warps)
{
	if (n_warps <= b->capacity)
		return true;
	free(b->threads);
	free(b->warps);
	b->capacity = 0;
	memset(b->shape, 0, sizeof b->shape);
	/* One more than there are, for dispatch_prefetch(). */
	size_t bytes = (n_warps * CUDASIM_WARP_SIZE + 1) * sizeof *b->threads;
	b->threads = aligned_alloc(64, (bytes + 63) / 64 * 64);
	b->warps = calloc(n_warps, sizeof *b->warps);
	if (b->threads && b->warps)
		b->capacity = n_warps;
	return b->capacity;
}

bool block_prepare(struct block *b, const uint32_t ntid[3], uint32_t shared_bytes,
		   uint32_t shared_align)
{
	uint32_t n = ntid[0] * ntid[1] * ntid[2];
	uint32_t n_warps = (n + CUDASIM_WARP_SIZE - 1) / CUDASIM_WARP_SIZE;
	assert(n >= 1 && n <= BLOCK_MAX_THREADS);
	if (!make_room(b, n_warps) || !window_prepare(&b->window, shared_bytes, shared_align))
		return false;
	if (memcmp(b->shape, ntid, sizeof b->shape))
		index_threads(b, ntid);
	b->n_threads = n;
	b->n_warps = n_warps;
	return true;
}

void block_fini(struct block *b)
{
	free(b->left_frame);
	free(b->runtime);
	free(b->threads);
	free(b->warps);
	free(b->pub.tool);
	window_fini(&b->window);
}

void block_reset_barriers(struct block *b)
{
	if (!b->pending_barriers)
		return;
	memset(b->barriers, 0, sizeof b->barriers);
	b->pending_barriers = 0;
}

void block_reset(struct block *b)
{
	b->n_loop_barriers = 0;
	b->n_live = b->n_threads;
	b->warp = b->worker->schedule.order == SCHEDULE_REVERSE ? b->n_warps - 1 : 0;
	b->yielded_warps = b->held_warps = b->converging_warps = 0;
	b->met_warps = b->kept_warps = b->post_barrier_warps = b->partial_warps = b->n_sleep = 0;
	b->active_warps = b->n_warps == 32 ? ~0u : (1u << b->n_warps) - 1;
	memset(b->yielded, 0, sizeof b->yielded);
	memset(b->held, 0, sizeof b->held);
	memset(b->converging, 0, sizeof b->converging);
	memset(b->met, 0, sizeof b->met);
	memset(b->post_barrier, 0, sizeof b->post_barrier);
	memset(b->met_rounds, 0, sizeof b->met_rounds);
	memset(b->active, 0xff, b->n_warps * sizeof *b->active);
	uint32_t last = b->n_threads % CUDASIM_WARP_SIZE;
	if (last)
		b->active[b->n_warps - 1] = (1u << last) - 1;
	memcpy(b->live, b->active, b->n_warps * sizeof *b->active);
	for (uint32_t w = 0; w < b->n_warps; w++)
		b->warps[w].n_meetings = b->warps[w].queue = b->warps[w].refused = 0;
	b->fuel = FUEL_MOST;
	b->progress = b->progress_seen = 0;
	b->computes = b->spins = false;
	b->openings = b->openings_seen = b->rounds = b->n_alone = 0;
	b->turns = BLOCK_LEAST_TURNS;
	b->waited = false;
	block_reset_barriers(b);
	for (uint32_t id = 0; id < CUDASIM_N_BARRIERS; id++)
		b->barriers[id].epoch = 0;
	memset(b->cluster_waiting, 0, sizeof b->cluster_waiting);
	memset(b->cluster_arrived, 0, sizeof b->cluster_arrived);
	b->forced = NULL;
	b->stepped = UINT32_MAX;
	b->left = NULL;
	b->rested = NULL;
	b->retries = false;
	b->moves = b->moves_seen = 0;
	b->n_vain = b->asleep = b->paused = 0;
	b->gave_way = false;
	if (b->left_bytes > MOST_FRAME_KEPT) {
		free(b->left_frame);
		b->left_frame = NULL;
		b->left_bytes = 0;
	}
	free(b->runtime);
	b->runtime = NULL;
	window_clear(&b->window);
}

struct thread_runtime *block_runtime(struct block *b, const struct thread *t)
{
	if (!b->runtime) {
		b->runtime = calloc(b->n_threads, sizeof *b->runtime);
		if (!b->runtime) {
			fputs("cudasim: out of memory for a block's device runtime\n", stderr);
			exit(1);
		}
	}
	return &b->runtime[t->pub.linear];
}

void block_restart(struct block *b)
{
	b->n_live = 1;
	b->active[0] = b->live[0] = b->active_warps = 1;
	b->fuel = FUEL_MOST;
	b->rounds = 0;
	b->computes = b->spins = false;
}

/* ---- choosing ------------------------------------------------------------ */

/* Put a thread that an observer holds aside. */
static void set_aside(struct block *b, uint32_t w, uint32_t lane)
{
	block_deactivate(b, w, 1u << lane);
	b->held[w] |= 1u << lane;
	b->held_warps |= 1u << w;
}

static uint32_t pick_warp(struct block *b)
{
	struct worker *worker = b->worker;
	/* Staying in the warp keeps its lanes close together, in time and cache. */
	if (worker->schedule.order != SCHEDULE_RANDOM && b->active[b->warp])
		return b->warp;
	return schedule_bit(worker->schedule.order, &worker->random, b->active_warps);
}

/* Lanes that met wait for those that have given way, but not for ever. */
static bool is_patient(const struct block *b, uint32_t w)
{
	return b->yielded[w] && b->met_rounds[w] < MEET_ROUNDS;
}

uint32_t block_settleable(const struct block *b)
{
	uint32_t warps = b->converging_warps | b->partial_warps;
	for (uint32_t rest = b->met_warps; rest; rest &= rest - 1) {
		uint32_t w = (uint32_t)__builtin_ctz(rest);
		if (!is_patient(b, w))
			warps |= 1u << w;
	}
	return warps & ~b->active_warps & ~b->kept_warps;
}

void block_release(struct block *b, uint32_t w, uint32_t lanes)
{
	lanes &= b->met[w];
	if (!lanes)
		return;
	b->met[w] &= ~lanes;
	if (!b->met[w])
		b->met_warps &= ~(1u << w);
	b->kept_warps &= ~(1u << w);
	b->met_rounds[w] = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		block_thread(b, w, (uint32_t)__builtin_ctz(rest))->state = THREAD_READY;
	block_activate(b, w, lanes);
	b->partial_warps |= (uint32_t)(b->warps[w].n_meetings != 0) << w;
	b->openings++;
}

/* Operations whose masks lack lanes go on. Lanes that their own mask lacks are refused when
 * nobody of the warp may still come to them. */
static bool settle_partial(struct block *b, uint32_t w)
{
	if (warp_settle_partial(b, w, false))
		return true;
	if (!(b->converging[w] | b->met[w] | b->yielded[w]))
		return warp_settle_partial(b, w, true);
	if (!b->converging[w])
		b->partial_warps &= ~(1u << w); /* until others have moved */
	return false;
}

/* Nobody of the warp is active: those go on that stand first, be it that they
 * converge or that they have met. */
static void settle(struct block *b, uint32_t w)
{
	if (b->partial_warps >> w & 1 && settle_partial(b, w))
		return;
	if (b->met[w] && !is_patient(b, w) &&
	    (!b->converging[w] || warp_stands_before(b, w, b->met[w], b->converging[w]))) {
		uint32_t lanes = observe_met(&b->pub, w, b->met[w]);
		block_release(b, w, lanes);
		if (!b->active[w])
			b->kept_warps |= 1u << w;
		return;
	}
	if (b->converging[w] && !(b->kept_warps >> w & 1))
		warp_resolve(b, w);
}

void block_end_post_barrier(struct block *b, uint32_t warps)
{
	for (uint32_t rest = warps & b->post_barrier_warps; rest; rest &= rest - 1) {
		uint32_t w = (uint32_t)__builtin_ctz(rest);
		block_activate(b, w, b->post_barrier[w]);
		b->post_barrier[w] = 0;
	}
	b->post_barrier_warps &= ~warps;
	b->openings++;
}

struct thread *block_pick(struct block *b)
{
	struct worker *worker = b->worker;
	for (;;) {
		if ((b->converging[b->warp] | b->met[b->warp] |
		     (b->partial_warps >> b->warp & 1)) &&
		    !b->active[b->warp] && !(b->kept_warps >> b->warp & 1))
			settle(b, b->warp);
		if (!b->active_warps) {
			uint32_t warps = block_settleable(b);
			if (warps)
				settle(b, (uint32_t)__builtin_ctz(warps));
			else if (b->post_barrier_warps)
				block_end_post_barrier(b, UINT32_MAX);
			else
				return NULL;
			continue;
		}
		uint32_t w = pick_warp(b);
		uint32_t lane = schedule_bit(worker->schedule.order, &worker->random, b->active[w]);
		struct thread *t = block_thread(b, w, lane);
		b->warp = w;
		if (__builtin_expect(!atomic_load_explicit(&t->holds, memory_order_relaxed), 1))
			return t;
		set_aside(b, w, lane);
	}
}

/* Did the round do nothing but spin? Computing, and barriers and warp operations
 * that open, count as that, too, after a while: it may be a loop that waits and
 * counts its turns, or that waits with a vote. Counted in rounds, not in time,
 * so that a repeatable run stays one. */
static bool only_spun(struct block *b)
{
	bool worked = b->computes || b->openings != b->openings_seen;
	b->openings_seen = b->openings;
	if (b->progress != b->progress_seen) {
		b->progress_seen = b->progress;
		b->rounds = 0;
		return false;
	}
	return !worked || ++b->rounds > PATIENCE;
}

void block_round(struct block *b)
{
	/* Where threads meet in the loop, each turn is a switch anyway: few turns are enough. */
	bool meets = b->openings != b->openings_seen;
	b->spins = only_spun(b);
	int32_t least = meets || b->worker->fruitless < FRUITLESS ? FUEL_LEAST : 0;
	if (!meets && !b->spins)
		b->fuel = FUEL_MOST;
	else if ((meets || !b->computes) && b->fuel > least)
		b->fuel /= 2;
	b->computes = false;
	for (uint32_t rest = b->yielded_warps; rest; rest &= rest - 1) {
		uint32_t w = (uint32_t)__builtin_ctz(rest);
		block_activate(b, w, b->yielded[w]);
		b->yielded[w] = 0;
		b->partial_warps |= (uint32_t)(b->warps[w].n_meetings != 0) << w;
		if (b->met[w] && b->met_rounds[w] < MEET_ROUNDS)
			b->met_rounds[w]++;
	}
	b->yielded_warps = 0;
}

bool block_unhold(struct block *b)
{
	bool any = false;
	for (uint32_t w = 0; w < b->n_warps; w++)
		for (uint32_t rest = b->held[w]; rest; rest &= rest - 1) {
			uint32_t lane = (uint32_t)__builtin_ctz(rest);
			if (atomic_load(&block_thread(b, w, lane)->holds))
				continue;
			b->held[w] &= ~(1u << lane);
			if (!b->held[w])
				b->held_warps &= ~(1u << w);
			block_activate(b, w, 1u << lane);
			any = true;
		}
	return any;
}

void block_exit_slowly(struct thread *t)
{
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp;
	if (b->warps[w].n_meetings)
		warp_exit(b, w);
	if (b->pending_barriers)
		barrier_exit(b, w, t->pub.lane);
	if (b->cluster->n_arrived)
		cluster_exit(t);
}

void block_check(const struct block *b)
{
	uint32_t n_live = 0;
	for (uint32_t w = 0; w < b->n_warps; w++) {
		uint32_t a = b->active[w], y = b->yielded[w], h = b->held[w], c = b->converging[w];
		uint32_t m = b->met[w], l = b->post_barrier[w];
		assert(!(a & y) && !(a & h) && !(a & c) && !(y & h) && !(y & c) && !(h & c));
		assert(!(m & (a | y | h | c)) && (m != 0) == (b->met_warps >> w & 1));
		assert(!(l & (a | y | h | c | m)) && (l != 0) == (b->post_barrier_warps >> w & 1));
		assert(!((a | y | h | c | m | l) & ~b->live[w]));
		assert((a != 0) == (b->active_warps >> w & 1));
		assert((y != 0) == (b->yielded_warps >> w & 1));
		assert((h != 0) == (b->held_warps >> w & 1));
		assert((c != 0) == (b->converging_warps >> w & 1));
		assert(!(b->partial_warps >> w & 1) || b->warps[w].n_meetings);
		n_live += (uint32_t)__builtin_popcount(b->live[w]);
	}
	assert(n_live == b->n_live);
	for (uint32_t rest = b->pending_barriers; rest; rest &= rest - 1) {
		const struct barrier *bar = &b->barriers[__builtin_ctz(rest)];
		assert(bar->n_arrived < barrier_expected(b, bar) || !b->n_live);
	}
}
