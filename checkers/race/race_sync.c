/* SPDX-License-Identifier: Apache-2.0 */
/* race_sync.c - order that goes through memory: releases and acquires.
 *
 * What is understood (PTX ISA, "Release and Acquire Patterns"): a release is an
 * atomic or volatile write with release order, or after a fence; an acquire is a
 * strong read of the same location. Scopes count: a release of block scope is for
 * its block only. Where the model asks for a fence behind the read too, one is asked
 * for after a compare-and-swap (which takes a lock); a flag, counter or ticket that
 * is only looked at may go without, as in CUDA's own examples.
 * What was released is kept in logs (race_log.h). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "race_log.h"

_Atomic bool race_sync_active;

/* ---- threads -------------------------------------------------------------- */

static struct race_thread *thread_of(struct race_block *b, const struct cudasim_thread *thread)
{
	if (!b->threads)
		b->threads = must(calloc(b->n_threads, sizeof *b->threads));
	return &b->threads[thread->linear];
}

/* Later accesses of the warp are told from those up to now. */
static void renew(struct race_warp *w)
{
	if (w->segment) {
		w->segment = 0;
		w->sequence++;
	}
}

void race_sync_learn(struct race_block *b, struct race_thread *t, struct sync_log *log,
		     uint32_t length, uint32_t joined, bool block_only)
{
	uint32_t before = t->known.n;
	race_known_add(&t->known, log, length, joined, block_only);
	b->n_known += !before && t->known.n;
}

static void acquire(struct race_block *b, struct race_thread *t, uint64_t location,
		    enum race_scope scope)
{
	struct sync_log *log = race_log_at(location, false);
	if (!log)
		return;
	pthread_mutex_lock(&log->lock);
	uint32_t length = log->n, n_done = log->lock_of.n_done;
	pthread_mutex_unlock(&log->lock);
	race_sync_learn(b, t, log, length, n_done, scope == RACE_BLOCK);
}

/* One that the thread may have taken: the oldest is forgotten for it, where there are
 * RACE_MAX_TAKEN. */
static struct race_taken *add_taken(struct race_block *b, struct race_thread *t, uint64_t location)
{
	int i = 0;
	while (i < t->n_taken && t->taken[i].location != location)
		i++;
	if (i == RACE_MAX_TAKEN) {
		/* Who holds it is never known again: it goes on as any location. */
		race_lock_share(b, t);
		if (t->taken[0].log)
			t->n_held--, b->n_held--;
		memmove(&t->taken[0], &t->taken[1], (RACE_MAX_TAKEN - 1) * sizeof t->taken[0]);
		i = --t->n_taken;
	}
	if (i == t->n_taken)
		t->n_taken++;
	t->taken[i] = (struct race_taken){.location = location};
	return &t->taken[i];
}

/* What the thread read is known by now. */
static void settle_pending(struct race_block *b, struct race_thread *t,
			   struct cudasim_thread *thread)
{
	uint64_t location = t->pending;
	t->pending = 0;
	if (t->pending_takes && race_lock_value(location, t->pending_size) != t->pending_before) {
		struct race_taken *taken = add_taken(b, t, location);
		taken->size = t->pending_size;
		taken->before = t->pending_before;
		taken->fenced = RACE_DEVICE; /* it acquires without */
		renew(&b->warps[thread->warp]);
		taken->sequence = b->warps[thread->warp].sequence;
		if (race_lock_take(b, thread, taken, t->pending_scope))
			return;
		*taken = t->taken[--t->n_taken];
	}
	acquire(b, t, location, t->pending_scope);
}

void race_sync_settle(struct race_block *b, struct cudasim_thread *thread)
{
	struct race_thread *t = &b->threads[thread->linear];
	if (t->released.lock.log)
		race_lock_settle(b, t);
	if (t->pending)
		settle_pending(b, t, thread);
	if (!t->n_doubts)
		return;
	/* A lock has the value again that it had when it was free. */
	if (race_lock_value(t->doubted, t->doubted_size) == t->before)
		for (uint32_t i = 0; i < t->n_doubts; i++) {
			struct sync_log *log = t->doubt[i].log;
			pthread_mutex_lock(&log->lock);
			log->entries[t->doubt[i].entry].value = t->doubt[i].sequence;
			pthread_mutex_unlock(&log->lock);
		}
	t->n_doubts = 0;
}

static const struct race_taken *taken_at(const struct race_thread *t, uint64_t location)
{
	for (int i = 0; i < t->n_taken; i++)
		if (t->taken[i].location == location)
			return &t->taken[i];
	return NULL;
}

/* A release, and what is particular to it. */
struct released {
	uint64_t location;
	enum race_scope scope;
	bool now;         /* with release order: what is done so far, fenced or not */
	uint32_t section; /* race_lock_section()'s */
	uint32_t from;    /* where it begins */
};

