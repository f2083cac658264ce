/* SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "children.h"
#include "event.h"
#include "gate.h"
#include "now.h"
#include "stream.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress;
static uint64_t n_operations;

__attribute__((constructor)) static void init(void)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&progress, &attributes);
	pthread_condattr_destroy(&attributes);
}

void operation_lock(void)
{
	pthread_mutex_lock(&lock);
}

void operation_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* ---- works ---------------------------------------------------------------- */

void work_fini(struct work *work)
{
	if (work->kind == WORK_LAUNCH)
		free((void *)work->launch.params);
	else if (work->kind == WORK_COPY)
		free(work->copy.staging);
	else if (work->kind == WORK_RECORD)
		event_unref(work->event);
	else if (work->kind == WORK_STEP)
		work->step.what->unref(work->step.state);
}

void *work_params_new(const struct cudasim_kernel *kernel)
{
	size_t align = 16;
	for (uint32_t i = 0; i < kernel->n_params; i++)
		if (kernel->params[i].align > align)
			align = kernel->params[i].align;
	size_t size = (kernel->params_size + align - 1) / align * align;
	void *ret = aligned_alloc(align, size ? size : align);
	if (ret)
		memset(ret, 0, size);
	return ret;
}

bool work_copy(const struct work *work, struct work *ret)
{
	*ret = *work;
	if (work->kind == WORK_LAUNCH) {
		void *params = work_params_new(work->launch.kernel);
		if (!params)
			return false;
		memcpy(params, work->launch.params, work->launch.kernel->params_size);
		ret->launch.params = params;
	} else if (work->kind == WORK_RECORD) {
		event_ref(work->event);
	} else if (work->kind == WORK_STEP) {
		work->step.what->ref(work->step.state);
	} else if (work->kind == WORK_COPY) {
		assert(!work->copy.staging);
	}
	return true;
}

/* ---- life ----------------------------------------------------------------- */

struct operation *operation_new(const struct work *work)
{
	struct operation *operation = calloc(1, sizeof *operation);
	if (!operation)
		return NULL;
	operation->work = *work;
	operation->refs = 2; /* the caller's, and its own until it is done */
	operation->n_waits = 1;
	pthread_mutex_lock(&lock);
	operation->id = ++n_operations;
	pthread_mutex_unlock(&lock);
	if (work->kind == WORK_COPY)
		operation->work.copy.what.id = operation->id;
	return operation;
}

struct operation *operation_ref(struct operation *operation)
{
	__atomic_add_fetch(&operation->refs, 1, __ATOMIC_RELAXED);
	return operation;
}

void operation_unref(struct operation *operation)
{
	if (!operation || __atomic_sub_fetch(&operation->refs, 1, __ATOMIC_ACQ_REL))
		return;
	work_fini(&operation->work);
	free(operation->next);
	free(operation);
}

/* ---- order ---------------------------------------------------------------- */

void operation_after(struct operation *operation, struct operation *first)
{
	if (!first || first->done || first == operation)
		return;
	if (first->n_next == first->capacity) {
		unsigned bigger = first->capacity ? 2 * first->capacity : 4;
		struct operation **next = realloc(first->next, bigger * sizeof *next);
		assert(next); /* an order that is lost would be a silent wrong answer */
		first->next = next;
		first->capacity = bigger;
	}
	first->next[first->n_next++] = operation_ref(operation);
	operation->n_waits++;
}

/* Operations that may start, on this thread; a list instead of recursion, which
 * a long chain of short operations would drive too deep. */
static _Thread_local struct operation *to_start, **to_start_end;
static _Thread_local bool starting;

static void start_all(void)
{
	if (starting)
		return;
	starting = true;
	while (to_start) {
		struct operation *operation = to_start;
		to_start = operation->queued;
		if (!to_start)
			to_start_end = &to_start;
		work_start(operation);
	}
	starting = false;
}

static bool is_instant(const struct operation *operation)
{
	return operation->work.kind == WORK_NOTHING || operation->work.kind == WORK_RECORD ||
	       operation->work.kind == WORK_STEP;
}

/* With the lock held. The operation's own reference keeps it until it is done. */
static void enqueue(struct operation *operation)
{
	/* What a grid has launched has to end for the grid to end. */
	if (gate_closed && !is_instant(operation) && !operation->children) {
		gate_hold(operation);
		return;
	}
	if (!to_start)
		to_start_end = &to_start;
	operation->queued = NULL;
	*to_start_end = operation;
	to_start_end = &operation->queued;
}

void operation_submit(struct operation *operation)
{
	pthread_mutex_lock(&lock);
	if (!--operation->n_waits)
		enqueue(operation);
	pthread_mutex_unlock(&lock);
	start_all();
}

