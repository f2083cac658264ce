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
#include "fault_signals.h"
#include "now.h"
#include "observer.h"
#include "run_new.h"
#include "scheduler_config.h"
#include "scheduler_state.h"
#include "watchdog.h"
#include "worker.h"

/* How long a worker with nothing to do stays awake. */
enum { SPIN_NS = 50000 };

struct scheduler scheduler = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
	.last = &scheduler.first,
};

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

void scheduler_wake_locked(bool all)
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
	scheduler_wake_locked(true);
	scheduler_unlock();
}

/* With the lock, wait a second at most. */
static void sleep_until_woken(const struct worker *worker, uint64_t seen)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	atomic_fetch_add(&scheduler.sleepers, 1);
	while (scheduler_epoch() == seen && !worker_stopped(worker))
		if (pthread_cond_timedwait(&scheduler.wake, &scheduler.lock, &until) == ETIMEDOUT)
			break;
	atomic_fetch_sub(&scheduler.sleepers, 1);
}

bool scheduler_wait(struct worker *worker, uint64_t seen)
{
	uint64_t until = worker->left_out ? 0 : now_ns() + SPIN_NS;
	while (now_ns() < until) {
		for (int i = 0; i < 64; i++) {
			if (scheduler_epoch() != seen || worker_stopped(worker))
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
	launch->end_ns = now_ns();
	if (!launch->start_ns)
		launch->start_ns = launch->end_ns;
	launch->pub.error = atomic_load(&run->dead);
	if (launch->pub.error && !launch->stopped)
		atomic_compare_exchange_strong(&launch->device->sticky, &none, launch->pub.error);
	if (run->begun)
		watch_end(launch);
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
		scheduler_wake_locked(true);
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
		run->launch->start_ns = now_ns();
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
	launch->pub.error = error;
	launch->start_ns = launch->end_ns = now_ns();
	atomic_compare_exchange_strong(&launch->device->sticky, &none, error);
	done(launch, arg);
}

/* Bounded work of a few microseconds, on a host thread that may do it itself. */
static bool is_for_caller(const struct run *run)
{
	enum { MOST_THREADS = 2048 };
	const uint32_t *n = run->launch->pub.block;
	return run->loop && !run->watched && run->unit_blocks == 1 &&
	       run->launch->pub.kernel->flags & CUDASIM_KERNEL_SHORT &&
	       run->n_units <= MOST_THREADS && run->n_units * n[0] * n[1] * n[2] <= MOST_THREADS &&
	       scheduler_is_plain() && caller_may();
}

void scheduler_submit(struct launch *launch, void (*done)(struct launch *launch, void *arg),
		      void *arg)
{
	struct run *run = scheduler_run_new(launch);
	if (!run || !run->entry || run->unit_blocks > CLUSTER_MAX_BLOCKS || !run->n_units) {
		fprintf(stderr, "cudasim: kernel %s cannot be launched: %s\n",
			launch->pub.kernel->display,
			!run          ? "out of memory"
			: !run->entry ? "its object does not contain the requested body"
				      : "its clusters do not fit the grid");
		free(run);
		refuse(launch, ERROR_LAUNCH_OUT_OF_RESOURCES, done, arg);
		return;
	}
	run_choose_loop(run, &scheduler.config);
	if (run->loop)
		run->chunk = run_first_chunk(run);
	if (run->loop && !run->watched && run->launch->pub.kernel->flags & CUDASIM_KERNEL_EMPTY) {
		free(run);
		launch->pub.error = 0;
		launch->start_ns = launch->end_ns = now_ns();
		done(launch, arg);
		return;
	}
	fault_claim();
	run->done = done;
	run->arg = arg;
	launch->pub.error = 0;
	launch->start_ns = 0;
	launch->scheduler = run;
	bool by_caller = is_for_caller(run);
	if (by_caller) {
		run->beginning = run->begun = true;
		run->taken = run->n_units;
		launch->start_ns = now_ns();
	} else if (run->loop && !run->watched && run->unit_blocks == 1 &&
		   launch->pub.kernel->flags & CUDASIM_KERNEL_ALONE && scheduler_is_plain()) {
		run->submitted_ns = now_ns();
		run->submitted_cpu = sched_getcpu();
	}
	scheduler_lock();
	*scheduler.last = run;
	scheduler.last = &run->next;
	/* A worker that is awake, and idle, is enough where the host thread may help. */
	if (run->submitted_ns &&
	    scheduler.n_workers - atomic_load(&scheduler.sleepers) > scheduler.n_busy)
		atomic_fetch_add(&scheduler.epoch, 1);
	else if (!by_caller)
		scheduler_wake_locked(run->ordered);
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
	watch_block(&b->pub);
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
