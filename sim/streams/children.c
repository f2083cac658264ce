/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "children.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "block.h"
#include "device.h"
#include "hash.h"
#include "launch.h"
#include "observer.h"
#include "operation.h"
#include "thread.h"

/* cuda_device_runtime_api.h shows these to device code only. */
#define STREAM_TAIL_LAUNCH ((cudaStream_t)0x3)
#define STREAM_FIRE_AND_FORGET ((cudaStream_t)0x4)

/* A block's NULL stream, or one that a thread has created. */
struct device_stream {
	struct operation *last; /* a reference; NULL before the first */
	uint64_t id;            /* as tools know it */
	bool destroyed;
};

struct device_event {
	struct operation *recorded; /* a reference; NULL before the first record */
	bool destroyed;
};

/* Under operation_lock(), but for what says otherwise. */
struct children {
	struct operation *parent; /* not done yet, so it is there */
	unsigned n_running;       /* submitted and not done; the parent's blocks count as one */
	struct work *tails;       /* of the tail stream, from next_tail on */
	size_t n_tails, next_tail, max_tails;
	/* By block index + 1, and by handle: streams; by handle: events. */
	struct hash block_streams, streams, events;
	uintptr_t n_handles;
	/* [k]: threads that have made their k-th launch. */
	uint32_t *at_once;
	size_t n_at_once;
	bool ended; /* all but the tail stream; its pthread's */
	struct children *next_over;
};

static _Atomic uint64_t n_streams;

struct children *children_of(struct launch *launch)
{
	operation_lock();
	struct children *c = launch->children;
	if (!c && launch->operation && (c = calloc(1, sizeof *c))) {
		c->parent = launch->operation;
		c->n_running = 1;
		launch->children = c;
	}
	operation_unlock();
	return c;
}

static void free_streams(struct hash *streams)
{
	for (size_t i = 0; i < streams->n_slots; i++) {
		struct device_stream *s = streams->slots[i].key ? streams->slots[i].value : NULL;
		if (s)
			operation_unref(s->last);
		free(s);
	}
	hash_fini(streams);
}

static void children_free(struct children *c)
{
	free_streams(&c->block_streams);
	free_streams(&c->streams);
	for (size_t i = 0; i < c->events.n_slots; i++) {
		struct device_event *e = c->events.slots[i].key ? c->events.slots[i].value : NULL;
		if (e)
			operation_unref(e->recorded);
		free(e);
	}
	hash_fini(&c->events);
	for (size_t i = c->next_tail; i < c->n_tails; i++)
		work_fini(&c->tails[i]);
	free(c->tails);
	free(c->at_once);
	free(c);
}

/* ---- ends ------------------------------------------------------------------------ */

static void start(struct children *c, const struct work *work, struct operation *after,
		  struct device_stream *stream, struct operation *operation, struct thread *by);

/* Grids that are over may end those that have launched them; a list instead of recursion,
 * which a long chain of tail launches would drive too deep. */
static _Thread_local struct children *over;
static _Thread_local bool ending;

/* With nothing running: the next of the tail stream, or the parent's own end. */
static void go_on(struct children *c)
{
	struct operation *parent = c->parent;
	c->ended = true;
	/* What a grid that died has left there is not begun. */
	if (c->next_tail < c->n_tails && !parent->launch.pub.error) {
		struct work work = c->tails[c->next_tail++];
		struct operation *operation = operation_new(&work);
		if (!operation) {
			work_fini(&work);
			device_fail(parent->work.device, cudaErrorMemoryAllocation);
		} else {
			start(c, &work, NULL, NULL, operation, NULL);
			return;
		}
	}
	parent->launch.children = NULL;
	children_free(c);
	operation_done(parent);
}

void children_one_done(struct children *c)
{
	operation_lock();
	bool last = !--c->n_running;
	operation_unlock();
	if (!last)
		return;
	/* Only one pthread gets here, and nothing else knows of c any more. */
	c->next_over = over;
	over = c;
	if (ending)
		return;
	ending = true;
	while (over) {
		struct children *first = over;
		over = first->next_over;
		go_on(first);
	}
	ending = false;
}

void children_parent_ended(struct children *c)
{
	children_one_done(c);
}

/* ---- beginnings ------------------------------------------------------------------ */

/* operation is new, and its only reference that of the caller is taken over. by: who asks,
 * NULL where that is over. */
