/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - how the program goes on, and what stops it: breakers at sites of device code,
 * watchers of memory, catchers of events. */
#ifndef CUDASIM_DEBUGGER_RUN_H
#define CUDASIM_DEBUGGER_RUN_H

#include "baton.h"

/* The REPL's pthread waits here for STOP_START. */
void program_await_start(void);
/* Let the program go on and wait for the next stop, which becomes stop_current()
 * (and moves the focus there). Errors: not running. */
struct cudasim_error *program_resume(const struct resume *how);

/* Who moves with step, next, until. */
enum step_unit { STEP_THREAD, STEP_WARP, CONTINUATION_BLOCK };
/* Stop at the first line of each kernel; set cuda break_on_launch. The system has no
 * kernels here, so `all` is the same as `application`. */
enum {
	BREAK_ON_LAUNCH_NONE,
	BREAK_ON_LAUNCH_APPLICATION,
	BREAK_ON_LAUNCH_SYSTEM,
	BREAK_ON_LAUNCH_ALL
};
struct run_settings {
	int step_unit;       /* enum step_unit; set step-unit */
	int break_on_launch; /* set cuda break_on_launch */
	/* Most threads that are begun for a stop to gather the grid around it; set cuda
	 * gather-threads, 4096. */
	uint32_t gather_threads;
};
struct run_settings *run_settings(void);

/* ---- breakpoints as the run control sees them ----------------------------- */

/* Something that may stop a thread at a line. Registered by breakpoints.c; hit()
 * is called on a worker's stack for a thread that has come to the site, must be quick,
 * and tells whether this thread makes a stop (conditions, thread filters). It is asked
 * again before a stop that has waited is told. counts() is called once for a thread that
 * comes and for which hit() is true, and may let it pass all the same; NULL: never.
 * Hit counts are kept by stopped(), which is called once for each stop, when the grid has
 * gathered; it returns false to go on all the same. */
struct breaker {
	bool (*hit)(struct breaker *, struct cudasim_thread *thread,
		    const struct cudasim_site *site);
	bool (*counts)(struct breaker *, struct cudasim_thread *thread);
	bool (*stopped)(struct breaker *, struct cudasim_thread *thread, struct stop *stop);
	void *user;
};
/* hit() and stopped() of a breaker that stops each thread, as a step does. */
bool breaker_any(struct breaker *breaker, struct cudasim_thread *thread,
		 const struct cudasim_site *site);
bool breaker_as_step(struct breaker *breaker, struct cudasim_thread *thread, struct stop *stop);
/* Arm and disarm. From the REPL's pthread. */
struct cudasim_error *breaker_add(struct breaker *breaker, const struct cudasim_site *site);
void breaker_remove(struct breaker *breaker, const struct cudasim_site *site);

/* From now on breakers, watchers and catchers that are added or removed stop nothing: sites are
 * armed for searcher, and breakers_find() answers for them. What was there before goes on as it
 * is. */
void search_begin(const struct cudasim_observer *searcher);
/* Does a breaker that was added since stop this thread at the site, by its conditions? */
bool breakers_find(struct cudasim_thread *thread, const struct cudasim_site *site);
/* It stops there: told to these breakers as a stop. */
bool breakers_found(struct cudasim_thread *thread, const struct cudasim_site *site,
		    struct stop *stop);

/* Watched ranges: hit() is called for an access that overlaps; after a store it is called
 * again at the thread's next event with after true, when memory has the new value. */
struct watcher {
	uint64_t low, high;            /* high exclusive */
	uint32_t what;                 /* CUDASIM_ACCESS_LOAD, _STORE */
	struct cudasim_thread *thread; /* only accesses by this one; NULL: all */
	struct cudasim_block *block;   /* shared and local: of this block; NULL: any */
	/* true: stop. May fill stop->report and numbers. */
	bool (*hit)(struct watcher *, struct cudasim_thread *thread,
		    const struct cudasim_access *access, bool after, struct stop *stop);
	/* The block (shared) or thread or frame (local) has ended: the range is gone. True: stop. */
	bool (*gone)(struct watcher *, struct cudasim_thread *thread, struct stop *stop);
	uint64_t frame; /* of locals: frame pointer; 0 else */
	void *user;
};
struct cudasim_error *watcher_add(struct watcher *watcher);
void watcher_remove(struct watcher *watcher);
/* Events to catch: asked on the worker's or the host's pthread; true: stop. NULL: never. */
struct catchers {
	bool (*launch)(struct cudasim_launch *launch, struct stop *stop);
	bool (*exit)(struct cudasim_launch *launch, struct stop *stop);
	bool (*barrier)(struct cudasim_thread *thread, const struct cudasim_barrier *,
			struct stop *);
	bool (*print)(struct cudasim_thread *thread, const char *text, size_t n, struct stop *);
	bool (*fault)(struct cudasim_launch *launch, struct cudasim_thread *thread,
		      const struct cudasim_fault *, struct stop *);
	bool (*finding)(struct cudasim_thread *thread, const struct cudasim_finding *,
			struct stop *);
};
struct catchers *catchers(void);
/* The watchers that stop the program, or in a search those that were added since: the array and
 * how many there are. Valid until one is added or removed. */
struct watcher *const *watchers_now(uint32_t *n);

/* What other rooms do for the run control; NULL: nothing. */
struct run_hooks {
	/* Told of each block as it begins, on the worker's stack, before any of its threads:
	 * watches on shared memory of every block add their ranges here. */
	void (*block_began)(struct cudasim_block *block);
	/* A module has registered: pending breakpoints may be found now. */
	void (*module_registered)(const struct cudasim_module *module);
	/* The program calls exec...(): asked to do so in its place. True: another program ran
	 * instead, with this exit status or signal; false: it could not be executed. */
	bool (*follows)(const struct exec_call *exec, int *ret_status, int *ret_signal);
	/* Asked before the program goes on: true where this is a motion through what is recorded,
	 * in which case *ret is its error, or NULL where stop_current() is the stop that it led to. */
	bool (*travels)(const struct resume *how, struct cudasim_error **ret);
};
struct run_hooks *run_hooks(void);

#endif
