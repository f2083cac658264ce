/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"

#include "observer.h"

_Thread_local struct cudasim_thread *__cudasim_self __attribute__((tls_model("initial-exec")));

/* With a random order, one switch in so many goes to another block. */
enum { BLOCK_CHANGES = 32 };

/* That a function which is called must preserve, below its frame pointer. */
enum { SAVED_REGISTERS = 5 };

#ifdef CUDASIM_PARANOID
#define PARANOID_CHECK(block) block_check(block)
#else
#define PARANOID_CHECK(block) ((void)0)
#endif

/* ---- from one to the next ------------------------------------------------ */

struct thread *dispatch_choose(struct block *b)
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

/* Where to switch to: the fiber, and its stack pointer for FIBER_STACK. */
struct stack_position {
	struct fiber *fiber;
	void *sp;
};

/* The place of t (NULL: the worker), which gets a fiber if it has none. */
static struct stack_position place_of(struct worker *worker, struct thread *t)
{
	if (t && t->fiber)
		return (struct stack_position){t->fiber, t->sp};
	struct fiber *f = t ? fiber_get(worker_pool(worker, block_of(t)->run->stack_class)) : NULL;
	if (!f) {
		if (t) {
			worker->event = EVENT_MEMORY;
			worker->event_thread = t;
		}
		return (struct stack_position){&worker->main, worker->main.sp};
	}
	t->fiber = f;
	worker->next = t;
	return (struct stack_position){f, f->sp};
}

static void exchange(struct worker *worker, struct fiber *from, void **save,
		     struct stack_position to)
{
	worker->fiber = to.fiber;
	if (worker->engine == FIBER_PTHREAD) {
		__builtin_unwind_init(); /* what stands still has its registers on its stack */
		*save = (void **)__builtin_frame_address(0) - SAVED_REGISTERS;
		fiber_baton_switch(from, to.fiber);
	} else {
		fiber_switch(save, to.fiber, to.sp);
	}
}

void dispatch_switch(struct thread *t, struct thread *next)
{
	struct worker *worker = block_of(t)->worker;
	if (block_of(t)->run->watched)
		t->stop_frame = __builtin_frame_address(0);
	exchange(worker, t->fiber, &t->sp, place_of(worker, next));
	__cudasim_self = &t->pub;
	t->stop_frame = NULL;
}

void dispatch_yield(struct thread *t, enum thread_state state, bool spins,
		    const struct cudasim_site *site)
{
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
	if (!atomic_load_explicit(&b->run->yields, memory_order_relaxed))
		atomic_store_explicit(&b->run->yields, true, memory_order_relaxed);
	block_deactivate(b, w, bit);
	b->yielded[w] |= bit;
	b->yielded_warps |= 1u << w;
	b->computes |= !spins;
	t->spins = spins;
	t->stays = site && site->kind == CUDASIM_SITE_STAYS;
	t->state = (uint8_t)state;
	t->pub.site = site;
	b->worker->ticks += 1000;
	dispatch_suspend(t);
	t->pub.fuel = b->fuel;
	b->n_turns++;
}

/* ---- fibers -------------------------------------------------------------- */

static void name_fiber(struct thread *t)
{
	const struct block *b = block_of(t);
	char name[64];
	snprintf(name, sizeof name, "b%llu t%u,%u,%u", (unsigned long long)b->index, t->pub.tid[0],
		 t->pub.tid[1], t->pub.tid[2]);
	fiber_name(t->fiber, name);
}

/* Run t, which stands on the calling fiber, from its beginning to its end. */
static inline void run_thread(struct worker *worker, struct block *b, struct thread *t)
{
	struct run *run = b->run;
	t->state = THREAD_READY;
	t->pub.fuel = b->fuel;
	t->pub.want = b->want;
	t->pub.site = NULL;
	t->wait_address = NULL;
	t->wait = t->polls = 0;
	t->stays = false;
	b->progress++;
	__cudasim_self = &t->pub;
	if (__builtin_expect(run->watched, 0))
		observe_thread_begin(&t->pub);
	worker->in_device = IN_DEVICE;
	if (__builtin_expect(b->left != NULL, 0))
		loop_resume(t);
	else
		run->entry(run->params);
	worker->in_device = 0;
	if (__builtin_expect(run->watched, 0))
		observe_thread_end(&t->pub);
	block_exit(t);
	t->sp = NULL;
	t->fiber = NULL;
}

