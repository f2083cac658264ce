/* SPDX-License-Identifier: Apache-2.0 */
/* control_step_others.c - during a step: which lane moves next, and which others may move so that
 * the focused one need not wait. */
#include "control_step.h"

struct cudasim_warp_lanes lanes_state(struct cudasim_block *block, uint32_t warp)
{
	struct cudasim_warp_lanes lanes;
	cudasim_warp_lanes(block, warp, &lanes);
	return lanes;
}

bool thread_is_live(struct cudasim_thread *thread)
{
	return lanes_state(thread->block, thread->warp).live >> thread->lane & 1;
}

/* Lanes of the warp that move for this. */
uint32_t lanes_moving(struct cudasim_block *block, uint32_t warp, enum moving what)
{
	const struct grid_block *g = grid_of(block);
	uint32_t ret = 0;
	for (uint32_t i = 0; i < CUDASIM_WARP_SIZE && warp * CUDASIM_WARP_SIZE + i < g->n; i++)
		if (g->lanes[warp * CUDASIM_WARP_SIZE + i].moving == what)
			ret |= 1u << i;
	return ret;
}

void lanes_set_moving(struct cudasim_block *block, uint32_t warp, uint32_t lanes, enum moving what)
{
	struct grid_block *g = grid_of(block);
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		g->lanes[warp * CUDASIM_WARP_SIZE + (uint32_t)__builtin_ctz(rest)].moving =
			(uint8_t)what;
}

/* A lane out of these that can go on, and does not only spin. */
struct cudasim_thread *pick_lane(struct cudasim_block *block, uint32_t warp, uint32_t lanes)
{
	struct cudasim_warp_lanes s;
	if (!lanes)
		return NULL;
	s = lanes_state(block, warp);
	uint32_t go = s.active & lanes;
	if (!go)
		go = s.yielded & ~s.spinning & lanes;
	return go ? lane_thread(block, warp, (uint32_t)__builtin_ctz(go)) : NULL;
}

struct cudasim_thread *pick_of_block(struct cudasim_block *block, enum moving what)
{
	struct cudasim_thread *thread = NULL;
	for (uint32_t w = 0; w < block_n_warps(block) && !thread; w++)
		thread = pick_lane(block, w, lanes_moving(block, w, what));
	return thread;
}

struct cudasim_thread *pick_of_grid(enum moving what)
{
	struct step *step = &run_state()->step;
	struct cudasim_block *const *blocks;
	struct cudasim_thread *thread = pick_of_block(step->block, what);
	if (thread || (step->wider < WIDER_CLUSTER && what != MOVES_BEHIND))
		return thread;
	size_t n = grid_blocks(&blocks);
	for (size_t i = 0; i < n && !thread; i++)
		thread = pick_of_block(blocks[i], what);
	return thread;
}

void forget_moves(void)
{
	struct cudasim_block *const *blocks;
	size_t n = grid_blocks(&blocks);
	for (size_t i = 0; i < n; i++)
		for (uint32_t w = 0; w < block_n_warps(blocks[i]); w++)
			lanes_set_moving(
				blocks[i], w,
				~0u >> (w + 1 == block_n_warps(blocks[i])
						? (32 - cudasim_block_size(blocks[i]) % 32) % 32
						: 0),
				MOVES_NOT);
}

/* True where somebody moves now that did not before. */
static bool free_warp(struct cudasim_block *block, uint32_t warp)
{
	struct step *step = &run_state()->step;
	struct cudasim_warp_lanes s = lanes_state(block, warp);
	uint32_t taken = lanes_moving(block, warp, MOVES_STEP) |
			 lanes_moving(block, warp, MOVES_FREE);
	lanes_set_moving(block, warp, s.live & ~taken, MOVES_FREE);
	lanes_release(block, warp, s.met & ~taken);
	if (block == step->block && warp != step->thread->warp && s.live & ~taken)
		step->stepped |= 1ull << warp;
	return s.live & ~taken;
}

static bool free_block(struct cudasim_block *block)
{
	bool any = false;
	for (uint32_t w = 0; w < block_n_warps(block); w++)
		any |= free_warp(block, w);
	return any;
}

static bool free_cluster(void)
{
	struct cudasim_block *const *blocks;
	size_t n = grid_blocks(&blocks);
	bool any = false;
	for (size_t i = 0; i < n; i++)
		if (blocks_share_cluster(blocks[i], run_state()->step.block))
			any |= free_block(blocks[i]);
	return any;
}

static bool free_grid(void)
{
	struct cudasim_block *const *blocks;
	size_t n = grid_blocks(&blocks);
	bool any = false;
	for (size_t i = 0; i < n; i++)
		any |= free_block(blocks[i]);
	return any;
}

/* Let more of the others move; false where all do already. */
bool widen(void)
{
	struct step *step = &run_state()->step;
	step->spins = 0;
	step->turn = 0;
	if (step->wider < WIDER_NEW)
		step->wider++;
	switch (step->wider) {
	case WIDER_WARP:
		return free_warp(step->block, step->thread->warp) || widen();
	case WIDER_BLOCK:
		return free_block(step->block) || widen();
	case WIDER_CLUSTER:
		return free_cluster() || widen();
	case WIDER_GRID:
		return free_grid() || widen();
	default:
		if (free_grid())
			return true;
		return cudasim_launch_begin_blocks(step->block->launch, 1) && free_grid();
	}
}

/* Nobody can do more than spin: the next one's turn to do that. NULL when each has had
 * SPINS turns. */
struct cudasim_thread *pick_spinning(void)
{
	struct step *step = &run_state()->step;
	struct cudasim_block *const *blocks;
	size_t n = grid_blocks(&blocks);
	struct cudasim_thread *first = NULL;
	for (size_t i = 0; i < n; i++) {
		if (blocks[i] != step->block && step->wider < WIDER_CLUSTER)
			continue;
		for (uint32_t w = 0; w < block_n_warps(blocks[i]); w++) {
			uint32_t lanes = lanes_state(blocks[i], w).yielded;
			lanes &= lanes ? ~lanes_moving(blocks[i], w, MOVES_NOT) : 0;
			for (; lanes; lanes &= lanes - 1) {
				struct cudasim_thread *t =
					lane_thread(blocks[i], w, (uint32_t)__builtin_ctz(lanes));
				uint64_t number = i * 1024 + t->linear;
				if (!first)
					first = t;
				if (number < step->turn)
					continue;
				step->turn = number + 1;
				return t;
			}
		}
	}
	if (!first || ++step->spins > SPINS)
		return NULL;
	step->turn = 0;
	return first;
}

/* A lane of the warp that converges and that moves for the step. */
static struct cudasim_thread *pick_converging_lane(struct cudasim_block *block, uint32_t warp)
{
	uint32_t lanes = lanes_state(block, warp).converging &
			 ~lanes_moving(block, warp, MOVES_NOT);
	return lanes ? lane_thread(block, warp, (uint32_t)__builtin_ctz(lanes)) : NULL;
}

struct cudasim_thread *pick_converging(void)
{
	struct step *step = &run_state()->step;
	struct cudasim_block *const *blocks;
	struct cudasim_thread *thread = pick_converging_lane(step->block, step->thread->warp);
	size_t n = grid_blocks(&blocks);
	for (size_t i = 0; i < n && !thread; i++) {
		if (blocks[i] != step->block && step->wider < WIDER_CLUSTER)
			continue;
		for (uint32_t w = 0; w < block_n_warps(blocks[i]) && !thread; w++)
			thread = pick_converging_lane(blocks[i], w);
	}
	return thread;
}
