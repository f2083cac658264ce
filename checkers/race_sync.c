/* SPDX-License-Identifier: Apache-2.0 */
/* race_sync.c - order that goes through memory: releases and acquires.
 *
 * What is understood (PTX ISA, "Release and Acquire Patterns"): a release is an
 * atomic or volatile write with release order, or after a fence; an acquire is a
 * strong read of the same location. Scopes count: a release of block scope is for
 * its block only. Where the model asks for a fence behind the read too, one is asked
 * for after a compare-and-swap (which takes a lock); a flag, counter or ticket that
 * is only looked at may go without, as in CUDA's own examples.
 *
 * Each location that was ever released to has a log. A release appends what the
 * releasing thread's accesses so far are known by; an acquire notes the log and its
 * length, in constant time; only when two accesses seem to conflict are the logs
 * that a thread knows searched. Logs' entries refer to other logs where the
 * releasing thread had acquired from those. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/race.h"

/* What an entry speaks of, in the highest bits of its key. */
enum entry_kind {
	THREAD, /* sequence numbers below value, of one lane */
	WARP,   /* ... of all lanes of a warp */
	BLOCK,  /* epochs below value, of a block */
	LOG,    /* the first value entries of another log */
};

struct entry {
	uint64_t key;
	uint32_t value;
	uint32_t next;    /* the entry of the same key before this one, or NONE */
	uint32_t by;      /* block that released: for those of block scope */
	bool block_only;
};
#define NONE UINT32_MAX

struct sync_log {
	uint64_t location; /* 0: of a barrier */
	pthread_mutex_t lock;
	struct entry *entries;
	uint32_t n, max;
	/* From keys to their last entries: open addressing, indices into entries. */
	uint32_t *slots, n_slots;
	uint32_t n_keys;
	struct sync_log *next; /* in its bucket, or in the list of dead ones */
};

enum { N_BUCKETS = 4096, MAX_KNOWN = 4096, MAX_DEPTH = 32, MAX_VISITS = 256 };

static struct bucket {
	pthread_mutex_t lock;
	struct sync_log *first;
} buckets[N_BUCKETS];
static _Atomic uint32_t n_logs;
_Atomic bool race_sync_active;
static pthread_mutex_t dead_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sync_log *dead; /* of barriers whose blocks have ended: others may refer to them */

static void *must(void *p)
{
	if (!p)
		race_out_of_memory();
	return p;
}

/* ---- logs ----------------------------------------------------------------- */

static uint64_t key_of(enum entry_kind kind, uint32_t block, uint32_t warp, uint32_t lane)
{
	return (uint64_t)kind << 62 | (uint64_t)block << 16 | warp << 5 | lane;
}

static uint64_t key_of_log(const struct sync_log *log)
{
	return (uint64_t)LOG << 62 | (uint64_t)(uintptr_t)log;
}

