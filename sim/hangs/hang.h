/* SPDX-License-Identifier: Apache-2.0 */
/* hang.h - launches that do not get on.
 *
 * A worker whose blocks only spin and wait digests their whole state (stacks with the saved
 * registers, shared memory) several times a second. Where no thread has come to a new state for
 * some seconds, the same holds for all workers, and memory stays as it is, all that the threads
 * do is known: they repeat it. Then one table says who waits where. The launch ends with
 * cudaErrorLaunchTimeout where nobody else can change what they look at: all host threads
 * wait for the device, no other process shares memory, and no thread reads a clock.
 *
 * Rejected: a limit of time (kernels may compute for hours), and the footprint of yielding
 * threads alone (a loop that takes work from a queue comes round with the same registers). */
#ifndef CUDASIM_SIM_HANG_H
#define CUDASIM_SIM_HANG_H

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

/* Call see(digest, arg) for each thread of the worker's blocks in flight, which stand still, and
 * for what else the blocks are. */
void hang_digest(const struct worker *worker, bool exact, void (*see)(uint64_t digest, void *arg),
		 void *arg);
/* Mix n bytes into a digest. */
uint64_t hang_mix(uint64_t digest, const void *data, uint64_t n);

/* ---- hang_outside.c: what the runtime knows ------------------------------- */

/* A digest of all memory that kernels can reach and that is not a block's. */
uint64_t hang_memory(void);
/* Host threads that wait for the device without end, and threads of the runtime's own that have
 * nothing to do; false where something else is on its way to the device. */
bool hang_waiters(uint32_t *hosts, uint32_t *others);
/* Another process may store to memory that kernels can reach. */
bool hang_is_shared(void);

#endif