static void start(struct children *c, const struct work *work, struct operation *after,
		  struct device_stream *stream, struct operation *operation, struct thread *by)
{
	bool tail = !stream && c->ended;
	struct cudasim_order_event event = {
		.device = c->parent->work.device->ordinal,
		.launch = c->parent->launch.pub.id,
		.stream = stream ? stream->id : CUDASIM_DEVICE_STREAMS + ++n_streams,
		.id = operation->id,
		.after = after ? after->id : 0,
		.flags = tail,
		.launcher = by ? &by->pub : NULL,
	};
	operation->children = c;
	event.kind = CUDASIM_ORDER_CHILD_AFTER;
	if (after)
		observe_order(&event);
	event.kind = CUDASIM_ORDER_CHILD;
	observe_order(&event);
	if (work->kind == WORK_COPY)
		operation->work.copy.what.stream = event.stream;
	if (work->kind == WORK_LAUNCH)
		work_launch_prepare(operation, event.stream);
	operation_lock();
	c->n_running++;
	operation_after(operation, after);
	struct operation *before = NULL;
	if (stream) {
		operation_after(operation, stream->last);
		before = stream->last;
		stream->last = operation_ref(operation);
	}
	operation_unlock();
	operation_unref(before);
	operation_submit(operation);
	operation_unref(operation);
}

/* ---- streams ------------------------------------------------------------------------ */

static struct device_stream *add_stream(struct hash *to, const void *key)
{
	struct device_stream *s = calloc(1, sizeof *s);
	if (s && !hash_put(to, key, s)) {
		free(s);
		return NULL;
	}
	if (s)
		s->id = CUDASIM_DEVICE_STREAMS + ++n_streams;
	return s;
}

/* *ret NULL: the one that orders nothing. cudaErrorInvalidValue for the tail stream, too. */
static cudaError_t find_stream(struct children *c, uint64_t block, cudaStream_t handle,
			       struct device_stream **ret)
{
	*ret = NULL;
	if (handle == STREAM_FIRE_AND_FORGET)
		return cudaSuccess;
	bool is_blocks = !handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
	operation_lock();
	if (is_blocks) {
		const void *key = (const void *)(uintptr_t)(block + 1);
		*ret = hash_get(&c->block_streams, key);
		if (!*ret)
			*ret = add_stream(&c->block_streams, key);
	} else {
		*ret = hash_get(&c->streams, handle);
		if (*ret && (*ret)->destroyed)
			*ret = NULL;
	}
	operation_unlock();
	return *ret ? cudaSuccess : is_blocks ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
}

/* A value that no address of the program's and no other grid's handle has. */
static void *new_handle(struct children *c)
{
	return (void *)(uintptr_t)((c->parent->launch.pub.id << 24 | ++c->n_handles) << 4);
}

