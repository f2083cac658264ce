/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.c - inspect.h over the scheduler's structures.
 *
 * Launches and their blocks in flight are found under the scheduler's lock. A
 * thread's frames are found by frame pointers: libcudasim and watched bodies
 * keep them, so the chain leads from where the thread stopped in libcudasim to
 * the device code that called it, and through that to the fiber's beginning. */
#define _GNU_SOURCE
#include "cudasim/inspect.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "dispatch.h"
#include "error.h"
#include "fiber.h"
#include "observer.h"
#include "scheduler.h"
#include "stall.h"
#include "worker.h"

/* ---- sites ---------------------------------------------------------------- */

const struct cudasim_module *cudasim_site_module(const struct cudasim_site *site)
{
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n; i++)
		if (site >= modules[i]->sites && site < modules[i]->sites + modules[i]->n_sites)
			return modules[i];
	return NULL;
}

struct cudasim_error *cudasim_site_arm(const struct cudasim_observer *observer,
				       const struct cudasim_site *site, bool on)
{
	const struct cudasim_module *module = cudasim_site_module(site);
	if (!module || !module->armed)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "not a site of a loaded module");
	if (site->kind != CUDASIM_SITE_LINE)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "%s:%u: only the beginning of a line can be armed",
					 site->file, site->line);
	return registered_arm(observer, module, (size_t)(site - module->sites), on);
}

/* ---- launches ------------------------------------------------------------- */

/* Collects up to max of what a walk finds, and counts all. */
struct found {
	void **ret;
	size_t max, n;
};

static void add(struct found *found, void *what)
{
	if (found->n < found->max)
		found->ret[found->n] = what;
	found->n++;
}

static void add_launch(struct run *run, void *arg)
{
	add(arg, &run->launch->pub);
}

size_t cudasim_launches(struct cudasim_launch **ret, size_t max)
{
	struct found found = {(void **)ret, max, 0};
	scheduler_each(add_launch, &found);
	return found.n;
}

/* The scheduler's run of a launch that may be over: NULL then. */
struct search {
	const struct cudasim_launch *launch;
	struct run *run;
};

static void match(struct run *run, void *arg)
{
	struct search *search = arg;
	if (&run->launch->pub == search->launch)
		search->run = run;
}

static struct run *find_run(const struct cudasim_launch *launch)
{
	struct search search = {launch, NULL};
	scheduler_each(match, &search);
	return search.run;
}

enum {
	WANT_CODE = CUDASIM_WANT_LINE | CUDASIM_WANT_ACCESS | CUDASIM_WANT_LOCAL |
		    CUDASIM_WANT_CALL | CUDASIM_WANT_FENCE | CUDASIM_WANT_MBARRIER,
};

/* Give the new wants to all threads of the launch. */
static void spread(struct run *run, uint32_t want)
{
	scheduler_lock();
	run->want = want;
	run->choosing = observed(&run->launch->pub) & CUDASIM_WANT_CHOOSE;
	for (struct block *b = run->blocks; b; b = b->next_of_run) {
		b->want = want;
		for (uint32_t i = 0; i < b->n_threads; i++)
			__atomic_store_n(&b->threads[i].pub.want, want, __ATOMIC_RELAXED);
	}
	scheduler_unlock();
}

struct cudasim_error *cudasim_launch_want(const struct cudasim_observer *observer,
					  struct cudasim_launch *launch, uint32_t want)
{
	struct cudasim_watch *watch = launch->watch;
	struct watcher *watcher = watch_find(watch, observer);
	if (!watcher)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "the observer does not watch this launch");
	if (want & WANT_CODE && launch->body != CUDASIM_BODY_WATCHED)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "launch %llu runs plain bodies: it announces nothing",
					 (unsigned long long)launch->id);
	uint32_t before = atomic_load(&watcher->want);
	uint32_t later = WANT_CODE;
	if (observe_ordered(launch))
		later |= CUDASIM_WANT_CHOOSE;
	if (want & ~before & ~later)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"wants 0x%x cannot be added once a launch has been submitted",
			want & ~before & ~later);
	watch_change(watch, watcher, want);
	struct run *run = find_run(launch);
	if (run)
		spread(run, observe_thread_want(launch));
	return NULL;
}