static uint64_t mix(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static struct sync_log *log_new(uint64_t location)
{
	struct sync_log *log = must(calloc(1, sizeof *log));
	log->location = location;
	pthread_mutex_init(&log->lock, NULL);
	return log;
}

static struct sync_log *log_at(uint64_t location, bool make)
{
	if (!make && !atomic_load_explicit(&n_logs, memory_order_relaxed))
		return NULL;
	struct bucket *bucket = &buckets[mix(location) >> 20 & (N_BUCKETS - 1)];
	pthread_mutex_lock(&bucket->lock);
	struct sync_log *log = bucket->first;
	while (log && log->location != location)
		log = log->next;
	if (!log && make) {
		log = log_new(location);
		log->next = bucket->first;
		bucket->first = log;
		atomic_fetch_add(&n_logs, 1);
	}
	pthread_mutex_unlock(&bucket->lock);
	return log;
}

static uint32_t *slot_of(const struct sync_log *log, uint64_t key)
{
	uint32_t i = (uint32_t)mix(key) & (log->n_slots - 1);
	while (log->slots[i] != NONE && log->entries[log->slots[i]].key != key)
		i = (i + 1) & (log->n_slots - 1);
	return &log->slots[i];
}

static void grow(struct sync_log *log)
{
	uint32_t n = log->n_slots ? log->n_slots * 2 : 16;
	uint32_t *old = log->slots;
	uint32_t n_old = log->n_slots;
	log->slots = must(malloc(n * sizeof *log->slots));
	memset(log->slots, 0xff, n * sizeof *log->slots);
	log->n_slots = n;
	for (uint32_t i = 0; i < n_old; i++)
		if (old[i] != NONE)
			*slot_of(log, log->entries[old[i]].key) = old[i];
	free(old);
}

/* With the log's lock. False where that was known already. */
static bool append(struct sync_log *log, uint64_t key, uint32_t value, const struct entry *how)
{
	if (!value)
		return false;
	if (log->n_keys * 2 >= log->n_slots)
		grow(log);
	uint32_t *slot = slot_of(log, key);
	if (*slot != NONE) {
		const struct entry *last = &log->entries[*slot];
		if (last->value >= value && last->block_only == how->block_only &&
		    last->by == how->by)
			return false;
	} else {
		log->n_keys++;
	}
	if (log->n == log->max) {
		log->max = log->max ? log->max * 2 : 8;
		log->entries = must(realloc(log->entries, log->max * sizeof *log->entries));
	}
	log->entries[log->n] = *how;
	log->entries[log->n].key = key;
	log->entries[log->n].value = value;
	log->entries[log->n].next = *slot;
	*slot = log->n++;
	return true;
}

static void log_free(struct sync_log *log)
{
	pthread_mutex_destroy(&log->lock);
	free(log->entries);
	free(log->slots);
	free(log);
}

void race_sync_start(void)
{
	for (int i = 0; i < N_BUCKETS; i++)
		pthread_mutex_init(&buckets[i].lock, NULL);
}

void race_sync_reset(void)
{
	for (int i = 0; i < N_BUCKETS; i++)
		while (buckets[i].first) {
			struct sync_log *log = buckets[i].first;
			buckets[i].first = log->next;
			log_free(log);
		}
	while (dead) {
		struct sync_log *log = dead;
		dead = log->next;
		log_free(log);
	}
	atomic_store(&n_logs, 0);
}

/* ---- what is known -------------------------------------------------------- */

static void know(struct race_known *known, struct sync_log *log, uint32_t length, bool block_only)
{
	if (!length)
		return;
	for (uint32_t i = 0; i < known->n; i++)
		if (known->items[i].log == log && known->items[i].block_only == block_only) {
			if (known->items[i].length < length)
				known->items[i].length = length;
			return;
		}
	if (known->n == known->max) {
		known->max = known->max ? known->max * 2 : 4;
		known->items = must(realloc(known->items, known->max * sizeof *known->items));
	}
	known->items[known->n].log = log;
	known->items[known->n].length = length;
	known->items[known->n++].block_only = block_only;
}

static void join(struct race_known *to, const struct race_known *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		know(to, from->items[i].log, from->items[i].length, from->items[i].block_only);
}

static void forget(struct race_known *known)
{
	free(known->items);
	*known = (struct race_known){0};
}

struct search {
	uint32_t block, warp, lane, sequence, epoch;
	uint32_t asker; /* block */
	uint32_t visits;
	struct { const struct sync_log *log; uint32_t length; } seen[MAX_VISITS];
};

static bool covers(const struct search *s, const struct entry *e)
{
	switch ((enum entry_kind)(e->key >> 62)) {
	case THREAD:
	case WARP:
		return s->sequence < e->value;
	case BLOCK:
		return s->epoch < e->value;
	default:
		return false;
	}
}

/* The entry of a key among the first `length` that the asker may count on. */
static bool look(const struct sync_log *log, uint64_t key, uint32_t length, bool block_only,
		 const struct search *s)
{
	if (!log->n_slots)
		return false;
	for (uint32_t i = *slot_of(log, key), n = 0; i != NONE && n < 64; i = log->entries[i].next) {
		const struct entry *e = &log->entries[i];
		if (i >= length)
			continue;
		n++;
		if (((e->block_only || block_only) && e->by != s->asker) || !covers(s, e))
			continue;
		return true;
	}
	return false;
}

static bool search(struct search *s, struct sync_log *log, uint32_t length, bool block_only,
		   unsigned depth)
{
	for (uint32_t i = 0; i < s->visits; i++)
		if (s->seen[i].log == log && s->seen[i].length >= length)
			return false;
	if (depth == MAX_DEPTH || s->visits == MAX_VISITS)
		return true; /* too long a chain to follow: no alarm */
	s->seen[s->visits].log = log;
	s->seen[s->visits++].length = length;

	pthread_mutex_lock(&log->lock);
	bool found = look(log, key_of(BLOCK, s->block, 0, 0), length, block_only, s) ||
		     look(log, key_of(WARP, s->block, s->warp, 0), length, block_only, s) ||
		     look(log, key_of(THREAD, s->block, s->warp, s->lane), length, block_only, s);
	struct { struct sync_log *log; uint32_t length; bool block_only; } more[64];
	uint32_t n = 0;
	for (uint32_t i = 0; !found && i < log->n_slots && n < 64; i++) {
		uint32_t j = log->slots[i];
		if (j == NONE || log->entries[j].key >> 62 != LOG)
			continue;
		while (j != NONE && (j >= length || ((log->entries[j].block_only || block_only) &&
						      log->entries[j].by != s->asker)))
			j = log->entries[j].next;
		if (j == NONE)
			continue;
		more[n].log = (struct sync_log *)(uintptr_t)(log->entries[j].key &
							      ((UINT64_C(1) << 62) - 1));
		more[n].length = log->entries[j].value;
		more[n++].block_only = false;
	}
	pthread_mutex_unlock(&log->lock);
	for (uint32_t i = 0; !found && i < n; i++)
		found = search(s, more[i].log, more[i].length, more[i].block_only, depth + 1);
	return found;
}

static bool search_known(struct search *s, const struct race_known *known)
{
	for (uint32_t i = 0; i < known->n; i++)
		if (search(s, known->items[i].log, known->items[i].length,
			   known->items[i].block_only, 0))
			return true;
	return false;
}

bool race_sync_knows(const struct race_me *me, uint32_t segment, uint32_t lane)
{
	struct race_block *b = me->block;
	const struct race_thread *t = b->threads ? &b->threads[me->thread->linear] : NULL;
	if (!b->known.n && (!t || !t->known.n))
		return false;
	const struct race_segment *of = race_segment(segment);
	struct search s;
	s.block = of->block;
	s.warp = of->warp;
	s.lane = lane;
	s.sequence = of->sequence;
	s.epoch = of->epoch;
	s.asker = b->id;
	s.visits = 0;
	return (t && search_known(&s, &t->known)) || search_known(&s, &b->known);
}

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

static void thread_knows(struct race_block *b, struct race_thread *t, struct sync_log *log,
			 uint32_t length, bool block_only)
{
	uint32_t before = t->known.n;
	know(&t->known, log, length, block_only);
	b->n_known += !before && t->known.n;
}

static void acquire(struct race_block *b, struct race_thread *t, uint64_t location,
		    enum race_scope scope)
{
	struct sync_log *log = log_at(location, false);
	if (!log)
		return;
	pthread_mutex_lock(&log->lock);
	uint32_t length = log->n;
	pthread_mutex_unlock(&log->lock);
	thread_knows(b, t, log, length, scope == RACE_BLOCK);
}

void race_sync_settle(struct race_block *b, struct cudasim_thread *thread)
{
	struct race_thread *t = &b->threads[thread->linear];
	if (t->pending) {
		acquire(b, t, t->pending, t->pending_scope);
		t->pending = 0;
	}
	if (!t->n_doubts)
		return;
	/* A lock has the value again that it had when it was free. */
	uint32_t value = 0;
	if (cudasim_memory_read((const void *)(uintptr_t)t->doubted, &value, sizeof value) ==
	    sizeof value && value == t->before)
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

static void append_known(struct sync_log *log, const struct race_known *known,
			 const struct entry *how)
{
	for (uint32_t i = 0; i < known->n; i++)
		if (known->items[i].log != log)
			append(log, key_of_log(known->items[i].log), known->items[i].length, how);
}

/* What a release of scope makes known: the thread's own accesses with sequence numbers
 * below `sequence`, its warp's below known_all, its block's of epochs below `epoch`, and
 * all it knows. */
static void release(struct race_block *b, struct race_thread *t, struct cudasim_thread *thread,
		    struct sync_log *log, const struct race_fence *what, enum race_scope scope,
		    uint32_t limit)
{
	struct entry how = {.by = b->id, .block_only = scope == RACE_BLOCK};
	pthread_mutex_lock(&log->lock);
	if (append(log, key_of(THREAD, b->id, thread->warp, thread->lane), what->sequence, &how) &&
	    limit) {
		t->doubt[t->n_doubts].log = log;
		t->doubt[t->n_doubts].entry = log->n - 1;
		t->doubt[t->n_doubts++].sequence = limit;
	}
	append(log, key_of(WARP, b->id, thread->warp, 0), what->known_all, &how);
	append(log, key_of(BLOCK, b->id, 0, 0), what->epoch, &how);
	append_known(log, &t->known, &how);
	append_known(log, &b->known, &how);
	pthread_mutex_unlock(&log->lock);
}

static void release_if_fenced(struct race_me *me, struct race_thread *t, uint64_t location,
			      enum race_scope scope, bool now)
{
	struct race_block *b = me->block;
	const struct race_taken *taken = taken_at(t, location);
	struct sync_log *log = NULL;
	/* Wide first: what a narrow fence adds is for the block only. */
	for (int i = 1; i >= 0; i--) {
		struct race_fence what = t->fence[i];
		enum race_scope as = i && scope != RACE_BLOCK ? RACE_DEVICE : RACE_BLOCK;
		if (now)
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
			log = log_at(location, true);
		if (doubt) {
			t->doubted = location;
			t->before = taken->before;
		}
		release(b, t, me->thread, log, &what, as, doubt ? taken->sequence : 0);
		if (now)
			break;
	}
}

void race_sync_strong(struct race_me *me, bool reads, bool writes)
{
	struct race_block *b = me->block;
	uint64_t location = (uint64_t)(uintptr_t)me->access->address;
	enum cudasim_order order = me->access->order;
	enum race_scope scope = me->record.scope ? me->record.scope : RACE_DEVICE;
	bool releases = writes && (order == CUDASIM_ORDER_RELEASE ||
				   order == CUDASIM_ORDER_ACQ_REL || order == CUDASIM_ORDER_SEQ_CST);
	bool acquires = order == CUDASIM_ORDER_ACQUIRE || order == CUDASIM_ORDER_ACQ_REL ||
			order == CUDASIM_ORDER_SEQ_CST;
	bool fenced = b->threads && (b->threads[me->thread->linear].fence[0].sequence ||
				     b->threads[me->thread->linear].fence[1].sequence);
	if (writes && (releases || fenced || b->released)) {
		struct race_thread *t = thread_of(b, me->thread);
		atomic_store_explicit(&race_sync_active, true, memory_order_relaxed);
		release_if_fenced(me, t, location, scope, releases);
		if (releases)
			renew(me->warp);
		for (int i = 0; i < t->n_taken; i++)
			if (t->taken[i].location == location && me->access->op != CUDASIM_ATOMIC_CAS)
				t->taken[i--] = t->taken[--t->n_taken];
	}
	if (!reads)
		return;
	if (me->access->op != CUDASIM_ATOMIC_CAS || acquires) {
		if (!atomic_load_explicit(&race_sync_active, memory_order_relaxed))
			return;
		struct race_thread *t = thread_of(b, me->thread);
		t->pending = location;
		t->pending_scope = scope;
		return;
	}
	struct race_thread *t = thread_of(b, me->thread);
	int i = 0;
	while (i < t->n_taken && t->taken[i].location != location)
		i++;
	if (i == RACE_MAX_TAKEN) {
		memmove(&t->taken[0], &t->taken[1], (RACE_MAX_TAKEN - 1) * sizeof t->taken[0]);
		i = --t->n_taken;
	}
	if (i == t->n_taken)
		t->n_taken++;
	t->taken[i] = (struct race_taken){
		.location = location, .scope = (uint8_t)scope,
		.before = *(const volatile uint32_t *)me->access->address,
	};
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
	enum race_scope scope = fence->scope >= CUDASIM_SCOPE_DEVICE ? RACE_DEVICE
			      : fence->scope == CUDASIM_SCOPE_CLUSTER ? RACE_CLUSTER : RACE_BLOCK;
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
		acquire(b, t, taken->location, as == RACE_BLOCK ? RACE_BLOCK : RACE_DEVICE);
		if (!taken->used && scope > taken->fenced)
			taken->fenced = scope == RACE_CLUSTER ? RACE_DEVICE : scope;
	}
}

/* ---- barriers and warps --------------------------------------------------- */

void race_sync_barrier(struct race_block *b)
{
	if (b->n_known) {
		for (uint32_t i = 0; i < b->n_threads; i++) {
			struct race_thread *t = &b->threads[i];
			if (!t->known.n)
				continue;
			join(&b->known, &t->known);
			forget(&t->known);
		}
		b->n_known = 0;
	}
	if (b->fenced && !memchr(b->dirty, 1, b->n_threads))
		b->released = b->epoch + 1;
	b->fenced = false;
	b->epoch++;
	b->epoch_first = race_segment_own_next();
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
	if (!b->named[id]) {
		b->named[id] = log_new(0);
		atomic_fetch_add(&n_logs, 1);
	}
	struct sync_log *log = b->named[id];
	struct entry how = {.by = b->id, .block_only = true};
	if (!b->threads)
		b->threads = must(calloc(b->n_threads, sizeof *b->threads));
	for (uint32_t i = 0; i < b->n_warps; i++)
		renew(&b->warps[i]);
	append(log, key_of(BLOCK, b->id, 0, 0), b->epoch, &how);
	append_known(log, &b->known, &how);
	for (uint32_t i = 0; i < b->n_threads; i++) {
		if (!arrived[i])
			continue;
		append(log, key_of(THREAD, b->id, i / 32, i % 32), arrived[i] / 2, &how);
		append_known(log, &b->threads[i].known, &how);
	}
	for (uint32_t i = 0; i < b->n_threads; i++)
		if (arrived[i] & 1)
			thread_knows(b, &b->threads[i], log, log->n, false);
	memset(arrived, 0, sizeof b->arrived[0]);
}

void race_sync_cluster(struct race_block *const *blocks, uint32_t n)
{
	struct sync_log *log = log_new(0);
	atomic_fetch_add(&n_logs, 1);
	for (uint32_t i = 0; i < n; i++) {
		struct entry how = {.by = blocks[i]->id};
		race_sync_barrier(blocks[i]);
		append(log, key_of(BLOCK, blocks[i]->id, 0, 0), blocks[i]->epoch, &how);
		append_known(log, &blocks[i]->known, &how);
	}
	for (uint32_t i = 0; i < n; i++)
		know(&blocks[i]->known, log, log->n, false);
	pthread_mutex_lock(&dead_lock);
	log->next = dead;
	dead = log;
	pthread_mutex_unlock(&dead_lock);
}

void race_sync_warp(struct race_block *b, uint32_t warp, uint32_t mask)
{
	struct race_warp *w = &b->warps[warp];
	struct cudasim_warp_lanes lanes;
	cudasim_warp_lanes(b->block, warp, &lanes);
	renew(w);
	uint32_t at = w->sequence; /* numbers below are before this */
	if ((lanes.live & ~mask) == 0) {
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
	for (uint32_t lane = 0; lane < 32; lane++)
		if (mask >> lane & 1 && warp * 32 + lane < b->n_threads)
			join(&all, &b->threads[warp * 32 + lane].known);
	for (uint32_t lane = 0; lane < 32; lane++)
		if (mask >> lane & 1 && warp * 32 + lane < b->n_threads)
			for (uint32_t i = 0; i < all.n; i++)
				thread_knows(b, &b->threads[warp * 32 + lane], all.items[i].log,
					     all.items[i].length, all.items[i].block_only);
	forget(&all);
}

void race_sync_block_end(struct race_block *b)
{
	for (int i = 0; i < 16; i++)
		if (b->named[i]) {
			pthread_mutex_lock(&dead_lock);
			b->named[i]->next = dead;
			dead = b->named[i];
			pthread_mutex_unlock(&dead_lock);
		}
	for (uint32_t i = 0; b->threads && i < b->n_threads; i++)
		forget(&b->threads[i].known);
	for (uint32_t i = 0; i < b->n_warps; i++)
		free(b->warps[i].known);
	forget(&b->known);
	free(b->threads);
}