void operation_done(struct operation *operation)
{
	operation->end_ns = now_ns();
	struct stream *stream = operation->stream;
	pthread_mutex_lock(&lock);
	assert(!operation->done);
	__atomic_store_n(&operation->done, true, __ATOMIC_RELEASE);
	struct operation **next = operation->next;
	unsigned n = operation->n_next;
	operation->next = NULL;
	operation->n_next = operation->capacity = 0;
	for (unsigned i = 0; i < n; i++) {
		if (!--next[i]->n_waits)
			enqueue(next[i]);
		operation_unref(next[i]);
	}
	if (stream)
		stream_forget(stream, operation);
	if (operation->n_waiters)
		pthread_cond_broadcast(&progress);
	pthread_mutex_unlock(&lock);
	free(next);
	if (stream)
		stream_unref(stream);
	struct children *children = operation->children;
	operation_unref(operation);
	if (children)
		children_one_done(children);
	start_all();
}

/* ---- waiting -------------------------------------------------------------- */

/* How long a wait lasts before it looks at the gate again. */
static const uint64_t look_again_ns = 10000000u;

bool operation_is_done(struct operation *operation)
{
	pthread_mutex_lock(&lock);
	bool done = operation->done;
	pthread_mutex_unlock(&lock);
	/* Whoever asks again and again gets on. */
	if (!done && gate_closed)
		gate_step();
	return done;
}

/* Short work ends before a sleeping thread could be woken. The worker may want this very
 * processor, so most of the time it is offered; or it is used for the work itself. */
static bool is_soon(const struct operation *operation, const bool *flag)
{
	enum { LOOKS = 64, SOON_NS = 50000 };
	uint64_t until = 0, now = 0;
	do {
		if (work_help(operation))
			until = 0;
		for (int i = 0; i < LOOKS; i++) {
			if (__atomic_load_n(flag, __ATOMIC_ACQUIRE))
				return true;
#ifdef __x86_64__
			__builtin_ia32_pause();
#endif
		}
		sched_yield();
		now = now_ns();
		if (!until)
			until = now + SOON_NS;
	} while (now < until);
	return false;
}

static atomic_uint n_without_end;

unsigned operation_n_waiting(void)
{
	return atomic_load(&n_without_end);
}

static void wait_without_end(struct operation *operation, const bool *flag)
{
	atomic_fetch_add(&n_without_end, 1);
	pthread_mutex_lock(&lock);
	operation->n_waiters++;
	while (!*flag)
		pthread_cond_wait(&progress, &lock);
	operation->n_waiters--;
	pthread_mutex_unlock(&lock);
	atomic_fetch_sub(&n_without_end, 1);
}

void operation_wait(struct operation *operation)
{
	if (gate_closed) {
		atomic_fetch_add(&n_without_end, 1);
		operation_wait_until(operation, UINT64_MAX);
		atomic_fetch_sub(&n_without_end, 1);
		return;
	}
	if (!is_soon(operation, &operation->done))
		wait_without_end(operation, &operation->done);
}

/* Steps until it is done: what it waits for has to start, too. */
bool operation_wait_until(struct operation *operation, uint64_t deadline_ns)
{
	while (gate_closed) {
		uint64_t now = now_ns(), soon = now + look_again_ns;
		if (operation_wait_running(operation, now))
			return true;
		if (now >= deadline_ns)
			return false;
		if (!gate_step() &&
		    operation_wait_running(operation, soon < deadline_ns ? soon : deadline_ns))
			return true;
	}
	return operation_wait_running(operation, deadline_ns);
}

bool operation_wait_running(struct operation *operation, uint64_t deadline_ns)
{
	struct timespec deadline = {
		.tv_sec = (time_t)(deadline_ns / 1000000000u),
		.tv_nsec = (long)(deadline_ns % 1000000000u),
	};
	int timed_out = 0;
	pthread_mutex_lock(&lock);
	operation->n_waiters++;
	while (!operation->done && !timed_out)
		timed_out = pthread_cond_timedwait(&progress, &lock, &deadline);
	operation->n_waiters--;
	bool done = operation->done;
	pthread_mutex_unlock(&lock);
	return done;
}

/* WORK_CALLER's start: called by work_start(). */
void operation_turn(struct operation *operation)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(&operation->ready, true, __ATOMIC_RELEASE);
	if (operation->n_waiters)
		pthread_cond_broadcast(&progress);
	pthread_mutex_unlock(&lock);
}

static bool is_turn(struct operation *operation)
{
	pthread_mutex_lock(&lock);
	bool ready = operation->ready;
	pthread_mutex_unlock(&lock);
	return ready;
}

void operation_wait_turn(struct operation *operation)
{
	atomic_fetch_add(&n_without_end, gate_closed);
	while (gate_closed && !is_turn(operation))
		if (!gate_step())
			usleep(1000);
	atomic_fetch_sub(&n_without_end, gate_closed);
	if (!is_soon(operation, &operation->ready))
		wait_without_end(operation, &operation->ready);
}
