/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.h - from one CUDA thread to the next.
 *
 * A fiber runs thread after thread as plain calls. When a thread has to wait,
 * it keeps the fiber, and another one goes on: with a thread that can move, or
 * as a fresh fiber with one that has not begun. When nobody in the block can
 * move, control returns to the worker's own stack. */
#ifndef CUDASIM_SIM_DISPATCH_H
#define CUDASIM_SIM_DISPATCH_H

#include "block.h"
#include "fault.h"
#include "worker.h"

/* First and last thing in every function that device code calls and that
 * touches the scheduler's state: a fault or a timeout between the two is not
 * the device code's. */
static inline struct thread *dispatch_enter(void)
{
	struct thread *t = thread_self();
	block_of(t)->worker->in_device = 0;
	return t;
}
static inline void dispatch_leave(struct thread *t)
{
	block_of(t)->worker->in_device = 1;
}

/* The running thread t is no longer active, or might be again: run whoever is
 * next; returns when t may go on (at once if t is next). */
void dispatch_suspend(struct thread *t);

/* Give way: t stays able to move but others come first. */
void dispatch_yield(struct thread *t, enum thread_state state, const struct cudasim_site *site);

/* Put the running thread aside until its holds are over. */
void dispatch_park(struct thread *t);

/* Run t, from the worker's own stack, until nobody in its block can move or
 * something has happened that worker->event tells. */
void dispatch_run(struct worker *worker, struct thread *t);

/* End the launch: what has happened, for the worker to report. The thread's
 * frames stay as they are. */
__attribute__((noreturn)) void dispatch_die(struct thread *t, const struct fault *fault);

/* The faults of barriers used against their rules. */
__attribute__((noreturn)) void dispatch_bad_barrier(struct thread *t, uint32_t id, uint32_t n,
						    const struct cudasim_site *site);
__attribute__((noreturn)) void dispatch_bad_cluster(struct thread *t,
						    const struct cudasim_site *site);
__attribute__((noreturn)) void dispatch_bad_mask(struct thread *t, uint32_t mask,
						 const struct cudasim_site *site);

/* What fibers run; see fiber_pool_init(). arg is the worker. */
void dispatch_main(void *worker);

/* Abandon whatever the threads of the block were doing: their fibers are free. */
void dispatch_drop(struct block *block);

#endif
