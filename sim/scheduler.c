/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.c - the list of launches in flight, and the workers' sleep.
 *
 * One lock guards the list; workers take blocks in chunks, so it is rarely
 * wanted. Whatever may give a worker something to do advances `epoch`; a worker
 * that has found nothing sleeps until epoch is no longer what it was before it
 * looked. It spins a moment first, for launches often follow each other. */
#define _GNU_SOURCE
#include "scheduler.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "block.h"
#include "caller.h"
#include "device.h"
#include "error.h"
#include "fault.h"
#include "observer.h"
#include "run.h"
#include "scheduler_config.h"
#include "watchdog.h"
#include "worker.h"

enum {
	SPIN_NS = 20000,
	HOST_NS = 10000   /* how soon after its launch a host thread helps if it does */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct run *first, **last;
	_Atomic uint64_t epoch;
	atomic_uint sleepers;
	struct worker *workers;
	uint32_t n_workers, n_busy, n_helping;
	struct worker *helpers;
	struct scheduler_config config;
	enum cudasim_body usual; /* where nobody watches */
} scheduler = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
	.last = &scheduler.first,
};

uint64_t scheduler_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void scheduler_lock(void)
{
	pthread_mutex_lock(&scheduler.lock);
}

void scheduler_unlock(void)
{
	pthread_mutex_unlock(&scheduler.lock);
}

/* ---- sleeping ------------------------------------------------------------ */

uint64_t scheduler_epoch(void)
{
	return atomic_load_explicit(&scheduler.epoch, memory_order_acquire);
}

/* With the lock. */
static void wake_locked(bool all)
{
	atomic_fetch_add(&scheduler.epoch, 1);
	if (!atomic_load(&scheduler.sleepers))
		return;
	if (all)
		pthread_cond_broadcast(&scheduler.wake);
	else
		pthread_cond_signal(&scheduler.wake);
}

void scheduler_wake(void)
{
	scheduler_lock();
	wake_locked(true);
	scheduler_unlock();
}

static void pause_processor(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

static bool stopped(const struct worker *worker)
{
	return __atomic_load_n(&worker->stop, __ATOMIC_ACQUIRE);
}

/* With the lock, wait a second at most. */
static void sleep_until_woken(const struct worker *worker, uint64_t seen)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	atomic_fetch_add(&scheduler.sleepers, 1);
	while (scheduler_epoch() == seen && !stopped(worker))
		if (pthread_cond_timedwait(&scheduler.wake, &scheduler.lock, &until) == ETIMEDOUT)
			break;
	atomic_fetch_sub(&scheduler.sleepers, 1);
}

bool scheduler_wait(struct worker *worker, uint64_t seen)
{
	uint64_t until = worker->left_out ? 0 : scheduler_now_ns() + SPIN_NS;
	while (scheduler_now_ns() < until) {
		for (int i = 0; i < 64; i++) {
			if (scheduler_epoch() != seen || stopped(worker))
				return true;
			pause_processor();
		}
		sched_yield(); /* who submits launches may want this very processor */
	}
	scheduler_lock();
	sleep_until_woken(worker, seen);
	scheduler_unlock();
	return scheduler_epoch() != seen;
}

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

/* Whether workers and the host threads that help are fewer than there may be. The last
 * place is kept for the host thread for a moment: it is awake already, and does not take a
 * worker's processor away with waiting. */
static bool has_place(const struct run *run, bool for_host)
{
	uint32_t n = scheduler.n_busy + scheduler.n_helping;
	if (!is_helpable(run) || n + 1 < scheduler.n_workers)
		return true;
	return n < scheduler.n_workers &&
	       (for_host || scheduler_now_ns() >= run->submitted_ns + HOST_NS);
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
	uint64_t share = scheduler.n_workers == 1 ? left : left / (2 * (uint64_t)scheduler.n_workers);
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
	run->launch->start_ns = scheduler_now_ns();
	if (run->watched) {
		scheduler_unlock();
		observe_launch_begin(run->launch);
		scheduler_lock();
	}
	run->begun = true;
}

static void take(struct run *run, struct chunk *ret)
{
	uint64_t n = chunk_size(run);
	*ret = (struct chunk){run, run->taken, run->taken + n};
	run->taken += n;
	/* One worker wakes the next, as long as there is something left for it. */
	if (!run->ordered && atomic_load(&scheduler.sleepers) && run->taken < run->n_units &&
	    has_place(run, false))
		wake_locked(false);
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
	while (!run && soon && !stopped(worker)) {
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
		take(run, ret);
	} else if (!spare) {
		set_busy(worker, false);
	}
	scheduler_unlock();
	if (cpu >= 0 && cpu == sched_getcpu())
		step_aside(cpu);
	return run;
}

