/* SPDX-License-Identifier: Apache-2.0 */
/* warp.h - warp-wide operations.
 *
 * Lanes that name the same mask for the same kind of operation meet; the last
 * to arrive computes the results of all, so that a fast lane's next operation
 * cannot overwrite what a slow one has yet to read. Exited lanes leave every
 * mask. Where the lanes stand in the code does not matter, only what they ask.
 *
 * Converging (__activemask and the lockstep points that the compiler puts in)
 * is different: a lane waits until no other lane of its warp is active, then
 * the lanes at the place that comes first in the code go on together. First
 * means the lowest site: lanes that are behind catch up, as on hardware that
 * runs the smallest program counter first. */
#ifndef CUDASIM_SIM_WARP_H
#define CUDASIM_SIM_WARP_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/observer.h"

struct block;
struct thread;

/* Lanes that have come to an operation and wait for the rest of their mask; where the mask
 * does not name all that live, for the warp to have nobody else to run. For hardware does not
 * look at the mask where all lanes come together and name the same one: then even those take
 * part that it lacks (seen on an H200; CUDA leaves it undefined). */
struct meeting {
	uint32_t mask;    /* as the program names them */
	uint32_t arrived; /* lanes that wait; those that the mask lacks, too */
	uint32_t kind;    /* enum cudasim_warp_kind */
	uint32_t sub;
};

/* What a lane has brought to an operation. */
struct warp_operand {
	uint64_t value;
	uint32_t b, c; /* of a shuffle */
};

struct warp {
	uint32_t n_meetings;
	uint32_t queue; /* lanes that speak one after the other: warp_turn() */
	uint32_t refused; /* lanes whose operation is illegal */
	/* In a loop: the state in which lanes gave way last; where the block's other warps stood then
	 * (loop_wait.c). */
	uint64_t gave_way, others;
	struct meeting meetings[32];
	struct warp_operand operand[32];
};

/* Results of an operation for the lanes `arrived`, into result[lane]. Lanes
 * that have not arrived bring 0 (the hardware leaves them undefined).
 * Source: PTX ISA 9.0, shfl.sync, vote.sync, match.sync, redux.sync, elect.sync. */
void warp_compute(uint32_t kind, uint32_t sub, uint32_t arrived,
		  const struct warp_operand operand[32], uint64_t result[32]);

/* Of a shuffle: the lanes of `arrived` that read from a lane that is not among them. */
uint32_t warp_absent(uint32_t mode, uint32_t arrived, const struct warp_operand operand[32]);

/* The warp has no active lane: let its meetings go on that have waited for that. False if
 * there was none; those that hold lanes which their masks lack, and others of the warp do not,
 * stay, or with `refuse` their lanes go on to be refused. */
bool warp_settle_partial(struct block *block, uint32_t warp, bool refuse);

/* Lanes at meetings that warp_settle_partial() would let go on, not to be refused. */
uint32_t warp_settling(const struct block *block, uint32_t warp);

/* A lane has exited: what waited only for it goes on. */
void warp_exit(struct block *block, uint32_t warp);

/* Let the converging lanes of the warp's foremost site go on. The warp has no
 * active lane and at least one that is converging. */
void warp_resolve(struct block *block, uint32_t warp);

/* Whether lanes at a go on before those at b. */
bool warp_site_before(const struct cudasim_site *a, const struct cudasim_site *b);

/* Does the first of the lanes a stand before (or at) the first of b? */
bool warp_stands_before(struct block *block, uint32_t warp, uint32_t a, uint32_t b);

/* Wait for convergence at site; returns the lanes that go on together. */
uint32_t warp_reconverge(struct thread *thread, uint32_t kind, const struct cudasim_site *site);

/* For printf and assert, whose lanes speak in lane order on hardware whatever
 * the order of the run: converge, and wait for the turn among those that did.
 * warp_turn_end() gives the turn on. */
void warp_turn(struct thread *thread, const struct cudasim_site *site);
void warp_turn_end(struct thread *thread);
/* As warp_turn_end(), and wait until all have had their turn. */
void warp_turn_last(struct thread *thread, const struct cudasim_site *site);

#endif
