/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "api.h"
#include "context.h"
#include "graph.h"
#include "ipc.h"
#include "observer.h"

static cudaError_t create(cudaEvent_t *ret, unsigned flags)
{
	const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming |
			       cudaEventInterprocess;
	if (!ret || flags & ~known)
		return cudaErrorInvalidValue;
	if (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming))
		return cudaErrorInvalidValue;
	struct event *event = event_new(device_current(), flags);
	if (event && flags & cudaEventInterprocess && !(event->shared = ipc_event_new())) {
		event_destroy(event);
		event = NULL;
	}
	if (event)
		event->context = context_top();
	*ret = (cudaEvent_t)event;
	return event ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventCreate(cudaEvent_t *ret)
{
	API_BEGIN_CONTEXT;
	return API_END(create(ret, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *ret, unsigned flags)
{
	API_BEGIN_CONTEXT;
	return API_END(create(ret, flags));
}

static bool is_event(cudaEvent_t handle)
{
	struct event *event;
	if (event_resolve(handle, &event))
		return false;
	event_unref(event);
	return true;
}

cudaError_t cudaEventDestroy(cudaEvent_t handle)
{
	API_BEGIN_HANDLE(is_event(handle));
	struct event *event;
	cudaError_t error = event_resolve(handle, &event);
	if (error)
		return API_END(error);
	event_destroy(event);
	event_unref(event);
	return API_END(cudaSuccess);
}

static void announce(enum cudasim_order_kind kind, const struct event *event,
		     const struct stream *stream)
{
	struct cudasim_order_event order = {
		.kind = kind,
		.device = event->device->ordinal,
		.event = event->id,
		.stream = !stream || stream->legacy ? 0 : stream->id,
	};
	observe_order(&order);
}

/* ---- events that other processes have, too ---------------------------------------- */

/* A mark of the event that a stream comes to. */
struct mark {
	atomic_uint refs;
	struct event *event; /* a reference */
	uint32_t number;
};

static void ref_mark(void *state)
{
	atomic_fetch_add(&((struct mark *)state)->refs, 1);
}

static void unref_mark(void *state)
{
	struct mark *mark = state;
	if (atomic_fetch_sub(&mark->refs, 1) > 1)
		return;
	event_unref(mark->event);
	free(mark);
}

static void reach_mark(struct operation *operation, void *state)
{
	struct mark *mark = state;
	(void)operation;
	ipc_event_reach(mark->event->shared, mark->number);
}

/* The stream's work so far has been recorded: tell the others when it is done. */
static cudaError_t share_record(struct event *event, struct stream *stream)
{
	static const struct step reach = {reach_mark, ref_mark, unref_mark, false};
	struct mark *mark = malloc(sizeof *mark);
	if (!mark)
		return cudaErrorMemoryAllocation;
	*mark = (struct mark){1, event_ref(event), ipc_event_record(event->shared)};
	struct work work = {.kind = WORK_STEP, .device = stream->device, .step = {&reach, mark}};
	return stream_submit(stream, &work, NULL, NULL);
}

static cudaError_t record(struct event *event, struct stream *stream, unsigned flags)
{
	bool foreign = event->context && stream->context && event->context != stream->context;
	if (event->device != stream->device || foreign)
		return cudaErrorInvalidResourceHandle;
	if (stream_capturing(stream) && flags & cudaEventRecordExternal) {
		struct work node = {
			.kind = WORK_RECORD, .device = stream->device, .event = event_ref(event)};
		return capture_add(stream, &node);
	}
	if (stream_capturing(stream))
		return capture_record(stream, event);
	if (flags & cudaEventRecordExternal)
		return cudaErrorIllegalState;
	cudaError_t error = capture_check_legacy(stream);
	if (error)
		return error;
	struct work work = {
		.kind = WORK_RECORD, .device = stream->device, .event = event_ref(event)};
	struct operation *operation;
	announce(CUDASIM_ORDER_EVENT_RECORD, event, stream);
	capture_forget(event);
	error = stream_submit(stream, &work, NULL, &operation);
	if (error)
		return error;
	event_set(event, operation);
	operation_unref(operation);
	return event->shared ? share_record(event, stream) : cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream_handle, unsigned flags)
{
	API_BEGIN_CONTEXT;
	struct event *event;
	struct stream *stream;
	if (flags & ~(unsigned)cudaEventRecordExternal)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = event_resolve(handle, &event);
	if (error)
		return API_END(error);
	error = stream_resolve(stream_handle, &stream);
	if (!error) {
		error = record(event, stream, flags);
		stream_unref(stream);
	}
	event_unref(event);
	return API_END(error);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	API_BEGIN;
	return API_END(cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault));
}

static cudaError_t query(struct event *event, bool wait)
{
	cudaError_t error = capture_check_event(event);
	if (!error)
		error = capture_check_unsafe();
	if (error)
		return error;
	struct operation *operation = event_get(event);
	bool done = true;
	if (operation && wait)
		operation_wait(operation);
	else if (operation)
		done = operation_is_done(operation);
	operation_unref(operation);
	if (event->shared && done) {
		uint32_t last = ipc_event_last(event->shared);
		if (wait && !ipc_event_wait(event->shared, last))
			return cudaErrorLaunchFailure; /* its process died */
		done = ipc_event_reached(event->shared, last);
	}
	if (!done)
		return cudaErrorNotReady;
	announce(CUDASIM_ORDER_EVENT_SYNC, event, NULL);
	if (!wait)
		return (cudaError_t)atomic_load(&event->device->sticky);
	return api_synchronized(event->device);
}

static cudaError_t query_handle(cudaEvent_t handle, bool wait)
{
	struct event *event;
	cudaError_t error = event_resolve(handle, &event);
	if (error)
		return error;
	error = query(event, wait);
	event_unref(event);
	return error;
}

cudaError_t cudaEventQuery(cudaEvent_t handle)
{
	API_BEGIN_HANDLE(is_event(handle));
	return API_END(query_handle(handle, false));
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
	API_BEGIN_HANDLE(is_event(handle));
	return API_END(query_handle(handle, true));
}

/* When the event was reached. */
static cudaError_t reached(cudaEvent_t handle, uint64_t *ns)
{
	struct event *event;
	cudaError_t error = event_resolve(handle, &event);
	if (error)
		return error;
	struct operation *operation = event_get(event);
	if (!operation || event->flags & cudaEventDisableTiming)
		error = cudaErrorInvalidResourceHandle;
	else if (!operation_is_done(operation))
		error = cudaErrorNotReady;
	else
		*ns = operation->end_ns;
	if (!error)
		announce(CUDASIM_ORDER_EVENT_SYNC, event, NULL);
	operation_unref(operation);
	event_unref(event);
	return error;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	API_BEGIN_HANDLE(is_event(start));
	uint64_t from = 0, to = 0;
	if (!ms)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = reached(start, &from), second = reached(end, &to);
	/* A handle that is wrong counts more than one that is not ready. */
	if (!error || (error == cudaErrorNotReady && second))
		error = second;
	if (!error)
		*ms = (float)((double)(int64_t)(to - from) * 1e-6);
	return API_END(error);
}
