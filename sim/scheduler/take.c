/* SPDX-License-Identifier: Apache-2.0 */
/* take.c - which blocks a worker, or a host thread that waits, runs next (scheduler.h).
 *
 * Blocks are taken in chunks of some 20 us, smaller ones towards a launch's end. A run that a
 * host thread may help with keeps a place for it, and is taken from both ends. */
#define _GNU_SOURCE
#include <sched.h>

#include "caller.h"
#include "now.h"
#include "observer.h"
#include "scheduler_state.h"

/* How soon after its launch a host thread helps if it does. */
enum { HOST_NS = 10000 };

/* ---- taking -------------------------------------------------------------- */

static bool may_take(const struct worker *worker, const struct run *run, bool spare)
{
	if (run->taken == run->n_units || (run->beginning && !run->begun))
		return false;
	if (run->ordered && worker->index)
		return false;
	uint64_t most = run->limit && run->limit < run->resident ? run->limit : run->resident;
	return !spare || run->taken - atomic_load(&run->finished) < most;
}

/* Host threads that wait for the run may help. */
static bool is_helpable(const struct run *run)
{
	return run->submitted_ns;
}

/* Whether workers and the host threads that help are fewer than there may be. As long as no
 * host thread helps the last place is kept for it for a moment: it is awake already, and does
 * not take a worker's processor away with waiting. */
static bool has_place(const struct run *run, bool for_host)
{
	uint32_t n = scheduler.n_busy + scheduler.n_helping;
	if (!is_helpable(run) || n + 1 < scheduler.n_workers)
		return true;
	return n < scheduler.n_workers &&
	       (for_host || scheduler.n_helping || now_ns() >= run->submitted_ns + HOST_NS);
}

/* Whether the run is left to others, for good or for the moment. */
static bool is_crowded(struct worker *worker, const struct run *run, bool *soon)
{
	if (worker->busy || has_place(run, false))
		return false;
	if (has_place(run, true))
		*soon = true;
	else
		worker->left_out = true;
	return true;
}

static struct run *find(struct worker *worker, bool spare, bool *soon)
{
	worker->left_out = false;
	for (struct run *run = scheduler.first; run; run = run->next)
		if (may_take(worker, run, spare) && !is_crowded(worker, run, soon))
			return run;
	return NULL;
}

/* Towards the end chunks get smaller, so that workers end together; but not so small that
 * taking them costs more than that. */
static uint64_t chunk_size(const struct run *run)
{
	enum { LEAST_PART = 8 };
	uint64_t left = run->n_units - run->taken;
	uint64_t share = scheduler.n_workers == 1 ? left
						  : left / (2 * (uint64_t)scheduler.n_workers);
	if (run->loop && share < run->chunk / LEAST_PART)
		share = run->chunk / LEAST_PART;
	if (share > left)
		share = left;
	/* Where one worker takes them all, no more than it starts: an observer counts
	 * them. */
	if (run->ordered)
		return 1;
	uint64_t n = atomic_load_explicit(&run->yields, memory_order_relaxed) ? 1 : run->chunk;
	if (n > share)
		n = share ? share : 1;
	return n;
}

/* The launch's first block is about to run. The lock is not held meanwhile:
 * observers look around. */
static void begin(struct run *run)
{
	run->beginning = true;
	run->launch->start_ns = now_ns();
	if (run->watched) {
		scheduler_unlock();
		observe_launch_begin(&run->launch->pub);
		scheduler_lock();
	}
	run->begun = true;
}

/* In order; but beside a host thread that helps workers take from the end: a kernel that is
 * launched again then finds its part of the data in the cache of the same processor. */
static void take(struct run *run, bool by_host, struct chunk *ret)
{
	uint64_t n = chunk_size(run), lo = run->taken - run->taken_from_end;
	if (scheduler.n_helping && is_helpable(run) && !by_host) {
		run->taken_from_end += n;
		lo = run->n_units - run->taken_from_end;
	}
	*ret = (struct chunk){run, lo, lo + n};
	run->taken += n;
	/* One worker wakes the next, as long as there is something left for it. */
	if (!run->ordered && atomic_load(&scheduler.sleepers) && run->taken < run->n_units &&
	    has_place(run, false))
		scheduler_wake_locked(false);
}

static void set_busy(struct worker *worker, bool busy)
{
	if (worker->busy != busy)
		scheduler.n_busy += busy ? 1 : -1;
	worker->busy = busy;
}

/* A moment of waiting, with the lock given back. */
static void give_way(void)
{
	scheduler_unlock();
	for (int i = 0; i < 32; i++)
		pause_processor();
	sched_yield();
	scheduler_lock();
}