uint64_t cudasim_block_turns(const struct cudasim_block *block)
{
	return ((const struct block *)block)->n_turns;
}

/* What all observers want, this one no more than that. */
static uint32_t wanted(const struct cudasim_launch *launch, const struct cudasim_observer *observer,
		       uint32_t want)
{
	const struct cudasim_watch *watch = launch->watch;
	uint32_t all = 0;
	for (uint32_t i = 0; watch && i < watch->n; i++) {
		const struct watcher *w = &watch->watchers[i];
		all |= atomic_load(&w->want) & (w->observer == observer ? want : ~0u);
	}
	return launch->body == CUDASIM_BODY_WATCHED ? all & WANT_CODE : 0;
}

void cudasim_thread_want(const struct cudasim_observer *observer, struct cudasim_thread *thread,
			 uint32_t want)
{
	__atomic_store_n(&thread->want, wanted(thread->block->launch, observer, want),
			 __ATOMIC_RELAXED);
}

void cudasim_block_want(const struct cudasim_observer *observer, struct cudasim_block *block,
			uint32_t want)
{
	struct block *b = (struct block *)block;
	b->want = wanted(block->launch, observer, want);
	for (uint32_t i = 0; i < b->n_threads; i++)
		__atomic_store_n(&b->threads[i].pub.want, b->want, __ATOMIC_RELAXED);
}

void cudasim_launch_abort(struct cudasim_launch *launch)
{
	struct run *run = find_run(launch);
	if (run && scheduler_kill(run, ERROR_LAUNCH_FAILURE))
		scheduler_wake();
}

void cudasim_launch_limit(struct cudasim_launch *launch, uint64_t n_blocks)
{
	struct run *run = find_run(launch);
	if (!run)
		return;
	scheduler_lock();
	run->limit = (n_blocks + run->unit_blocks - 1) / run->unit_blocks;
	scheduler_unlock();
}

uint32_t cudasim_launch_begin_blocks(struct cudasim_launch *launch, uint32_t n)
{
	struct run *run = find_run(launch);
	return run && run->ordered ? worker_begin(run, n) : 0;
}

/* ---- blocks --------------------------------------------------------------- */

size_t cudasim_blocks(struct cudasim_launch *launch, struct cudasim_block **ret, size_t max)
{
	struct run *run = find_run(launch);
	size_t n = 0;
	if (!run)
		return 0;
	scheduler_lock();
	for (struct block *b = run->blocks; b; b = b->next_of_run) {
		/* By insertion, for blocks in flight are few. */
		size_t at = n < max ? n : max;
		while (at > 0 && cudasim_block_index(ret[at - 1]) > b->index) {
			if (at < max)
				ret[at] = ret[at - 1];
			at--;
		}
		if (at < max)
			ret[at] = &b->pub;
		n++;
	}
	scheduler_unlock();
	return n;
}

enum cudasim_block_state cudasim_block_state(struct cudasim_launch *launch, uint64_t index,
					     struct cudasim_block **ret)
{
	struct run *run = find_run(launch);
	struct block *found = NULL;
	enum cudasim_block_state state = run ? CUDASIM_BLOCK_WAITING : CUDASIM_BLOCK_DONE;
	if (run) {
		scheduler_lock();
		for (struct block *b = run->blocks; b && !found; b = b->next_of_run)
			if (b->index == index)
				found = b;
		if (found)
			state = CUDASIM_BLOCK_RUNNING;
		else if (run->ended && run->ended[index / 64] >> (index % 64) & 1)
			state = CUDASIM_BLOCK_DONE;
		scheduler_unlock();
	}
	if (ret)
		*ret = found ? &found->pub : NULL;
	return state;
}

struct cudasim_thread *cudasim_block_thread(struct cudasim_block *block, uint32_t linear)
{
	struct block *b = (struct block *)block;
	return linear < b->n_threads ? &b->threads[linear].pub : NULL;
}

