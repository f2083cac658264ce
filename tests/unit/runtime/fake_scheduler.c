/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of the scheduler: each launch gets a thread, which calls the
 * kernel's entry once. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "launch.h"
#include "observer.h"
#include "hang.h"
#include "hang_writers.h"
#include "host_call.h"
#include "scheduler.h"

_Thread_local struct cudasim_thread *__cudasim_self;

void hang_writers_start(void)
{
}

struct job {
	struct launch *launch;
	void (*done)(struct launch *, void *);
	void *arg;
};

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *run(void *arg)
{
	struct job job = *(struct job *)arg;
	free(arg);
	job.launch->start_ns = now();
	observe_launch_begin(&job.launch->pub);
	job.launch->pub.kernel->entry[CUDASIM_BODY_V3](job.launch->pub.params);
	job.launch->end_ns = now();
	watch_end(job.launch);
	job.done(job.launch, job.arg);
	return NULL;
}

struct cudasim_error *scheduler_start(void)
{
	return NULL;
}

void scheduler_submit(struct launch *launch, void (*done)(struct launch *, void *), void *arg)
{
	struct job *job = malloc(sizeof *job);
	pthread_t thread;
	*job = (struct job){launch, done, arg};
	if (pthread_create(&thread, NULL, run, job))
		abort();
	pthread_detach(thread);
}

bool scheduler_help(bool (*belongs)(const struct run *, const void *), const void *arg)
{
	(void)belongs;
	(void)arg;
	return false;
}

void printf_flush(struct device *device)
{
	(void)device;
}

_Thread_local bool host_call_running;

void scheduler_limits(struct device *device, uint64_t heap, uint64_t fifo, uint64_t stack)
{
	(void)device, (void)heap, (void)fifo, (void)stack;
}

void scheduler_meet(struct cudasim_thread *thread)
{
	(void)thread;
	abort();
}

void scheduler_hold(struct cudasim_thread *thread)
{
	(void)thread;
	abort();
}

void scheduler_stack_full(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	(void)thread;
	(void)site;
	abort();
}
void scheduler_misaligned(struct cudasim_thread *thread, const void *addr, bool write,
			  const struct cudasim_site *site)
{
	(void)thread, (void)addr, (void)write, (void)site;
	abort();
}
void scheduler_forbidden(struct cudasim_thread *thread, const void *addr, bool write,
			 const struct cudasim_site *site)
{
	(void)thread, (void)addr, (void)write, (void)site;
	abort();
}
void scheduler_end_stopped(struct cudasim_thread *thread)
{
	(void)thread;
	abort();
}

void scheduler_abort(struct cudasim_thread *thread, int error)
{
	(void)thread, (void)error;
	abort();
}

uint32_t __cudasim_is_local(const void *address)
{
	(void)address;
	return 0;
}

void cudasim_thread_stack(struct cudasim_thread *thread, uint64_t *low, uint64_t *high,
			  uint64_t *used)
{
	(void)thread;
	*low = *high = *used = 0;
}

uint64_t hang_mix(uint64_t digest, const void *data, uint64_t n)
{
	(void)data, (void)n;
	return digest;
}
