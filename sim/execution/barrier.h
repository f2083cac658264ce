/* SPDX-License-Identifier: Apache-2.0 */
/* barrier.h - the 16 barriers of a block.
 *
 * With n_expected 0 a barrier opens when every thread that has not exited has
 * arrived. With a count it opens when that many have: there a warp all of
 * whose remaining lanes have arrived counts as 32, as on the hardware, where
 * exited and missing lanes of a warp are counted with the rest of it. */
#ifndef CUDASIM_SIM_BARRIER_H
#define CUDASIM_SIM_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#define CUDASIM_N_BARRIERS 16u

struct block;
struct thread;
struct cudasim_barrier;

struct barrier {
	uint32_t expected;    /* 0: all threads of the block */
	uint32_t n_arrived;   /* threads, as counted by the rules above */
	uint32_t rounded;     /* bit per warp: has been counted as 32 */
	uint32_t n_true;      /* arrivals whose predicate was not 0 */
	uint32_t n_voted;     /* arrivals with a predicate */
	uint64_t epoch;       /* times it has opened */
	uint32_t waiting[32]; /* lanes by warp */
	uint32_t arrived[32]; /* lanes that arrived without waiting (bar.arrive) */
};

/* How many threads have to arrive, as the barrier stands. */
uint32_t barrier_expected(const struct block *block, const struct barrier *barrier);

/* A thread of warp w has exited: it counts as arrived. Opens what is complete. */
void barrier_exit(struct block *block, uint32_t warp, uint32_t lane);

/* The threads have been counted anew, and some have arrived without waiting before: count their warps
 * again, and open what is complete. */
void barrier_recount(struct block *block);

/* Could a thread arrive at that barrier with that count? */
static inline bool barrier_is_valid(uint32_t id, uint32_t expected)
{
	return id < CUDASIM_N_BARRIERS && expected % 32 == 0 && expected <= 32 * 32;
}

/* As an observer sees barrier id. */
void barrier_describe(const struct block *block, uint32_t id, struct cudasim_barrier *ret);

#endif