/* ---- loops over a block's threads -------------------------------------------- */

struct cudasim_thread *__cudasim_loop_thread(struct cudasim_block *pub, uint32_t linear)
{
	struct block *b = (struct block *)pub;
	struct thread *before = thread_self(), *t = &b->threads[linear];
	if (t != before) {
		t->fiber = before->fiber;
		t->sp = NULL;
		before->fiber = NULL;
		t->pub.want = 0;
		t->pub.site = NULL;
		__cudasim_self = &t->pub;
	}
	return &t->pub;
}

void *__cudasim_loop_frame(struct cudasim_block *pub, uint64_t bytes)
{
	struct block *b = (struct block *)pub;
	struct worker *worker = b->worker;
	if (__builtin_expect(bytes <= worker->frame_bytes, 1))
		return worker->frame;
	if (bytes <= b->left_bytes)
		return b->left_frame;
	worker->in_device = 0;
	free(worker->frame);
	worker->frame_bytes = (bytes + 4095) / 4096 * 4096;
	worker->frame = aligned_alloc(64, worker->frame_bytes);
	if (!worker->frame) {
		worker->frame_bytes = 0;
		worker->event = EVENT_MEMORY;
		worker->event_thread = thread_self();
		dispatch_abandon(thread_self());
	}
	worker->in_device = IN_DEVICE;
	return worker->frame;
}

uint32_t __cudasim_loop_goes_on(const struct cudasim_block *pub)
{
	return ((const struct block *)pub)->loop;
}

void dispatch_rest(struct thread *t)
{
	struct block *b = block_of(t);
	struct worker *worker = b->worker;
	worker->in_device = 0;
	worker_keep_rest(b);
	atomic_store_explicit(&b->run->yields, true, memory_order_relaxed);
	b->rested = t;
	b->spins = true;
	dispatch_switch(t, NULL);
	__cudasim_self = &t->pub;
	worker->in_device = IN_DEVICE;
}

void dispatch_leave_loop(struct thread *t)
{
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp;
	b->loop = false;
	b->n_live = b->n_threads - t->pub.linear;
	memset(b->live, 0, w * sizeof *b->live);
	memset(b->active, 0, w * sizeof *b->active);
	b->live[w] &= ~0u << t->pub.lane;
	b->active[w] = b->live[w];
	b->active_warps &= ~0u << w;
	b->warp = w;
	b->progress += t->pub.linear + 1;
	for (uint32_t i = 0; i < b->n_threads; i++)
		b->threads[i].state = i < t->pub.linear ? THREAD_EXITED : THREAD_FRESH;
	t->state = THREAD_READY;
	t->pub.fuel = b->fuel;
	worker_keep_rest(b);
}

/* How many blocks side by side, of the chunk's, one call may run. Where they have several
 * rows of threads, no more than lie in the caches together. */
static uint32_t row_length(const struct block *b)
{
	enum { MOST_OF_RECTANGLE = 512 };
	const struct launch *l = b->run->launch;
	uint32_t flags = l->pub.kernel->flags;
	bool flat = l->pub.block[1] * l->pub.block[2] == 1;
	if (!(flags & CUDASIM_KERNEL_ROW) || b->run->watched || b->run->unit_blocks > 1 ||
	    (!flat && flags & CUDASIM_KERNEL_IN_ORDER))
		return 1;
	uint64_t n = 1 + b->rest_hi - b->rest_lo, left = l->pub.grid[0] - b->pub.ctaid[0];
	uint32_t most = (flat ? CUDASIM_ROW_THREADS : MOST_OF_RECTANGLE) / l->pub.block[0];
	n = n < left ? n : left;
	n = n < most ? n : most;
	return n ? (uint32_t)n : 1;
}

/* The loop has run to its end: on to the next block of the chunk, or of another chunk, if
 * there is one. */
