/* SPDX-License-Identifier: Apache-2.0 */
/* control_step.c - step, next, until: who moves while the others stand.
 *
 * The lanes that stand where the focused one does each go to their own next line; then
 * lanes of the warp that are behind the focused one catch up. Where the focused lane
 * has to wait, more and more of the others move until it need not wait any longer: its
 * warp, its block, its cluster, the blocks in flight, blocks that have not begun. When a barrier has
 * opened that way, those who were moved for it stop at the next line that they begin. */
#include <string.h>

#include "control_step.h"
#include "error.h"
#include "host.h"
#include "skip.h"

/* ---- beginning ------------------------------------------------------------------------ */

static const struct cudasim_site *place_of(struct cudasim_thread *thread)
{
	struct cudasim_thread_status status;
	struct lane *l = lane_of(thread);
	if (l->stand == STAND_ARMED || l->stand == STAND_LINE)
		return l->site;
	cudasim_thread_status(thread, &status);
	return status.state == CUDASIM_THREAD_WAITING ? NULL : status.site;
}

/* The frame that the user sees: a returned one is gone already. */
static uint64_t seen_frame(struct cudasim_thread *thread)
{
	struct cudasim_frame frames[2] = {{0}};
	size_t n = cudasim_thread_frames(thread, frames, 2);
	return lane_of(thread)->stand == STAND_RETURNED && n > 1 ? frames[1].frame
								 : frames[0].frame;
}

static uint64_t seen_depth(struct cudasim_thread *thread)
{
	return depth_of(thread, seen_frame(thread));
}

static void begin_lane(struct cudasim_thread *thread)
{
	struct lane *l = lane_of(thread);
	const struct cudasim_site *site = place_of(thread);
	l->frame = seen_frame(thread);
	/* In the middle of a line that a call stands on: its line is not known here. */
	l->line = l->stand == STAND_RETURNED || !site ? 0 : site->line;
	l->moving = MOVES_STEP;
	lanes_release(thread->block, thread->warp, 1u << thread->lane);
}

static void begin_warp(uint32_t warp, const struct cudasim_site *site, uint8_t stand,
		       uint64_t depth)
{
	struct step *step = &run_state()->step;
	struct cudasim_warp_lanes s = lanes_state(step->block, warp);
	for (uint32_t rest = s.live; rest; rest &= rest - 1) {
		struct cudasim_thread *t = lane_thread(step->block, warp,
						       (uint32_t)__builtin_ctz(rest));
		if (t == step->thread ||
		    (lane_of(t)->stand == stand && place_of(t) == site && seen_depth(t) == depth))
			begin_lane(t);
	}
}

void step_begin(struct cudasim_thread *thread, const struct resume *how)
{
	struct step *step = &run_state()->step;
	uint64_t depth = seen_depth(thread);
	uint8_t stand = lane_of(thread)->stand;
	forget_moves(); /* of an instruction step that moved others */
	memset(step, 0, sizeof *step);
	step->kind = how->kind;
	step->thread = thread;
	step->block = thread->block;
	step->from = place_of(thread);
	run_state()->mode = MODE_STEP;
	wants_update();
	if (how->kind == RESUME_STEPI || how->kind == RESUME_NEXTI) {
		begin_lane(thread);
		host_trap_device(thread, how->kind == RESUME_NEXTI);
		return;
	}
	if (run_settings()->step_unit == CONTINUATION_BLOCK)
		for (uint32_t w = 0; w < block_n_warps(step->block); w++)
			begin_warp(w, step->from, stand, depth);
	else if (run_settings()->step_unit == STEP_WARP)
		begin_warp(thread->warp, step->from, stand, depth);
	else
		begin_lane(thread);
}

static bool is_instruction(void)
{
	struct step *step = &run_state()->step;
	return step->kind == RESUME_STEPI || step->kind == RESUME_NEXTI;
}

/* ---- lines --------------------------------------------------------------------------- */

static bool is_behind(uint64_t depth, const struct cudasim_site *site)
{
	struct step *step = &run_state()->step;
	if (!site || !step->site)
		return !site;
	if (depth != step->depth)
		return depth > step->depth;
	return (site->function == step->site->function ||
		!strcmp(site->function, step->site->function)) &&
	       site < step->site;
}

/* Has the lane begun the line that it was to go to? */
static bool line_is_new(struct cudasim_thread *thread, const struct lane *l,
			const struct cudasim_site *site)
{
	struct step *step = &run_state()->step;
	uint64_t frame = frame_of(thread);
	if (frame < l->frame) /* in a function that the line calls */
		return step->kind == RESUME_STEP && !skip_holds(thread, l->frame);
	if (frame > l->frame)
		return true;
	if (site->line == l->line)
		return false;
	return step->kind != RESUME_UNTIL || !step->from || site > step->from;
}

