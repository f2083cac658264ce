/* SPDX-License-Identifier: Apache-2.0 */
/* loop_wait.c - lanes in loops that wait for other warps and blocks.
 *
 * A lane of a loop that may spin gives way after so many turns. It takes some more where it stands; if
 * these come to nothing else the other warps of the block have their turns, and where these go
 * nowhere either the block waits for others, and stands still as a whole while they run. Where all that a worker has in flight waits in vain the threads leave their loops, since they may
 * wait for threads of their own block that have not come that far. */
#include "loop.h"

#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "dispatch.h"
#include "now.h"

void loop_keep_frame(struct block *b, void *frame)
{
	struct worker *worker = b->worker;
	if (b->left_frame == frame)
		return;
	free(b->left_frame);
	b->left_frame = frame;
	b->left_bytes = worker->frame_bytes;
	worker->frame = NULL;
	worker->frame_bytes = 0;
}

/* All that this worker has in flight waits in vain. Others may come late on a busy machine; a
 * worker alone counts rounds, as all that is to be repeatable does. */
static bool is_in_vain(const struct worker *worker, const struct run *run)
{
	enum { ROUNDS = 8, LATE_NS = 20000000 };
	uint32_t n;
	const struct worker *others = scheduler_workers(&n);
	if (worker->fruitless < ROUNDS)
		return false;
	if (n == 1)
		return true;
	for (uint32_t i = 0; i < n; i++)
		if (others[i].running == run &&
		    !__atomic_load_n(&others[i].fruitless, __ATOMIC_RELAXED))
			return false; /* it computes */
	return now_ns() - worker->fruitless_ns >= LATE_NS;
}

/* Four chains, as one would take the time of a multiplication for each word. */
static uint64_t mix(uint64_t digest, const unsigned char *from, uint64_t bytes)
{
	enum { CHAINS = 4 };
	uint64_t words[CHAINS], chains[CHAINS] = {digest, 1, 2, 3};
	for (; bytes >= sizeof words; bytes -= sizeof words, from += sizeof words) {
		memcpy(words, from, sizeof words);
		for (int i = 0; i < CHAINS; i++) {
			chains[i] = (chains[i] ^ words[i]) * 0x9e3779b97f4a7c15u;
			chains[i] ^= chains[i] >> 29;
		}
	}
	for (; bytes; bytes--)
		digest = (digest ^ *from++) * 0x100000001b3u;
	for (int i = 0; i < CHAINS; i++)
		digest = (digest ^ chains[i]) * 0x9e3779b97f4a7c15u;
	return digest;
}

/* The warp's lanes, which gave way, have come to their next meeting. They have been released from a
 * loop in which they waited. Or the meeting is in the loop: then they compute, or wait there for
 * others, where they and shared memory are as they were the last time; loops that wait and count
 * their turns are told by their number. What other warps of the block would bring is waited for in
 * vain, as these begin behind this one: where it has been alone for long. True where the block goes
 * on at once. */
static bool meets_again(const struct lanes *l)
{
	enum { PATIENCE = 32, TURNS = 256, ALONE = 128, MOST_ALONE = ALONE << 13 };
	struct block *b = l->block;
	uint64_t *before = &b->warps[l->warp].gave_way, state = *before + 1;
	bool released = b->waited;
	b->waited = false;
	if (!released) {
		state = mix(1, l->frame, l->loop->thread_bytes * LANES);
		state = mix(state, b->pub.shared, b->pub.shared_bytes);
	}
	b->n_alone = b->alone == l->warp && b->n_warps > 1 ? b->n_alone : 0;
	b->n_alone += released ? 1 : ALONE;
	b->alone = l->warp;
	if (*before == state || b->n_alone > MOST_ALONE)
		return false;
	*before = state;
	/* Mostly progress; but others, new blocks among them, get their turns as well. */
	b->rounds = released ? 0 : b->rounds + 1;
	b->turns = b->rounds <= PATIENCE ? BLOCK_LEAST_TURNS : TURNS;
	b->progress += b->rounds <= PATIENCE || b->rounds % 2;
	return b->rounds <= PATIENCE;
}