static bool next_looped(struct worker *worker, struct block *b)
{
	struct run *run = b->run;
	b->rest_lo += b->n_row - 1;
	b->n_looped += b->n_row - 1;
	/* Observers are told of each block's end. */
	if (atomic_load_explicit(&run->stop, memory_order_relaxed) || run->watched)
		return false;
	if (b->rest_lo == b->rest_hi)
		return worker_next_chunk(worker, b);
	b->n_looped++;
	b->rest_lo++;
	worker_move_block(worker, b, b->n_row);
	return true;
}

/* Run the block's threads, of which t is the first and stands on the calling fiber,
 * and then those of the chunk's other blocks. */
static void run_loop(struct worker *worker, struct block *b, struct thread *t)
{
	struct run *run = b->run;
	t->state = THREAD_READY;
	t->pub.want = 0;
	t->pub.site = NULL;
	__cudasim_self = &t->pub;
	do {
		__cudasim_loop_thread(&b->pub, 0);
		b->n_row = row_length(b);
		worker->in_device = IN_DEVICE;
		run->loop(run->params, &b->pub, b->n_row);
		worker->in_device = 0;
		if (b->loop && __builtin_expect(b->cluster->n_arrived, 0)) {
			static const uint32_t nobody[BLOCK_MAX_WARPS];
			cluster_recount(b, nobody);
		}
	} while (b->loop && next_looped(worker, b));
	t = thread_self();
	t->fiber = NULL;
	t->sp = NULL;
	if (b->left)
		return; /* all that live begin again where they stood */
	if (!b->loop) {
		block_exit(t);
		return;
	}
	b->loop = false;
	b->active_warps = 0;
	memset(b->live, 0, b->n_warps * sizeof *b->live);
	memset(b->active, 0, b->n_warps * sizeof *b->active);
	b->n_live = 0;
}

void dispatch_main(void *arg)
{
	struct worker *worker = arg;
	struct thread *t = worker->next;
	struct block *b = block_of(t);
	struct fiber *own = t->fiber;
	if (worker->engine == FIBER_PTHREAD)
		name_fiber(t);
	for (;;) {
		if (b->loop)
			run_loop(worker, b, t);
		else
			run_thread(worker, b, t);
		t = dispatch_next(b);
		/* A pthread is one CUDA thread only. */
		if (!t || t->fiber || worker->engine == FIBER_PTHREAD)
			break;
		t->fiber = own;
	}
	struct stack_position to = place_of(worker, t);
	worker->fiber = to.fiber;
	if (to.fiber == &worker->main && worker->engine == FIBER_STACK)
		fiber_end(own, to.fiber, to.sp);
	fiber_leave(own, to.fiber, to.sp);
}

void dispatch_refuse(void)
{
	observer_refuse();
	abort(); /* the tool goes on elsewhere */
}

__attribute__((noreturn)) void __cudasim_exit(const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct block *b = block_of(t);
	struct fiber *own = t->fiber;
	t->pub.site = site;
	if (__builtin_expect(b->run->watched, 0))
		observe_thread_end(&t->pub);
	block_exit(t);
	t->sp = NULL;
	t->fiber = NULL;
	/* The fiber is given back rather than run on: the thread's frames would
	 * stay on it, and pile up. */
	struct stack_position to = place_of(b->worker, dispatch_next(b));
	b->worker->fiber = to.fiber;
	fiber_leave(own, to.fiber, to.sp);
}

/* ---- the worker's side --------------------------------------------------- */

void dispatch_run(struct worker *worker, struct thread *t)
{
	worker->event = EVENT_NONE;
	worker->running = block_of(t)->run;
	exchange(worker, &worker->main, &worker->main.sp, place_of(worker, t));
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
		t->sp = NULL;
		t->stop_frame = NULL;
		t->fault_pc = t->fault_frame = t->fault_sp = 0;
	}
}

void dispatch_abandon(struct thread *t)
{
	struct worker *worker = block_of(t)->worker;
	worker->in_device = 0;
	exchange(worker, t->fiber, &t->sp, (struct stack_position){&worker->main, worker->main.sp});
	__builtin_unreachable();
}