bool cudasim_block_barrier(struct cudasim_block *block, uint32_t id, struct cudasim_barrier *ret)
{
	struct block *b = (struct block *)block;
	if (id >= CUDASIM_N_BARRIERS || !(b->pending_barriers >> id & 1))
		return false;
	barrier_describe(b, id, ret);
	return true;
}

char *cudasim_block_waits(const struct cudasim_block *block)
{
	return stall_waits((const struct block *)block);
}

/* ---- threads -------------------------------------------------------------- */

static struct thread *thread_of(struct cudasim_thread *thread)
{
	return (struct thread *)thread;
}

static enum cudasim_thread_state state_of(const struct thread *t)
{
	switch ((enum thread_state)t->state) {
	case THREAD_FRESH:
		return CUDASIM_THREAD_WAITING;
	case THREAD_READY:
	case THREAD_MET:
	case THREAD_YIELDED:
		return __cudasim_self == &t->pub ? CUDASIM_THREAD_RUNNING : CUDASIM_THREAD_READY;
	case THREAD_SLEEPING:
		return CUDASIM_THREAD_SLEEPING;
	case THREAD_BARRIER:
	case THREAD_CLUSTER:
		return CUDASIM_THREAD_BARRIER;
	case THREAD_MEET:
	case THREAD_CONVERGE:
		return CUDASIM_THREAD_WARP;
	case THREAD_POST_BARRIER:
		return CUDASIM_THREAD_READY;
	case THREAD_EXITED:
		return CUDASIM_THREAD_EXITED;
	case THREAD_FAULTED:
		return CUDASIM_THREAD_FAULTED;
	}
	return CUDASIM_THREAD_READY;
}

void cudasim_thread_status(struct cudasim_thread *thread, struct cudasim_thread_status *ret)
{
	struct thread *t = thread_of(thread);
	struct cudasim_frame frame = {0};
	*ret = (struct cudasim_thread_status){
		.state = state_of(t),
		.holds = atomic_load(&t->holds),
		.site = t->pub.site,
		.mbarrier = t->wait & CUDASIM_WAIT_MBARRIER ? t->wait_address : t->sleeps_at,
	};
	if (t->state == THREAD_BARRIER) {
		barrier_describe(block_of(t), t->barrier, &ret->barrier);
		ret->barrier.site = ret->site;
	} else if (t->state == THREAD_CLUSTER) {
		ret->barrier = (struct cudasim_barrier){
			.kind = CUDASIM_BARRIER_CLUSTER,
			.site = ret->site,
		};
	} else if (ret->state == CUDASIM_THREAD_WARP) {
		ret->warp = (struct cudasim_warp_op){
			.kind = (enum cudasim_warp_kind)t->warp_kind,
			.sub = t->warp_sub,
			.mask = t->mask,
			.site = ret->site,
		};
	}
	if (cudasim_thread_frames(thread, &frame, 1)) {
		ret->pc = frame.pc;
		ret->frame = frame.frame;
	}
}

void cudasim_warp_lanes(struct cudasim_block *block, uint32_t w, struct cudasim_warp_lanes *ret)
{
	const struct block *b = (const struct block *)block;
	*ret = (struct cudasim_warp_lanes){
		.live = b->live[w],
		.active = b->active[w],
		.yielded = b->yielded[w],
		.converging = b->converging[w] | b->post_barrier[w] | warp_settling(b, w),
		.met = b->met[w],
		.held = b->held[w],
	};
	for (uint32_t rest = b->yielded[w]; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		if (b->threads[w * CUDASIM_WARP_SIZE + lane].spins)
			ret->spinning |= 1u << lane;
	}
}

void cudasim_warp_release(struct cudasim_block *block, uint32_t warp, uint32_t lanes)
{
	struct block *b = (struct block *)block;
	block_release(b, warp, lanes);
	/* The first in order goes first, wherever the block was. */
	if (warp < b->warp && b->worker->schedule.order == SCHEDULE_INORDER)
		b->warp = warp;
}

void cudasim_thread_hold(struct cudasim_thread *thread)
{
	thread_hold(thread_of(thread));
}

void cudasim_thread_resume(struct cudasim_thread *thread)
{
	thread_resume(thread_of(thread));
}

