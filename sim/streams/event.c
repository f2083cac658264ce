/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include <stdlib.h>

#include "hash.h"
#include "ipc.h"
#include "observer.h"

static struct hash handles; /* under operation_lock() */
static uint64_t n_events;

struct event *event_new(struct device *device, unsigned flags)
{
	struct event *event = calloc(1, sizeof *event);
	if (!event)
		return NULL;
	event->device = device;
	event->flags = flags;
	event->refs = 1;
	operation_lock();
	event->id = ++n_events;
	bool added = hash_put(&handles, event, event);
	operation_unlock();
	if (!added) {
		free(event);
		return NULL;
	}
	return event;
}

void event_destroy(struct event *event)
{
	operation_lock();
	hash_remove(&handles, event);
	operation_unlock();
	observe_handle_of(CUDASIM_HANDLE_EVENT, (uintptr_t)event, true);
	event_unref(event);
}

struct event *event_ref(struct event *event)
{
	__atomic_add_fetch(&event->refs, 1, __ATOMIC_RELAXED);
	return event;
}

void event_unref(struct event *event)
{
	if (!event || __atomic_sub_fetch(&event->refs, 1, __ATOMIC_ACQ_REL))
		return;
	if (event->forget)
		event->forget(event);
	operation_unref(event->recorded);
	ipc_event_free(event->shared);
	free(event);
}

cudaError_t event_resolve(cudaEvent_t handle, struct event **ret)
{
	operation_lock();
	struct event *event = hash_get(&handles, handle);
	if (event)
		event_ref(event);
	operation_unlock();
	if (!event)
		observe_handle_of(CUDASIM_HANDLE_EVENT, (uintptr_t)handle, false);
	*ret = event;
	return event ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

void event_set(struct event *event, struct operation *operation)
{
	operation_lock();
	struct operation *before = event->recorded;
	event->recorded = operation_ref(operation);
	operation_unlock();
	operation_unref(before);
}

struct operation *event_get(struct event *event)
{
	operation_lock();
	struct operation *operation = event->recorded;
	if (operation)
		operation_ref(operation);
	operation_unlock();
	return operation;
}