void dispatch_die(struct thread *t, const struct fault *fault)
{
	struct worker *worker = block_of(t)->worker;
	worker->fault = *fault;
	worker->event = EVENT_FAULT;
	worker->event_thread = t;
	t->state = THREAD_FAULTED;
	if (!t->fault_pc)
		t->stop_frame = __builtin_frame_address(0);
	dispatch_abandon(t);
}

/* ---- other calls of device code ------------------------------------------ */

/* A fingerprint of what the thread's code keeps in registers and on its stack.
 * A loop that waits for memory to change comes round with the same; a loop that
 * computes does not. Frame is the innermost frame of ours, below which the
 * registers that it must preserve have been saved; between frames is what AddressSanitizer has
 * marked. */
__attribute__((no_sanitize_address)) static uint64_t footprint(const struct thread *t,
							       void *const *frame)
{
	enum { MOST_WORDS = 96 };
	void *const *end = (void *const *)t->fiber->top;
	void *const *at = frame - SAVED_REGISTERS;
	uint64_t hash = 0xcbf29ce484222325u;
	if (end - at > MOST_WORDS)
		end = at + MOST_WORDS;
	for (; at < end; at++)
		hash = (hash ^ (uintptr_t)*at) * 0x9e3779b97f4a7c15u;
	return hash;
}

void __cudasim_yield(const void *address, uint32_t wait, const struct cudasim_site *site)
{
	if (__cudasim_self->want & THREAD_BORROWED) {
		__cudasim_self->fuel = INT32_MAX;
		return;
	}
	struct block *b = block_of(thread_self());
	if (__builtin_expect(b->retries, 0)) {
		b->waits_inside |= (uintptr_t)address - (uintptr_t)b->pub.shared <
				   b->pub.shared_bytes;
		__cudasim_self->fuel = b->turns;
		return;
	}
	struct thread *t = dispatch_enter();
	__builtin_unwind_init(); /* saves all registers that callers may rely on */
	uint64_t now = footprint(t, __builtin_frame_address(0));
	bool spins = now == t->footprint;
	t->footprint = now;
	if (wait & CUDASIM_WAIT_MBARRIER)
		t->polls = THREAD_POLLS;
	if (!t->polls || wait & CUDASIM_WAIT_MBARRIER || (address && address != t->wait_address)) {
		t->wait_address = address;
		t->wait = wait;
	}
	t->sleeps_at = wait & CUDASIM_WAIT_MBARRIER ? address : NULL;
	t->woken = false;
	b->n_sleep += t->sleeps_at != NULL;
	dispatch_yield(t, THREAD_YIELDED, spins, site);
	b->n_sleep -= t->sleeps_at != NULL;
	/* To its next question, where it gives way again: elsewhere nobody would wake it. */
	enum { FUEL_TO_ASK_AGAIN = 32 };
	if (t->sleeps_at && t->pub.fuel < FUEL_TO_ASK_AGAIN)
		t->pub.fuel = FUEL_TO_ASK_AGAIN;
	t->sleeps_at = NULL;
	dispatch_leave(t);
}

/* The hardware sleeps for anything between 0 and twice the time asked for; we
 * sleep only as long as others can use the time. */
void __cudasim_nanosleep(uint32_t ns, const struct cudasim_site *site)
{
	struct block *b = block_of(thread_self());
	b->worker->ticks += ns;
	if (b->retries)
		return;
	struct thread *t = dispatch_enter();
	dispatch_yield(t, THREAD_SLEEPING, true, site);
	dispatch_leave(t);
}

uint32_t __cudasim_is_local(const void *addr)
{
	bool guard;
	return fiber_holds(thread_self()->fiber, addr, &guard);
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

void scheduler_meet(struct cudasim_thread *thread)
{
	struct thread *t = (struct thread *)thread;
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
	sig_atomic_t was = b->worker->in_device;
	b->worker->in_device = 0;
	block_deactivate(b, w, bit);
	b->met[w] |= bit;
	b->met_warps |= 1u << w;
	b->kept_warps &= ~(1u << w);
	t->state = THREAD_MET;
	dispatch_suspend(t);
	b->worker->in_device = was;
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
	dispatch_switch(t, NULL);
}
