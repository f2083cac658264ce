/* SPDX-License-Identifier: Apache-2.0 */
/* race_log.h - what was released at a location, and what a thread knows of it: race_sync.c's. */
#ifndef CUDASIM_CHECKERS_RACE_LOG_H
#define CUDASIM_CHECKERS_RACE_LOG_H

#include "race.h"

/* What an entry speaks of, in the highest bits of its key. */
enum race_log_kind {
	RACE_LOG_THREAD, /* sequence numbers below value, of one lane */
	RACE_LOG_WARP,   /* ... of all lanes of a warp */
	RACE_LOG_BLOCK,  /* epochs below value, of a block */
	RACE_LOG_LOG,    /* the first value entries of another log */
};

struct race_log_entry {
	uint64_t key;
	uint32_t value;
	uint32_t next;    /* the entry of the same key before this one, or UINT32_MAX */
	uint32_t by;      /* block that released: for those of block scope */
	/* RACE_LOG_LOG: race_known's joined. RACE_LOG_THREAD in a section: numbers from this
	 * on are of accesses under the lock. */
	uint32_t from;
	uint32_t section : 30; /* of the lock, 1..; 0: not released as a lock */
	uint32_t block_only : 1;
	uint32_t narrow : 1;   /* RACE_LOG_LOG: race_known's block_only, for block `by` */
};

/* Words that were accessed under a lock: the last sections that did. */
struct lock_word {
	uint64_t word; /* address / 4; 0: free */
	uint32_t read, written;
};

struct sync_log {
	uint64_t location; /* 0: of a barrier */
	pthread_mutex_t lock;
	struct race_log_entry *entries;
	uint32_t n, max;
	/* From keys to their last entries: open addressing, indices into entries. */
	uint32_t *slots, n_slots;
	uint32_t n_keys;
	uint64_t *others; /* the keys that are logs */
	uint32_t n_others, max_others;
	_Atomic bool narrow; /* some entries are block_only */
	/* What is known of it as a lock (race_lock.c). */
	struct {
		uint64_t free;      /* its value when nobody has it; once n_done */
		uint64_t holder;    /* who has it, as race_lock.c numbers threads; 0: nobody */
		uint32_t n_done;    /* sections that have ended */
		uint32_t n_free;    /* times that somebody who wanted it saw it free */
		bool never;         /* it is no lock, or too much is accessed under it */
		struct lock_word *words;
		uint32_t n_words, n_slots;
	} lock_of;
	struct sync_log *next; /* in its bucket, or in the list of dead ones */
};

uint64_t race_log_key(enum race_log_kind kind, uint32_t block, uint32_t warp, uint32_t lane);

/* That of a location; make: else NULL where there is none. */
struct sync_log *race_log_at(uint64_t location, bool make);
/* One of a barrier. At the end others may refer to it still: it is buried, and goes with
 * race_sync_reset(). */
struct sync_log *race_log_barrier(void);
void race_log_bury(struct sync_log *log);

/* `how` gives by and block_only. With the log's lock, where several pthreads may have it.
 * False where that was known already. */
bool race_log_append(struct sync_log *log, uint64_t key, uint32_t value,
		     const struct race_log_entry *how);
/* The index of the last entry of the key, UINT32_MAX if none. With the log's lock. */
uint32_t race_log_last(const struct sync_log *log, uint64_t key);
/* ... all that is known, but not of the log itself in sections of its lock. */
void race_log_append_known(struct sync_log *log, const struct race_known *known,
			   const struct race_log_entry *how);

void race_known_add(struct race_known *known, struct sync_log *log, uint32_t length,
		    uint32_t joined, bool block_only);
void race_known_join(struct race_known *to, const struct race_known *from);
void race_known_forget(struct race_known *known);
/* What a thread is to know from now on. */
void race_sync_learn(struct race_block *block, struct race_thread *thread, struct sync_log *log,
		     uint32_t length, uint32_t joined, bool block_only);

/* ---- race_lock.c ---------------------------------------------------------- */

/* At the fence of scope `as` behind the operation: did it take a lock? Then the thread knows
 * of earlier sections only what it comes to depend on. False: it is to know all. */
bool race_lock_take(struct race_block *block, const struct cudasim_thread *thread,
		    struct race_taken *taken, enum race_scope as);
/* That one that the thread holds, NULL if none. */
struct race_taken *race_lock_held(struct race_thread *thread, uint64_t location);
/* The thread writes the location and holds it: is it still as the thread left it? */
bool race_lock_untouched(const struct race_taken *taken);
/* ... it is not: somebody else has changed it. */
void race_lock_give_up(struct race_block *block, struct race_thread *thread,
		       struct race_taken *taken);
/* The number of the section that a write to the location ends, by who holds it (NULL: nobody),
 * or that precedes one of a thread that may take it now and finds `value`; 0 where the
 * write is no lock's. first: entries of the location's log from this on may be of it. */
uint32_t race_lock_section(uint64_t location, const struct race_taken *held, bool takes,
			   uint64_t value, uint32_t *first);
/* The lock is released, and what its log's entries from `first` on tell. */
void race_lock_drop(struct race_block *block, struct race_thread *thread, struct race_taken *taken,
		    uint32_t first);
/* At the thread's next event: was it? */
void race_lock_settle(struct race_block *block, struct race_thread *thread);
/* Others take part in what the thread does under its locks. */
void race_lock_share(struct race_block *block, struct race_thread *thread);
/* ... all threads of the block. */
void race_lock_share_all(struct race_block *block);

#endif