/* The lanes give way no more until they have made some turns. False where all come to something
 * else. */
static bool retry(const struct lanes *l, uint32_t lanes)
{
	struct block *b = l->block;
	bool waits = false;
	b->waits_inside = false;
	b->retries = true;
	for (uint32_t rest = lanes; rest;) {
		uint32_t at = l->at[loop_first(rest)], same = rest & loop_equal(l->at, at);
		rest &= ~same;
		loop_run(l, at, same);
	}
	b->retries = false;
	for (; lanes; lanes &= lanes - 1)
		waits |= loop_stands_before(l, loop_first(lanes), CUDASIM_REGION_YIELD);
	return waits;
}

/* Have the block's other warps come anywhere since this one has asked last? */
static bool others_moved(const struct lanes *l)
{
	struct block *b = l->block;
	unsigned char *frame = l->frame - l->loop->thread_bytes * LANES * l->warp;
	const uint32_t *words = loop_words(l->loop, b, frame);
	uint64_t state = b->moves, *before = &b->warps[l->warp].others;
	for (uint32_t w = 0; w < b->n_warps; w++) {
		if (w == l->warp)
			continue;
		state = mix(state, (const unsigned char *)&words[w], sizeof *words);
		if (words[w] == CUDASIM_AT_MIXED) {
			struct lanes other = loop_lanes(l->loop, b, NULL, frame, w);
			state = mix(state, (const unsigned char *)other.at,
				    other.n * sizeof *other.at);
		}
	}
	bool moved = b->n_warps > 1 && *before != state;
	*before = state;
	return moved;
}

void loop_note_opening(struct block *b)
{
	uint64_t now = b->gave_way ? mix(1, b->pub.shared, b->pub.shared_bytes) : 0;
	b->moves += !b->gave_way || now != b->shared_seen;
	b->shared_seen = now;
	b->gave_way = false;
}

static bool stands_at_barrier(const struct lanes *l)
{
	bool any = false;
	for (uint32_t lane = 0; lane < l->n; lane++)
		any |= loop_stands_before(l, lane, CUDASIM_REGION_BARRIER) ||
		       loop_stands_before(l, lane, CUDASIM_REGION_BARRIER_REDUCE);
	return any;
}

bool loop_rest(struct block *b, void *frame)
{
	if (is_in_vain(b->worker, b->run)) {
		atomic_store_explicit(&b->run->parts, true, memory_order_relaxed);
		return false;
	}
	loop_keep_frame(b, frame);
	dispatch_rest(thread_self());
	return true;
}

static bool rest(const struct lanes *l)
{
	return loop_rest(l->block, l->frame - l->loop->thread_bytes * LANES * l->warp);
}

enum loop_turn loop_wait(const struct lanes *l, uint32_t lanes)
{
	struct block *b = l->block;
	if (atomic_load_explicit(&b->run->parts, memory_order_relaxed) || b->n_row > 1)
		return LOOP_LEAVES;
	b->gave_way = true;
	if (retry(l, lanes)) {
		b->waited = true;
		b->turns = BLOCK_LEAST_TURNS;
		if (others_moved(l))
			return LOOP_TURN_ENDS;
		if (b->waits_inside && b->n_warps == 1)
			return LOOP_LEAVES;
		return rest(l) ? LOOP_TURN_ENDS : LOOP_LEAVES;
	}
	if (meets_again(l))
		return LOOP_GOES_ON;
	/* At a barrier the others come anyway, and would be waiting there themselves. */
	bool alone = b->n_warps == 1 || stands_at_barrier(l);
	if (!alone && others_moved(l))
		b->progress++;
	if (!rest(l))
		return LOOP_LEAVES;
	if (alone)
		return LOOP_GOES_ON;
	b->paused |= 1u << l->warp;
	return LOOP_TURN_ENDS;
}
