/* SPDX-License-Identifier: Apache-2.0 */
/* pool_access.c - who may use a pool's memory. A pool of a device is never the host's, and one of
 * the host's is a device's when it was said so; managed memory is everybody's whatever is said,
 * which is remembered all the same. What is refused, and by which error, was recorded on an H200. */
#include "api.h"
#include "pool.h"

static bool is_device(int ordinal)
{
	return ordinal >= 0 && ordinal < device_count();
}

static bool is_host(const struct cudaMemLocation *location)
{
	return location->type == cudaMemLocationTypeHost ||
	       location->type == cudaMemLocationTypeHostNuma;
}

static cudaError_t check(const struct pool *pool, const struct cudaMemAccessDesc *desc)
{
	const bool none = desc->flags == cudaMemAccessFlagsProtNone;
	const bool known = none || desc->flags == cudaMemAccessFlagsProtReadWrite;
	if (desc->flags == cudaMemAccessFlagsProtRead)
		return cudaErrorNotSupported;
	if (desc->location.type == cudaMemLocationTypeDevice) {
		if (!is_device(desc->location.id))
			return cudaErrorInvalidDevice;
		if (none && pool->place == POOL_DEVICE &&
		    pool->device == device_get(desc->location.id))
			return cudaErrorInvalidDevice;
		return known ? cudaSuccess : cudaErrorInvalidValue;
	}
	if (pool->place == POOL_DEVICE)
		return cudaErrorNotSupported;
	if (!is_host(&desc->location) || !known)
		return cudaErrorInvalidValue;
	return none && pool_memory(pool) == CUDASIM_MEMORY_HOST ? cudaErrorNotSupported
								: cudaSuccess;
}

static void apply(struct pool *pool, const struct cudaMemAccessDesc *desc)
{
	const bool access = desc->flags != cudaMemAccessFlagsProtNone;
	if (desc->location.type != cudaMemLocationTypeDevice) {
		pool->host = access;
		return;
	}
	uint32_t bit = 1u << desc->location.id;
	uint32_t devices = access ? pool->devices | bit : pool->devices & ~bit;
	__atomic_store_n(&pool->devices, devices, __ATOMIC_RELAXED);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const struct cudaMemAccessDesc *list,
				 size_t n)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = (struct pool *)handle;
	if (!pool_is(handle) || (n && !list))
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < n && !error; i++)
		error = check(pool, &list[i]);
	if (error)
		return API_END(error);
	pthread_mutex_lock(&pool_lock);
	const bool forbade = pool_forbids(pool);
	for (size_t i = 0; i < n; i++)
		apply(pool, &list[i]);
	const bool changed = pool_forbids(pool) != forbade;
	pthread_mutex_unlock(&pool_lock);
	if (changed)
		forbidden_changed(pool);
	return API_END(cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
				 struct cudaMemLocation *location)
{
	API_BEGIN_CONTEXT;
	const struct pool *pool = (struct pool *)handle;
	bool access;
	if (!flags || !location || !pool_is(handle))
		return API_END(cudaErrorInvalidValue);
	if (location->type == cudaMemLocationTypeDevice && is_device(location->id))
		access = pool->devices >> location->id & 1;
	else if (is_host(location))
		access = pool_memory(pool) == CUDASIM_MEMORY_HOST || pool->host;
	else
		return API_END(cudaErrorInvalidValue);
	*flags = access ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
	return API_END(cudaSuccess);
}
