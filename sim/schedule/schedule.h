/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.h - the order in which blocks, warps and threads run.
 *
 * CUDASIM_SCHEDULE=inorder|reverse|random[:SEED] makes a run a function of
 * program, input and seed: one worker then runs everything. Unset, blocks are
 * shared by all workers; inside a block the order is `inorder`.
 *
 * Blocks leave their order only inside windows of as many blocks as the device
 * has multiprocessors: real programs count on blocks being started roughly in
 * order. */
#ifndef CUDASIM_SIM_SCHEDULE_H
#define CUDASIM_SIM_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

enum schedule_order { SCHEDULE_INORDER, SCHEDULE_REVERSE, SCHEDULE_RANDOM };

struct schedule {
	bool fixed; /* CUDASIM_SCHEDULE is set: one worker, a repeatable run */
	enum schedule_order order;
	uint64_t seed;
};

struct cudasim_error;

/* Read text ("inorder", "random:7", NULL for unset). A missing seed is chosen
 * from the clock. CUDASIM_E_ARGUMENT for anything else. */
struct cudasim_error *schedule_parse(const char *text, struct schedule *ret);

/* The next number of a stream of random ones; *state is any number at first.
 * Algorithm: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom
 * number generators, 2014). */
static inline uint64_t schedule_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A number in 0..n-1; n is at least 1. */
static inline uint32_t schedule_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((schedule_random(state) >> 32) * n >> 32);
}

/* One of the bits set in mask (not 0) in the given order. */
uint32_t schedule_bit(enum schedule_order order, uint64_t *state, uint32_t mask);

/* The block (or cluster) to start as the i-th of n. window is at least 1; seed
 * chooses the permutation. A pure function: the same arguments give the same
 * answer, and i -> result is a permutation of 0..n-1. */
uint64_t schedule_block(enum schedule_order order, uint64_t seed, uint64_t i, uint64_t n,
			uint32_t window);

#endif
