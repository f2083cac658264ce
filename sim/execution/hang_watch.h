/* SPDX-License-Identifier: Apache-2.0 */
/* hang_watch.h - what a worker keeps, and calls, so that launches that hang are found. The room
 * hangs defines the functions. */
#ifndef CUDASIM_SIM_HANG_WATCH_H
#define CUDASIM_SIM_HANG_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct run;
struct worker;

/* The states of threads, and of shared memory, that have come up since somebody moved: a set
 * of digests, by open addressing; 0 is an empty place. */
struct hang_states {
	uint64_t news_ns; /* when one was new */
	uint64_t *digests;
	uint32_t n, capacity;
};

/* What a worker knows of its blocks. Its own, but for `still` and while it is parked. */
struct hang_watch {
	uint64_t looked_ns;       /* when it digested last; 0: somebody has moved since */
	uint64_t took_ns;         /* how long that took */
	uint64_t aged_ns;         /* when threads' polls were last taken for older */
	/* Of all; and without the stacks of threads that only wait (CUDASIM_WAIT_ONLY) or poll
	 * an mbarrier: these may count, or read clocks. */
	struct hang_states exact, loose;
	bool reads_clock;         /* a thread has, since the leader cleared this */
	atomic_bool still;        /* nothing new in `loose` for as long as it takes */
};

void hang_watch_fini(struct hang_watch *watch);

/* The worker's blocks have done nothing but spin and wait in this round. */
void hang_look(struct worker *worker);
/* Some thread of the worker's has got on. */
static inline void hang_moved(struct hang_watch *watch)
{
	if (!watch->looked_ns)
		return;
	watch->looked_ns = 0;
	atomic_store_explicit(&watch->still, false, memory_order_relaxed);
}

/* One worker looks at the blocks of all: the others wait, each on its own stack, between two
 * rounds. */
extern atomic_bool hang_stops;
void hang_park(void);

/* Who waits where in the worker's blocks of the run; the caller frees it. */
char *stall_table(const struct worker *worker, const struct run *run);

#endif
