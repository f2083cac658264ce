/* SPDX-License-Identifier: Apache-2.0 */
/* context.h - contexts of the driver API, and each host thread's stack of them.
 *
 * A CUcontext is a struct context. A device has a primary one, which the runtime uses, and those
 * that cuCtxCreate() makes; all share the device and differ in their flags, their memory and who
 * ends them. A context that has ended stays known, so that calls can say so. */
#ifndef CUDASIM_SIM_CONTEXT_H
#define CUDASIM_SIM_CONTEXT_H

#include <driver_types.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct device;

struct context {
	struct device *device;
	struct context *next; /* of those that were made */
	uint64_t id;          /* unique in the process */
	unsigned flags;       /* as given to cuCtxCreate() */
	bool primary;
	atomic_int refs;      /* 0: it has ended, or was never there (a primary one) */
};

/* What a call does without a context that lives: CONTEXT_ANY takes one that has ended, CONTEXT_NONE does
 * without, CONTEXT_LIVE_OR_NONE takes none but one that has ended. */
enum context_need { CONTEXT_LIVE, CONTEXT_ANY, CONTEXT_NONE, CONTEXT_LIVE_OR_NONE };

/* cuInit() was called, or the runtime has. */
bool context_started(void);
void context_start(void);

struct context *context_primary(struct device *device);
/* NULL where the handle is none. */
struct context *context_find(const void *handle);
/* With flags as cuCtxCreate(). NULL without memory. */
struct context *context_new(struct device *device, unsigned flags);
static inline bool context_lives(const struct context *c)
{
	return atomic_load(&c->refs) > 0;
}

/* The calling thread's. What is current also decides the thread's device. */
struct context *context_top(void); /* NULL where the stack is empty */
bool context_push(struct context *c);
struct context *context_pop(void);
/* In the place of the top one; NULL takes that away. False without memory. */
bool context_set(struct context *c);

/* For a call of the driver: cudaErrorInitializationError, cudaErrorDeviceUninitialized without a
 * current context, cudaErrorContextIsDestroyed. */
cudaError_t context_for_driver(enum context_need need);
/* For one of the runtime: the primary context is current where none is, and lives. */
cudaError_t context_for_runtime(void);
/* cudaSetDevice(): the device's primary context takes the top one's place. */
cudaError_t context_use(struct device *device);

#endif