/* What a release of scope makes known: the thread's own accesses with sequence numbers
 * below `sequence`, its warp's below known_all, its block's of epochs below `epoch`, and
 * all it knows. */
static void release(struct race_block *b, struct race_thread *t, struct cudasim_thread *thread,
		    struct sync_log *log, const struct race_fence *what,
		    const struct race_log_entry *how, uint32_t limit)
{
	pthread_mutex_lock(&log->lock);
	uint64_t own = race_log_key(RACE_LOG_THREAD, b->id, thread->warp, thread->lane);
	if (race_log_append(log, own, what->sequence, how) && limit) {
		t->doubt[t->n_doubts].log = log;
		t->doubt[t->n_doubts].entry = log->n - 1;
		t->doubt[t->n_doubts++].sequence = limit;
	}
	race_log_append(log, race_log_key(RACE_LOG_WARP, b->id, thread->warp, 0), what->known_all,
			how);
	race_log_append(log, race_log_key(RACE_LOG_BLOCK, b->id, 0, 0), what->epoch, how);
	race_log_append_known(log, &t->known, how);
	race_log_append_known(log, &b->known, how);
	pthread_mutex_unlock(&log->lock);
}

static void release_if_fenced(struct race_me *me, struct race_thread *t, const struct released *r)
{
	struct race_block *b = me->block;
	const struct race_taken *taken = taken_at(t, r->location);
	struct sync_log *log = NULL;
	/* Wide first: what a narrow fence adds is for the block only. */
	for (int i = 1; i >= 0; i--) {
		struct race_fence what = t->fence[i];
		enum race_scope as = i && r->scope != RACE_BLOCK ? RACE_DEVICE : RACE_BLOCK;
		if (r->now)
			what = (struct race_fence){me->warp->sequence + 1, b->epoch,
						   me->warp->known_all};
		else if (i && what.sequence && what.epoch < b->released)
			what.epoch = b->released;
		/* An atomic that all who wrote had fenced for, before a barrier. */
		else if (i && !what.sequence && b->released)
			what = (struct race_fence){0, b->released, 0};
		if (!what.sequence && !what.epoch)
			continue;
		/* A lock that was taken without a fence as wide does not keep in what was
		 * done under it: that may move up before the lock. Whether it is a lock,
		 * the value will tell. */
		bool doubt = taken && taken->used && what.sequence > taken->sequence &&
			     taken->fenced < as && t->n_doubts < 2;
		if (!log)
			log = race_log_at(r->location, true);
		if (doubt) {
			t->doubted = r->location;
			t->doubted_size = taken->size;
			t->before = taken->before;
		}
		struct race_log_entry how = {
			.by = b->id,
			.block_only = as == RACE_BLOCK,
			.section = r->section,
			.from = r->from,
		};
		release(b, t, me->thread, log, &what, &how, doubt ? taken->sequence : 0);
		if (r->now)
			break;
	}
}

/* What of the location the thread holds, if nobody else has changed it since. */
static struct race_taken *own_of(struct race_block *b, struct race_thread *t, uint64_t location)
{
	struct race_taken *held = race_lock_held(t, location);
	if (held && !race_lock_untouched(held)) {
		race_lock_give_up(b, t, held);
		held = NULL;
	}
	return held;
}

/* A strong read: it acquires at the next event, or at the next fence. */
static void read_strongly(struct race_block *b, struct race_thread *t,
			  const struct cudasim_access *access, enum race_scope scope, bool acquires,
			  bool takes, uint64_t before)
{
	uint64_t location = (uint64_t)(uintptr_t)access->address;
	if (access->op != CUDASIM_ATOMIC_CAS || acquires) {
		t->pending = location;
		t->pending_scope = scope;
		t->pending_takes = takes;
		t->pending_before = before;
		t->pending_size = (uint8_t)access->size;
		return;
	}
	struct race_taken *taken = add_taken(b, t, location);
	taken->scope = (uint8_t)scope;
	taken->size = (uint8_t)access->size;
	taken->before = before;
}

