/* SPDX-License-Identifier: Apache-2.0 */
/* race_lock.c - critical sections: what orders them, and what their order is an accident of.
 *
 * Who releases a lock is before who takes it next, but it might have been the other way
 * round. So the order of two sections of a lock counts only where the later one depends on
 * the earlier: where it reads what that wrote, or writes what that read. Two sections that
 * write the same are in no order; their accesses are no race of each other's, since both
 * hold the lock. This is SDP, "strong-dependently-precedes" (Genc, Roemer, Xu, Bond,
 * "Dependence-Aware, Unbounded Sound Predictive Race Detection", OOPSLA 2019), with one
 * simplification: what depends on a section is behind all sections of that lock before it,
 * too. So a lock keeps, for each word, only the last sections that read and wrote it.
 *
 * A location is a lock as long as it is used as one: a thread's compare-and-swap, or its
 * exchange of zero, changes the value that it has while nobody holds it; nobody else changes
 * it until the same thread gives it that value back; the next one to take it finds that value.
 * All else that goes by the location (looks at it, tickets, turns, flags, states, a lock that
 * one thread takes and another one releases) is release and acquire as ever. A location that
 * was seen in another use is no lock any more (`never`), nor is one under which more than
 * MAX_WORDS words are accessed. A section in which the thread meets others at a barrier, or
 * tells them something in shared memory, is ordered as ever, too, as these take part in it.
 * In doubt there is order: what is not seen to be a lock costs a prediction. */
#include <stdlib.h>
#include <string.h>

#include "race_log.h"

enum { MAX_WORDS = 4096, MAX_ACCESS = 64 /* words */ };

uint64_t race_lock_value(uint64_t location, uint8_t size)
{
	uint64_t value = 0;
	cudasim_memory_read((const void *)(uintptr_t)location, &value, size < 8 ? size : 8);
	return value;
}

static uint64_t number_of(const struct race_block *b, uint32_t linear)
{
	return ((uint64_t)b->id << 16 | linear) + 1;
}

struct race_taken *race_lock_held(struct race_thread *t, uint64_t location)
{
	for (int i = 0; t->n_held && i < t->n_taken; i++)
		if (t->taken[i].log && t->taken[i].location == location)
			return &t->taken[i];
	return NULL;
}

/* ---- taking and releasing ------------------------------------------------- */

/* With the log's lock. */
static bool take(struct sync_log *log, struct race_taken *taken, uint64_t who)
{
	if (log->lock_of.n_done && log->lock_of.free != taken->before)
		log->lock_of.never = true; /* another value was changed: a state, a turn */
	if (log->lock_of.never || log->lock_of.holder)
		return false;
	log->lock_of.holder = who;
	log->lock_of.free = taken->before;
	taken->log = log;
	taken->length = log->n;
	taken->n_done = log->lock_of.n_done;
	taken->section = taken->n_done + 1;
	return true;
}

bool race_lock_take(struct race_block *b, const struct cudasim_thread *thread,
		    struct race_taken *taken, enum race_scope as)
{
	struct race_thread *t = &b->threads[thread->linear];
	if (!taken->judged) {
		taken->judged = true;
		taken->mine = race_lock_value(taken->location, taken->size);
		if (taken->mine == taken->before)
			return false; /* a look, or somebody else has it */
		struct sync_log *log = race_log_at(taken->location, true);
		pthread_mutex_lock(&log->lock);
		bool taking = take(log, taken, number_of(b, thread->linear));
		pthread_mutex_unlock(&log->lock);
		if (!taking)
			return false;
		taken->from = b->warps[thread->warp].sequence;
		taken->block_only = true;
		t->n_held++;
		b->n_held++;
	}
	if (!taken->log)
		return false;
	taken->block_only = taken->block_only && as == RACE_BLOCK;
	race_sync_learn(b, t, taken->log, taken->length, taken->joined ? taken->n_done : 0,
			taken->block_only);
	return true;
}

