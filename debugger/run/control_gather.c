/* SPDX-License-Identifier: Apache-2.0 */
/* control_gather.c - the grid comes together at a stop.
 *
 * Lanes of a warp meet at an armed site, so that what the user sees across the warp is
 * of one moment. When nobody there has reason to stop, the foremost go on: those deepest
 * in calls, among them those at the lowest site, as on a GPU. When somebody has, his warp
 * stands, and everybody else comes as near as he can. */
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "error.h"
#include "run_state.h"

enum { BUDGET = 1000 }; /* lines that a thread may begin while the grid gathers */

/* ---- meeting ------------------------------------------------------------------------ */

static bool stands_before(struct cudasim_block *block, uint32_t a, uint32_t b)
{
	struct grid_block *g = grid_of(block);
	const struct cudasim_site *x = g->lanes[a].site, *y = g->lanes[b].site;
	if (x->function == y->function || !strcmp(x->function, y->function))
		return x < y;
	struct cudasim_thread *s = cudasim_block_thread(block, a);
	struct cudasim_thread *t = cudasim_block_thread(block, b);
	uint64_t depth_s = depth_of(s, frame_of(s)), depth_t = depth_of(t, frame_of(t));
	return depth_s != depth_t ? depth_s > depth_t : x < y;
}

static uint32_t foremost(struct cudasim_block *block, uint32_t warp, uint32_t lanes)
{
	struct grid_block *g = grid_of(block);
	uint32_t base = warp * CUDASIM_WARP_SIZE, first = base + (uint32_t)__builtin_ctz(lanes);
	uint32_t ret = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t i = base + (uint32_t)__builtin_ctz(rest);
		if (g->lanes[i].site != g->lanes[first].site && stands_before(block, i, first)) {
			first = i;
			ret = 0;
		}
		if (g->lanes[i].site == g->lanes[first].site)
			ret |= 1u << (i - base);
	}
	return ret;
}

static bool any_yes(const struct grid_block *g, uint32_t warp, uint32_t lanes)
{
	if (!g->any_yes)
		return false;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		if (g->lanes[warp * CUDASIM_WARP_SIZE + (uint32_t)__builtin_ctz(rest)].yes)
			return true;
	return false;
}

uint32_t gather_met(struct cudasim_block *block, uint32_t warp, uint32_t lanes)
{
	struct grid_block *g = grid_of(block);
	if (run_state()->mode == MODE_DETACHED || !g)
		return lanes;
	if (run_state()->mode != MODE_RUN || stop_is_pending())
		return 0;
	if (any_yes(g, warp, lanes)) {
		gather_begin();
		return 0;
	}
	uint32_t go = foremost(block, warp, lanes);
	for (uint32_t rest = go; rest; rest &= rest - 1)
		g->lanes[warp * CUDASIM_WARP_SIZE + (uint32_t)__builtin_ctz(rest)].stand =
			STAND_NOT;
	return go;
}

enum cudasim_verdict gather_line(struct cudasim_thread *thread, struct lane *lane,
				 const struct cudasim_site *site)
{
	if (breakers_ask(thread, site, &lane->yes)) {
		lane->site = site;
		lane->stand = STAND_ARMED;
		if (lane->yes)
			grid_of(thread->block)->any_yes = true;
		return CUDASIM_MEET;
	}
	if (run_state()->mode != MODE_GATHER || thread == run_state()->finish.thread ||
	    ++lane->lines < BUDGET)
		return CUDASIM_GO;
	lane->site = site;
	lane->stand = STAND_LINE;
	return CUDASIM_MEET;
}

/* ---- gathering ------------------------------------------------------------------------ */

static void limit_blocks(bool on)
{
	struct cudasim_launch *launches[MOST_LAUNCHES];
	size_t n = cudasim_launches(launches, MOST_LAUNCHES);
	for (size_t i = 0; i < n && i < MOST_LAUNCHES; i++) {
		uint64_t threads = (uint64_t)launches[i]->block[0] * launches[i]->block[1] *
				   launches[i]->block[2];
		uint64_t blocks = run_settings()->gather_threads / threads;
		cudasim_launch_limit(launches[i], on ? blocks ? blocks : 1 : 0);
	}
}

void gather_begin(void)
{
	run_state()->mode = MODE_GATHER;
	wants_update();
	limit_blocks(true);
}