cudaError_t children_stream_new(struct children *c, unsigned flags, cudaStream_t *ret)
{
	if (!ret || flags & ~(unsigned)cudaStreamNonBlocking)
		return cudaErrorInvalidValue;
	operation_lock();
	void *handle = new_handle(c);
	struct device_stream *s = add_stream(&c->streams, handle);
	operation_unlock();
	if (s)
		*ret = handle;
	return s ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t children_stream_destroy(struct children *c, cudaStream_t handle)
{
	operation_lock();
	struct device_stream *s = handle ? hash_get(&c->streams, handle) : NULL;
	bool there = s && !s->destroyed;
	if (there)
		s->destroyed = true;
	operation_unlock();
	return there ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- submitting ---------------------------------------------------------------------- */

/* Launches that wait take room, of which the device has as much as
 * cudaLimitDevRuntimePendingLaunchCount says. Those of one thread begin while it makes more;
 * those that all threads make at once, and those of the tail stream, do not. */
static bool has_room(struct children *c, struct thread_runtime *mine, bool tail)
{
	size_t most = (size_t)atomic_load(
		&c->parent->work.device->limits[cudaLimitDevRuntimePendingLaunchCount]);
	if (tail)
		return c->n_tails - c->next_tail < most;
	size_t k = mine->n_launches;
	if (k >= c->n_at_once) {
		size_t n = c->n_at_once ? 2 * c->n_at_once : 16;
		uint32_t *bigger = realloc(c->at_once, n * sizeof *bigger);
		if (!bigger)
			return false;
		memset(bigger + c->n_at_once, 0, (n - c->n_at_once) * sizeof *bigger);
		c->at_once = bigger;
		c->n_at_once = n;
	}
	if (c->at_once[k] >= most)
		return false;
	c->at_once[k]++;
	mine->n_launches++;
	return true;
}

static bool add_tail(struct children *c, const struct work *work)
{
	if (c->n_tails == c->max_tails) {
		size_t n = c->max_tails ? 2 * c->max_tails : 8;
		struct work *bigger = realloc(c->tails, n * sizeof *bigger);
		if (!bigger)
			return false;
		c->tails = bigger;
		c->max_tails = n;
	}
	c->tails[c->n_tails] = *work;
	if (work->kind == WORK_LAUNCH)
		c->tails[c->n_tails].launch.launcher = NULL;
	c->n_tails++;
	return true;
}

cudaError_t children_submit(struct children *c, struct thread *by, struct thread_runtime *mine,
			    cudaStream_t handle, struct work *work)
{
	bool tail = handle == STREAM_TAIL_LAUNCH;
	struct device_stream *stream = NULL;
	cudaError_t error = tail ? cudaSuccess
				 : find_stream(c, block_of(by)->index, handle, &stream);
	operation_lock();
	if (!error && work->kind == WORK_LAUNCH && !has_room(c, mine, tail))
		error = cudaErrorLaunchPendingCountExceeded;
	if (!error && tail && !add_tail(c, work))
		error = cudaErrorMemoryAllocation;
	operation_unlock();
	if (!error && tail)
		return cudaSuccess;
	struct operation *operation = error ? NULL : operation_new(work);
	if (!operation) {
		work_fini(work);
		return error ? error : cudaErrorMemoryAllocation;
	}
	start(c, work, NULL, stream, operation, by);
	return cudaSuccess;
}

/* ---- events --------------------------------------------------------------------------- */

cudaError_t children_event_new(struct children *c, unsigned flags, cudaEvent_t *ret)
{
	/* There is no time to take. */
	if (!ret || flags != cudaEventDisableTiming)
		return cudaErrorInvalidValue;
	struct device_event *e = calloc(1, sizeof *e);
	operation_lock();
	void *handle = new_handle(c);
	bool added = e && hash_put(&c->events, handle, e);
	operation_unlock();
	if (!added) {
		free(e);
		return cudaErrorMemoryAllocation;
	}
	*ret = handle;
	return cudaSuccess;
}

static struct device_event *find_event(struct children *c, cudaEvent_t handle)
{
	struct device_event *e = handle ? hash_get(&c->events, handle) : NULL;
	return e && !e->destroyed ? e : NULL;
}

cudaError_t children_event_destroy(struct children *c, cudaEvent_t handle)
{
	operation_lock();
	struct device_event *e = find_event(c, handle);
	if (e)
		e->destroyed = true;
	operation_unlock();
	return e ? cudaSuccess : cudaErrorInvalidValue;
}

/* A place in the stream, behind `after` as well. A reference is the caller's. */
static struct operation *add_place(struct children *c, struct device_stream *stream,
				   struct operation *after)
{
	struct work work = {.kind = WORK_NOTHING, .device = c->parent->work.device};
	struct operation *operation = operation_new(&work);
	if (operation)
		start(c, &work, after, stream, operation_ref(operation), NULL);
	return operation;
}

cudaError_t children_event_record(struct children *c, uint64_t block, cudaEvent_t handle,
				  cudaStream_t stream_handle)
{
	struct device_stream *stream;
	operation_lock();
	struct device_event *e = find_event(c, handle);
	operation_unlock();
	cudaError_t error = find_stream(c, block, stream_handle, &stream);
	if (error || !e || !stream)
		return error ? error : cudaErrorInvalidValue;
	struct operation *place = add_place(c, stream, NULL);
	if (!place)
		return cudaErrorMemoryAllocation;
	operation_lock();
	struct operation *before = e->recorded;
	e->recorded = place;
	operation_unlock();
	operation_unref(before);
	return cudaSuccess;
}

cudaError_t children_stream_wait(struct children *c, uint64_t block, cudaStream_t stream_handle,
				 cudaEvent_t handle)
{
	struct device_stream *stream;
	operation_lock();
	struct device_event *e = find_event(c, handle);
	struct operation *recorded = e && e->recorded ? operation_ref(e->recorded) : NULL;
	operation_unlock();
	cudaError_t error = find_stream(c, block, stream_handle, &stream);
	if (!error && (!e || !stream))
		error = cudaErrorInvalidValue;
	if (!error && recorded) {
		struct operation *place = add_place(c, stream, recorded);
		error = place ? cudaSuccess : cudaErrorMemoryAllocation;
		operation_unref(place);
	}
	operation_unref(recorded);
	return error;
}
