/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - a launch in flight, and what a worker asks of those who hand out its blocks.
 *
 * The functions here are the room scheduler's: execution declares what it needs, and the room
 * above defines it, so that neither includes the other's state. */
#ifndef CUDASIM_SIM_RUN_H
#define CUDASIM_SIM_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch.h"

struct block;
struct chunk;
struct worker;

/* A launch from submission to done(). A unit is a block, or a cluster of them.
 *
 * Invariants, under the scheduler's lock:
 *   R1  taken <= n_units, finished <= taken
 *   R2  the run is in the list until finished == n_units, then exactly one
 *       worker completes it */
struct run {
	struct launch *launch;
	void (*done)(struct launch *launch, void *arg);
	void *arg;
	/* Constant. */
	enum cudasim_body body;
	void (*entry)(const void *params);
	/* All threads of a block in one call; NULL where each runs by itself. */
	void (*loop)(const void *params, struct cudasim_block *block, uint32_t n_blocks);
	const void *params;
	uint64_t n_units;
	uint32_t unit_blocks;     /* blocks in a unit */
	uint64_t resident;        /* units that the device could have in flight */
	uint32_t window;          /* units among which the order is free */
	uint32_t shared_bytes, shared_align, dynamic_offset;
	uint32_t stack_class;     /* worker_pool() */
	bool watched;             /* observers look at it */
	bool ordered;             /* one block at a time moves */
	bool choosing;            /* an observer chooses who runs */
	uint32_t want;            /* of fresh threads */
	/* Under the scheduler's lock. */
	uint64_t taken;
	uint64_t taken_from_end;  /* of these, by workers beside a host thread */
	uint64_t submitted_ns;    /* where a host thread may help */
	int submitted_cpu;        /* that host thread's */
	uint64_t excused_ns;      /* time that does not count for the watchdog */
	uint64_t limit;           /* an observer's, for units in flight; 0: none */
	bool beginning, begun;    /* launch_begin() is on its way, is over */
	struct run *next;
	struct block *blocks;     /* in flight, where watched */
	/* Where watched, one bit per block that has ended; NULL without memory. */
	uint64_t *ended;

	atomic_uint_least64_t finished;
	atomic_int dead;          /* the error that it dies of, or 0 */
	atomic_bool expired;      /* the watchdog has found it out of time */
	atomic_bool stop;         /* either: threads go back to their worker */
	atomic_bool yields;       /* some thread has given way: take small chunks */
	atomic_bool parts;        /* blocks that waited in their loops have waited in vain */
	atomic_bool stall_told, stall_explained;
	uint64_t chunk;           /* units to take at once; a hint, racy */
	struct worker *direct;    /* direct.c's: it runs on this worker alone */
};

static inline struct run *run_of(struct cudasim_launch *seen)
{
	return launch_of(seen)->scheduler;
}

/* Take units to start. spare: the worker has blocks in flight that cannot go
 * on, and `avoid` is the run that it has most of. False if there are none. */
bool scheduler_take(struct worker *worker, bool spare, struct chunk *ret);
/* The chunk of a loop is over, n units: they are finished, and the worker goes on with the
 * one in *ret. False where there is none; the n units are the caller's still. */
bool scheduler_take_next(struct worker *worker, struct run *run, uint64_t n, struct chunk *ret);
/* Take one unit of this run, as with spare; false where there is none. */
bool scheduler_take_of(struct worker *worker, struct run *run, struct chunk *ret);

/* n units are over (run, dropped). May complete the run, which then is gone. */
void scheduler_finish(struct run *run, uint64_t n);

/* End the run with an error unless it is ending already; true if this call
 * was the one. Units not taken are dropped. */
bool scheduler_kill(struct run *run, int error);

/* Wait until there may be something to do; seen is scheduler_epoch() from
 * before the caller looked. False if that took a second (then too). */
uint64_t scheduler_epoch(void);
bool scheduler_wait(struct worker *worker, uint64_t seen);

/* Watched runs: their blocks in flight, for inspect.c. */
void scheduler_block_begins(struct block *block);
void scheduler_block_ends(struct block *block);

/* All workers. */
struct worker *scheduler_workers(uint32_t *n);

/* Some held thread has been resumed, or a run has died. From any pthread. */
void scheduler_wake(void);

#endif
