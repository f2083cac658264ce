/* SPDX-License-Identifier: Apache-2.0 */
/* block.h - a thread block in flight: its threads, warps, barriers, window.
 *
 * A block is touched only by its worker (and by the pthread that holds the
 * worker's baton under CUDASIM_ENGINE=pthreads), so nothing here is locked.
 *
 * Every lane of a warp is in exactly one place:
 *   active      could run, or runs
 *   yielded     could run, but gave way in this round
 *   held        an observer holds it
 *   met         an observer said MEET: waits for the lanes of its warp, and then
 *               for that observer
 *   converging  waits until its warp has no active lane
 *   waiting     at a barrier or warp operation: none of the masks here
 *   exited      not in `live`
 *
 * Invariants, checked by block_check() at every switch in paranoid builds:
 *   B1  active, yielded, held, met, converging of a warp are disjoint, and in live
 *   B2  n_live is the number of bits in live
 *   B3  bit w of active_warps (yielded_warps, ...) is set iff the mask is not 0
 *   B4  a pending barrier is not complete, for the last arrival or the last
 *       exit opens it at once */
#ifndef CUDASIM_SIM_BLOCK_H
#define CUDASIM_SIM_BLOCK_H

#include "barrier.h"
#include "cluster.h"
#include "schedule.h"
#include "thread.h"
#include "warp.h"
#include "window.h"

enum { BLOCK_MAX_WARPS = 32, BLOCK_MAX_THREADS = 1024, BLOCK_LEAST_TURNS = 8 };

struct run;
struct worker;

struct block {
	struct cudasim_block pub; /* first: device code sees this */
	struct worker *worker;
	struct run *run;
	struct cluster *cluster;
	uint64_t index; /* x + grid.x * (y + grid.y * z) */

	/* The choice of the next thread is not simply the next lane: an order, an
	 * observer, or pthreads want more. */
	bool special;
	/* All its threads run as one loop: n_live, live, active tell nothing yet. The
	 * loop goes on with units rest_lo..rest_hi-1 of the run, and has ended n_looped
	 * besides the one it began with; n_chunk units were taken at once with that one (0:
	 * that has been learned from). A call of it runs n_row blocks, of which this is the
	 * first. */
	bool loop;
	uint32_t n_row;
	uint64_t rest_lo, rest_hi, n_looped, n_chunk;
	/* Its threads have left a loop with meetings: they go on from the cuts where they
	 * stood. left_frame is the block's own, malloc()ed. */
	uint32_t stepped; /* in a loop: linear index of a thread that runs alone, or ~0 */
	const struct cudasim_loop *left;
	/* In a loop: the thread that stands for all while the block waits for others; lanes that
	 * gave way take some more turns; one of them waits for memory of the block's. */
	struct thread *rested;
	bool retries, waits_inside;
	/* In a loop: barriers that have opened and waits that have ended; the same when all warps
	 * waited last, and how often in a row nothing had changed then; shared memory when a
	 * barrier opened last, and whether lanes have given way since. */
	uint64_t moves, moves_seen;
	uint32_t n_vain;
	uint64_t shared_seen;
	bool gave_way;
	/* Bit per warp: its turn has ended though its lanes may go on; some of its lanes wait for
	 * mbarriers, and their frame. */
	uint32_t paused, asleep;
	const struct cudasim_loop *asleep_loop;
	void *asleep_frame;
	/* Turns of a loop until a lane gives way again; the last one came to nothing else; the warp
	 * that gave way last, and for how long no other has (loop.c). */
	int32_t turns;
	uint64_t n_loop_barriers; /* that the block's watched loop has come to */
	bool waited;
	uint32_t alone, n_alone;
	void *left_frame;
	size_t left_bytes; /* of left_frame, which stays for later blocks if it is not large */
	struct thread_runtime *runtime; /* [n_threads]; NULL before a thread needs it */
	uint32_t n_threads, n_warps; /* constant */
	uint32_t n_live; /* threads that have not exited */
	uint32_t warp; /* that ran last */
	uint32_t active_warps, yielded_warps, held_warps, converging_warps;
	uint32_t active[BLOCK_MAX_WARPS], yielded[BLOCK_MAX_WARPS];
	uint32_t held[BLOCK_MAX_WARPS], converging[BLOCK_MAX_WARPS];
	/* Lanes that met; kept_warps: those where observers have been asked and have
	 * let nobody go. met_rounds: rounds that they have waited for spinning lanes. */
	uint32_t met_warps, kept_warps;
	uint32_t met[BLOCK_MAX_WARPS];
	uint8_t met_rounds[BLOCK_MAX_WARPS];
	/* Warps with a meeting that waits for nobody but for what else the warp may run. */
	uint32_t partial_warps;
	uint32_t n_sleep; /* threads that wait for an mbarrier's phase to end (sleeps_at) */
	/* Lanes that wait until the block has nobody else to run (__cudasim_post_barrier). */
	uint32_t post_barrier_warps, post_barrier[BLOCK_MAX_WARPS];
	uint32_t live[BLOCK_MAX_WARPS];