/* The thread whose stop is told: the focused one, else the lowest. */
static struct cudasim_thread *who_stops(void)
{
	struct cudasim_block *const *blocks;
	struct cudasim_thread *first = NULL;
	size_t n = grid_blocks(&blocks);
	for (size_t i = 0; i < n; i++) {
		struct grid_block *g = grid_of(blocks[i]);
		if (!g || !g->any_yes)
			continue;
		for (uint32_t k = 0; k < g->n; k++) {
			if (!g->lanes[k].yes)
				continue;
			struct cudasim_thread *thread = cudasim_block_thread(blocks[i], k);
			if (thread_is(thread, run_state()->focused_before))
				return thread;
			if (!first)
				first = thread;
		}
	}
	return first;
}

/* These breakers have been told; who else stands there for them is part of that stop. */
static void told(const struct cudasim_launch *launch, const struct cudasim_site *site,
		 uint16_t bits)
{
	struct cudasim_block *const *blocks;
	size_t n = grid_blocks(&blocks);
	for (size_t i = 0; i < n; i++) {
		struct grid_block *g = grid_of(blocks[i]);
		if (!g || blocks[i]->launch != launch)
			continue;
		for (uint32_t k = 0; k < g->n; k++)
			if (g->lanes[k].yes && g->lanes[k].site == site)
				g->lanes[k].yes &= (uint16_t)~bits;
	}
}

void gather_go_on(void)
{
	if (run_state()->mode != MODE_DETACHED)
		run_state()->mode = MODE_RUN;
	limit_blocks(false);
	if (grid_release() && run_state()->mode != MODE_DETACHED)
		gather_begin();
	wants_update();
}

static bool finishing_is_alive(void)
{
	struct run_finish *own = &run_state()->finish;
	struct cudasim_thread *thread = own->thread;
	return thread && thread_is_alive(thread) && thread_is(thread, own->id);
}

static bool tell_finish(void)
{
	struct run_finish *own = &run_state()->finish;
	struct cudasim_thread *thread = own->thread;
	if (!finishing_is_alive() || lane_of(thread)->stand != STAND_RETURNED)
		return false;
	struct stop stop = {
		.kind = STOP_FINISH,
		.launch = thread->block->launch,
		.thread = thread,
		.return_value = own->value,
		.finished = own->finished,
		.returned_pc = (const void *)own->finished.pc,
	};
	limit_blocks(false);
	control_stop(&stop);
	return true;
}

void gather_end(void)
{
	struct cudasim_thread *thread;
	if (tell_finish())
		return;
	while ((thread = who_stops())) {
		struct lane *lane = lane_of(thread);
		struct stop stop = {
			.kind = STOP_BREAKPOINT, .launch = thread->block->launch, .thread = thread};
		uint16_t yes = lane->yes;
		told(stop.launch, lane->site, yes);
		if (!breakers_stopped(thread, lane->site, yes, &stop))
			continue;
		limit_blocks(false);
		control_stop(&stop);
		return;
	}
	gather_go_on();
	/* finish waits for its thread, which may need the others. */
	if (finishing_is_alive())
		gather_begin();
}

/* ---- finish ------------------------------------------------------------------------------ */

bool finish_active(void)
{
	return run_state()->finish.thread;
}

void finish_end(void)
{
	run_state()->finish.thread = NULL;
}

void finish_begin(struct cudasim_thread *thread, const struct resume *how)
{
	struct run_finish *own = &run_state()->finish;
	struct cudasim_frame frames[64];
	size_t n = cudasim_thread_frames(thread, frames, 64);
	memset(own, 0, sizeof *own);
	for (size_t i = 0; i < n && i < 64; i++) {
		if (frames[i].frame != how->frame)
			continue;
		own->thread = thread;
		own->id = thread_id(thread);
		own->frame = how->frame;
		own->depth = depth_of(thread, how->frame);
		own->finished = frames[i];
		if (!i && thread->site)
			own->function = thread->site->function;
	}
	gather_begin();
}

enum cudasim_verdict finish_leave(struct cudasim_thread *thread, struct lane *lane,
				  const struct cudasim_call *call)
{
	struct run_finish *own = &run_state()->finish;
	uint64_t frame = (uint64_t)call->frame;
	if (!own->thread || depth_of(thread, frame) != own->depth)
		return CUDASIM_GO;
	if (thread == own->thread) {
		if (frame != own->frame)
			return CUDASIM_GO;
		own->value = call->value;
	} else if (own->function && strcmp(call->entry->function, own->function)) {
		return CUDASIM_GO;
	}
	lane->site = call->entry;
	lane->stand = STAND_RETURNED;
	return CUDASIM_MEET;
}