bool race_lock_untouched(const struct race_taken *taken)
{
	return race_lock_value(taken->location, taken->size) == taken->mine;
}

uint32_t race_lock_section(uint64_t location, const struct race_taken *held, bool takes,
			   uint64_t value, uint32_t *first)
{
	struct sync_log *log = held ? held->log : takes ? race_log_at(location, false) : NULL;
	uint32_t section = 0;
	if (!log)
		return 0;
	pthread_mutex_lock(&log->lock);
	*first = log->n;
	if (held) {
		section = log->lock_of.never || held->joined ? 0 : held->section;
	} else if (log->lock_of.n_done && log->lock_of.free == value) {
		log->lock_of.n_free++;
		if (!log->lock_of.never && !log->lock_of.holder)
			section = ++log->lock_of.n_done;
	}
	pthread_mutex_unlock(&log->lock);
	return section;
}

/* Its place among those taken is another's from now on. */
static void forget(struct race_block *b, struct race_thread *t, struct race_taken *taken)
{
	*taken = t->taken[--t->n_taken];
	t->n_held--;
	b->n_held--;
}

static void join(struct race_block *b, struct race_thread *t, struct race_taken *taken)
{
	taken->joined = true;
	race_sync_learn(b, t, taken->log, taken->length, taken->n_done, taken->block_only);
}

void race_lock_drop(struct race_block *b, struct race_thread *t, struct race_taken *taken,
		    uint32_t first)
{
	struct sync_log *log = taken->log;
	pthread_mutex_lock(&log->lock);
	log->lock_of.holder = 0;
	if (log->lock_of.n_done < taken->section)
		log->lock_of.n_done = taken->section;
	t->released.lock = *taken;
	t->released.first = first;
	t->released.end = log->n;
	t->released.n_free = log->lock_of.n_free;
	pthread_mutex_unlock(&log->lock);
	forget(b, t, taken);
}

void race_lock_give_up(struct race_block *b, struct race_thread *t, struct race_taken *taken)
{
	struct sync_log *log = taken->log;
	pthread_mutex_lock(&log->lock);
	log->lock_of.holder = 0;
	log->lock_of.never = true;
	pthread_mutex_unlock(&log->lock);
	join(b, t, taken);
	forget(b, t, taken);
}

void race_lock_settle(struct race_block *b, struct race_thread *t)
{
	struct race_taken *was = &t->released.lock;
	struct sync_log *log = was->log;
	bool free = race_lock_value(was->location, was->size) == was->before;
	pthread_mutex_lock(&log->lock);
	/* Others may have taken it since. */
	free = free || log->lock_of.n_free != t->released.n_free;
	if (!free) {
		log->lock_of.never = true;
		for (uint32_t i = t->released.first; i < t->released.end; i++)
			if (log->entries[i].section == was->section)
				log->entries[i].section = 0;
	}
	pthread_mutex_unlock(&log->lock);
	if (!free)
		join(b, t, was);
	was->log = NULL;
}

void race_lock_share(struct race_block *b, struct race_thread *t)
{
	for (int i = 0; t->n_held && i < t->n_taken; i++)
		if (t->taken[i].log && !t->taken[i].joined)
			join(b, t, &t->taken[i]);
}

void race_lock_share_all(struct race_block *b)
{
	for (uint32_t i = 0; b->n_held && i < b->n_threads; i++)
		race_lock_share(b, &b->threads[i]);
}

/* ---- what sections access ------------------------------------------------- */

/* The words stand in line, since each access in a critical section looks one up. */
static struct lock_word *word_of(const struct sync_log *log, uint64_t word)
{
	uint32_t i = (uint32_t)(word * 0x9e3779b97f4a7c15u >> 32);
	for (;; i++) {
		struct lock_word *w = &log->lock_of.words[i & (log->lock_of.n_slots - 1)];
		if (w->word == word || !w->word)
			return w;
	}
}

