/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.h - from one CUDA thread to the next.
 *
 * A fiber runs thread after thread as plain calls. When a thread has to wait,
 * it keeps the fiber, and another one goes on: with a thread that can move, or
 * as a fresh fiber with one that has not begun. When nobody in the block can
 * move, control returns to the worker's own stack.
 *
 * What lies on the way of every barrier is inline here: each frame and each
 * cache line more costs a few of its 25 ns. */
#ifndef CUDASIM_SIM_DISPATCH_H
#define CUDASIM_SIM_DISPATCH_H

#include "block.h"
#include "fault.h"
#include "worker.h"

/* A tool's call of a device function came to something that only a worker can do:
 * raises SIGSYS, which the tool catches. */
__attribute__((noreturn)) void dispatch_refuse(void);

/* The block's threads leave their loop, at t: see __cudasim_loop_thread(). */
void dispatch_leave_loop(struct thread *t);

/* The block whose loop the thread t stands in waits for other blocks, as a whole: run these. */
void dispatch_rest(struct thread *t);

/* First and last thing in every function that device code calls and that
 * touches the scheduler's state: a fault or a timeout between the two is not
 * the device code's. */
static inline struct thread *dispatch_enter(void)
{
	struct thread *t = thread_self();
	if (__builtin_expect(t->pub.want & THREAD_BORROWED, 0))
		dispatch_refuse();
	block_of(t)->worker->in_device = 0;
	if (__builtin_expect(block_of(t)->loop, 0))
		dispatch_leave_loop(t);
	return t;
}
static inline void dispatch_leave(struct thread *t)
{
	block_of(t)->worker->in_device = IN_DEVICE;
}

/* Who comes after the thread that stops here, by all the rules; NULL for the
 * worker itself. */
struct thread *dispatch_choose(struct block *block);

/* The same, fast where the next lane of the same warp can move. */
static inline struct thread *dispatch_next(struct block *b)
{
	uint32_t lanes = b->active[b->warp];
	if (__builtin_expect(lanes && !b->special &&
				     !atomic_load_explicit(&b->run->stop, memory_order_relaxed),
			     1)) {
		struct thread *t = block_thread(b, b->warp, (uint32_t)__builtin_ctz(lanes));
		if (__builtin_expect(!atomic_load_explicit(&t->holds, memory_order_relaxed), 1))
			return t;
	}
	return dispatch_choose(b);
}

/* A block's stacks do not fit the first-level cache. Fetch that of the thread
 * that will most likely run after next, while next runs. */
static inline void dispatch_prefetch(struct thread *next)
{
	struct thread *then = next + 1;
	const char *sp = then->sp;
	__builtin_prefetch(next + 2);
	__builtin_prefetch(sp);
	__builtin_prefetch(sp + 64);
	__builtin_prefetch(sp + 128);
}

/* Leave t for next, whatever that takes; see dispatch_suspend(). */
void dispatch_switch(struct thread *t, struct thread *next);

/* The running thread t is no longer active, or might be again: run whoever is
 * next; returns when t may go on (at once if t is next). */
static inline void dispatch_suspend(struct thread *t)
{
	struct thread *next = dispatch_next(block_of(t));
	if (__builtin_expect(next != t, 1)) {
		if (__builtin_expect(next && next->sp && !block_of(t)->special, 1)) {
			dispatch_prefetch(next);
			fiber_switch(&t->sp, next->fiber, next->sp);
		} else {
			dispatch_switch(t, next);
		}
		__cudasim_self = &t->pub;
	}
	t->state = THREAD_READY;
}

/* Give way: t stays able to move but others come first. spins says that it has
 * done nothing since it last gave way but look at memory. */
void dispatch_yield(struct thread *t, enum thread_state state, bool spins,
		    const struct cudasim_site *site);

/* Run t, from the worker's own stack, until nobody in its block can move or
 * something has happened that worker->event tells. */
void dispatch_run(struct worker *worker, struct thread *t);

/* Put the running thread aside until its holds are over. */
void dispatch_park(struct thread *t);

/* Go back to the worker's stack, never to return. */
__attribute__((noreturn)) void dispatch_abandon(struct thread *t);

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

/* sim/loops: run t, whose block's threads have left their loop (block->left), from the cut where it
 * stands to its end. */
void loop_resume(struct thread *t);

/* What fibers run; see fiber_pool_init(). arg is the worker. */
void dispatch_main(void *worker);

/* Abandon whatever the threads of the block were doing: their fibers are free. */
void dispatch_drop(struct block *block);

#endif
