/* SPDX-License-Identifier: Apache-2.0 */
/* hang_writers.c - see hang_writers.h.
 *
 * A hash table of sets of a few words each, with a lock a set. */
#include "hang_writers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "env.h"
#include "error.h"
#include "observer.h"
#include "worker.h"

enum { WORD = 4, WAYS = 4, SET_BITS = 14, MOST_BYTES = 256 };

struct entry {
	uintptr_t word; /* its address; 0: none */
	bool written;   /* `last` is known */
	bool plain;     /* by a store; such entries are given up first */
	uint32_t value; /* before the operations of which it is not known whether they wrote */
	uint32_t n_pending;
	struct hang_writer last, pending;
};

struct set {
	atomic_flag locked;
	uint8_t next; /* the entry to be given up */
	bool lost;    /* some have been */
	struct entry entries[WAYS];
};

static _Atomic(struct set *) sets;
static atomic_bool records; /* the observer has been added */

static struct set *all_sets(void)
{
	struct set *now = atomic_load(&sets), *made;
	if (now)
		return now;
	made = calloc((size_t)1 << SET_BITS, sizeof *made);
	if (made && !atomic_compare_exchange_strong(&sets, &now, made)) {
		free(made);
		return now;
	}
	return made;
}

static struct set *lock_set(uintptr_t word)
{
	struct set *all = all_sets();
	if (!all)
		return NULL;
	uint64_t hash = (word / WORD) * 0x9e3779b97f4a7c15u;
	struct set *set = &all[hash >> (64 - SET_BITS)];
	while (atomic_flag_test_and_set_explicit(&set->locked, memory_order_acquire))
		;
	return set;
}

static void unlock_set(struct set *set)
{
	atomic_flag_clear_explicit(&set->locked, memory_order_release);
}

static struct entry *find(struct set *set, uintptr_t word)
{
	for (int i = 0; i < WAYS; i++)
		if (set->entries[i].word == word)
			return &set->entries[i];
	return NULL;
}

/* Flags and locks are written by atomics, and outlast plain stores. */
static struct entry *make(struct set *set, uintptr_t word)
{
	struct entry *e = find(set, 0);
	for (int i = 0; !e && i < WAYS; i++)
		if (set->entries[i].plain)
			e = &set->entries[i];
	if (!e)
		e = &set->entries[set->next++ % WAYS];
	set->lost |= e->word != 0;
	*e = (struct entry){.word = word};
	return e;
}

/* What has happened since the operations that are pending were announced? */
static void settle(struct entry *e, uint32_t value)
{
	if (e->n_pending && value != e->value) {
		e->last = e->pending;
		e->last.perhaps = e->n_pending > 1;
		e->written = true;
		e->plain = false;
	}
	if (value != e->value || e->n_pending == 1)
		e->n_pending = 0;
	e->value = value;
}

static void write_word(uintptr_t word, const struct hang_writer *by, bool surely, bool plain,
		       uint32_t value)
{
	struct set *set = lock_set(word);
	if (!set)
		return;
	struct entry *e = find(set, word);
	if (!e)
		e = make(set, word);
	if (surely) {
		e->last = *by;
		e->written = true;
		e->plain = plain;
		e->n_pending = 0;
	} else {
		settle(e, value);
		e->pending = *by;
		e->n_pending++;
	}
	unlock_set(set);
}

static void write_bytes(struct cudasim_thread *thread, const void *address, uint64_t size,
			const struct cudasim_site *site, bool surely, bool plain)
{
	struct worker *worker = block_of((struct thread *)thread)->worker;
	const struct cudasim_block *b = thread->block;
	struct hang_writer by = {
		.launch = b->launch->id,
		.thread = thread->linear,
		.site = site,
		.block = {b->ctaid[0], b->ctaid[1], b->ctaid[2]},
	};
	uintptr_t first = (uintptr_t)address & ~(uintptr_t)(WORD - 1);
	uintptr_t end = (uintptr_t)address + (size < MOST_BYTES ? size : MOST_BYTES);
	sig_atomic_t was = worker->in_device;
	for (uintptr_t word = first; word < end; word += WORD) {
		uint32_t value = 0;
		/* A fault here is the program's: it is about to access this. */
		worker->in_device = IN_DEVICE_READING;
		if (!surely)
			value = *(const volatile uint32_t *)word;
		worker->in_device = 0;
		write_word(word, &by, surely, plain, value);
		worker->in_device = was;
	}
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *access)
{
	(void)tool;
	bool atomic = access->what & CUDASIM_ACCESS_ATOMIC;
	if (access->what & CUDASIM_ACCESS_STORE &&
	    !((uintptr_t)access->address & (access->alignment - 1)))
		write_bytes(thread, access->address, access->size, access->site,
			    !atomic || access->op == CUDASIM_ATOMIC_STORE,
			    !atomic && !(access->what & CUDASIM_ACCESS_VOLATILE));
	return CUDASIM_GO;
}

static enum cudasim_verdict on_mbarrier(void *tool, struct cudasim_thread *thread,
					const struct cudasim_mbarrier *mbarrier)
{
	(void)tool;
	if (mbarrier->kind != CUDASIM_MBARRIER_WAITED)
		write_bytes(thread, mbarrier->address, sizeof(uint64_t), mbarrier->site, true,
			    false);
	return CUDASIM_GO;
}

static uint32_t wants(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	atomic_store_explicit(&records, true, memory_order_relaxed);
	return launch->kernel->flags & CUDASIM_KERNEL_YIELD
		       ? CUDASIM_WANT_ACCESS | CUDASIM_WANT_MBARRIER
		       : 0;
}

const struct cudasim_observer hang_writers_observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "hang writers",
	.want = wants,
	.access = on_access,
	.mbarrier = on_mbarrier,
};

bool hang_writers_record(void)
{
	return atomic_load(&records);
}

static bool is_watched(const struct cudasim_launch *launch)
{
	return launch->watch && launch->kernel->flags & CUDASIM_KERNEL_YIELD &&
	       hang_writers_record();
}

enum hang_written hang_writers_find(const struct cudasim_launch *launch, const void *address,
				    uint32_t bytes, struct hang_writer *ret)
{
	enum hang_written known = is_watched(launch) ? HANG_NOBODY : HANG_UNKNOWN;
	uintptr_t word = (uintptr_t)address & ~(uintptr_t)(WORD - 1);
	for (; known != HANG_UNKNOWN && word < (uintptr_t)address + bytes; word += WORD) {
		struct set *set = lock_set(word);
		if (!set)
			return HANG_UNKNOWN;
		struct entry *e = find(set, word);
		if (e)
			settle(e, *(const volatile uint32_t *)word);
		bool of_launch = e && e->written && e->last.launch >= launch->id;
		if (of_launch && known == HANG_NOBODY) {
			*ret = e->last;
			known = HANG_KNOWN;
		} else if (!e && set->lost && known == HANG_NOBODY) {
			known = HANG_UNKNOWN;
		}
		unlock_set(set);
	}
	return known;
}

void hang_writers_start(void)
{
	const char *check = env_get("CUDASIM_CHECK"), *body = env_get("CUDASIM_BODY");
	const char *hang = env_get("CUDASIM_HANG");
	if (((check && strcmp(check, "0")) || (body && !strcmp(body, "watched"))) &&
	    !(hang && !strcmp(hang, "0")))
		cudasim_error_free(cudasim_observer_add(&hang_writers_observer));
}
