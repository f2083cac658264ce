/* SPDX-License-Identifier: Apache-2.0 */
/* race_log.h - what was released at a location, and what a thread knows of it: race_sync.c's. */
#ifndef CUDASIM_CHECKERS_RACE_LOG_H
#define CUDASIM_CHECKERS_RACE_LOG_H

#include "checkers/race.h"

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
	bool block_only;
};

struct sync_log {
	uint64_t location; /* 0: of a barrier */
	pthread_mutex_t lock;
	struct race_log_entry *entries;
	uint32_t n, max;
	/* From keys to their last entries: open addressing, indices into entries. */
	uint32_t *slots, n_slots;
	uint32_t n_keys;
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
/* ... all that is known but of the log itself. */
void race_log_append_known(struct sync_log *log, const struct race_known *known,
			   const struct race_log_entry *how);

void race_known_add(struct race_known *known, struct sync_log *log, uint32_t length,
		    bool block_only);
void race_known_join(struct race_known *to, const struct race_known *from);
void race_known_forget(struct race_known *known);

#endif
