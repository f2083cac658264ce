/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dispatch.h"

#include <stdio.h>
#include <string.h>

#include "observer.h"

_Thread_local struct cudasim_thread *__cudasim_self __attribute__((tls_model("initial-exec")));

/* With a random order, one switch in so many goes to another block. */
enum { BLOCK_CHANGES = 32 };

#ifdef CUDASIM_PARANOID
#define PARANOID_CHECK(block) block_check(block)
#else
#define PARANOID_CHECK(block) ((void)0)
#endif

/* ---- from one to the next ------------------------------------------------ */

/* Who comes after the thread that stops here; NULL for the worker itself. */
static struct thread *next_in(struct block *b)
{
	PARANOID_CHECK(b);
	if (__builtin_expect(atomic_load_explicit(&b->run->stop, memory_order_relaxed), 0))
		return NULL;
	if (__builtin_expect(b->run->choosing, 0)) {
		b->worker->event = EVENT_CHOICE;
		return NULL;
	}
	/* A random order changes blocks, too, not only threads. */
	if (b->worker->schedule.order == SCHEDULE_RANDOM &&
	    !schedule_below(&b->worker->random, BLOCK_CHANGES))
		return NULL;
	return block_pick(b);
}

/* The fiber to switch to for t (NULL: the worker). */
static struct fiber *fiber_for(struct worker *worker, struct thread *t)
{
	if (!t)
		return &worker->main;
	if (t->fiber)
		return t->fiber;
	struct fiber *f = fiber_get(worker_pool(worker, block_of(t)->run->stack_class));
	if (!f) {
		worker->event = EVENT_MEMORY;
		worker->event_thread = t;
		return &worker->main;
	}
	t->fiber = f;
	worker->next = t;
	return f;
}

static void go(struct worker *worker, struct fiber *from, struct thread *t)
{
	struct fiber *to = fiber_for(worker, t);
	worker->fiber = to;
	fiber_switch(from, to);
}

void dispatch_suspend(struct thread *t)
{
	struct block *b = block_of(t);
	struct thread *next = next_in(b);
	if (next != t) {
		t->stop_frame = __builtin_frame_address(0);
		go(b->worker, t->fiber, next);
		__cudasim_self = &t->pub;
		t->stop_frame = NULL;
	}
	t->state = THREAD_READY;
}

void dispatch_yield(struct thread *t, enum thread_state state, const struct cudasim_site *site)
{
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
	if (!atomic_load_explicit(&b->run->yields, memory_order_relaxed))
		atomic_store_explicit(&b->run->yields, true, memory_order_relaxed);
	block_deactivate(b, w, bit);
	b->yielded[w] |= bit;
	b->yielded_warps |= 1u << w;
	t->state = (uint8_t)state;
	t->wait_site = site;
	b->worker->ticks += 1000;
	dispatch_suspend(t);
	t->pub.fuel = b->fuel;
}

/* ---- fibers -------------------------------------------------------------- */

static void name_fiber(struct thread *t)
{
	const struct block *b = block_of(t);
	char name[64];
	snprintf(name, sizeof name, "b%llu t%u,%u,%u", (unsigned long long)b->index,
		 t->pub.tid[0], t->pub.tid[1], t->pub.tid[2]);
	fiber_name(t->fiber, name);
}

/* Run t on the calling fiber, from its beginning to its end. */
static void run_thread(struct worker *worker, struct thread *t)
{
	struct block *b = block_of(t);
	struct run *run = b->run;
	t->state = THREAD_READY;
	t->pub.fuel = b->fuel;
	t->pub.want = run->want;
	t->pub.site = NULL;
	t->cluster_arrived = false;
	b->progress++;
	__cudasim_self = &t->pub;
	if (__builtin_expect(run->watched, 0))
		observe_thread_begin(&t->pub);
	worker->in_device = 1;
	run->entry(run->launch->params);
	worker->in_device = 0;
}

static void finish_thread(struct thread *t)
{
	if (__builtin_expect(block_of(t)->run->watched, 0))
		observe_thread_end(&t->pub);
	block_exit(t);
}

/* After t, which has ended on this fiber: run others that have not begun, then
 * leave the fiber to whoever is next. */
static __attribute__((noreturn)) void carry_on(struct worker *worker, struct thread *t)
{
	for (;;) {
		struct fiber *own = t->fiber;
		t->fiber = NULL;
		struct thread *next = next_in(block_of(t));
		if (next && !next->fiber && worker->engine == FIBER_STACK) {
			next->fiber = own;
			t = next;
			run_thread(worker, t);
			finish_thread(t);
			continue;
		}
		struct fiber *to = fiber_for(worker, next);
		worker->fiber = to;
		fiber_leave(own, to);
	}
}

void dispatch_main(void *arg)
{
	struct worker *worker = arg;
	struct thread *t = worker->next;
	if (worker->engine == FIBER_PTHREAD)
		name_fiber(t);
	run_thread(worker, t);
	finish_thread(t);
	carry_on(worker, t);
}

__attribute__((noreturn)) void __cudasim_exit(const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct worker *worker = block_of(t)->worker;
	t->pub.site = site;
	finish_thread(t);
	/* The frames of the thread stay below those of whatever this fiber runs
	 * next; one that ends many threads in this way must not pile them up. */
	struct fiber *own = t->fiber;
	t->fiber = NULL;
	struct fiber *to = fiber_for(worker, next_in(block_of(t)));
	worker->fiber = to;
	fiber_leave(own, to);
}

