/* SPDX-License-Identifier: Apache-2.0 */
/* race_log.c - what releases have made known, location by location.
 *
 * Each location that was ever released to has a log. A release appends what the
 * releasing thread's accesses so far are known by; an acquire notes the log and its
 * length, in constant time; only when two accesses seem to conflict are the logs
 * that a thread knows searched. Logs' entries refer to other logs where the
 * releasing thread had acquired from those. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "race_log.h"

enum { N_BUCKETS = 4096, MAX_DEPTH = 32, MAX_VISITS = 256 };

static struct bucket {
	pthread_mutex_t lock;
	struct sync_log *first;
} buckets[N_BUCKETS];
static _Atomic uint32_t n_logs;
static pthread_mutex_t dead_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sync_log *dead; /* of barriers whose blocks have ended: others may refer to them */

/* ---- logs ----------------------------------------------------------------- */

uint64_t race_log_key(enum race_log_kind kind, uint32_t block, uint32_t warp, uint32_t lane)
{
	return (uint64_t)kind << 62 | (uint64_t)block << 16 | warp << 5 | lane;
}

static uint64_t key_of_log(const struct sync_log *log)
{
	return (uint64_t)RACE_LOG_LOG << 62 | (uint64_t)(uintptr_t)log;
}

static struct sync_log *log_new(uint64_t location)
{
	struct sync_log *log = must(calloc(1, sizeof *log));
	log->location = location;
	pthread_mutex_init(&log->lock, NULL);
	return log;
}

