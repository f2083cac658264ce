/* SPDX-License-Identifier: Apache-2.0 */
/* control.h - what the parts of the run control share.
 *
 * Everything of a kernel happens on one pthread, for launches are ordered: the
 * callbacks, the choice of who moves, the stops. So none of this is locked. The REPL
 * changes it only while it has the baton.
 *
 * A thread that is to stand still answers MEET to the event where it is; it moves
 * again when its lane is released. The grid is in one of these modes:
 *
 *   RUN     everybody moves. A lane that comes to an armed site waits there for its
 *           warp; when some lane's breakpoint says yes, GATHER begins.
 *   GATHER  everybody runs on until he comes to an armed site, waits, exits, or has
 *           begun his last line; nobody is let go. When nobody moves the stop is told.
 *   STEP    choose() says who moves: control_step.c.
 *
 * Stops are made on the worker's own stack: in stalled() after a gathering, else in
 * choose(), which is asked for as soon as something has happened (stop_soon()). */
#ifndef CUDASIM_DEBUGGER_CONTROL_H
#define CUDASIM_DEBUGGER_CONTROL_H

#include "run.h"

enum control_mode { MODE_RUN, MODE_GATHER, MODE_STEP, MODE_DETACHED };

/* How a thread stands since it met. */
enum stand {
	STAND_NOT,      /* it moves, or waits as the program says */
	STAND_ARMED,    /* at a site that somebody armed */
	STAND_LINE,     /* at the beginning of a line: a step or a budget is over */
	STAND_RETURNED, /* its innermost frame has returned */
	STAND_EVENT,    /* at an access, a barrier, a printf, a trap: within a line */
};

/* What a thread moves for while others stand. */
enum moving {
	MOVES_NOT,
	MOVES_STEP,   /* to its next line */
	MOVES_CATCH,  /* until it is no longer behind the focused thread */
	MOVES_FREE,   /* until it is not needed any more */
	MOVES_BEHIND, /* to the next line that it begins */
};

struct lane {
	const struct cudasim_site *site; /* where it met; valid unless STAND_NOT */
	uint64_t frame;  /* MOVES_STEP: frame of the line that is left */
	uint32_t line;   /* ... and its number; 0: none */
	uint16_t yes;    /* bits of the site's breakers that said yes, not told yet */
	uint16_t lines;  /* begun while the grid gathers */
	uint8_t stand, moving;
	bool caught_up;
};

/* Of a block in flight; in the observer's slot. */
struct grid_block {
	struct cudasim_block *block;
	struct grid_block *next; /* unused ones */
	uint32_t n, capacity;
	bool any_yes;
	struct lane lanes[];
};

extern const struct cudasim_observer debugger_observer;

/* Which thread it is, also after its structure has become another's. */
struct thread_id {
	uint64_t launch, block; /* id, index */
	uint32_t linear;
};
static inline struct thread_id thread_id(const struct cudasim_thread *thread)
{
	return (struct thread_id){thread->block->launch->id, cudasim_block_index(thread->block),
				  thread->linear};
}
static inline bool thread_is(const struct cudasim_thread *thread, struct thread_id id)
{
	return thread->linear == id.linear && thread->block->launch->id == id.launch &&
	       cudasim_block_index(thread->block) == id.block;
}

/* ---- control_grid.c: the blocks in flight ------------------------------------- */

enum { MOST_LAUNCHES = 32, MOST_BLOCKS = 8192 };

void grid_block_begin(struct cudasim_block *block);
void grid_block_end(struct cudasim_block *block);
struct grid_block *grid_of(struct cudasim_block *block); /* NULL before block_begin() */
struct lane *lane_of(struct cudasim_thread *thread);
/* Blocks in flight of all launches, those of the oldest launch first, by index. Valid
 * until the next call. */
