/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - memory pools, and which pool is a location's. What is refused, and by which error, was
 * recorded on an H200. */
#include "pool.h"
#include "activate.h"

#include <stdlib.h>

#include "api.h"
#include "hash.h"

/* More than a device or the machine could ever hold. */
#define MOST_BYTES ((uint64_t)1 << 48)

pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *all; /* destroyed ones, too */
static struct pool *defaults[N_POOL_PLACES][CUDASIM_MAX_DEVICES];
static struct pool *current[N_POOL_PLACES][CUDASIM_MAX_DEVICES];
static struct hash pools; /* handles */

static size_t index_of(const struct device *device)
{
	return device ? device->ordinal : 0;
}

struct pool *pool_new(enum pool_place place, struct device *device)
{
	struct pool *pool = calloc(1, sizeof *pool);
	if (!pool)
		return NULL;
	pool->place = place;
	pool->device = device;
	pool->limit = UINT64_MAX;
	if (place == POOL_DEVICE)
		pool->devices = 1u << device->ordinal;
	pool->values[cudaMemPoolReuseFollowEventDependencies] = 1;
	pool->values[cudaMemPoolReuseAllowOpportunistic] = 1;
	pool->values[cudaMemPoolReuseAllowInternalDependencies] = 1;
	if (!hash_put(&pools, pool, pool)) {
		free(pool);
		return NULL;
	}
	pool->next = all;
	all = pool;
	return pool;
}

/* With the lock held. */
static struct pool *default_pool(enum pool_place place, struct device *device)
{
	struct pool **pool = &defaults[place][index_of(device)];
	if (!*pool && (*pool = pool_new(place, device)))
		(*pool)->is_default = true;
	return *pool;
}

static struct pool *current_pool(enum pool_place place, struct device *device)
{
	struct pool *pool = current[place][index_of(device)];
	return pool ? pool : default_pool(place, device);
}

struct pool *pool_current(struct device *device)
{
	pthread_mutex_lock(&pool_lock);
	struct pool *pool = current_pool(POOL_DEVICE, device);
	pthread_mutex_unlock(&pool_lock);
	return pool;
}

bool pool_is(cudaMemPool_t handle)
{
	pthread_mutex_lock(&pool_lock);
	bool is = hash_get(&pools, handle);
	pthread_mutex_unlock(&pool_lock);
	return is;
}

struct cudaMemLocation pool_location(const struct pool *pool)
{
	static const enum cudaMemLocationType types[] = {
		[POOL_DEVICE] = cudaMemLocationTypeDevice,
		[POOL_HOST] = cudaMemLocationTypeHost,
		[POOL_NODE] = cudaMemLocationTypeHostNuma,
		[POOL_MANAGED] = cudaMemLocationTypeNone,
		[POOL_MANAGED_DEVICE] = cudaMemLocationTypeDevice,
		[POOL_MANAGED_HOST] = cudaMemLocationTypeHost,
		[POOL_MANAGED_NODE] = cudaMemLocationTypeHostNuma,
	};
	return (struct cudaMemLocation){.type = types[pool->place],
					.id = (int)index_of(pool->device)};
}

static bool is_device(int ordinal)
{
	return ordinal >= 0 && ordinal < device_count();
}

/* ---- how much is in use ----------------------------------------------------------- */

static uint64_t whole(uint64_t bytes)
{
	return (bytes + POOL_PIECE - 1) / POOL_PIECE * POOL_PIECE;
}

static void settle(struct pool *pool)
{
	pool->used -= pool->late;
	pool->late = 0;
}