/* The host thread that is about to help has this worker's processor, and with short launches
 * the system may leave both there, one waiting for the other, for seconds. The worker goes. */
static void step_aside(int cpu)
{
	cpu_set_t all, others;
	if (sched_getaffinity(0, sizeof all, &all))
		return;
	others = all;
	CPU_CLR(cpu, &others);
	if (!CPU_COUNT(&others) || sched_setaffinity(0, sizeof others, &others))
		return;
	sched_setaffinity(0, sizeof all, &all);
}

bool scheduler_take(struct worker *worker, bool spare, struct chunk *ret)
{
	int cpu = -1;
	scheduler_lock();
	bool soon = false;
	struct run *run = find(worker, spare, &soon);
	while (!run && soon && !worker_stopped(worker)) {
		give_way();
		soon = false;
		run = find(worker, spare, &soon);
	}
	if (run && !run->begun) {
		begin(run);
		if (!may_take(worker, run, spare)) /* killed by an observer */
			run = NULL;
	}
	if (run) {
		bool begins = !worker->busy && is_helpable(run);
		set_busy(worker, true);
		if (begins && scheduler.n_busy < scheduler.n_workers)
			cpu = run->submitted_cpu;
		take(run, false, ret);
	} else if (!spare) {
		set_busy(worker, false);
	}
	scheduler_unlock();
	if (cpu >= 0 && cpu == sched_getcpu())
		step_aside(cpu);
	return run;
}

bool scheduler_take_next(struct worker *worker, struct run *run, uint64_t n, struct chunk *ret)
{
	scheduler_lock();
	bool more = run->taken < run->n_units;
	if (more)
		take(run, worker->helps, ret);
	scheduler_unlock();
	if (more)
		scheduler_finish(run, n); /* not the last ones: those just taken are not over */
	return more;
}

/* ---- helping --------------------------------------------------------------- */

static void add_helper(struct worker *worker)
{
	worker->helps = true;
	worker->next_helper = scheduler.helpers;
	scheduler.helpers = worker;
	scheduler.n_helping++;
}

/* There is a place for a worker again. */
static void remove_helper(struct worker *worker)
{
	struct worker **at = &scheduler.helpers;
	bool left = false;
	while (*at != worker)
		at = &(*at)->next_helper;
	*at = worker->next_helper;
	worker->helps = false;
	scheduler.n_helping--;
	for (struct run *run = scheduler.first; run; run = run->next)
		left |= run->taken < run->n_units;
	if (left)
		scheduler_wake_locked(false);
}

static struct run *find_to_help(bool (*belongs)(const struct run *, const void *), const void *arg)
{
	struct run *run = scheduler.first;
	while (run && (!is_helpable(run) || run->taken == run->n_units || !belongs(run, arg)))
		run = run->next;
	return run;
}

static bool take_to_help(bool (*belongs)(const struct run *, const void *), const void *arg,
			 struct chunk *ret)
{
	struct run *run = find_to_help(belongs, arg);
	if (!run)
		return false;
	if (!run->begun)
		begin(run); /* nobody watches it: see choose_loop() */
	take(run, true, ret);
	return true;
}

bool scheduler_help(bool (*belongs)(const struct run *run, const void *arg), const void *arg)
{
	struct chunk chunk;
	struct worker *worker;
	scheduler_lock();
	bool helps = scheduler.n_busy + scheduler.n_helping < scheduler.n_workers &&
		     find_to_help(belongs, arg) && caller_may();
	worker = helps ? caller_worker() : NULL;
	helps = helps && take_to_help(belongs, arg, &chunk);
	if (helps)
		add_helper(worker);
	for (bool more = helps; more; more = take_to_help(belongs, arg, &chunk)) {
		scheduler_unlock();
		caller_run(&chunk);
		scheduler_lock();
	}
	if (helps)
		remove_helper(worker);
	scheduler_unlock();
	return helps;
}

void scheduler_each_helper(void (*look)(const struct worker *worker, const void *arg),
			   const void *arg)
{
	for (struct worker *helper = scheduler.helpers; helper; helper = helper->next_helper)
		look(helper, arg);
}

bool scheduler_take_of(struct worker *worker, struct run *run, struct chunk *ret)
{
	scheduler_lock();
	bool may = run->begun && may_take(worker, run, true);
	if (may)
		*ret = (struct chunk){run, run->taken, run->taken + 1}, run->taken++;
	scheduler_unlock();
	return may;
}
