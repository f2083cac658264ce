/* SPDX-License-Identifier: Apache-2.0 */
/* loop_wait.c - blocks in loops that wait for others.
 *
 * A lane of a loop that may spin gives way after so many turns. It takes some more where it stands; if
 * these come to nothing else the block waits for others, and stands still as a whole while they run.
 * Where all that a worker has in flight waits in vain the threads leave their loops, since they may
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
	if (b->left_frame != frame)
		free(b->left_frame);
	b->left_frame = frame;
	if (worker->frame != frame)
		return;
	worker->frame = NULL;
	worker->frame_bytes = 0;
}

/* Take a lane on that stands before what only a fiber can do, which may be to give way: then
 * it may take another turn here. False where it is something else, and nothing has happened. */
static __attribute__((noinline)) bool try_on(const struct lanes *l, uint32_t lane)
{
	struct block *b = l->block;
	void *trial[5];
	b->trial = trial;
	if (__builtin_setjmp(trial)) {
		block_of(thread_self())->worker->in_device = IN_DEVICE;
		block_of(thread_self())->trial = NULL;
		return false;
	}
	l->at[lane] = loop_continue(l, lane, loop_region(l->at[lane]));
	b->trial = NULL;
	return true;
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

bool loop_wait(const struct lanes *l)
{
	struct block *b = l->block;
	struct run *run = b->run;
	bool waits = false;
	if (atomic_load_explicit(&run->parts, memory_order_relaxed) || b->n_row > 1)
		return false;
	b->waits_inside = false;
	for (uint32_t lane = 0; lane < l->n; lane++) {
		if (!loop_stands_before(l, lane, CUDASIM_REGION_LEAVE))
			continue;
		if (!try_on(l, lane) || b->waits_inside)
			return false;
		waits |= loop_stands_before(l, lane, CUDASIM_REGION_LEAVE);
	}
	if (waits) {
		b->waited = true;
		b->turns = BLOCK_LEAST_TURNS;
	} else if (meets_again(l)) {
		return true;
	}
	if (is_in_vain(b->worker, run)) {
		atomic_store_explicit(&run->parts, true, memory_order_relaxed);
		return false;
	}
	loop_keep_frame(b, (unsigned char *)l->frame - l->loop->thread_bytes * LANES * l->warp);
	dispatch_rest(thread_self());
	return true;
}
