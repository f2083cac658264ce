/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - how each kind of work is carried out, and the engines: threads for
 * what would hold up a worker of the scheduler or the host. A GPU has copy
 * engines for the same reason; host functions have one thread, because CUDA
 * never runs two of them at once in one device's order. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "children.h"
#include "event.h"
#include "gate.h"
#include "log.h"
#include "memory.h"
#include "now.h"
#include "observer.h"
#include "operation.h"
#include "host_call.h"
#include "scheduler.h"
#include "stream.h"
#include "summary.h"

/* Copies up to this size are done by whoever starts them: a thread switch takes
 * as long. Bytes. */
enum { INLINE_BYTES = 64 << 10 };

/* ---- engines --------------------------------------------------------------- */

struct engine {
	const char *name;
	void (*run)(struct operation *operation);
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct operation *first, **last;
	unsigned n_threads, max_threads, n_idle;
};

static void *serve(void *arg)
{
	struct engine *engine = arg;
	pthread_mutex_lock(&engine->lock);
	for (;;) {
		while (!engine->first) {
			engine->n_idle++;
			pthread_cond_wait(&engine->more, &engine->lock);
			engine->n_idle--;
		}
		struct operation *operation = engine->first;
		engine->first = operation->queued;
		pthread_mutex_unlock(&engine->lock);
		engine->run(operation);
		operation_done(operation);
		pthread_mutex_lock(&engine->lock);
	}
	return NULL;
}

static bool add_thread(struct engine *engine)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, serve, engine))
		return false;
	pthread_setname_np(thread, engine->name);
	pthread_detach(thread);
	engine->n_threads++;
	return true;
}

static void give(struct engine *engine, struct operation *operation)
{
	pthread_mutex_lock(&engine->lock);
	operation->queued = NULL;
	if (!engine->first)
		engine->last = &engine->first;
	*engine->last = operation;
	engine->last = &operation->queued;
	bool served = engine->n_idle > 0;
	if (!served && engine->n_threads < engine->max_threads)
		served = add_thread(engine);
	served = served || engine->n_threads > 0;
	pthread_cond_signal(&engine->more);
	pthread_mutex_unlock(&engine->lock);
	if (!served) {
		log_line("cannot start a thread for copies and host functions");
		abort();
	}
}

/* ---- copies and sets ------------------------------------------------------- */

static void set_row(unsigned char *to, uint64_t n, uint32_t value, uint32_t value_bytes)
{
	if (value_bytes <= 1) {
		memset(to, (int)value, n);
		return;
	}
	for (uint64_t i = 0; i + value_bytes <= n; i += value_bytes)
		memcpy(to + i, &value, value_bytes);
}

void copy_run(const struct cudasim_copy *what)
{
	observe_copy(what);
	uint64_t start = summary_on() ? now_ns() : 0;
	for (uint64_t z = 0; z < what->depth; z++) {
		unsigned char *to = (unsigned char *)what->to + z * what->to_slice;
		const unsigned char *from = what->from ? (const unsigned char *)what->from +
								 z * what->from_slice
						       : NULL;
		uint64_t rows = what->height, width = what->width;
		/* Rows without gaps are one. */
		if (what->to_pitch == width && (!from || what->from_pitch == width)) {
			width *= rows;
			rows = 1;
		}
		for (uint64_t y = 0; y < rows; y++, to += what->to_pitch) {
			if (!from) {
				set_row(to, width, what->value, what->value_bytes);
				continue;
			}
			memmove(to, from, width);
			from += what->from_pitch;
		}
	}
	if (summary_on())
		summary_copy(what, now_ns() - start);
}

static uint64_t bytes_of(const struct cudasim_copy *what)
{
	return what->width * what->height * what->depth;
}

static void run_copy(struct operation *operation)
{
	if (!atomic_load(&operation->work.device->sticky))
		copy_run(&operation->work.copy.what);
}

/* ---- host functions --------------------------------------------------------- */

static _Thread_local bool in_function __attribute__((tls_model("initial-exec")));

bool in_host_function(void)
{
	return in_function || host_call_running;
}

static void run_host(struct operation *operation)
{
	struct work *work = &operation->work;
	int error = atomic_load(&work->device->sticky);
	printf_flush(work->device);
	struct cudasim_order_event begins = {
		.kind = CUDASIM_ORDER_HOST_FUNCTION,
		.device = work->device->ordinal,
		.stream = !operation->stream || operation->stream->legacy ? 0
									  : operation->stream->id,
		.id = operation->id,
	};
	if (operation->stream)
		observe_order(&begins);
	in_function = true;
	if (work->host.callback)
		work->host.callback(work->host.stream, (cudaError_t)error, work->host.user);
	else if (!error ||
		 work->host.always) /* cudaLaunchHostFunc: not called when the context is dead */
		work->host.function(work->host.user);
	in_function = false;
}

static struct engine copies = {
	.name = "cudasim-copy",
	.run = run_copy,
	.max_threads = 2,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.more = PTHREAD_COND_INITIALIZER,
};
static struct engine host_functions = {
	.name = "cudasim-host",
	.run = run_host,
	.max_threads = 1,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.more = PTHREAD_COND_INITIALIZER,
};