/* NULL where there would be too many. With the log's lock, as below. */
static struct lock_word *word_at(struct sync_log *log, uint64_t word)
{
	if (log->lock_of.n_words * 2 >= log->lock_of.n_slots) {
		struct lock_word *old = log->lock_of.words;
		uint32_t n_old = log->lock_of.n_slots, n = n_old ? n_old * 2 : 8;
		log->lock_of.words = must(calloc(n, sizeof *old));
		log->lock_of.n_slots = n;
		for (uint32_t i = 0; i < n_old; i++)
			if (old[i].word)
				*word_of(log, old[i].word) = old[i];
		free(old);
	}
	struct lock_word *w = word_of(log, word);
	if (w->word)
		return w;
	if (log->lock_of.n_words == MAX_WORDS)
		return NULL;
	log->lock_of.n_words++;
	w->word = word;
	return w;
}

/* The access is entered. The last section that it depends on, 0 for none. */
static uint32_t touch(struct sync_log *log, const struct race_taken *taken,
		      const struct cudasim_access *access, bool reads, bool writes)
{
	uint64_t first = (uint64_t)(uintptr_t)access->address / 4;
	uint64_t last = ((uint64_t)(uintptr_t)access->address + access->size - 1) / 4;
	uint32_t depends = 0;
	if (last - first >= MAX_ACCESS)
		log->lock_of.never = true;
	for (uint64_t i = first; i <= last && !log->lock_of.never; i++) {
		struct lock_word *w = word_at(log, i);
		if (!w) {
			log->lock_of.never = true;
			break;
		}
		if (reads && w->written > depends && w->written <= taken->n_done)
			depends = w->written;
		if (writes && w->read > depends && w->read <= taken->n_done)
			depends = w->read;
		if (reads)
			w->read = taken->section;
		if (writes)
			w->written = taken->section;
	}
	return depends;
}

void race_lock_touch(const struct race_me *me, bool reads, bool writes)
{
	struct race_block *b = me->block;
	struct race_thread *t = &b->threads[me->thread->linear];
	for (int i = 0; i < t->n_taken; i++) {
		struct race_taken *taken = &t->taken[i];
		struct sync_log *log = taken->log;
		if (!log || taken->location == (uint64_t)(uintptr_t)me->access->address)
			continue;
		pthread_mutex_lock(&log->lock);
		uint32_t depends = log->lock_of.never
					   ? 0
					   : touch(log, taken, me->access, reads, writes);
		bool never = log->lock_of.never;
		pthread_mutex_unlock(&log->lock);
		if (never && !taken->joined)
			join(b, t, taken);
		else if (depends && !taken->joined)
			race_sync_learn(b, t, log, taken->length, depends, taken->block_only);
	}
}

/* ---- accesses of two sections --------------------------------------------- */

static bool covers(const struct race_log_entry *e, const struct race_taken *taken,
		   const struct race_segment *of, uint32_t asker)
{
	return e->section && e->from <= of->sequence && of->sequence < e->value &&
	       ((!e->block_only && !taken->block_only) || e->by == asker);
}

bool race_lock_protects(const struct race_me *me, uint32_t segment, uint32_t lane)
{
	const struct race_block *b = me->block;
	const struct race_thread *t = b->threads ? &b->threads[me->thread->linear] : NULL;
	const struct race_segment *of = race_segment(segment);
	bool found = false;
	for (int i = 0; t && t->n_held && !found && i < t->n_taken; i++) {
		const struct race_taken *taken = &t->taken[i];
		struct sync_log *log = taken->log;
		if (!log)
			continue;
		pthread_mutex_lock(&log->lock);
		uint32_t at = race_log_last(
			log, race_log_key(RACE_LOG_THREAD, of->block, of->warp, lane));
		for (; !found && at != UINT32_MAX; at = log->entries[at].next)
			found = at < taken->length && covers(&log->entries[at], taken, of, b->id);
		pthread_mutex_unlock(&log->lock);
	}
	return found;
}