size_t grid_blocks(struct cudasim_block *const **ret);
/* NULL where it is not in flight. */
struct cudasim_thread *thread_in_flight(struct thread_id id);
/* Without clusters each block is one of its own. */
bool blocks_share_cluster(const struct cudasim_block *a, const struct cudasim_block *b);
uint32_t block_n_warps(const struct cudasim_block *block);
struct cudasim_thread *lane_thread(struct cudasim_block *block, uint32_t warp, uint32_t lane);
/* Let lanes of a warp go, whatever they stand for. */
void lanes_release(struct cudasim_block *block, uint32_t warp, uint32_t lanes);
/* Let all go that have nothing to tell; true where some have: yes. */
bool grid_release(void);
/* The frame pointer of the thread's innermost frame, 0 where it has none. */
uint64_t frame_of(struct cudasim_thread *thread);
/* How deep it lies in its stack: the same for lanes with the same calls. */
uint64_t depth_of(struct cudasim_thread *thread, uint64_t frame);
/* Ask for what the mode, watchers and so on need, of all launches in flight. */
void wants_update(void);
uint32_t wants_now(void);
/* Is it in flight and not over? The structure of one that has ended serves others. */
bool thread_is_alive(struct cudasim_thread *thread);

/* ---- control_break.c ------------------------------------------------------------- */

/* Ask the breakers of the site; *yes: bits of those that say yes. False where it has
 * none. */
bool breakers_ask(struct cudasim_thread *thread, const struct cudasim_site *site, uint16_t *yes);
/* Of those that said yes and have not been told: who does so still? */
uint16_t breakers_ask_again(struct cudasim_thread *thread, const struct cudasim_site *site,
			    uint16_t yes);
/* Tell those whose bits are set that the grid has stopped; true: stop. */
bool breakers_stopped(struct cudasim_thread *thread, const struct cudasim_site *site, uint32_t bits,
		      struct stop *stop);
/* Stop wherever a thread comes to one of the sites, once: until, advance. */
struct cudasim_error *location_begin(const struct resume *how);
void location_end(void);
/* Does the thread leave the frame at which until ends in any case? */
bool location_returns(const struct cudasim_thread *thread, uint64_t frame);
bool location_has_frame(void);
/* break_on_launch: stop at the kernel's first line. */
void launch_break(struct cudasim_launch *launch);

/* ---- control_gather.c ------------------------------------------------------------ */

void gather_begin(void);
/* Let everybody move again; who still has something to tell makes the next stop. */
void gather_go_on(void);
/* Nobody moves any more: tell the stop. */
void gather_end(void);
enum cudasim_verdict gather_line(struct cudasim_thread *thread, struct lane *lane,
				 const struct cudasim_site *site);
uint32_t gather_met(struct cudasim_block *block, uint32_t warp, uint32_t lanes);
/* finish: the frame of the focused thread that is to return. */
void finish_begin(struct cudasim_thread *thread, const struct resume *how);
void finish_end(void);
bool finish_active(void);
enum cudasim_verdict finish_leave(struct cudasim_thread *thread, struct lane *lane,
				  const struct cudasim_call *call);

/* ---- control_step.c -------------------------------------------------------------- */

void step_begin(struct cudasim_thread *thread, const struct resume *how);
enum cudasim_verdict step_line(struct cudasim_thread *thread, struct lane *lane,
			       const struct cudasim_site *site);
void step_barrier_open(struct cudasim_block *block, const struct cudasim_barrier *barrier);
struct cudasim_thread *step_choose(void);

/* ---- control_watch.c --------------------------------------------------------------- */

bool watching(void);
bool watching_local(void);
enum cudasim_verdict watch_access(struct cudasim_thread *thread,
				  const struct cudasim_access *access);
/* The thread's next event: what it has stored is there. */
enum cudasim_verdict watch_event(struct cudasim_thread *thread);
/* A frame is left; a block ends: true to stop. */
enum cudasim_verdict watch_leave(struct cudasim_thread *thread, uint64_t frame);
bool watch_block_end(struct cudasim_block *block, struct stop *stop);

/* ---- control.c: stops --------------------------------------------------------------- */

/* In an event of the thread: let it stand, and stop the program for this reason as soon
 * as its frames can be read. The stop's report is taken over. */
enum cudasim_verdict stop_soon(struct cudasim_thread *thread, const struct stop *stop);
bool stop_is_pending(void);
/* On the worker's stack: stop now, and arrange what the user wants then. */
void control_stop(struct stop *stop);
/* Ctrl-C, on the REPL's pthread: true where a kernel runs that will stop. */
bool control_interrupt(void);
/* The user goes on from an instruction step, whose stop is made in a signal handler; on
 * the REPL's pthread, while the thread waits there. */
void control_resumed_in_trap(const struct resume *how);
void control_detach(void);

#endif