void race_sync_strong(struct race_me *me, bool reads, bool writes)
{
	struct race_block *b = me->block;
	uint64_t location = (uint64_t)(uintptr_t)me->access->address;
	enum cudasim_order order = me->access->order;
	struct released r = {
		.location = location,
		.scope = me->record.scope ? me->record.scope : RACE_DEVICE,
		.now = writes && (order == CUDASIM_ORDER_RELEASE ||
				  order == CUDASIM_ORDER_ACQ_REL || order == CUDASIM_ORDER_SEQ_CST),
		.from = UINT32_MAX,
	};
	bool acquires = order == CUDASIM_ORDER_ACQUIRE || order == CUDASIM_ORDER_ACQ_REL ||
			order == CUDASIM_ORDER_SEQ_CST;
	bool fenced = b->threads && (b->threads[me->thread->linear].fence[0].sequence ||
				     b->threads[me->thread->linear].fence[1].sequence);
	struct race_taken *held = b->n_held && writes
					  ? own_of(b, &b->threads[me->thread->linear], location)
					  : NULL;
	bool takes = reads && writes && !held && race_sync_takes(me->access);
	uint64_t before = takes ? race_lock_value(location, (uint8_t)me->access->size) : 0;
	uint32_t first = 0;
	if (held || takes)
		r.section = race_lock_section(location, held, takes, before, &first);
	if (held)
		r.from = held->from;
	/* Who is told in shared memory may help with what is done under a lock. */
	if (writes && b->n_held && !held && me->access->space == CUDASIM_SPACE_SHARED)
		race_lock_share(b, &b->threads[me->thread->linear]);
	if (writes && (r.now || fenced || b->released)) {
		struct race_thread *t = thread_of(b, me->thread);
		atomic_store_explicit(&race_sync_active, true, memory_order_relaxed);
		release_if_fenced(me, t, &r);
		if (r.now)
			renew(me->warp);
		for (int i = 0; i < t->n_taken; i++)
			if (t->taken[i].location == location && !t->taken[i].log &&
			    me->access->op != CUDASIM_ATOMIC_CAS)
				t->taken[i--] = t->taken[--t->n_taken];
	}
	/* Who releases a lock reads what it has written itself. */
	if (held)
		race_lock_drop(b, &b->threads[me->thread->linear], held, first);
	else if (reads && (takes || acquires ||
			   atomic_load_explicit(&race_sync_active, memory_order_relaxed)))
		read_strongly(b, thread_of(b, me->thread), me->access, r.scope, acquires, takes,
			      before);
}

/* A plain access under a lock just taken begins a segment of its own. */
void race_sync_plain(struct race_me *me)
{
	struct race_thread *t = &me->block->threads[me->thread->linear];
	bool fresh = false;
	for (int i = 0; i < t->n_taken; i++)
		if (!t->taken[i].used) {
			if (!fresh)
				renew(me->warp);
			fresh = true;
			t->taken[i].used = true;
			t->taken[i].sequence = me->warp->sequence;
		}
	if (fresh)
		me->record.segment = race_segment_now(me->block, me->thread->warp);
}

void race_sync_fence(struct race_block *b, struct cudasim_thread *thread,
		     const struct cudasim_fence *fence)
{
	struct race_thread *t = thread_of(b, thread);
	struct race_warp *w = &b->warps[thread->warp];
	enum race_scope scope = fence->scope >= CUDASIM_SCOPE_DEVICE    ? RACE_DEVICE
				: fence->scope == CUDASIM_SCOPE_CLUSTER ? RACE_CLUSTER
									: RACE_BLOCK;
	renew(w);
	struct race_fence now = {w->sequence, b->epoch, w->known_all};
	atomic_store_explicit(&race_sync_active, true, memory_order_relaxed);
	t->fence[0] = now;
	if (scope != RACE_BLOCK) {
		t->fence[1] = now;
		b->dirty[thread->linear] = 0;
		b->fenced = true;
	}
	for (int i = 0; i < t->n_taken; i++) {
		struct race_taken *taken = &t->taken[i];
		enum race_scope as = scope < taken->scope ? scope : taken->scope;
		if (!race_lock_take(b, thread, taken, as))
			acquire(b, t, taken->location, as == RACE_BLOCK ? RACE_BLOCK : RACE_DEVICE);
		if (!taken->used && scope > taken->fenced)
			taken->fenced = scope == RACE_CLUSTER ? RACE_DEVICE : scope;
	}
}

/* ---- barriers and warps --------------------------------------------------- */

void race_sync_barrier(struct race_block *b)
{
	race_lock_share_all(b);
	if (b->n_known) {
		for (uint32_t i = 0; i < b->n_threads; i++) {
			struct race_thread *t = &b->threads[i];
			if (!t->known.n)
				continue;
			race_known_join(&b->known, &t->known);
			race_known_forget(&t->known);
		}
		b->n_known = 0;
	}
	if (b->fenced && !memchr(b->dirty, 1, b->n_threads))
		b->released = b->epoch + 1;
	b->fenced = false;
	b->epoch++;
	b->epoch_first = race_segment_own_next(b);
	for (uint32_t i = 0; i < b->n_warps; i++)
		renew(&b->warps[i]);
}

