/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - an order of operations on one device.
 *
 * An operation of a stream waits for the stream's last one. In the legacy
 * default stream it also waits for the last operation of every blocking stream
 * of the device, and every operation of a blocking stream waits for the legacy
 * stream's last; per-thread default streams are blocking streams. (CUDA C++
 * Programming Guide, "Default Stream".) */
#ifndef CUDASIM_SIM_STREAM_H
#define CUDASIM_SIM_STREAM_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "operation.h"

struct capture; /* graph.h */

/* As cudaStreamSetAttribute() has set them; what a fresh stream has is what an H200's has. */
struct stream_attributes {
	cudaLaunchAttributeValue window, policy, priority, domain_map, domain;
};

/* All but the first group under operation_lock(). */
struct stream {
	struct context *context; /* that was current when the program made it, or NULL */
	struct device *device;
	uint64_t id;       /* 0 is no stream's; the legacy ones have the least */
	unsigned flags;    /* as given to cudaStreamCreateWithFlags */
	int priority;
	bool legacy, per_thread;

	unsigned refs;
	struct operation *last; /* a reference; NULL when everything is done */
	struct operation *mark; /* a reference or NULL: stream_throttle()'s */
	unsigned since_mark;    /* launches after it, below QUEUE_DEPTH */
	struct stream *next;    /* device->streams */
	_Atomic(struct capture *) capture; /* graph.c's; NULL unless capturing */
	bool destroyed;
	struct stream_attributes attributes;
};

struct stream *stream_new_legacy(struct device *device);
/* A stream whose handle the program gets. NULL where memory is out. */
struct stream *stream_new(struct device *device, unsigned flags, int priority);
/* No new work; it goes away when what it has is done. */
void stream_destroy(struct stream *stream);
void stream_unref(struct stream *stream);

/* The stream that a handle means for the calling thread: 0 and cudaStreamLegacy
 * the current device's legacy stream, cudaStreamPerThread the thread's own. A
 * reference is the caller's. The current device must be active.
 * cudaErrorInvalidResourceHandle where it is no stream. */
cudaError_t stream_resolve(cudaStream_t handle, struct stream **ret);
cudaStream_t stream_handle(struct stream *stream);

/* Queue work on the stream; takes the work over in any case. The n operations of
 * first are waited for too. *ret, if not NULL, gets a reference to the operation.
 * cudaErrorMemoryAllocation. */
cudaError_t stream_submit_after(struct stream *stream, const struct work *work,
				struct operation *const *first, size_t n, struct operation **ret);
/* As above; first may be NULL. */
cudaError_t stream_submit(struct stream *stream, const struct work *work, struct operation *first,
			  struct operation **ret);
/* What submits launches calls this with each: where the stream holds more than
 * a GPU's queue does, it waits for some of them. */
void stream_throttle(struct stream *stream, struct operation *launch);
/* Wait until everything submitted so far is done. */
void stream_wait(struct stream *stream);
bool stream_idle(struct stream *stream);
/* Wait for all streams of the device. False where that took until deadline_ns
 * (0: no limit). */
bool device_wait(struct device *device, uint64_t deadline_ns);
/* Nothing that was submitted to the device is left. */
bool device_idle(struct device *device);

/* operation.c, with the lock held: the operation is done. */
void stream_forget(struct stream *stream, struct operation *operation);

#endif