	/* What fuel a thread gets that starts or gives way. Shrinks while the
	 * block does nothing but spin, so that many spinning threads cost little. */
	int32_t fuel;
	uint64_t n_turns; /* that threads have got after giving way */
	uint32_t want; /* of threads that begin: events of watched code, CUDASIM_WANT_... */
	uint32_t progress, progress_seen; /* starts and exits of threads */
	uint32_t openings, openings_seen; /* of barriers, warp operations */
	bool spins; /* the last round did nothing else */
	bool computes; /* in this round a thread gave way in the middle of work */
	uint32_t rounds; /* that did not spin and brought no progress */

	uint32_t pending_barriers; /* bit per id: somebody has arrived */
	struct barrier barriers[CUDASIM_N_BARRIERS];
	/* At the cluster's barrier: lanes that wait; that have arrived since it opened last. */
	uint32_t cluster_waiting[BLOCK_MAX_WARPS], cluster_arrived[BLOCK_MAX_WARPS];

	struct window window;
	struct warp *warps; /* [n_warps] */
	struct thread *threads; /* [n_threads] */
	struct thread *forced; /* an observer's choice: runs next */

	uint32_t capacity; /* warps that warps and threads have room for */
	uint32_t shape[3]; /* block dimensions that threads' indices are for */
	struct block *next; /* in the worker's list of unused ones */
	struct block *prev_of_run, *next_of_run; /* blocks in flight, where watched */
};

static inline struct block *block_of(const struct thread *thread)
{
	return (struct block *)thread->pub.block;
}

static inline struct thread *block_thread(struct block *block, uint32_t warp, uint32_t lane)
{
	return &block->threads[warp * CUDASIM_WARP_SIZE + lane];
}

/* Make room for a block of this shape and shared window; fresh in no sense
 * yet. False without memory. block is zeroed or was prepared before. */
bool block_prepare(struct block *block, const uint32_t ntid[3], uint32_t shared_bytes,
		   uint32_t shared_align);
void block_fini(struct block *block);
/* All threads fresh and active, barriers empty, the window cleared. */
void block_reset(struct block *block);
/* Nobody has arrived at its barriers. */
void block_reset_barriers(struct block *block);
/* The same, quickly, for a block of one thread that has ended by itself and whose kernel
 * neither waits nor has shared memory. */
void block_restart(struct block *block);
/* Of a thread of the block; made at the first need. */
struct thread_runtime *block_runtime(struct block *block, const struct thread *thread);

/* Masks and their summaries. */
static inline void block_activate(struct block *b, uint32_t w, uint32_t lanes)
{
	b->active[w] |= lanes;
	b->active_warps |= (uint32_t)(lanes != 0) << w;
}
/* Has it arrived at its cluster's barrier, which has not opened since? */
static inline bool block_cluster_arrived(const struct block *b, const struct thread *t)
{
	return b->cluster_arrived[t->pub.warp] >> t->pub.lane & 1;
}
static inline void block_deactivate(struct block *b, uint32_t w, uint32_t lanes)
{
	b->active[w] &= ~lanes;
	if (!b->active[w])
		b->active_warps &= ~(1u << w);
}
static inline bool block_can_move(const struct block *b)
{
	return b->active_warps | b->yielded_warps | b->post_barrier_warps |
	       ((b->converging_warps | b->met_warps | b->partial_warps) & ~b->kept_warps);
}
/* Somebody moves only when an observer says so. */
static inline bool block_is_kept(const struct block *b)
{
	return b->held_warps | b->met_warps;
}
/* Warps without an active lane whose converging or meeting lanes can go on (or,
 * those that met, be asked about). */
uint32_t block_settleable(const struct block *b);
/* Let lanes that met go on. */
void block_release(struct block *b, uint32_t w, uint32_t lanes);

/* Let the lanes of these warps that are at a post-barrier point go on. */
void block_end_post_barrier(struct block *b, uint32_t warps);

/* The thread to run next, NULL if nobody is active. Lets converging lanes go
 * where their warp has nobody else. */
struct thread *block_pick(struct block *block);

/* Begin a new round: those that yielded are active again. */
void block_round(struct block *block);

/* Held threads that have been resumed are active again. True if there was one. */
bool block_unhold(struct block *block);

/* The running thread has ended: what it leaves, and what opens by that. */
void block_exit_slowly(struct thread *thread);
static inline void block_exit(struct thread *t)
{
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
	b->live[w] &= ~bit;
	block_deactivate(b, w, bit);
	b->n_live--;
	b->progress++;
	t->state = THREAD_EXITED;
	if (__builtin_expect(b->warps[w].n_meetings | b->pending_barriers | b->cluster->n_arrived,
			     0))
		block_exit_slowly(t);
}

void block_check(const struct block *block);

#endif