void race_sync_arrive(struct race_block *b, const struct cudasim_thread *thread, uint32_t id,
		      bool waits)
{
	struct race_warp *w = &b->warps[thread->warp];
	if (!b->arrived)
		b->arrived = must(calloc(16, sizeof *b->arrived));
	renew(w);
	b->arrived[id][thread->linear] = w->sequence * 2 + waits;
}

/* Threads of a block that met at a barrier for some of its threads. */
void race_sync_named(struct race_block *b, uint32_t id)
{
	uint32_t *arrived = b->arrived[id];
	if (!b->named[id])
		b->named[id] = race_log_barrier();
	struct sync_log *log = b->named[id];
	struct race_log_entry how = {.by = b->id, .block_only = true};
	if (!b->threads)
		b->threads = must(calloc(b->n_threads, sizeof *b->threads));
	for (uint32_t i = 0; i < b->n_warps; i++)
		renew(&b->warps[i]);
	race_log_append(log, race_log_key(RACE_LOG_BLOCK, b->id, 0, 0), b->epoch, &how);
	race_log_append_known(log, &b->known, &how);
	for (uint32_t i = 0; i < b->n_threads; i++) {
		if (!arrived[i])
			continue;
		race_lock_share(b, &b->threads[i]);
		race_log_append(log, race_log_key(RACE_LOG_THREAD, b->id, i / 32, i % 32),
				arrived[i] / 2, &how);
		race_log_append_known(log, &b->threads[i].known, &how);
	}
	for (uint32_t i = 0; i < b->n_threads; i++)
		if (arrived[i] & 1)
			race_sync_learn(b, &b->threads[i], log, log->n, 0, false);
	memset(arrived, 0, sizeof b->arrived[0]);
}

void race_sync_cluster(struct race_block *const *blocks, uint32_t n)
{
	struct sync_log *log = race_log_barrier();
	for (uint32_t i = 0; i < n; i++) {
		struct race_log_entry how = {.by = blocks[i]->id};
		race_sync_barrier(blocks[i]);
		race_log_append(log, race_log_key(RACE_LOG_BLOCK, blocks[i]->id, 0, 0),
				blocks[i]->epoch, &how);
		race_log_append_known(log, &blocks[i]->known, &how);
	}
	for (uint32_t i = 0; i < n; i++)
		race_known_add(&blocks[i]->known, log, log->n, 0, false);
	race_log_bury(log);
}

void race_sync_warp(struct race_block *b, uint32_t warp, uint32_t mask)
{
	struct race_warp *w = &b->warps[warp];
	uint32_t n = b->n_threads - warp * 32, lanes = n < 32 ? (1u << n) - 1 : UINT32_MAX;
	renew(w);
	uint32_t at = w->sequence; /* numbers below are before this */
	/* Whoever has ended did not come: what it wrote is ordered with nobody. */
	if (!(lanes & ~mask)) {
		w->known_all = at;
	} else {
		if (!w->known)
			w->known = must(calloc(32, sizeof *w->known));
		for (uint32_t who = 0; who < 32; who++) {
			uint32_t most = mask >> who & 1 ? at : 0;
			for (uint32_t of = 0; of < 32; of++)
				if (mask >> of & 1 && w->known[of][who] > most)
					most = w->known[of][who];
			for (uint32_t of = 0; of < 32; of++)
				if (mask >> of & 1)
					w->known[of][who] = most;
		}
	}
	if (!b->n_known)
		return;
	struct race_known all = {0};
	for (uint32_t lane = 0; b->n_held && lane < 32; lane++)
		if (mask >> lane & 1 && warp * 32 + lane < b->n_threads)
			race_lock_share(b, &b->threads[warp * 32 + lane]);
	for (uint32_t lane = 0; lane < 32; lane++)
		if (mask >> lane & 1 && warp * 32 + lane < b->n_threads)
			race_known_join(&all, &b->threads[warp * 32 + lane].known);
	for (uint32_t lane = 0; lane < 32; lane++)
		if (mask >> lane & 1 && warp * 32 + lane < b->n_threads)
			for (uint32_t i = 0; i < all.n; i++)
				race_sync_learn(b, &b->threads[warp * 32 + lane], all.items[i].log,
						all.items[i].length, all.items[i].joined,
						all.items[i].block_only);
	race_known_forget(&all);
}

void race_sync_block_end(struct race_block *b)
{
	for (int i = 0; i < 16; i++)
		if (b->named[i])
			race_log_bury(b->named[i]);
	for (uint32_t i = 0; b->threads && i < b->n_threads; i++)
		race_known_forget(&b->threads[i].known);
	for (uint32_t i = 0; i < b->n_warps; i++)
		free(b->warps[i].known);
	race_known_forget(&b->known);
	free(b->threads);
}
