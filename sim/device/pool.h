/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h - memory pools: of a device, of the host, of managed memory.
 *
 * A pool's memory is of the arena of its kind; nothing is set aside for a pool. What it has
 * reserved is a number as an H200 tells it: whole pieces of POOL_PIECE bytes. */
#ifndef CUDASIM_SIM_POOL_H
#define CUDASIM_SIM_POOL_H

#include <driver_types.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "memory.h"

/* Bytes by which a pool grows and shrinks. */
#define POOL_PIECE ((uint64_t)32 << 20)

/* The kinds of pools that a location can have one of at a time. */
enum pool_place {
	POOL_DEVICE, /* each device has its own */
	POOL_HOST,
	POOL_NODE, /* of the machine's one node of memory */
	POOL_MANAGED,
	POOL_MANAGED_DEVICE, /* each device has its own */
	POOL_MANAGED_HOST,
	POOL_MANAGED_NODE,
	N_POOL_PLACES,
};

struct pool {
	enum pool_place place;
	struct device *device; /* NULL where it is no device's */
	bool is_default;
	bool is_imported; /* another process's: memory comes by cudaMemPoolImportPointer() */
	unsigned handles; /* enum cudaMemAllocationHandleType: how it may be exported */
	uint64_t limit;   /* bytes that it may reserve */
	/* Who was given access: devices by their bits; the host, of managed pools. */
	uint32_t devices;
	bool host;
	/* Attributes that can be set, by enum cudaMemPoolAttr. */
	unsigned long long values[16];
	uint64_t used, used_high, reserved, reserved_high; /* bytes */
	uint64_t late; /* bytes in `used` that cudaFree() has freed: as an H200, it tells of them
			* until the next allocation */
	struct pool *next;
};

/* Of all pools' fields that change, and of which pools there are. */
extern pthread_mutex_t pool_lock;

/* With the lock held. NULL without memory. Pools that are destroyed stay where they are, for the
 * memory of theirs that is still in use. */
struct pool *pool_new(enum pool_place place, struct device *device);
/* The pool that cudaMallocAsync() allocates from; NULL without memory. Takes the lock. */
struct pool *pool_current(struct device *device);
/* Whether the handle is a pool's. Takes the lock. */
bool pool_is(cudaMemPool_t handle);

static inline enum cudasim_memory_kind pool_memory(const struct pool *pool)
{
	return pool->place >= POOL_MANAGED  ? CUDASIM_MEMORY_MANAGED
	       : pool->place == POOL_DEVICE ? CUDASIM_MEMORY_DEVICE
					    : CUDASIM_MEMORY_HOST;
}

/* Devices may not use the memory: the host's pools are the host's alone until
 * cudaMemPoolSetAccess(). Which device is given access does not matter here: all are peers. */
static inline bool pool_forbids(const struct pool *pool)
{
	return pool_memory(pool) == CUDASIM_MEMORY_HOST &&
	       !__atomic_load_n(&pool->devices, __ATOMIC_RELAXED);
}

static inline bool pool_forbids_memory(const struct allocation *a)
{
	return a->kind == CUDASIM_MEMORY_HOST && a->pool &&
	       pool_forbids((const struct pool *)a->pool);
}

/* Memory of the pool begins or ends to be used, by so many bytes. cudaErrorMemoryAllocation where
 * the pool may not grow so far. */
cudaError_t pool_grow(struct pool *pool, uint64_t bytes);
void pool_shrink(struct pool *pool, uint64_t bytes);
/* As pool_shrink(), by cudaFree(). */
void pool_shrink_late(struct pool *pool, uint64_t bytes);
/* Devices have no access to some memory that is in use. */
bool pool_any_forbidden(void);

/* ---- forbidden.c ---------------------------------------------------------------- */

/* From now on kernels that access forbidden memory end with cudaErrorIllegalAddress, this
 * range among it: launches are watched while there is such memory. */
void forbidden_watch(const void *address, uint64_t size);
/* pool_forbids() has changed: tell the tools. */
void forbidden_changed(const struct pool *pool);

/* Where a managed pool's memory would rather be; cudaMemLocationTypeNone for nowhere. */
struct cudaMemLocation pool_location(const struct pool *pool);

#endif
