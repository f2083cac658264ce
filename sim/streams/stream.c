/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <pthread.h>
#include <stdlib.h>

#include "gate.h"
#include "hash.h"
#include "log.h"
#include "observer.h"

/* Streams whose handles the program may use; under operation_lock(). */
static struct hash handles;
static uint64_t n_streams;

/* A host thread's per-thread streams, one per device. */
struct own_streams {
	struct stream *of[CUDASIM_MAX_DEVICES];
};
static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

/* ---- life ----------------------------------------------------------------- */

static struct stream *new(struct device *device, unsigned flags, int priority)
{
	struct stream *stream = calloc(1, sizeof *stream);
	if (!stream)
		return NULL;
	stream->device = device;
	stream->flags = flags;
	stream->priority = priority;
	stream->attributes.policy.syncPolicy = (enum cudaSynchronizationPolicy) - 1;
	stream->attributes.domain_map.memSyncDomainMap.remote = 1;
	stream->refs = 1;
	operation_lock();
	stream->id = ++n_streams;
	stream->next = device->streams;
	device->streams = stream;
	operation_unlock();
	return stream;
}

struct stream *stream_new_legacy(struct device *device)
{
	struct stream *stream = new (device, cudaStreamDefault, 0);
	if (stream)
		stream->legacy = true;
	return stream;
}

struct stream *stream_new(struct device *device, unsigned flags, int priority)
{
	struct stream *stream = new (device, flags, priority);
	if (!stream)
		return NULL;
	operation_lock();
	bool added = hash_put(&handles, stream, stream);
	operation_unlock();
	if (!added) {
		stream_unref(stream);
		return NULL;
	}
	return stream;
}

void stream_destroy(struct stream *stream)
{
	operation_lock();
	hash_remove(&handles, stream);
	stream->destroyed = true;
	operation_unlock();
	observe_handle_of(CUDASIM_HANDLE_STREAM, (uintptr_t)stream, true);
	stream_unref(stream);
}

void stream_unref(struct stream *stream)
{
	operation_lock();
	if (--stream->refs) {
		operation_unlock();
		return;
	}
	for (struct stream **at = &stream->device->streams; *at; at = &(*at)->next) {
		if (*at == stream) {
			*at = stream->next;
			break;
		}
	}
	operation_unlock();
	operation_unref(stream->mark);
	free(stream);
}

/* ---- handles -------------------------------------------------------------- */

/* The thread has ended: its streams go when their work is done. */
static void drop_own(void *arg)
{
	struct own_streams *own = arg;
	for (unsigned i = 0; i < CUDASIM_MAX_DEVICES; i++)
		if (own->of[i])
			stream_unref(own->of[i]);
	free(own);
}

static void make_key(void)
{
	pthread_key_create(&own_key, drop_own);
}

static struct stream *own_stream(struct device *device)
{
	pthread_once(&own_once, make_key);
	struct own_streams *own = pthread_getspecific(own_key);
	if (!own) {
		own = calloc(1, sizeof *own);
		if (!own || pthread_setspecific(own_key, own)) {
			free(own);
			return NULL;
		}
	}
	struct stream **stream = &own->of[device->ordinal];
	if (!*stream && (*stream = new (device, cudaStreamDefault, 0)))
		(*stream)->per_thread = true;
	return *stream;
}

