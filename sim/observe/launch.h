/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h - a kernel launch, from the runtime API to the scheduler.
 *
 * The runtime (sim/api) describes it by a struct cudasim_launch, the only one: the call that
 * launches fills it, geometry_check() compares it with the device's profile, a work keeps it
 * (operation.h), and observers see it. When the stream's order lets the work start, the stream
 * hands it to scheduler_submit(); the scheduler's workers run its blocks and call done() once,
 * from any thread, when the last block has ended or the launch has died. */
#ifndef CUDASIM_SIM_LAUNCH_H
#define CUDASIM_SIM_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/observer.h"

struct device;    /* device.h */
struct operation; /* operation.h */
struct children;  /* children.h */
struct stream;    /* stream.h */

struct launch {
	/* What is launched. A copy of the work's description, since a graph launches one work
	 * many times: id, gridid, stream, body, error and watch are this launch's own. params
	 * belongs to the work. The scheduler sets each block's `launch` to its address. */
	struct cudasim_launch pub;

	/* Set by the runtime, constant from submission to done(). */
	struct device *device;
	struct operation *operation; /* that the launch is part of; NULL in direct.c */
	/* What grid_group::sync() of a cooperative launch spins on, as the headers
	 * of cooperative groups lay it out: its size in bytes, the barrier. */
	uint32_t grid_workspace[2];

	/* Set by the scheduler before done(), as is pub.error. */
	_Atomic bool stopped;        /* by a tool: the error is nobody's but the launch's */
	uint64_t start_ns, end_ns;   /* CLOCK_MONOTONIC */

	void *scheduler;             /* the scheduler's own state */
	struct children *children;   /* that it has launched, or NULL; under operation_lock() */
};

/* The launch that a block's or an event's cudasim_launch is part of. */
static inline struct launch *launch_of(struct cudasim_launch *pub)
{
	return (struct launch *)((char *)pub - offsetof(struct launch, pub));
}

/* Start the worker threads; called once, lazily, before the first launch. */
struct cudasim_error *scheduler_start(void);

/* Run a launch. Never blocks for long and never fails: what goes wrong stands
 * in launch->pub.error when done() is called. done may be called before this
 * returns. The launch stays the caller's. */
void scheduler_submit(struct launch *launch, void (*done)(struct launch *launch, void *arg),
		      void *arg);

/* Write what the device's kernels have printed so far to stdout, in order.
 * Called where CUDA flushes: synchronising calls, reset, exit. */
void printf_flush(struct device *device);
/* Is there anything to flush? A hint without a lock. */
bool printf_waits(struct device *device);

/* Device heap and printf buffer sizes for later launches (cudaLimitMallocHeapSize,
 * cudaLimitPrintfFifoSize), in bytes. */
void scheduler_limits(struct device *device, uint64_t heap_bytes, uint64_t printf_bytes,
		      uint64_t stack_bytes);

/* For cudaDeviceReset(), when nothing of the device is in flight: the heap of
 * kernels is freed and the limits are a fresh context's. */
void scheduler_reset(struct device *device);

#endif
