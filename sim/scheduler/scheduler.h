/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.h - launches in flight, and how workers get blocks of them (run.h has what workers
 * themselves ask for). */
#ifndef CUDASIM_SIM_SCHEDULER_H
#define CUDASIM_SIM_SCHEDULER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch.h"
#include "run.h"
#include "schedule.h"

struct worker;

/* The calling host thread waits for launches that belongs() names, which is called under
 * the scheduler's lock: it runs blocks of them beside the workers, as long as there are
 * any to take and processors to spare. Only loops that call nobody: others may wait for
 * each other. False if it ran none. */
bool scheduler_help(bool (*belongs)(const struct run *run, const void *arg), const void *arg);

/* Call look(worker, arg) for each host thread that helps, under the scheduler's lock. */
void scheduler_each_helper(void (*look)(const struct worker *worker, const void *arg),
			   const void *arg);

/* The time that a launch may take (0: any). */
uint64_t scheduler_timeout_ns(void);

/* ---- for direct.c ---------------------------------------------------------- */

/* A run that is in no list. NULL without memory; run_free(). */
struct run *scheduler_run_new(struct launch *launch);
/* Fibers: nothing that a direct call would go around. (One thread has one order.) */
bool scheduler_is_plain(void);
/* A direct run begins or ends: the watchdog looks at it meanwhile, where there is a
 * limit of time. */
void scheduler_direct(struct run *run, bool begins);

/* ---- for inspect.c ------------------------------------------------------- */

/* Call look(run, arg) for each run, oldest first, under the scheduler's lock. */
void scheduler_each(void (*look)(struct run *run, void *arg), void *arg);
void scheduler_lock(void);
void scheduler_unlock(void);

/* ---- for unit tests ------------------------------------------------------ */

struct scheduler_config {
	uint32_t n_workers;    /* 0: one for each CPU */
	int engine;            /* enum fiber_kind */
	bool loops;            /* blocks run as loops where the kernel has that form */
	struct schedule schedule;
	uint64_t timeout_ns;   /* 0: none */
	uint64_t hang_ns;      /* without news, before a launch counts as hanging; 0: never */
	bool checked;          /* such a launch ends even where that is not proven */
};
/* Start with this in the place of the environment's variables; scheduler_stop()
 * ends all workers, so that it can be started anew. No launch is in flight. */
struct cudasim_error *scheduler_start_with(const struct scheduler_config *config);
void scheduler_stop(void);

#endif
