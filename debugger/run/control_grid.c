/* SPDX-License-Identifier: Apache-2.0 */
/* control_grid.c - blocks in flight, and how each of their threads stands. */
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "error.h"
#include "run_state.h"
#include "stack.h"

/* ---- blocks -------------------------------------------------------------------- */

static struct grid_block *grid_block_new(uint32_t n)
{
	for (struct grid_block **at = &run_state()->grid.unused; *at; at = &(*at)->next) {
		struct grid_block *g = *at;
		if (g->capacity < n)
			continue;
		*at = g->next;
		return g;
	}
	struct grid_block *g = malloc(sizeof *g + n * sizeof g->lanes[0]);
	if (g)
		g->capacity = n;
	return g;
}

void grid_block_begin(struct cudasim_block *block)
{
	void **data = cudasim_block_data(block, &debugger_observer);
	struct grid_block *g = grid_block_new(cudasim_block_size(block));
	if (!data || !g)
		abort(); /* the block would run unseen */
	run_state()->grid.slot = (size_t)(data - block->tool);
	g->block = block;
	g->n = cudasim_block_size(block);
	g->any_yes = false;
	memset(g->lanes, 0, g->n * sizeof g->lanes[0]);
	*data = g;
}

void grid_block_end(struct cudasim_block *block)
{
	struct run_grid *own = &run_state()->grid;
	struct grid_block *g = grid_of(block);
	if (!g)
		return;
	g->next = own->unused;
	own->unused = g;
	block->tool[own->slot] = NULL;
}

struct grid_block *grid_of(struct cudasim_block *block)
{
	struct run_grid *own = &run_state()->grid;
	return own->slot != GRID_NO_SLOT && block->tool ? block->tool[own->slot] : NULL;
}

struct lane *lane_of(struct cudasim_thread *thread)
{
	return &grid_of(thread->block)->lanes[thread->linear];
}

size_t grid_blocks(struct cudasim_block *const **ret)
{
	static struct cudasim_block *blocks[MOST_BLOCKS];
	struct cudasim_launch *launches[MOST_LAUNCHES];
	size_t n = 0, n_launches = cudasim_launches(launches, MOST_LAUNCHES);
	if (n_launches > MOST_LAUNCHES)
		n_launches = MOST_LAUNCHES;
	for (size_t i = 0; i < n_launches; i++) {
		size_t more = cudasim_blocks(launches[i], blocks + n, MOST_BLOCKS - n);
		n += more < MOST_BLOCKS - n ? more : MOST_BLOCKS - n;
	}
	*ret = blocks;
	return n;
}

struct cudasim_thread *thread_in_flight(struct thread_id id)
{
	struct cudasim_block *const *blocks;
	size_t n = grid_blocks(&blocks);
	for (size_t i = 0; i < n; i++)
		if (blocks[i]->launch->id == id.launch &&
		    cudasim_block_index(blocks[i]) == id.block)
			return cudasim_block_thread(blocks[i], id.linear);
	return NULL;
}

uint32_t block_n_warps(const struct cudasim_block *block)
{
	return (cudasim_block_size(block) + CUDASIM_WARP_SIZE - 1) / CUDASIM_WARP_SIZE;
}

struct cudasim_thread *lane_thread(struct cudasim_block *block, uint32_t warp, uint32_t lane)
{
	return cudasim_block_thread(block, warp * CUDASIM_WARP_SIZE + lane);
}

bool thread_is_alive(struct cudasim_thread *thread)
{
	struct cudasim_block *const *blocks;
	struct cudasim_warp_lanes lanes;
	size_t n = grid_blocks(&blocks);
	for (size_t i = 0; i < n; i++) {
		if (blocks[i] != thread->block)
			continue;
		cudasim_warp_lanes(thread->block, thread->warp, &lanes);
		return lanes.live >> thread->lane & 1;
	}
	return false;
}

bool blocks_share_cluster(const struct cudasim_block *a, const struct cudasim_block *b)
{
	if (a->launch != b->launch)
		return false;
	for (int i = 0; i < 3; i++)
		if (a->ctaid[i] / a->cluster_nctaid[i] != b->ctaid[i] / b->cluster_nctaid[i])
			return false;
	return true;
}

/* ---- letting go ------------------------------------------------------------------ */