cudaError_t pool_grow(struct pool *pool, uint64_t bytes)
{
	pthread_mutex_lock(&pool_lock);
	settle(pool);
	bool fits = bytes <= pool->limit && pool->used <= pool->limit - bytes;
	if (fits) {
		pool->used += bytes;
		if (pool->used > pool->used_high)
			pool->used_high = pool->used;
		if (whole(pool->used) > pool->reserved)
			pool->reserved = whole(pool->used);
		if (pool->reserved > pool->reserved_high)
			pool->reserved_high = pool->reserved;
	}
	pthread_mutex_unlock(&pool_lock);
	return fits ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* What the pool holds beyond what is used, but for `keep` bytes, goes back. */
static void trim(struct pool *pool, uint64_t keep)
{
	uint64_t least = whole(pool->used);
	if (pool->reserved <= keep || pool->reserved <= least)
		return;
	keep = keep > UINT64_MAX - POOL_PIECE ? keep : whole(keep);
	if (keep < pool->reserved)
		pool->reserved = keep > least ? keep : least;
}

void pool_shrink(struct pool *pool, uint64_t bytes)
{
	pthread_mutex_lock(&pool_lock);
	settle(pool);
	pool->used -= bytes;
	trim(pool, pool->values[cudaMemPoolAttrReleaseThreshold]);
	pthread_mutex_unlock(&pool_lock);
}

void pool_shrink_late(struct pool *pool, uint64_t bytes)
{
	pthread_mutex_lock(&pool_lock);
	pool->late += bytes;
	pthread_mutex_unlock(&pool_lock);
}

bool pool_any_forbidden(void)
{
	bool any = false;
	pthread_mutex_lock(&pool_lock);
	for (const struct pool *pool = all; pool && !any; pool = pool->next)
		any = pool_forbids(pool) && pool->used > pool->late;
	pthread_mutex_unlock(&pool_lock);
	return any;
}

/* ---- locations ---------------------------------------------------------------------- */

/* The place that a location means for a kind of memory. The machine's memory is one node. */
static bool find_place(const struct cudaMemLocation *location, bool managed, enum pool_place *place,
		       struct device **device)
{
	*device = NULL;
	switch (location->type) {
	case cudaMemLocationTypeNone:
		*place = POOL_MANAGED;
		return managed;
	case cudaMemLocationTypeDevice:
		if (!is_device(location->id))
			return false;
		*place = managed ? POOL_MANAGED_DEVICE : POOL_DEVICE;
		*device = device_get(location->id);
		return true;
	case cudaMemLocationTypeHost:
		*place = managed ? POOL_MANAGED_HOST : POOL_HOST;
		return true;
	case cudaMemLocationTypeHostNuma:
		*place = managed ? POOL_MANAGED_NODE : POOL_NODE;
		return location->id == 0;
	default:
		return false;
	}
}

/* The same, and what a call that names a location answers where it means none. */
static cudaError_t place_of(const struct cudaMemLocation *location, enum cudaMemAllocationType type,
			    enum pool_place *place, struct device **device)
{
	if (!location)
		return cudaErrorInvalidValue;
	if ((unsigned)location->type > cudaMemLocationTypeHostNuma)
		return cudaErrorNotSupported;
	if (type != cudaMemAllocationTypePinned && type != cudaMemAllocationTypeManaged)
		return cudaErrorInvalidValue;
	return find_place(location, type == cudaMemAllocationTypeManaged, place, device)
		       ? cudaSuccess
		       : cudaErrorInvalidValue;
}

static cudaError_t get(cudaMemPool_t *ret, enum pool_place place, struct device *device,
		       struct pool *(*which)(enum pool_place, struct device *))
{
	if (!ret)
		return cudaErrorInvalidValue;
	cudaError_t error = device ? (cudaError_t)device_activate(device) : cudaSuccess;
	if (error)
		return error;
	pthread_mutex_lock(&pool_lock);
	*ret = (cudaMemPool_t)which(place, device);
	pthread_mutex_unlock(&pool_lock);
	return *ret ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t get_at(cudaMemPool_t *ret, const struct cudaMemLocation *location,
			  enum cudaMemAllocationType type,
			  struct pool *(*which)(enum pool_place, struct device *))
{
	enum pool_place place;
	struct device *device;
	cudaError_t error = place_of(location, type, &place, &device);
	return error ? error : get(ret, place, device, which);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *ret, struct cudaMemLocation *location,
				     enum cudaMemAllocationType type)
{
	API_BEGIN_CONTEXT;
	return API_END(get_at(ret, location, type, default_pool));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *ret, struct cudaMemLocation *location,
			      enum cudaMemAllocationType type)
{
	API_BEGIN_CONTEXT;
	return API_END(get_at(ret, location, type, current_pool));
}

static void set(struct pool *pool)
{
	pthread_mutex_lock(&pool_lock);
	current[pool->place][index_of(pool->device)] = pool;
	pthread_mutex_unlock(&pool_lock);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
			      cudaMemPool_t handle)
{
	API_BEGIN_CONTEXT;
	enum pool_place place;
	struct device *device;
	struct pool *pool = (struct pool *)handle;
	cudaError_t error = place_of(location, type, &place, &device);
	if (!error && (!pool_is(handle) || pool->place != place || pool->device != device))
		error = cudaErrorInvalidValue;
	if (!error)
		set(pool);
	return API_END(error);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *ret, int ordinal)
{
	API_BEGIN_CONTEXT;
	return API_END(!is_device(ordinal)
			       ? cudaErrorInvalidDevice
			       : get(ret, POOL_DEVICE, device_get(ordinal), default_pool));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *ret, int ordinal)
{
	API_BEGIN_CONTEXT;
	return API_END(!is_device(ordinal)
			       ? cudaErrorInvalidValue
			       : get(ret, POOL_DEVICE, device_get(ordinal), current_pool));
}

/* A managed pool becomes the device's for managed memory. */
cudaError_t cudaDeviceSetMemPool(int ordinal, cudaMemPool_t handle)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = (struct pool *)handle;
	if (!is_device(ordinal) || !pool_is(handle) || pool->device != device_get(ordinal))
		return API_END(cudaErrorInvalidValue);
	set(pool);
	return API_END(cudaSuccess);
}

/* ---- making and destroying ------------------------------------------------------------ */

static bool is_handed_on(enum pool_place place, unsigned handles)
{
	const unsigned known = cudaMemHandleTypePosixFileDescriptor | cudaMemHandleTypeFabric;
	return !handles || ((place == POOL_DEVICE || place == POOL_NODE) && !(handles & ~known));
}

static cudaError_t check_props(const struct cudaMemPoolProps *props, enum pool_place *place,
			       struct device **device)
{
	const bool managed = props->allocType == cudaMemAllocationTypeManaged;
	struct cudaMemLocation location = props->location;
	if (!managed && props->allocType != cudaMemAllocationTypePinned)
		return cudaErrorInvalidValue;
	if (managed && (unsigned)location.type > cudaMemLocationTypeHostNumaCurrent)
		return cudaErrorNotSupported;
	if (managed && location.type == cudaMemLocationTypeHostNumaCurrent)
		location = (struct cudaMemLocation){.type = cudaMemLocationTypeHostNuma};
	if (!find_place(&location, managed, place, device) ||
	    !is_handed_on(*place, props->handleTypes) ||
	    (managed && (props->usage || props->maxSize)))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < sizeof props->reserved; i++)
		if (props->reserved[i])
			return cudaErrorInvalidValue;
	return props->maxSize > MOST_BYTES ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *ret, const struct cudaMemPoolProps *props)
{
	API_BEGIN_CONTEXT;
	enum pool_place place;
	struct device *device;
	if (!ret || !props)
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = check_props(props, &place, &device);
	if (error)
		return API_END(error);
	pthread_mutex_lock(&pool_lock);
	struct pool *pool = pool_new(place, device);
	if (pool) {
		pool->handles = props->handleTypes;
		if (props->maxSize)
			pool->limit = whole(props->maxSize);
	}
	*ret = (cudaMemPool_t)pool;
	pthread_mutex_unlock(&pool_lock);
	return API_END(*ret ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* Allocations that are still there stay valid. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = (struct pool *)handle;
	if (!pool_is(handle) || pool->is_default)
		return API_END(cudaErrorInvalidValue);
	pthread_mutex_lock(&pool_lock);
	struct pool **set = &current[pool->place][index_of(pool->device)];
	if (*set == pool)
		*set = NULL;
	hash_remove(&pools, pool);
	pthread_mutex_unlock(&pool_lock);
	return API_END(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep)
{
	API_BEGIN_CONTEXT;
	if (!pool_is(handle))
		return API_END(cudaErrorInvalidValue);
	pthread_mutex_lock(&pool_lock);
	trim((struct pool *)handle, keep);
	pthread_mutex_unlock(&pool_lock);
	return API_END(cudaSuccess);
}

/* ---- attributes ------------------------------------------------------------------------- */

static bool is_flag(enum cudaMemPoolAttr attribute)
{
	return attribute == cudaMemPoolReuseFollowEventDependencies ||
	       attribute == cudaMemPoolReuseAllowOpportunistic ||
	       attribute == cudaMemPoolReuseAllowInternalDependencies;
}

/* With the lock held. */
static cudaError_t set_number(struct pool *pool, enum cudaMemPoolAttr attribute,
			      unsigned long long n)
{
	switch (attribute) {
	case cudaMemPoolAttrReleaseThreshold:
		pool->values[attribute] = n;
		return cudaSuccess;
	case cudaMemPoolAttrReservedMemHigh: /* the high ones can only be reset */
		if (n)
			return cudaErrorInvalidValue;
		pool->reserved_high = pool->reserved;
		return cudaSuccess;
	case cudaMemPoolAttrUsedMemHigh:
		if (n)
			return cudaErrorInvalidValue;
		pool->used_high = pool->used;
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
				    void *value)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = (struct pool *)handle;
	cudaError_t error = cudaSuccess;
	if (!value || !pool_is(handle))
		return API_END(cudaErrorInvalidValue);
	pthread_mutex_lock(&pool_lock);
	if (is_flag(attribute))
		pool->values[attribute] = *(int *)value != 0;
	else
		error = set_number(pool, attribute, *(unsigned long long *)value);
	pthread_mutex_unlock(&pool_lock);
	return API_END(error);
}

/* With the lock held. */
static cudaError_t get_number(const struct pool *pool, enum cudaMemPoolAttr attribute,
			      unsigned long long *ret)
{
	switch (attribute) {
	case cudaMemPoolAttrReleaseThreshold:
		*ret = pool->values[attribute];
		return cudaSuccess;
	case cudaMemPoolAttrReservedMemCurrent:
		*ret = pool->reserved;
		return cudaSuccess;
	case cudaMemPoolAttrReservedMemHigh:
		*ret = pool->reserved_high;
		return cudaSuccess;
	case cudaMemPoolAttrUsedMemCurrent:
		*ret = pool->used;
		return cudaSuccess;
	case cudaMemPoolAttrUsedMemHigh:
		*ret = pool->used_high;
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
				    void *value)
{
	API_BEGIN_CONTEXT;
	const struct pool *pool = (struct pool *)handle;
	cudaError_t error = cudaSuccess;
	if (!value || !pool_is(handle))
		return API_END(cudaErrorInvalidValue);
	pthread_mutex_lock(&pool_lock);
	if (is_flag(attribute))
		*(int *)value = (int)pool->values[attribute];
	else
		error = get_number(pool, attribute, value);
	pthread_mutex_unlock(&pool_lock);
	return API_END(error);
}