bool host_function_call(cudaHostFn_t function, void *user)
{
	struct work work = {.kind = WORK_HOST,
			    .device = device_current(),
			    .host = {.function = function, .user = user, .always = true}};
	struct operation *operation = operation_new(&work);
	if (!operation)
		return false;
	give(&host_functions, operation);
	operation_unref(operation);
	return true;
}

static void run_await(struct operation *operation)
{
	struct work *work = &operation->work;
	if (work->kind == WORK_STEP)
		work->step.what->run(operation, work->step.state);
	else
		work->host.function(work->host.user);
}

static struct engine awaits = {
	.name = "cudasim-await",
	.run = run_await,
	.max_threads = 64,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.more = PTHREAD_COND_INITIALIZER,
};

static bool engine_rests(struct engine *engine, uint32_t *n)
{
	pthread_mutex_lock(&engine->lock);
	bool rests = !engine->first && engine->n_idle == engine->n_threads;
	*n += engine->n_threads;
	pthread_mutex_unlock(&engine->lock);
	return rests;
}

bool work_engines_rest(uint32_t *ret)
{
	*ret = 0;
	/* All three, as each adds to *ret. */
	bool copying = engine_rests(&copies, ret);
	bool calling = engine_rests(&host_functions, ret);
	bool awaiting = engine_rests(&awaits, ret);
	return copying && calling && awaiting;
}

/* ---- launches --------------------------------------------------------------- */

static void launch_done(struct launch *launch, void *arg)
{
	struct operation *operation = arg;
	if (launch->pub.error && !launch->stopped)
		device_fail(launch->device, launch->pub.error);
	summary_launch(launch);
	operation_lock();
	struct children *children = launch->children;
	operation_unlock();
	if (children)
		children_parent_ended(children);
	else
		operation_done(operation);
}

/* A launch that has to end before the operation can. */
static bool comes_before(const struct run *run, const void *arg)
{
	const struct operation *waited = arg, *operation = run->arg;
	return run->done == launch_done && operation->stream &&
	       operation->stream == waited->stream && operation->id <= waited->id;
}

bool work_help(const struct operation *operation)
{
	return scheduler_help(comes_before, operation);
}

/* A program that launches nothing never starts the scheduler's workers. */
static void start_scheduler(void)
{
	struct cudasim_error *error = scheduler_start();
	if (error) {
		log_error(error);
		exit(1);
	}
}

void work_start_scheduler(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, start_scheduler);
}

void work_launch_prepare(struct operation *operation, uint64_t stream_id)
{
	work_start_scheduler();
	static atomic_ullong n_launches;
	const struct work *work = &operation->work;
	struct launch *launch = &operation->launch;
	launch->pub = work->launch;
	launch->operation = operation;
	launch->device = work->device;
	launch->grid_workspace[0] = sizeof launch->grid_workspace;
	launch->grid_workspace[1] = 0;
	launch->pub.id = atomic_fetch_add(&n_launches, 1) + 1;
	launch->pub.gridid = atomic_fetch_add(&work->device->n_grids, 1) + 1;
	launch->pub.stream = stream_id;
	launch->pub.device = work->device->ordinal;
	if (launch->pub.cooperative) {
		launch->pub.workspace = launch->grid_workspace;
		launch->pub.workspace_bytes = sizeof launch->grid_workspace;
	}
	watch_begin(launch);
	launch->pub.launcher = NULL;
}

static void start_launch(struct operation *operation)
{
	struct launch *launch = &operation->launch;
	int sticky = atomic_load(&launch->device->sticky);
	if (operation->children && sticky) {
		launch->pub.error = sticky;
		launch->start_ns = launch->end_ns = now_ns();
		launch_done(launch, operation);
		return;
	}
	/* Even on a dead context the scheduler sees it, so that observers which
	 * heard of the launch hear of its end; it looks at device->sticky. */
	scheduler_submit(&operation->launch, launch_done, operation);
}

/* ---- the rest ---------------------------------------------------------------- */

static void free_memory(const struct operation *operation)
{
	memory_free_in_order(operation->work.address, operation->id);
}

void work_start(struct operation *operation)
{
	struct work *work = &operation->work;
	switch (work->kind) {
	case WORK_LAUNCH:
		start_launch(operation);
		return;
	case WORK_CALLER:
		operation_turn(operation);
		return;
	case WORK_HOST:
		give(&host_functions, operation);
		return;
	case WORK_COPY:
		if (bytes_of(&work->copy.what) > INLINE_BYTES && !gate_closed) {
			give(&copies, operation);
			return;
		}
		run_copy(operation);
		break;
	case WORK_RECORD:
		/* The event keeps this operation; were this one to keep the event,
		 * neither would ever go. */
		event_unref(work->event);
		work->event = NULL;
		break;
	case WORK_FREE:
		free_memory(operation);
		break;
	case WORK_AWAIT:
		give(&awaits, operation);
		return;
	case WORK_STEP:
		if (work->step.what->waits) {
			give(&awaits, operation);
			return;
		}
		work->step.what->run(operation, work->step.state);
		break;
	case WORK_NOTHING:
		break;
	}
	operation_done(operation);
}