static bool is_there(struct cudasim_thread *thread, const struct lane *l,
		     const struct cudasim_site *site)
{
	switch (l->moving) {
	case MOVES_STEP:
		return !is_instruction() && line_is_new(thread, l, site);
	case MOVES_CATCH:
		return !is_behind(depth_of(thread, frame_of(thread)), site);
	case MOVES_BEHIND:
		return true;
	default:
		return false;
	}
}

enum cudasim_verdict step_line(struct cudasim_thread *thread, struct lane *l,
			       const struct cudasim_site *site)
{
	uint16_t yes;
	bool armed = breakers_ask(thread, site, &yes);
	if (armed && yes) {
		l->yes |= yes;
		grid_of(thread->block)->any_yes = true;
		/* Others tell theirs when the user goes on. */
		run_state()->step.broken |= l->moving == MOVES_STEP;
	} else if (!is_there(thread, l, site)) {
		return CUDASIM_GO;
	}
	l->stand = armed ? STAND_ARMED : STAND_LINE;
	l->moving = MOVES_NOT;
	l->site = site;
	return CUDASIM_MEET;
}

/* Those of the block that were moved for the barrier stop behind it. */
static void stop_behind(struct cudasim_block *block)
{
	struct step *step = &run_state()->step;
	struct grid_block *g = grid_of(block);
	for (uint32_t i = 0; g && i < g->n; i++) {
		struct cudasim_thread *t = cudasim_block_thread(block, i);
		struct lane *l = &g->lanes[i];
		if (l->moving == MOVES_STEP || l->stand != STAND_NOT || !thread_is_live(t))
			continue;
		l->moving = MOVES_BEHIND;
		step->others |= block != step->block;
		if (block == step->block && t->warp != step->thread->warp)
			step->stepped |= 1ull << t->warp;
	}
}

void step_barrier_open(struct cudasim_block *block, const struct cudasim_barrier *barrier)
{
	struct step *step = &run_state()->step;
	bool cluster = barrier->kind == CUDASIM_BARRIER_CLUSTER;
	struct cudasim_block *const *blocks;
	if (cluster ? !blocks_share_cluster(block, step->block) : block != step->block)
		return;
	stop_behind(step->block);
	size_t n = cluster ? grid_blocks(&blocks) : 0;
	for (size_t i = 0; i < n; i++)
		if (blocks[i] != step->block && blocks_share_cluster(blocks[i], step->block))
			stop_behind(blocks[i]);
	step->wider = step->wider > (cluster ? WIDER_CLUSTER : WIDER_BLOCK) ? step->wider
									    : WIDER_NOBODY;
	step->spins = 0;
}

/* ---- ending --------------------------------------------------------------------------- */

static void stop_here(struct cudasim_thread *thread, bool broken)
{
	struct step *step = &run_state()->step;
	struct stop stop = {.kind = STOP_STEP,
			    .launch = thread->block->launch,
			    .thread = thread,
			    .warps_stepped = step->stepped,
			    .stepped_mask = step->stepped};
	struct lane *l = lane_of(thread);
	forget_moves();
	if (broken) {
		uint16_t yes = l->yes;
		l->yes = 0;
		stop.kind = STOP_BREAKPOINT;
		if (!breakers_stopped(thread, l->site, yes, &stop))
			stop.kind = STOP_STEP;
	}
	control_stop(&stop);
}

/* The lane whose breakpoint has ended the step: the focused one if it is among them. */
static struct cudasim_thread *who_broke(void)
{
	struct step *step = &run_state()->step;
	struct cudasim_thread *first = NULL;
	struct grid_block *g = grid_of(step->block);
	for (uint32_t i = 0; i < g->n; i++) {
		struct cudasim_thread *t = cudasim_block_thread(step->block, i);
		if (!g->lanes[i].yes || (run_settings()->step_unit != CONTINUATION_BLOCK &&
					 t->warp != step->thread->warp))
			continue;
		if (t == step->thread)
			return t;
		if (!first)
			first = t;
	}
	return first;
}

static struct cudasim_thread *first_live(struct cudasim_block *block, uint32_t from)
{
	for (uint32_t w = from; w < block_n_warps(block); w++) {
		uint32_t live = lanes_state(block, w).live;
		if (live)
			return lane_thread(block, w, (uint32_t)__builtin_ctz(live));
	}
	return NULL;
}

/* The focused thread has exited: the next one alive, of its warp, its block, the blocks
 * behind and before it, one that begins now; NULL: the kernel is over. */