/* ---- the worker's side --------------------------------------------------- */

void dispatch_run(struct worker *worker, struct thread *t)
{
	worker->event = EVENT_NONE;
	worker->running = block_of(t)->run;
	go(worker, &worker->main, t);
	worker->running = NULL;
	__cudasim_self = NULL;
}

void dispatch_drop(struct block *b)
{
	for (uint32_t i = 0; i < b->n_threads; i++) {
		struct thread *t = &b->threads[i];
		if (t->fiber)
			fiber_put(t->fiber);
		t->fiber = NULL;
	}
}

void dispatch_die(struct thread *t, const struct fault *fault)
{
	struct worker *worker = block_of(t)->worker;
	worker->in_device = 0;
	worker->fault = *fault;
	worker->event = EVENT_FAULT;
	worker->event_thread = t;
	t->state = THREAD_FAULTED;
	worker->fiber = &worker->main;
	fiber_switch(t->fiber, &worker->main);
	__builtin_unreachable();
}

/* ---- misuse -------------------------------------------------------------- */

void dispatch_bad_barrier(struct thread *t, uint32_t id, uint32_t n,
			  const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_BARRIER, .error = ERROR_ILLEGAL_INSTRUCTION, .site = site,
	};
	if (id >= CUDASIM_N_BARRIERS)
		snprintf(fault.what, sizeof fault.what,
			 "there is no barrier %u: a block has barriers 0 to 15", id);
	else
		snprintf(fault.what, sizeof fault.what, "barrier %u is asked to wait for %u "
			 "threads, which must be a multiple of 32 up to 1024", id, n);
	dispatch_die(t, &fault);
}

void dispatch_bad_cluster(struct thread *t, const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_BARRIER, .error = ERROR_ILLEGAL_INSTRUCTION, .site = site,
		.what = "a thread arrives twice at the cluster's barrier without waiting",
	};
	dispatch_die(t, &fault);
}

void dispatch_bad_mask(struct thread *t, uint32_t mask, const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_ILLEGAL, .error = ERROR_ILLEGAL_INSTRUCTION, .site = site,
	};
	snprintf(fault.what, sizeof fault.what, "lane %u calls a warp operation with the mask "
		 "0x%08x, which lacks the lane itself", t->pub.lane, mask);
	dispatch_die(t, &fault);
}

/* ---- other calls of device code ------------------------------------------ */

void __cudasim_yield(const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	dispatch_yield(t, THREAD_YIELDED, site);
	dispatch_leave(t);
}

/* The hardware sleeps for anything between 0 and twice the time asked for; we
 * sleep only as long as others can use the time. */
void __cudasim_nanosleep(uint32_t ns, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	block_of(t)->worker->ticks += ns;
	dispatch_yield(t, THREAD_SLEEPING, site);
	dispatch_leave(t);
}

uint32_t __cudasim_is_local(const void *addr)
{
	bool guard;
	return fiber_holds(thread_self()->fiber, addr, &guard);
}

void __cudasim_trap(uint32_t kind, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct fault fault = {
		.kind = CUDASIM_FAULT_TRAP, .error = ERROR_LAUNCH_FAILURE, .site = site,
		.what = "__trap() was called",
	};
	if (kind == CUDASIM_TRAP_ILLEGAL) {
		fault.kind = CUDASIM_FAULT_ILLEGAL;
		fault.error = ERROR_ILLEGAL_INSTRUCTION;
		strcpy(fault.what, "an illegal instruction was encountered");
	} else if (kind == CUDASIM_TRAP_UNREACHABLE) {
		strcpy(fault.what, "the program reached a place that it says cannot be reached");
	}
	t->pub.site = site;
	dispatch_die(t, &fault);
}

void __cudasim_brkpt(const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	t->pub.site = site;
	observe_brkpt(&t->pub, site);
	dispatch_leave(t);
}

/* ---- what observers ask for ---------------------------------------------- */

void thread_hold(struct thread *t)
{
	atomic_fetch_add(&t->holds, 1);
}

void thread_resume(struct thread *t)
{
	if (atomic_fetch_sub(&t->holds, 1) == 1)
		scheduler_wake();
}

void scheduler_hold(struct cudasim_thread *thread)
{
	struct thread *t = (struct thread *)thread;
	struct worker *worker = block_of(t)->worker;
	sig_atomic_t was = worker->in_device;
	worker->in_device = 0;
	thread_hold(t);
	dispatch_park(t);
	worker->in_device = was;
}

void dispatch_park(struct thread *t)
{
	struct block *b = block_of(t);
	struct worker *worker = b->worker;
	uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
	block_deactivate(b, w, bit);
	b->held[w] |= bit;
	b->held_warps |= 1u << w;
	worker->event = EVENT_HELD;
	worker->event_thread = t;
	t->stop_frame = __builtin_frame_address(0);
	go(worker, t->fiber, NULL);
	__cudasim_self = &t->pub;
	t->stop_frame = NULL;
}

__attribute__((noreturn)) void scheduler_abort(struct cudasim_thread *thread, int error)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_TRAP, .error = error, .quiet = true, .site = thread->site,
		.what = "a tool has ended the launch",
	};
	dispatch_die((struct thread *)thread, &fault);
}
