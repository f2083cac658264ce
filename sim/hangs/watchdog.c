/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "cudasim/inspect.h"
#include "fault_signals.h"
#include "fiber.h"
#include "now.h"
#include "scheduler.h"
#include "worker.h"

enum { PERIOD_NS = 20000000 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t pthread;
	bool running, stop;
} watchdog = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static void nudge_worker(const struct worker *worker, const void *arg)
{
	const struct run *run = arg;
	if (worker->running != run)
		return;
	if (worker->engine == FIBER_STACK) {
		pthread_kill(worker->pthread, fault_nudge_signal());
	} else {
		struct fiber *fiber = worker->fiber;
		if (fiber && fiber != &worker->main)
			pthread_kill(fiber_pthread(fiber), fault_nudge_signal());
	}
}

/* Interrupt the workers whose device code belongs to the run. */
static void nudge(const struct run *run)
{
	uint32_t n;
	struct worker *workers = scheduler_workers(&n);
	if (run->direct)
		nudge_worker(run->direct, run);
	scheduler_each_helper(nudge_worker, run);
	for (uint32_t i = 0; i < n; i++)
		nudge_worker(&workers[i], run);
}

/* Since when a tool looks. */
static uint64_t held_since; /* 0: none does */

static void excuse(struct run *run, void *ns)
{
	run->excused_ns += *(uint64_t *)ns;
}

void cudasim_timeout_hold(bool on)
{
	uint64_t now = now_ns(), since = held_since;
	if (!on && since) {
		uint64_t ns = now - since;
		scheduler_each(excuse, &ns);
	}
	__atomic_store_n(&held_since, on ? now : 0, __ATOMIC_RELEASE);
}

static void look(struct run *run, void *any)
{
	uint64_t now = now_ns(), limit = scheduler_timeout_ns();
	uint64_t start = run->launch->start_ns + run->excused_ns;
	if (limit && run->begun && !__atomic_load_n(&held_since, __ATOMIC_ACQUIRE) && now > start &&
	    now - start > limit && !atomic_load(&run->dead)) {
		atomic_store(&run->expired, true);
		atomic_store(&run->stop, true);
	}
	if (atomic_load(&run->stop)) {
		*(bool *)any = true;
		nudge(run);
	}
}

static void *watch(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&watchdog.lock);
	while (!watchdog.stop) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PERIOD_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&watchdog.wake, &watchdog.lock, &until);
		pthread_mutex_unlock(&watchdog.lock);
		bool any = false;
		scheduler_each(look, &any);
		if (any)
			scheduler_wake();
		pthread_mutex_lock(&watchdog.lock);
	}
	pthread_mutex_unlock(&watchdog.lock);
	return NULL;
}

void watchdog_start(void)
{
	pthread_mutex_lock(&watchdog.lock);
	if (!watchdog.running) {
		watchdog.stop = false;
		watchdog.running = !pthread_create(&watchdog.pthread, NULL, watch, NULL);
		if (watchdog.running)
			pthread_setname_np(watchdog.pthread, "cudasim watch");
	}
	pthread_mutex_unlock(&watchdog.lock);
}

void watchdog_stop(void)
{
	pthread_mutex_lock(&watchdog.lock);
	bool running = watchdog.running;
	watchdog.stop = true;
	watchdog.running = false;
	pthread_cond_signal(&watchdog.wake);
	pthread_mutex_unlock(&watchdog.lock);
	if (running)
		pthread_join(watchdog.pthread, NULL);
}

unsigned watchdog_runs(void)
{
	pthread_mutex_lock(&watchdog.lock);
	unsigned n = watchdog.running;
	pthread_mutex_unlock(&watchdog.lock);
	return n;
}