static struct cudasim_thread *heir(void)
{
	struct step *step = &run_state()->step;
	struct cudasim_block *const *blocks;
	struct cudasim_thread *t = first_live(step->block, step->thread->warp);
	size_t n = grid_blocks(&blocks);
	if (!t)
		t = first_live(step->block, 0);
	for (int behind = 1; behind >= 0 && !t; behind--)
		for (size_t i = 0; i < n && !t; i++)
			if (blocks[i]->launch == step->block->launch &&
			    (cudasim_block_index(blocks[i]) > cudasim_block_index(step->block)) ==
				    behind)
				t = first_live(blocks[i], 0);
	if (t || !cudasim_launch_begin_blocks(step->block->launch, 1))
		return t;
	n = grid_blocks(&blocks);
	for (size_t i = 0; i < n && !t; i++)
		if (blocks[i]->launch == step->block->launch)
			t = first_live(blocks[i], 0);
	return t;
}

static bool has_begun(struct cudasim_thread *thread)
{
	struct cudasim_thread_status status;
	cudasim_thread_status(thread, &status);
	return status.state != CUDASIM_THREAD_WAITING;
}

/* The step goes on with another thread in the place of the focused one; false where
 * there is none. */
static bool replace(void)
{
	struct step *step = &run_state()->step;
	struct cudasim_thread *t = heir();
	if (!t)
		return false;
	step->thread = t;
	step->block = t->block;
	step->caught = true;
	if (!has_begun(t)) {
		uint32_t live = lanes_state(t->block, t->warp).live;
		lanes_set_moving(t->block, t->warp, live, MOVES_BEHIND);
	}
	return true;
}

/* Lanes of the focused warp that are behind go on; once a step. */
static void catch_up(void)
{
	struct step *step = &run_state()->step;
	uint32_t warp = step->thread->warp;
	struct cudasim_warp_lanes s = lanes_state(step->block, warp);
	step->caught = true;
	step->site = place_of(step->thread);
	step->depth = seen_depth(step->thread);
	if (run_settings()->step_unit == STEP_THREAD)
		return;
	for (uint32_t rest = s.met | s.active | s.yielded; rest; rest &= rest - 1) {
		struct cudasim_thread *t = lane_thread(step->block, warp,
						       (uint32_t)__builtin_ctz(rest));
		const struct cudasim_site *site = place_of(t);
		if (t == step->thread || lane_of(t)->yes ||
		    !is_behind(site ? seen_depth(t) : 0, site))
			continue;
		lane_of(t)->moving = MOVES_CATCH;
		lanes_release(step->block, warp, 1u << t->lane);
	}
}

static void free_to_behind(void)
{
	struct cudasim_block *const *blocks;
	size_t n = grid_blocks(&blocks);
	for (size_t i = 0; i < n; i++)
		for (uint32_t w = 0; w < block_n_warps(blocks[i]); w++)
			lanes_set_moving(blocks[i], w, lanes_moving(blocks[i], w, MOVES_FREE),
					 MOVES_BEHIND);
}

/* The focused thread stands where it was to go: who else has to move? */
static struct cudasim_thread *follow(void)
{
	struct step *step = &run_state()->step;
	struct cudasim_thread *t;
	if (step->wider != WIDER_NOBODY)
		free_to_behind();
	if (!step->caught)
		catch_up();
	if (step->moves > PATIENCE)
		return NULL;
	t = pick_lane(step->block, step->thread->warp,
		      lanes_moving(step->block, step->thread->warp, MOVES_CATCH));
	if (!t && (step->stepped || step->others || step->wider || step->replaced))
		t = pick_of_grid(MOVES_BEHIND);
	if (!t)
		t = pick_converging();
	return t ? t : pick_spinning();
}

static bool is_done(void)
{
	const struct lane *l = lane_of(run_state()->step.thread);
	return l->moving == MOVES_NOT;
}

struct cudasim_thread *step_choose(void)
{
	struct step *step = &run_state()->step;
	struct cudasim_thread *t = step->thread;
	if (step->broken && (t = who_broke())) {
		stop_here(t, true);
		return NULL;
	}
	step->moves++;
	t = step->thread;
	if (thread_is_live(t) && !is_done() && pick_lane(t->block, t->warp, 1u << t->lane))
		return t;
	t = run_settings()->step_unit == CONTINUATION_BLOCK
		    ? pick_of_block(step->block, MOVES_STEP)
		    : pick_lane(step->block, step->thread->warp,
				lanes_moving(step->block, step->thread->warp, MOVES_STEP));
	if (t)
		return t;
	if (!thread_is_live(step->thread)) {
		host_trap_device_end();
		step->replaced = true;
		if (!replace()) {
			gather_go_on();
			return NULL;
		}
	}
	if (step->replaced || is_done()) {
		t = follow();
		if (!t)
			stop_here(step->thread, false);
		return t;
	}
	for (;;) {
		t = pick_of_grid(MOVES_FREE);
		if (!t)
			t = pick_converging();
		if (!t)
			t = pick_spinning();
		if (t || !widen())
			break;
	}
	/* Nobody can help: as the program would, let it come to its end. */
	if (!t)
		gather_go_on();
	return t;
}