/* ---- helping --------------------------------------------------------------- */

static void add_helper(struct worker *worker)
{
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
	scheduler.n_helping--;
	for (struct run *run = scheduler.first; run; run = run->next)
		left |= run->taken < run->n_units;
	if (left)
		wake_locked(false);
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
	take(run, ret);
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

void scheduler_each_helper(void (*look)(const struct worker *worker, const void *arg), const void *arg)
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

/* ---- ending -------------------------------------------------------------- */

static void unlink_run(struct run *run)
{
	scheduler_lock();
	struct run **at = &scheduler.first;
	while (*at != run)
		at = &(*at)->next;
	*at = run->next;
	if (scheduler.last == &run->next)
		scheduler.last = at;
	scheduler_unlock();
}

static void complete(struct run *run)
{
	struct launch *launch = run->launch;
	int none = 0;
	unlink_run(run);
	launch->end_ns = scheduler_now_ns();
	if (!launch->start_ns)
		launch->start_ns = launch->end_ns;
	launch->error = atomic_load(&run->dead);
	if (launch->error && !launch->stopped)
		atomic_compare_exchange_strong(&launch->device->sticky, &none, launch->error);
	if (run->begun)
		observe_launch_end(launch);
	launch->scheduler = NULL;
	void (*done)(struct launch *, void *) = run->done;
	void *arg = run->arg;
	free(run->ended);
	free(run);
	done(launch, arg);
}

void scheduler_finish(struct run *run, uint64_t n)
{
	if (n && !run->direct && atomic_fetch_add(&run->finished, n) + n == run->n_units)
		complete(run);
}

bool scheduler_kill(struct run *run, int error)
{
	int alive = 0;
	scheduler_lock();
	bool first = atomic_compare_exchange_strong(&run->dead, &alive, error);
	uint64_t dropped = 0;
	if (first) {
		atomic_store(&run->stop, true);
		dropped = run->n_units - run->taken;
		run->taken = run->n_units;
		wake_locked(true);
	}
	scheduler_unlock();
	scheduler_finish(run, dropped);
	if (first)
		watchdog_start();
	return first;
}

/* ---- submitting ---------------------------------------------------------- */

struct run *scheduler_run_new(struct launch *launch)
{
	return run_new(launch, scheduler.usual);
}

bool scheduler_is_plain(void)
{
	return scheduler.config.engine == FIBER_STACK;
}

void scheduler_direct(struct run *run, bool begins)
{
	if (__builtin_expect(!scheduler.config.timeout_ns, 1))
		return;
	if (begins) {
		run->launch->start_ns = scheduler_now_ns();
		scheduler_lock();
		run->next = NULL;
		*scheduler.last = run;
		scheduler.last = &run->next;
		scheduler_unlock();
	} else {
		unlink_run(run);
	}
}

/* A launch that cannot even begin. */
static void refuse(struct launch *launch, int error, void (*done)(struct launch *, void *),
		   void *arg)
{
	int none = 0;
	launch->error = error;
	launch->start_ns = launch->end_ns = scheduler_now_ns();
	atomic_compare_exchange_strong(&launch->device->sticky, &none, error);
	done(launch, arg);
}

/* Bounded work of a few microseconds, on a host thread that may do it itself. */
static bool is_for_caller(const struct run *run)
{
	enum { MOST_THREADS = 2048 };
	const uint32_t *n = run->launch->block;
	return run->loop && run->launch->kernel->flags & CUDASIM_KERNEL_SHORT &&
	       run->n_units <= MOST_THREADS &&
	       run->n_units * n[0] * n[1] * n[2] <= MOST_THREADS && scheduler_is_plain() &&
	       caller_may();
}

void scheduler_submit(struct launch *launch, void (*done)(struct launch *launch, void *arg),
		      void *arg)
{
	struct run *run = scheduler_run_new(launch);
	if (!run || !run->entry || run->unit_blocks > CLUSTER_MAX_BLOCKS || !run->n_units) {
		fprintf(stderr, "cudasim: kernel %s cannot be launched: %s\n",
			launch->kernel->display, !run ? "out of memory"
			: !run->entry ? "its object holds no body of the wanted form"
			: "its clusters do not fit the grid");
		free(run);
		refuse(launch, ERROR_LAUNCH_OUT_OF_RESOURCES, done, arg);
		return;
	}
	run_choose_loop(run, &scheduler.config);
	if (run->loop)
		run->chunk = run_first_chunk(run);
	if (run->loop && run->launch->kernel->flags & CUDASIM_KERNEL_EMPTY) {
		free(run);
		launch->error = 0;
		launch->start_ns = launch->end_ns = scheduler_now_ns();
		done(launch, arg);
		return;
	}
	fault_claim();
	run->done = done;
	run->arg = arg;
	launch->error = 0;
	launch->start_ns = 0;
	launch->scheduler = run;
	bool by_caller = is_for_caller(run);
	if (by_caller) {
		run->beginning = run->begun = true;
		run->taken = run->n_units;
		launch->start_ns = scheduler_now_ns();
	} else if (run->loop && launch->kernel->flags & CUDASIM_KERNEL_ALONE &&
		   scheduler_is_plain()) {
		run->submitted_ns = scheduler_now_ns();
		run->submitted_cpu = sched_getcpu();
	}
	scheduler_lock();
	*scheduler.last = run;
	scheduler.last = &run->next;
	/* A worker that is awake, and idle, is enough where the host thread may help. */
	if (run->submitted_ns && scheduler.n_workers - atomic_load(&scheduler.sleepers) >
					 scheduler.n_busy)
		atomic_fetch_add(&scheduler.epoch, 1);
	else if (!by_caller)
		wake_locked(run->ordered);
	scheduler_unlock();
	if (by_caller)
		caller_run(&(struct chunk){run, 0, run->n_units});
}

/* ---- looking ------------------------------------------------------------- */

void scheduler_each(void (*look)(struct run *run, void *arg), void *arg)
{
	scheduler_lock();
	for (struct run *run = scheduler.first; run; run = run->next)
		look(run, arg);
	scheduler_unlock();
}

void scheduler_block_begins(struct block *b)
{
	struct run *run = b->run;
	scheduler_lock();
	b->prev_of_run = NULL;
	b->next_of_run = run->blocks;
	if (run->blocks)
		run->blocks->prev_of_run = b;
	run->blocks = b;
	scheduler_unlock();
	observe_block_begin(&b->pub);
}

void scheduler_block_ends(struct block *b)
{
	struct run *run = b->run;
	observe_block_end(&b->pub);
	scheduler_lock();
	if (run->ended)
		run->ended[b->index / 64] |= 1ull << b->index % 64;
	if (b->prev_of_run)
		b->prev_of_run->next_of_run = b->next_of_run;
	else
		run->blocks = b->next_of_run;
	if (b->next_of_run)
		b->next_of_run->prev_of_run = b->prev_of_run;
	scheduler_unlock();
}

struct worker *scheduler_workers(uint32_t *n)
{
	*n = scheduler.n_workers;
	return scheduler.workers;
}

uint64_t scheduler_timeout_ns(void)
{
	return scheduler.config.timeout_ns;
}

/* ---- starting ------------------------------------------------------------ */

static void worker_init(struct worker *worker, uint32_t index)
{
	worker->busy = false;
	worker->index = index;
	worker->engine = (enum fiber_kind)scheduler.config.engine;
	worker->schedule = scheduler.config.schedule;
	worker->random = worker->schedule.seed;
}

static struct cudasim_error *start_workers(uint32_t n)
{
	scheduler.workers = calloc(n, sizeof *scheduler.workers);
	if (!scheduler.workers)
		return &cudasim_error_nomem;
	scheduler.n_workers = n;
	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = &scheduler.workers[i];
		worker_init(worker, i);
		int failed = pthread_create(&worker->pthread, NULL, worker_main, worker);
		if (failed) {
			scheduler.n_workers = i;
			scheduler_stop();
			return cudasim_error_errno(failed, "cannot start worker %u of %u", i, n);
		}
		char name[24];
		snprintf(name, sizeof name, "cudasim %u", i % MAX_WORKERS);
		pthread_setname_np(worker->pthread, name);
	}
	return NULL;
}

struct cudasim_error *scheduler_start_with(const struct scheduler_config *config)
{
	struct cudasim_error *error = scheduler_config_body(&scheduler.usual);
	if (error)
		return error;
	scheduler.config = *config;
	uint32_t n = config->n_workers ? config->n_workers : scheduler_config_cpus();
	if (config->schedule.fixed)
		n = 1;
	fault_install();
	error = start_workers(n);
	if (!error && config->timeout_ns)
		watchdog_start();
	return error;
}

struct cudasim_error *scheduler_start(void)
{
	struct scheduler_config config = {0};
	struct cudasim_error *error = scheduler_config_read(&config);
	return error ? error : scheduler_start_with(&config);
}

void scheduler_stop(void)
{
	watchdog_stop();
	for (uint32_t i = 0; i < scheduler.n_workers; i++)
		__atomic_store_n(&scheduler.workers[i].stop, true, __ATOMIC_RELEASE);
	scheduler_wake();
	for (uint32_t i = 0; i < scheduler.n_workers; i++)
		pthread_join(scheduler.workers[i].pthread, NULL);
	free(scheduler.workers);
	scheduler.workers = NULL;
	scheduler.n_workers = scheduler.n_busy = 0;
}
