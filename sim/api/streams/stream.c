/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - streams, callbacks and host functions. */
#include <stdlib.h>

#include "api.h"
#include "context.h"
#include "event.h"
#include "graph.h"
#include "ipc.h"
#include "memory.h"
#include "observer.h"

/* What an H200 answers to cudaDeviceGetStreamPriorityRange. */
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static void announce(enum cudasim_order_kind kind, const struct stream *stream)
{
	struct cudasim_order_event event = {
		.kind = kind,
		.device = stream->device->ordinal,
		.flags = stream->flags,
		.stream = stream->legacy ? 0 : stream->id,
	};
	observe_order(&event);
}

static cudaError_t create(cudaStream_t *ret, unsigned flags, int priority)
{
	if (!ret || flags & ~(unsigned)cudaStreamNonBlocking)
		return cudaErrorInvalidValue;
	if (priority < GREATEST_PRIORITY)
		priority = GREATEST_PRIORITY;
	if (priority > LEAST_PRIORITY)
		priority = LEAST_PRIORITY;
	struct stream *stream = stream_new(device_current(), flags, priority);
	if (!stream)
		return cudaErrorMemoryAllocation;
	stream->context = context_top();
	announce(CUDASIM_ORDER_STREAM_CREATE, stream);
	*ret = (cudaStream_t)stream;
	return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *ret)
{
	API_BEGIN_CONTEXT;
	return API_END(create(ret, cudaStreamDefault, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *ret, unsigned flags)
{
	API_BEGIN_CONTEXT;
	return API_END(create(ret, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *ret, unsigned flags, int priority)
{
	API_BEGIN_CONTEXT;
	return API_END(create(ret, flags, priority));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	API_BEGIN_CONTEXT;
	if (least)
		*least = LEAST_PRIORITY;
	if (greatest)
		*greatest = GREATEST_PRIORITY;
	return API_END(cudaSuccess);
}

static bool is_stream(cudaStream_t handle)
{
	struct stream *stream;
	if (stream_resolve(handle, &stream))
		return false;
	stream_unref(stream);
	return true;
}

/* Streams that the program made; the default ones cannot be destroyed. */
cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
	API_BEGIN_HANDLE(handle && is_stream(handle));
	struct stream *stream;
	if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
		return API_END(cudaErrorInvalidResourceHandle);
	cudaError_t error = stream_resolve(handle, &stream);
	if (error)
		return API_END(error);
	announce(CUDASIM_ORDER_STREAM_DESTROY, stream);
	capture_drop(stream);
	stream_destroy(stream);
	stream_unref(stream);
	return API_END(cudaSuccess);
}

/* Do something with the stream that a handle means. */
#define WITH_STREAM(handle, variable, ...)                                                         \
	do {                                                                                       \
		struct stream *variable;                                                           \
		cudaError_t result_ = stream_resolve(handle, &variable);                           \
		if (!result_) {                                                                    \
			result_ = (__VA_ARGS__);                                                   \
			stream_unref(variable);                                                    \
		}                                                                                  \
		return API_END(result_);                                                           \
	} while (0)

/* Captures may forbid to ask how far the stream is. */
static cudaError_t may_ask(struct stream *stream)
{
	if (stream_capturing(stream))
		return capture_break(stream, NULL);
	cudaError_t error = capture_check_legacy(stream);
	return error ? error : capture_check_unsafe();
}

static cudaError_t synchronize(struct stream *stream)
{
	cudaError_t error = may_ask(stream);
	if (error)
		return error;
	stream_wait(stream);
	announce(CUDASIM_ORDER_STREAM_SYNC, stream);
	return api_synchronized(stream->device);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
	API_BEGIN_HANDLE(is_stream(handle));
	WITH_STREAM(handle, stream, synchronize(stream));
}

static cudaError_t query(struct stream *stream)
{
	cudaError_t error = may_ask(stream);
	if (error)
		return error;
	if (!stream_idle(stream))
		return cudaErrorNotReady;
	announce(CUDASIM_ORDER_STREAM_SYNC, stream);
	return (cudaError_t)atomic_load(&stream->device->sticky);
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
	API_BEGIN_HANDLE(is_stream(handle));
	WITH_STREAM(handle, stream, query(stream));
}

#define GETTER(function, type, expression)                                                         \
	cudaError_t function(cudaStream_t handle, type *ret)                                       \
	{                                                                                          \
		API_BEGIN_CONTEXT;                                                                 \
		if (!ret)                                                                          \
			return API_END(cudaErrorInvalidValue);                                     \
		WITH_STREAM(handle, stream, (*ret = (type)(expression), cudaSuccess));             \
	}

/* Unlike its siblings this one ends a capture, as on an H200. */
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *ret)
{
	API_BEGIN_CONTEXT;
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	WITH_STREAM(handle, stream,
		    stream_capturing(stream) ? capture_break(stream, NULL)
					     : (*ret = stream->flags, cudaSuccess));
}

GETTER(cudaStreamGetPriority, int, stream->priority)
GETTER(cudaStreamGetId, unsigned long long, stream->id)
GETTER(cudaStreamGetDevice, int, stream->device->ordinal)

/* ---- attributes -------------------------------------------------------------- */

/* All of them are hints here; they are kept. NULL for what no stream has. */
static cudaLaunchAttributeValue *kept(struct stream_attributes *all, cudaLaunchAttributeID id)
{
	switch (id) {
	case cudaLaunchAttributeAccessPolicyWindow:
		return &all->window;
	case cudaLaunchAttributeSynchronizationPolicy:
		return &all->policy;
	case cudaLaunchAttributePriority:
		return &all->priority;
	case cudaLaunchAttributeMemSyncDomainMap:
		return &all->domain_map;
	case cudaLaunchAttributeMemSyncDomain:
		return &all->domain;
	default:
		return NULL;
	}
}

static bool is_value(cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value)
{
	const struct cudaAccessPolicyWindow *window = &value->accessPolicyWindow;
	int most = 0;
	if (id == cudaLaunchAttributeSynchronizationPolicy)
		return value->syncPolicy >= cudaSyncPolicyAuto &&
		       value->syncPolicy <= cudaSyncPolicyBlockingSync;
	if (id != cudaLaunchAttributeAccessPolicyWindow)
		return true;
	profile_attribute(device_current()->profile, cudaDevAttrMaxAccessPolicyWindowSize, &most);
	return window->hitRatio >= 0 && window->hitRatio <= 1 &&
	       window->missProp != cudaAccessPropertyPersisting &&
	       window->num_bytes <= (size_t)most;
}

static cudaError_t set_attribute(struct stream *stream, cudaLaunchAttributeID id,
				 const cudaLaunchAttributeValue *value)
{
	operation_lock();
	*kept(&stream->attributes, id) = *value;
	if (id == cudaLaunchAttributePriority)
		stream->priority = value->priority;
	operation_unlock();
	return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
				   const cudaLaunchAttributeValue *value)
{
	API_BEGIN_CONTEXT;
	struct stream_attributes any;
	if (!value || !kept(&any, id) || !is_value(id, value))
		return API_END(cudaErrorInvalidValue);
	WITH_STREAM(handle, stream, set_attribute(stream, id, value));
}

static cudaError_t get_attribute(struct stream *stream, cudaLaunchAttributeID id,
				 cudaLaunchAttributeValue *value)
{
	operation_lock();
	*value = *kept(&stream->attributes, id);
	if (id == cudaLaunchAttributePriority)
		value->priority = stream->priority;
	operation_unlock();
	return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
				   cudaLaunchAttributeValue *value)
{
	API_BEGIN_CONTEXT;
	struct stream_attributes any;
	if (!value || !kept(&any, id))
		return API_END(cudaErrorInvalidValue);
	WITH_STREAM(handle, stream, get_attribute(stream, id, value));
}

static cudaError_t copy_attributes(struct stream *to, const struct stream *from)
{
	operation_lock();
	to->attributes = from->attributes;
	to->priority = from->priority;
	operation_unlock();
	return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
	API_BEGIN_CONTEXT;
	struct stream *source, *target;
	cudaError_t error = stream_resolve(from, &source);
	if (error)
		return API_END(error);
	error = stream_resolve(to, &target);
	if (!error) {
		error = copy_attributes(target, source);
		stream_unref(target);
	}
	stream_unref(source);
	return API_END(error);
}

/* ---- host functions ---------------------------------------------------------- */

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
	API_BEGIN_CONTEXT;
	if (!function)
		return API_END(cudaErrorInvalidValue);
	struct work work = {.kind = WORK_HOST, .host = {.function = function, .user = user}};
	return API_END(api_submit(stream, &work, false));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
				  unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (!callback || flags)
		return API_END(cudaErrorInvalidValue);
	if (api_capturing(stream))
		WITH_STREAM(stream, captured, capture_break(captured, NULL));
	struct work work = {.kind = WORK_HOST,
			    .host = {.callback = callback, .user = user, .stream = stream}};
	return API_END(api_submit(stream, &work, false));
}

/* ---- order between streams ---------------------------------------------------- */

static cudaError_t set_event(struct graph_node *node, void *event)
{
	node->event = event_ref(event);
	return cudaSuccess;
}

/* A wait for what another process has recorded. */
struct foreign {
	struct event *event; /* a reference */
	uint32_t mark;
};

static void CUDART_CB await(void *user)
{
	struct foreign *foreign = user;
	if (!ipc_event_wait(foreign->event->shared, foreign->mark))
		device_fail(foreign->event->device, cudaErrorLaunchFailure);
	event_unref(foreign->event);
	free(foreign);
}

static cudaError_t wait_foreign(struct stream *stream, struct event *event)
{
	uint32_t mark = ipc_event_last(event->shared);
	if (stream_capturing(stream))
		return capture_isolated(stream);
	if (ipc_event_reached(event->shared, mark))
		return cudaSuccess;
	struct foreign *foreign = malloc(sizeof *foreign);
	if (!foreign)
		return cudaErrorMemoryAllocation;
	*foreign = (struct foreign){event_ref(event), mark};
	struct work work = {.kind = WORK_AWAIT,
			    .device = stream->device,
			    .host = {.function = await, .user = foreign}};
	return stream_submit(stream, &work, NULL, NULL);
}

static cudaError_t wait_event(struct stream *stream, struct event *event, unsigned flags)
{
	if (flags & cudaEventWaitExternal) {
		struct work node = {.kind = WORK_NOTHING};
		return stream_capturing(stream)
			       ? capture_add_node(stream, cudaGraphNodeTypeWaitEvent, &node,
						  set_event, event)
			       : cudaErrorIllegalState;
	}
	if (event_captured(event))
		return capture_wait(stream, event);
	cudaError_t error = capture_check_legacy(stream);
	if (error)
		return error;
	if (event->shared) {
		error = wait_foreign(stream, event);
		if (error)
			return error;
	}
	struct operation *recorded = event_get(event);
	if (stream_capturing(stream) && recorded) {
		operation_unref(recorded);
		return capture_isolated(stream);
	}
	struct cudasim_order_event order = {
		.kind = CUDASIM_ORDER_STREAM_WAIT,
		.device = stream->device->ordinal,
		.stream = stream->legacy ? 0 : stream->id,
		.event = event->id,
	};
	observe_order(&order);
	if (!recorded)
		return cudaSuccess;
	struct work work = {.kind = WORK_NOTHING, .device = stream->device};
	error = stream_submit(stream, &work, recorded, NULL);
	operation_unref(recorded);
	return error;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags)
{
	API_BEGIN_CONTEXT;
	struct event *event;
	struct stream *stream;
	if (flags & ~(unsigned)cudaEventWaitExternal)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = event_resolve(event_handle, &event);
	if (error)
		return API_END(error);
	error = stream_resolve(handle, &stream);
	if (!error) {
		error = wait_event(stream, event, flags);
		stream_unref(stream);
	}
	event_unref(event);
	return API_END(error);
}

/* Managed memory is visible to all streams here at all times. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void *ptr, size_t length, unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (api_capturing(handle))
		WITH_STREAM(handle, stream, capture_break(stream, NULL));
	if (!ptr || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
		     flags != cudaMemAttachSingle))
		return API_END(cudaErrorInvalidValue);
	/* An allocation as a whole; only a stream can have it for itself. */
	struct allocation a;
	if (memory_lookup(ptr, &a) &&
	    (a.pool || a.kind != CUDASIM_MEMORY_MANAGED || (uintptr_t)ptr != a.range.start ||
	     (length && length != a.range.end - a.range.start)))
		return API_END(cudaErrorInvalidValue);
	if (flags == cudaMemAttachSingle && !handle)
		return API_END(cudaErrorInvalidValue);
	WITH_STREAM(handle, stream, ((void)stream, cudaSuccess));
}