void lanes_release(struct cudasim_block *block, uint32_t warp, uint32_t lanes)
{
	struct grid_block *g = grid_of(block);
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		struct lane *l =
			&g->lanes[warp * CUDASIM_WARP_SIZE + (uint32_t)__builtin_ctz(rest)];
		l->stand = STAND_NOT;
		l->yes = 0;
		l->lines = 0;
	}
	cudasim_warp_release(block, warp, lanes);
}

static bool release_block(struct cudasim_block *block)
{
	struct grid_block *g = grid_of(block);
	bool any_yes = false;
	for (uint32_t w = 0; w < block_n_warps(block); w++) {
		struct cudasim_warp_lanes lanes;
		cudasim_warp_lanes(block, w, &lanes);
		uint32_t go = lanes.met;
		for (uint32_t i = 0; i < CUDASIM_WARP_SIZE && w * CUDASIM_WARP_SIZE + i < g->n;
		     i++) {
			struct lane *l = &g->lanes[w * CUDASIM_WARP_SIZE + i];
			l->moving = MOVES_NOT;
			l->lines = 0;
			if (!(lanes.met >> i & 1))
				continue;
			/* Breakpoints may have gone since, or have other conditions. */
			if (run_state()->mode != MODE_DETACHED && l->yes &&
			    (l->yes = breakers_ask_again(lane_thread(block, w, i), l->site,
							 l->yes))) {
				go &= ~(1u << i);
				any_yes = true;
			}
		}
		lanes_release(block, w, go);
	}
	g->any_yes = any_yes;
	return any_yes;
}

bool grid_release(void)
{
	struct cudasim_block *const *blocks;
	size_t n = grid_blocks(&blocks);
	bool any_yes = false;
	for (size_t i = 0; i < n; i++)
		any_yes |= release_block(blocks[i]);
	return any_yes;
}

/* ---- frames ------------------------------------------------------------------------ */

uint64_t frame_of(struct cudasim_thread *thread)
{
	struct cudasim_frame frame;
	return cudasim_thread_frames(thread, &frame, 1) ? frame.frame : 0;
}

uint64_t depth_of(struct cudasim_thread *thread, uint64_t frame)
{
	uint64_t low, high, used;
	cudasim_thread_stack(thread, &low, &high, &used);
	return high - frame;
}

static bool has_returned(struct cudasim_thread *thread)
{
	return grid_of(thread->block) && lane_of(thread)->stand == STAND_RETURNED;
}

static const struct cudasim_site *place(struct cudasim_thread *thread, bool *ret_start)
{
	struct cudasim_thread_status status;
	*ret_start = false;
	if (!grid_of(thread->block))
		return NULL;
	struct lane *l = lane_of(thread);
	cudasim_thread_status(thread, &status);
	if (status.state == CUDASIM_THREAD_WAITING)
		return NULL;
	*ret_start = l->stand == STAND_ARMED || l->stand == STAND_LINE;
	return *ret_start ? l->site : status.site;
}

__attribute__((constructor)) static void start(void)
{
	*thread_view() = (struct thread_view){has_returned, place};
}

/* ---- what is asked for ---------------------------------------------------------------- */

uint32_t wants_now(void)
{
	uint32_t want = CUDASIM_WANT_BODY | CUDASIM_WANT_ORDERED | CUDASIM_WANT_BLOCK |
			CUDASIM_WANT_THREAD | CUDASIM_WANT_BARRIER | CUDASIM_WANT_WARP;
	if (run_state()->mode == MODE_DETACHED)
		return want;
	if (run_state()->mode != MODE_RUN || interrupt_is_wanted())
		want |= CUDASIM_WANT_LINE;
	if (run_state()->mode == MODE_STEP || stop_is_pending() || interrupt_is_wanted())
		want |= CUDASIM_WANT_CHOOSE;
	if (finish_active() || location_has_frame())
		want |= CUDASIM_WANT_CALL;
	if (watching())
		want |= CUDASIM_WANT_ACCESS | CUDASIM_WANT_LINE | CUDASIM_WANT_CALL;
	if (watching_local())
		want |= CUDASIM_WANT_LOCAL;
	return want;
}

void wants_update(void)
{
	struct run_grid *own = &run_state()->grid;
	struct cudasim_launch *launches[MOST_LAUNCHES];
	uint32_t want = wants_now();
	if (want == own->given)
		return;
	own->given = want;
	size_t n = cudasim_launches(launches, MOST_LAUNCHES);
	for (size_t i = 0; i < n && i < MOST_LAUNCHES; i++)
		cudasim_error_free(cudasim_launch_want(&debugger_observer, launches[i], want));
}
