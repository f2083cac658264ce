/* SPDX-License-Identifier: Apache-2.0 */
/* event.h - a mark in a stream: done or not, and when. */
#ifndef CUDASIM_SIM_EVENT_H
#define CUDASIM_SIM_EVENT_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "operation.h"

struct capture;

struct event {
	struct context *context; /* that was current when the program made it, or NULL */
	struct device *device;
	uint64_t id;      /* process-wide, 1.. */
	unsigned flags;   /* as given to cudaEventCreateWithFlags */
	unsigned refs;    /* atomic */
	/* Under operation_lock(): the operation of the last record, or NULL. */
	struct operation *recorded;
	struct ipc_event *shared; /* with cudaEventInterprocess: other processes have it, too */
	_Atomic(struct capture *) capture; /* graph.c's; NULL unless captured */
	void (*forget)(struct event *event); /* what ends that; NULL where it never was */
};

struct event *event_new(struct device *device, unsigned flags);
void event_destroy(struct event *event);
struct event *event_ref(struct event *event);
void event_unref(struct event *event);

/* cudaErrorInvalidResourceHandle where the handle is no event's. A reference is
 * the caller's. */
cudaError_t event_resolve(cudaEvent_t handle, struct event **ret);

/* Note that operation (a reference is taken) is the event's last record. */
void event_set(struct event *event, struct operation *operation);
/* The last record's operation, a reference, or NULL. */
struct operation *event_get(struct event *event);

#endif
