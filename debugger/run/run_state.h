/* SPDX-License-Identifier: Apache-2.0 */
/* run_state.h - what the run control keeps, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_RUN_STATE_H
#define CUDASIM_DEBUGGER_RUN_STATE_H

#include "control.h"
#include "hash.h"

/* control_break.c */
struct run_location {
	const struct cudasim_site **sites;
	size_t n;
	/* until: the frame that ends it when it returns, and whose; frame 0: none. */
	uint64_t frame;
	struct thread_id thread;
};

/* control_break.c */
struct run_launch {
	const struct cudasim_site *site;
};

/* control_gather.c: finish: the focused thread and the frame that is to return. */
struct run_finish {
	struct cudasim_thread *thread; /* NULL: none */
	struct thread_id id;
	uint64_t frame, depth;
	const char *function;          /* where known, else NULL */
	struct cudasim_frame finished;
	const void *value;
};

/* control_grid.c */
#define GRID_NO_SLOT SIZE_MAX
struct run_grid {
	struct grid_block *unused;
	size_t slot; /* of block->tool: learnt at the first block, GRID_NO_SLOT before */
	uint32_t given;
};

enum { MOST_STORES = 256 };
/* Stores that have been told and are not over yet. */
struct store {
	struct watcher *watcher; /* NULL: it has been removed meanwhile */
	struct cudasim_thread *thread;
	struct cudasim_access access;
};
/* control_watch.c */
struct run_watch {
	struct watcher **watchers;
	uint32_t n_watchers, capacity;
	uint64_t lowest, highest; /* hull of all ranges */
	bool any_local;
	struct store stores[MOST_STORES];
	uint32_t n_stores;
};

/* control.c */
struct run_pending {
	/* A stop to be made as soon as its thread stands still. */
	struct stop stop;
	bool is_pending;
};

/* control_step.c: a step on its way. */
struct step {
	enum resume_kind kind;
	struct cudasim_thread *thread; /* the focused one */
	struct cudasim_block *block;
	const struct cudasim_site *from; /* where it began */
	int wider;
	bool caught, broken, replaced;
	bool others; /* blocks of the cluster have moved */
	uint32_t spins;
	uint64_t moves, turn;
	uint64_t stepped; /* other warps of the block that moved */
	/* Where the focused one stands when it is done. */
	const struct cudasim_site *site;
	uint64_t depth;
};

/* Of a launch that is carried out again (recording.h): what the user looks for now, apart from what
 * stopped it when it ran first, which it goes by. */
struct run_search {
	const struct cudasim_observer *searcher; /* NULL: what is added stops the program */
	struct hash armed;
	struct run_watch watch;
	struct catchers catchers;
};

struct run_state {
	enum control_mode mode;
	struct run_settings settings;
	struct run_hooks hooks;
	struct catchers catchers;
	/* The one that was focused when the program went on; launch 0: none. */
	struct thread_id focused_before;
	struct hash armed; /* control_break.c: sites to what stops there */
	struct run_search search;
	struct run_location location;
	struct run_launch launch;
	struct run_finish finish;
	struct run_grid grid;
	struct run_watch watch;
	struct run_pending pending;
	struct step step;
};
#define RUN_STATE_INITIAL                                                                          \
	{                                                                                          \
		.settings = {.step_unit = STEP_WARP, .gather_threads = 4096}, .grid = {            \
			.slot = GRID_NO_SLOT                                                       \
		}                                                                                  \
	}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct run_state *run_state(void);

#endif