cudaError_t stream_resolve(cudaStream_t handle, struct stream **ret)
{
	struct device *device = device_current();
	struct stream *stream;
	if (handle == cudaStreamPerThread) {
		stream = own_stream(device);
		if (!stream)
			return cudaErrorMemoryAllocation;
	} else if (!handle || handle == cudaStreamLegacy) {
		stream = device->legacy;
	} else {
		stream = NULL;
	}
	operation_lock();
	if (!stream)
		stream = hash_get(&handles, handle);
	if (stream)
		stream->refs++;
	operation_unlock();
	if (!stream)
		observe_handle_of(CUDASIM_HANDLE_STREAM, (uintptr_t)handle, false);
	*ret = stream;
	return stream ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaStream_t stream_handle(struct stream *stream)
{
	if (stream->legacy)
		return NULL;
	return stream->per_thread ? cudaStreamPerThread : (cudaStream_t)stream;
}

/* ---- order ---------------------------------------------------------------- */

static bool blocking(const struct stream *stream)
{
	return !stream->legacy && !(stream->flags & cudaStreamNonBlocking);
}

static void order(struct stream *stream, struct operation *operation)
{
	operation_after(operation, stream->last);
	if (stream->legacy) {
		for (struct stream *s = stream->device->streams; s; s = s->next)
			if (blocking(s))
				operation_after(operation, s->last);
	} else if (blocking(stream)) {
		operation_after(operation, stream->device->legacy->last);
	}
}

cudaError_t stream_submit(struct stream *stream, const struct work *work, struct operation *first,
			  struct operation **ret)
{
	return stream_submit_after(stream, work, &first, first != NULL, ret);
}

cudaError_t stream_submit_after(struct stream *stream, const struct work *work,
				struct operation *const *first, size_t n, struct operation **ret)
{
	struct operation *operation = operation_new(work);
	if (!operation) {
		struct work dropped = *work;
		work_fini(&dropped);
		return cudaErrorMemoryAllocation;
	}
	struct cudasim_order_event event = {
		.kind = CUDASIM_ORDER_SUBMIT,
		.device = stream->device->ordinal,
		.stream = stream->legacy ? 0 : stream->id,
		.id = operation->id,
	};
	observe_order(&event);

	if (work->kind == WORK_LAUNCH)
		work_launch_prepare(operation, stream->id);

	operation_lock();
	operation->stream = stream;
	stream->refs++;
	order(stream, operation);
	for (size_t i = 0; i < n; i++)
		operation_after(operation, first[i]);
	struct operation *before = stream->last;
	stream->last = operation_ref(operation);
	if (!before)
		atomic_fetch_add_explicit(&stream->device->n_busy, 1, memory_order_relaxed);
	operation_unlock();
	operation_unref(before);

	operation_submit(operation);
	if (ret)
		*ret = operation;
	else
		operation_unref(operation);
	return cudaSuccess;
}

/* A GPU's queue takes some 1,000 launches (an H200's 1,021 a stream); the next one waits until there is room.
 * Without that a host thread that launches faster than kernels run takes all
 * memory, and whatever waits for the device waits for all of it. Waiting for a
 * mark of QUEUE_DEPTH launches ago leaves from one to two depths in flight, so
 * nothing blocks here that would not block on a GPU. */
enum { QUEUE_DEPTH = 1024 };

void stream_throttle(struct stream *stream, struct operation *launch)
{
	struct operation *earlier = NULL;
	operation_lock();
	if (++stream->since_mark >= QUEUE_DEPTH) {
		stream->since_mark = 0;
		earlier = stream->mark;
		stream->mark = operation_ref(launch);
	}
	operation_unlock();
	if (earlier)
		operation_wait(earlier);
	operation_unref(earlier);
}

void stream_forget(struct stream *stream, struct operation *operation)
{
	if (stream->last != operation)
		return;
	stream->last = NULL;
	/* After what the operation has written. */
	atomic_fetch_sub_explicit(&stream->device->n_busy, 1, memory_order_release);
	operation_unref(operation);
}

/* ---- waiting -------------------------------------------------------------- */

/* The last operations of the streams that a wait for `stream` has to wait for:
 * its own and, for the legacy one, those of all blocking ones; without a stream,
 * of all streams of the device. Only what was submitted before the wait began
 * counts, or another host thread could keep it from ever ending. */
struct pending {
	struct operation **list; /* references */
	size_t n;
};

static bool concerns(const struct stream *stream, const struct stream *s)
{
	return !stream || s == stream || (stream->legacy && blocking(s));
}

/* False where memory is out. */
static bool collect(struct device *device, const struct stream *stream, struct pending *ret)
{
	size_t n = 0;
	*ret = (struct pending){0};
	operation_lock();
	for (struct stream *s = device->streams; s; s = s->next)
		n += concerns(stream, s) && s->last;
	ret->list = n ? malloc(n * sizeof *ret->list) : NULL;
	for (struct stream *s = ret->list ? device->streams : NULL; s; s = s->next)
		if (concerns(stream, s) && s->last)
			ret->list[ret->n++] = operation_ref(s->last);
	operation_unlock();
	return !n || ret->list;
}

/* False where the wait was over before the work, or memory is out. */
static bool wait_for(struct device *device, struct stream *stream, uint64_t deadline_ns)
{
	struct pending pending;
	bool done = collect(device, stream, &pending);
	for (size_t i = 0; i < pending.n; i++) {
		if (!deadline_ns)
			operation_wait(pending.list[i]);
		else if (done)
			done = operation_wait_until(pending.list[i], deadline_ns);
		operation_unref(pending.list[i]);
	}
	free(pending.list);
	return done;
}

void stream_wait(struct stream *stream)
{
	wait_for(stream->device, stream, 0);
}

bool device_wait(struct device *device, uint64_t deadline_ns)
{
	return wait_for(device, NULL, deadline_ns);
}

bool device_idle(struct device *device)
{
	return !atomic_load_explicit(&device->n_busy, memory_order_acquire);
}

bool stream_idle(struct stream *stream)
{
	bool idle = true;
	operation_lock();
	for (struct stream *s = stream->device->streams; s; s = s->next)
		if (concerns(stream, s) && s->last)
			idle = false;
	operation_unlock();
	/* Whoever asks again and again gets on. */
	if (!idle && gate_closed)
		gate_step();
	return idle;
}
