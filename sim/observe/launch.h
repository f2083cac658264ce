/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h - a kernel launch, from the runtime API to the scheduler.
 *
 * The runtime (sim/api) checks the geometry against the device profile, fills a
 * struct launch and queues it on a stream. When the stream's order lets it run,
 * the stream hands it to scheduler_submit(); the scheduler's workers run its
 * blocks and call done() once, from any thread, when the last block has ended
 * or the launch has died. */
#ifndef CUDASIM_SIM_LAUNCH_H
#define CUDASIM_SIM_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/observer.h"

struct device; /* device.h */
struct operation; /* operation.h */
struct children; /* children.h */
struct stream; /* stream.h */

struct launch {
	/* Set by the runtime, constant from submission to done(). */
	const struct cudasim_module *module;
	const struct cudasim_kernel *kernel;
	struct device *device;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t cluster[3];           /* 1,1,1 without clusters */
	uint32_t dynamic_shared_bytes;
	bool cooperative;              /* all blocks must be resident at once */
	void *params;                  /* packed as kernel->params says; owned */
	uint64_t id;                   /* process-wide, 1.. in submission order */
	uint64_t gridid;               /* per device, 1.. */
	uint64_t stream_id;
	uint64_t host_site;            /* return address of the launching call, or 0 */
	/* What grid_group::sync() of a cooperative launch spins on, as the headers
	 * of cooperative groups lay it out: its size in bytes, the barrier. */
	uint32_t grid_workspace[2];

	/* Set by the scheduler before done(). */
	int error;       /* a cudaError_t: 0 or the sticky error */
	_Atomic bool stopped;          /* by a tool: the error is nobody's but the launch's */
	uint64_t start_ns, end_ns;     /* CLOCK_MONOTONIC */

	void *scheduler;               /* the scheduler's own state */

	/* Of a launch from device code: the grid that made it, which is not done before; and
	 * where. */
	struct operation *operation;   /* that the launch is part of; NULL in direct.c */
	struct launch *parent;
	struct launch_place {
		uint32_t block[3], thread[3];
		const struct cudasim_site *site;
		struct cudasim_thread *now; /* NULL where it has ended */
	} made;
	struct children *children;     /* its own, or NULL; under operation_lock() */

	/* What observers see; filled by watch_begin() (observer.h), but for the
	 * device's number, which stands here before. The scheduler sets every block's `launch`
	 * to its address. */
	struct cudasim_launch seen;
};

/* The launch that a block's or an event's cudasim_launch is part of. */
static inline struct launch *launch_of(struct cudasim_launch *seen)
{
	return (struct launch *)((char *)seen - offsetof(struct launch, seen));
}

/* Start the worker threads; called once, lazily, before the first launch. */
struct cudasim_error *scheduler_start(void);

/* Run a launch. Never blocks for long and never fails: what goes wrong stands
 * in launch->error when done() is called. done may be called before this
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