struct sync_log *race_log_at(uint64_t location, bool make)
{
	if (!make && !atomic_load_explicit(&n_logs, memory_order_relaxed))
		return NULL;
	struct bucket *bucket = &buckets[hash_mix(0, location) >> 20 & (N_BUCKETS - 1)];
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

/* 4 bytes a slot, as there is a table for each location; base/hash.h has 16. */
static uint32_t *slot_of(const struct sync_log *log, uint64_t key)
{
	uint32_t i = (uint32_t)hash_mix(0, key) & (log->n_slots - 1);
	while (log->slots[i] != UINT32_MAX && log->entries[log->slots[i]].key != key)
		i = (i + 1) & (log->n_slots - 1);
	return &log->slots[i];
}

uint32_t race_log_last(const struct sync_log *log, uint64_t key)
{
	return log->n_slots ? *slot_of(log, key) : UINT32_MAX;
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
		if (old[i] != UINT32_MAX)
			*slot_of(log, log->entries[old[i]].key) = old[i];
	free(old);
}

/* Searches follow these, which are few, beside the keys of threads. */
static void note_other(struct sync_log *log, uint64_t key)
{
	if (log->n_others == log->max_others) {
		log->max_others = log->max_others ? log->max_others * 2 : 4;
		log->others = must(realloc(log->others, log->max_others * sizeof *log->others));
	}
	log->others[log->n_others++] = key;
}

/* With the log's lock. False where that was known already. */
bool race_log_append(struct sync_log *log, uint64_t key, uint32_t value,
		     const struct race_log_entry *how)
{
	if (!value)
		return false;
	if (log->n_keys * 2 >= log->n_slots)
		grow(log);
	uint32_t *slot = slot_of(log, key);
	if (*slot != UINT32_MAX) {
		const struct race_log_entry *last = &log->entries[*slot];
		bool as_wide = last->block_only == how->block_only && last->by == how->by &&
			       last->narrow == how->narrow && (!last->section || how->section);
		if (last->value >= value && as_wide &&
		    (key >> 62 != RACE_LOG_LOG || last->from >= how->from))
			return false;
	} else {
		log->n_keys++;
		if (key >> 62 == RACE_LOG_LOG)
			note_other(log, key);
	}
	if (log->n == log->max) {
		log->max = log->max ? log->max * 2 : 8;
		log->entries = must(realloc(log->entries, log->max * sizeof *log->entries));
	}
	if (how->block_only)
		atomic_store_explicit(&log->narrow, true, memory_order_relaxed);
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
	free(log->others);
	free(log->lock_of.words);
	free(log);
}

struct sync_log *race_log_barrier(void)
{
	atomic_fetch_add(&n_logs, 1);
	return log_new(0);
}

void race_log_bury(struct sync_log *log)
{
	pthread_mutex_lock(&dead_lock);
	log->next = dead;
	dead = log;
	pthread_mutex_unlock(&dead_lock);
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

/* Sections come one after the other: the longer of two beginnings and the later of two
 * sections are what both tell. */
void race_known_add(struct race_known *known, struct sync_log *log, uint32_t length,
		    uint32_t joined, bool block_only)
{
	if (!length)
		return;
	for (uint32_t i = 0; i < known->n; i++)
		if (known->items[i].log == log && known->items[i].block_only == block_only) {
			if (known->items[i].length < length)
				known->items[i].length = length;
			if (known->items[i].joined < joined)
				known->items[i].joined = joined;
			return;
		}
	if (known->n == known->max) {
		known->max = known->max ? known->max * 2 : 4;
		known->items = must(realloc(known->items, known->max * sizeof *known->items));
	}
	known->items[known->n].log = log;
	known->items[known->n].length = length;
	known->items[known->n].joined = joined;
	known->items[known->n++].block_only = block_only;
}

void race_known_join(struct race_known *to, const struct race_known *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		race_known_add(to, from->items[i].log, from->items[i].length, from->items[i].joined,
			       from->items[i].block_only);
}

void race_known_forget(struct race_known *known)
{
	free(known->items);
	*known = (struct race_known){0};
}

void race_log_append_known(struct sync_log *log, const struct race_known *known,
			   const struct race_log_entry *how)
{
	for (uint32_t i = 0; i < known->n; i++) {
		struct race_log_entry entry = *how;
		entry.from = known->items[i].joined;
		entry.narrow = known->items[i].block_only;
		/* Who knows of a section knows of those before it. */
		if (known->items[i].log != log || (entry.from && !how->section))
			race_log_append(log, key_of_log(known->items[i].log),
					known->items[i].length, &entry);
	}
}

/* A log, as far as threads of a block know of it: each has acquired it itself, with the scope
 * that this takes, and may then hand on what it knows with a wider one. */
struct part {
	struct sync_log *log;
	uint32_t length, joined;
	uint32_t by;    /* block; of no meaning where nothing is narrow */
	bool block_only;
};
enum { MAX_PARTS = 64 };

struct search {
	uint32_t block, warp, lane, sequence, epoch;
	bool all;       /* sections count whether joined or not */
	uint32_t visits;
	struct part seen[MAX_VISITS];
};

/* Whether the entry is among what is known of its log. */
static bool known_of(const struct search *s, const struct part *p, uint32_t index)
{
	const struct race_log_entry *e = &p->log->entries[index];
	return index < p->length && (s->all || e->section <= p->joined) &&
	       ((!e->block_only && !p->block_only) || e->by == p->by);
}

static bool covers(const struct search *s, const struct race_log_entry *e)
{
	switch ((enum race_log_kind)(e->key >> 62)) {
	case RACE_LOG_THREAD:
	case RACE_LOG_WARP:
		return s->sequence < e->value;
	case RACE_LOG_BLOCK:
		return s->epoch < e->value;
	default:
		return false;
	}
}

/* Whether what is known of the log has an entry of the key that covers. */
static bool look(const struct search *s, const struct part *p, uint64_t key)
{
	const struct sync_log *log = p->log;
	if (!log->n_slots)
		return false;
	for (uint32_t i = *slot_of(log, key), n = 0; i != UINT32_MAX && n < 64;
	     i = log->entries[i].next) {
		if (i >= p->length)
			continue;
		n++;
		if (known_of(s, p, i) && covers(s, &log->entries[i]))
			return true;
	}
	return false;
}

/* What is known of another log by entries of its key, the last of which is i: at ret, n parts
 * at most. Returns how many. */
static uint32_t other_log(const struct search *s, const struct part *p, uint32_t i,
			  struct part *ret, uint32_t n)
{
	const struct race_log_entry *entries = p->log->entries;
	struct sync_log *log = (struct sync_log *)(uintptr_t)(entries[i].key &
							      ((UINT64_C(1) << 62) - 1));
	bool narrow = atomic_load_explicit(&log->narrow, memory_order_relaxed);
	uint32_t n_parts = 0;
	for (uint32_t seen = 0; i != UINT32_MAX && seen < MAX_PARTS; i = entries[i].next) {
		const struct race_log_entry *e = &entries[i];
		if (!known_of(s, p, i))
			continue;
		seen++;
		uint32_t by = narrow || e->narrow ? e->by : 0, k = 0;
		while (k < n_parts && (ret[k].by != by || ret[k].block_only != e->narrow))
			k++;
		if (k == n)
			continue;
		if (k == n_parts)
			ret[n_parts++] =
				(struct part){.log = log, .by = by, .block_only = e->narrow};
		if (ret[k].length < e->value)
			ret[k].length = e->value;
		if (ret[k].joined < e->from)
			ret[k].joined = e->from;
	}
	return n_parts;
}

static bool search(struct search *s, const struct part *p, unsigned depth)
{
	for (uint32_t i = 0; i < s->visits; i++)
		if (s->seen[i].log == p->log && s->seen[i].length >= p->length &&
		    s->seen[i].joined >= p->joined && s->seen[i].by == p->by &&
		    s->seen[i].block_only == p->block_only)
			return false;
	if (depth == MAX_DEPTH || s->visits == MAX_VISITS)
		return true; /* too long a chain to follow: no alarm */
	s->seen[s->visits++] = *p;

	pthread_mutex_lock(&p->log->lock);
	bool found = look(s, p, race_log_key(RACE_LOG_BLOCK, s->block, 0, 0)) ||
		     look(s, p, race_log_key(RACE_LOG_WARP, s->block, s->warp, 0)) ||
		     look(s, p, race_log_key(RACE_LOG_THREAD, s->block, s->warp, s->lane));
	struct part more[MAX_PARTS];
	uint32_t n = 0;
	for (uint32_t i = 0; !found && i < p->log->n_others && n < MAX_PARTS; i++)
		n += other_log(s, p, *slot_of(p->log, p->log->others[i]), &more[n], MAX_PARTS - n);
	pthread_mutex_unlock(&p->log->lock);
	for (uint32_t i = 0; !found && i < n; i++)
		found = search(s, &more[i], depth + 1);
	return found;
}

static bool search_known(struct search *s, const struct race_known *known, uint32_t block)
{
	for (uint32_t i = 0; i < known->n; i++) {
		struct part p = {
			.log = known->items[i].log,
			.length = known->items[i].length,
			.joined = known->items[i].joined,
			.by = block,
			.block_only = known->items[i].block_only,
		};
		if (search(s, &p, 0))
			return true;
	}
	return false;
}

static bool knows(const struct race_me *me, uint32_t segment, uint32_t lane, bool all)
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
	s.all = all;
	s.visits = 0;
	return (t && search_known(&s, &t->known, b->id)) || search_known(&s, &b->known, b->id);
}

bool race_sync_knows(const struct race_me *me, uint32_t segment, uint32_t lane)
{
	return knows(me, segment, lane, false);
}

bool race_sync_happened(const struct race_me *me, uint32_t segment, uint32_t lane)
{
	return knows(me, segment, lane, true);
}