void cudasim_thread_stack(struct cudasim_thread *thread, uint64_t *low, uint64_t *high,
			  uint64_t *used)
{
	const struct thread *t = thread_of(thread);
	*low = *high = *used = 0;
	if (!t->fiber)
		return;
	*low = (uintptr_t)t->fiber->low;
	*high = (uintptr_t)t->fiber->top;
	if (thread_stop_frame(t))
		*used = (uintptr_t)thread_stop_frame(t);
	else if (t->fault_sp)
		*used = t->fault_sp;
	else
		/* Inside an event: where the device code stood when it called us, above our frame
		 * pointer and the return address. */
		*used = __cudasim_self != thread ? *low
			: observer_frame         ? (uintptr_t)observer_frame + 2 * sizeof(void *)
						 : (uintptr_t)__builtin_frame_address(0);
}

void cudasim_thread_interrupted(struct cudasim_thread *thread, uint64_t pc, uint64_t frame,
				uint64_t sp)
{
	struct thread *t = thread_of(thread);
	t->fault_pc = pc;
	t->fault_frame = pc ? frame : 0;
	t->fault_sp = pc ? sp : 0;
}

struct cudasim_thread *cudasim_self_swap(struct cudasim_thread *thread)
{
	/* What the borrowed thread has of its own; a pthread borrows one at a time. */
	static _Thread_local uint32_t want;
	static _Thread_local int32_t fuel;
	struct cudasim_thread *before = __cudasim_self;
	if (before && before->want & THREAD_BORROWED) {
		before->want = want;
		before->fuel = fuel;
	} else if (thread) {
		want = thread->want;
		fuel = thread->fuel;
		thread->want = THREAD_BORROWED;
		thread->fuel = INT32_MAX;
	}
	__cudasim_self = thread;
	return before;
}

/* ---- frames --------------------------------------------------------------- */

/* libcudasim's own code, whose frames nobody wants to see. */
static uintptr_t own_low, own_high;

static int find_own(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + segment->p_vaddr;
		uintptr_t high = low + segment->p_memsz;
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    (uintptr_t)arg < low || (uintptr_t)arg >= high)
			continue;
		own_low = low;
		own_high = high;
		return 1;
	}
	return 0;
}

static void find_own_once(void)
{
	dl_iterate_phdr(find_own, (void *)(uintptr_t)&find_own_once);
}

static bool is_own(uintptr_t pc)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, find_own_once);
	return pc >= own_low && pc < own_high;
}

/* A frame as x86-64 and arm64 lay it out where frame pointers are kept. */
struct record {
	const struct record *outer;
	uintptr_t pc; /* return address */
};

static bool in_stack(const struct thread *t, const struct record *r)
{
	return (uintptr_t)r >= (uintptr_t)t->fiber->low && (uintptr_t)r % sizeof(uintptr_t) == 0 &&
	       (uintptr_t)(r + 1) <= (uintptr_t)t->fiber->top;
}

size_t cudasim_thread_frames(struct cudasim_thread *thread, struct cudasim_frame *ret, size_t max)
{
	const struct thread *t = thread_of(thread);
	const struct record *r = NULL;
	bool watched = thread->block->launch->body == CUDASIM_BODY_WATCHED;
	size_t n = 0;
	if (!t->fiber)
		return 0;
	if (t->fault_pc) {
		if (n < max)
			ret[n] = (struct cudasim_frame){t->fault_pc, t->fault_frame, true};
		n++;
		r = watched ? (const struct record *)t->fault_frame : NULL;
	} else if (__cudasim_self == thread) {
		r = observer_frame ? observer_frame : __builtin_frame_address(0);
	} else {
		r = thread_stop_frame(t);
	}
	while (r && in_stack(t, r)) {
		const struct record *outer = r->outer;
		if (is_own(r->pc)) {
			if (n)
				break; /* the scheduler, which called the kernel */
		} else {
			if (n < max)
				ret[n] = (struct cudasim_frame){r->pc, (uintptr_t)outer, false};
			n++;
			if (!watched)
				break;
		}
		if (outer <= r)
			break;
		r = outer;
	}
	return n;
}
