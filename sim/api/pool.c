/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - stream-ordered allocation. An allocation is made at once, from memory
 * that nothing uses; a free waits for its place in the stream. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "graph.h"
#include "graph_api.h"
#include "graph_memory.h"
#include "hash.h"
#include "ipc.h"
#include "memory.h"

/* A memory pool; the default ones are made when they are first asked for. */
struct pool {
	struct device *device;
	bool is_default;
	bool is_shared;   /* made to be exported */
	bool is_imported; /* another process's: memory comes by cudaMemPoolImportPointer() */
	/* Attributes that can be set, by enum cudaMemPoolAttr. */
	unsigned long long values[16];
	unsigned long long used, used_high; /* bytes; under the lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *defaults[CUDASIM_MAX_DEVICES], *current[CUDASIM_MAX_DEVICES];
static struct hash pools; /* handles */

static struct pool *make(struct device *device, bool is_default)
{
	struct pool *pool = calloc(1, sizeof *pool);
	if (!pool)
		return NULL;
	pool->device = device;
	pool->is_default = is_default;
	pool->values[cudaMemPoolReuseFollowEventDependencies] = 1;
	pool->values[cudaMemPoolReuseAllowOpportunistic] = 1;
	pool->values[cudaMemPoolReuseAllowInternalDependencies] = 1;
	if (!hash_put(&pools, pool, pool)) {
		free(pool);
		return NULL;
	}
	return pool;
}

/* With the lock held. */
static struct pool *default_pool(struct device *device)
{
	struct pool **pool = &defaults[device->ordinal];
	if (!*pool)
		*pool = make(device, true);
	return *pool;
}

static struct pool *current_pool(struct device *device)
{
	struct pool *pool = current[device->ordinal];
	return pool ? pool : default_pool(device);
}

static bool is_pool(cudaMemPool_t handle)
{
	pthread_mutex_lock(&lock);
	bool is = hash_get(&pools, handle);
	pthread_mutex_unlock(&lock);
	return is;
}

/* ---- allocating ----------------------------------------------------------------- */

static void count(cudaMemPool_t handle, int64_t bytes)
{
	pthread_mutex_lock(&lock);
	struct pool *pool = hash_get(&pools, handle);
	if (pool) {
		pool->used += (unsigned long long)bytes;
		if (pool->used > pool->used_high)
			pool->used_high = pool->used;
	}
	pthread_mutex_unlock(&lock);
}

static cudaError_t allocate(void **ret, size_t size, struct pool *pool, cudaStream_t handle)
{
	struct stream *stream;
	if (!ret)
		return cudaErrorInvalidValue;
	*ret = NULL;
	if (!size)
		return cudaSuccess;
	cudaError_t error = stream_resolve(handle, &stream);
	if (error)
		return error;
	if (stream_capturing(stream)) {
		error = graph_capture_alloc(stream, pool->device, size, ret);
		stream_unref(stream);
		return error;
	}
	struct allocation what = {
		.kind = CUDASIM_MEMORY_DEVICE, .device = (int)pool->device->ordinal,
		.stream = stream->id, .function = api_name(), .pool = (cudaMemPool_t)pool,
	};
	error = memory_alloc(&what, size, ret);
	if (error) {
		/* What was freed may still wait for its turn. */
		device_wait(pool->device, 0);
		error = memory_alloc(&what, size, ret);
	}
	if (!error)
		count(what.pool, (int64_t)size);
	stream_unref(stream);
	return error;
}

cudaError_t cudaMallocAsync(void **ret, size_t size, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	pthread_mutex_lock(&lock);
	struct pool *pool = current_pool(device_current());
	pthread_mutex_unlock(&lock);
	return API_END(pool ? allocate(ret, size, pool, stream) : cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocFromPoolAsync(void **ret, size_t size, cudaMemPool_t pool,
				    cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	if (!is_pool(pool) || ((struct pool *)pool)->is_imported)
		return API_END(cudaErrorInvalidValue);
	return API_END(allocate(ret, size, (struct pool *)pool, stream));
}

cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	struct allocation a;
	if (!ptr)
		return API_END(cudaSuccess);
	if (memory_lookup(ptr, &a) && a.kind == CUDASIM_MEMORY_MANAGED && !a.pool && !a.module &&
	    a.range.start == (uint64_t)(uintptr_t)ptr)
		return API_END(cudaErrorNotSupported); /* so an H200, not 1 */
	if (!memory_lookup(ptr, &a) || a.range.start != (uint64_t)(uintptr_t)ptr ||
	    a.kind != CUDASIM_MEMORY_DEVICE)
		return API_END(memory_free(ptr, 0, __func__));
	if (a.imported && a.pool) { /* here it only goes out of sight */
		device_wait(device_get(a.device), 0);
		return API_END(ipc_close_memory(ptr));
	}
	struct work work = {.kind = WORK_FREE, .address = ptr};
	/* A graph frees only what graphs allocate. */
	if (!a.held && api_capturing(stream))
		return API_END(cudaErrorInvalidValue);
	cudaError_t error = api_submit(stream, &work, false);
	if (!error && a.held && !api_capturing(stream))
		graph_memory_freed(ptr);
	if (!error && a.pool)
		count(a.pool, -(int64_t)(a.range.end - a.range.start));
	return API_END(error);
}

/* ---- pools ---------------------------------------------------------------------- */

static bool is_device(int ordinal)
{
	return ordinal >= 0 && ordinal < device_count();
}

static cudaError_t get(cudaMemPool_t *ret, int ordinal, struct pool *(*which)(struct device *))
{
	if (!is_device(ordinal))
		return cudaErrorInvalidDevice;
	if (!ret)
		return cudaErrorInvalidValue;
	cudaError_t error = (cudaError_t)device_activate(device_get(ordinal));
	if (error)
		return error;
	pthread_mutex_lock(&lock);
	*ret = (cudaMemPool_t)which(device_get(ordinal));
	pthread_mutex_unlock(&lock);
	return *ret ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *ret, int ordinal)
{
	API_BEGIN_CONTEXT;
	return API_END(get(ret, ordinal, default_pool));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *ret, int ordinal)
{
	API_BEGIN_CONTEXT;
	return API_END(get(ret, ordinal, current_pool));
}

cudaError_t cudaDeviceSetMemPool(int ordinal, cudaMemPool_t handle)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = (struct pool *)handle;
	if (!is_device(ordinal))
		return API_END(cudaErrorInvalidDevice);
	if (!is_pool(handle) || pool->device != device_get(ordinal))
		return API_END(cudaErrorInvalidValue);
	pthread_mutex_lock(&lock);
	current[ordinal] = pool;
	pthread_mutex_unlock(&lock);
	return API_END(cudaSuccess);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *ret, const struct cudaMemPoolProps *props)
{
	API_BEGIN_CONTEXT;
	if (!ret || !props)
		return API_END(cudaErrorInvalidValue);
	if (props->allocType == cudaMemAllocationTypeManaged)
		return API_END(api_unsupported("cudaMemPoolCreate for managed memory"));
	if (props->allocType != cudaMemAllocationTypePinned)
		return API_END(cudaErrorInvalidValue);
	if (props->location.type == cudaMemLocationTypeHost ||
	    (props->location.type == cudaMemLocationTypeHostNuma && !props->location.id))
		return API_END(api_unsupported("cudaMemPoolCreate for host memory"));
	if (props->location.type != cudaMemLocationTypeDevice || !is_device(props->location.id))
		return API_END(cudaErrorInvalidValue);
	if (props->handleTypes & ~(unsigned)cudaMemHandleTypePosixFileDescriptor)
		return API_END(api_unsupported("cudaMemPoolCreate with handles but file descriptors"));
	pthread_mutex_lock(&lock);
	struct pool *pool = make(device_get(props->location.id), false);
	if (pool)
		pool->is_shared = props->handleTypes != cudaMemHandleTypeNone;
	*ret = (cudaMemPool_t)pool;
	pthread_mutex_unlock(&lock);
	return API_END(*ret ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* Allocations that are still there stay valid. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = (struct pool *)handle;
	if (!is_pool(handle) || pool->is_default)
		return API_END(cudaErrorInvalidValue);
	pthread_mutex_lock(&lock);
	if (current[pool->device->ordinal] == pool)
		current[pool->device->ordinal] = NULL;
	hash_remove(&pools, pool);
	pthread_mutex_unlock(&lock);
	free(pool);
	return API_END(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	API_BEGIN_CONTEXT;
	(void)keep; /* freed memory goes back at once */
	return API_END(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

static bool is_flag(enum cudaMemPoolAttr attribute)
{
	return attribute == cudaMemPoolReuseFollowEventDependencies ||
	       attribute == cudaMemPoolReuseAllowOpportunistic ||
	       attribute == cudaMemPoolReuseAllowInternalDependencies;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
				    void *value)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = (struct pool *)handle;
	if (!value || !is_pool(handle))
		return API_END(cudaErrorInvalidValue);
	if (is_flag(attribute)) {
		pool->values[attribute] = *(int *)value != 0;
		return API_END(cudaSuccess);
	}
	unsigned long long n = *(unsigned long long *)value;
	switch (attribute) {
	case cudaMemPoolAttrReleaseThreshold:
		pool->values[attribute] = n;
		return API_END(cudaSuccess);
	case cudaMemPoolAttrReservedMemHigh:
	case cudaMemPoolAttrUsedMemHigh: /* can only be reset */
		if (n)
			return API_END(cudaErrorInvalidValue);
		pthread_mutex_lock(&lock);
		pool->used_high = pool->used;
		pthread_mutex_unlock(&lock);
		return API_END(cudaSuccess);
	default:
		return API_END(cudaErrorInvalidValue);
	}
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
				    void *value)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = (struct pool *)handle;
	if (!value || !is_pool(handle))
		return API_END(cudaErrorInvalidValue);
	if (is_flag(attribute)) {
		*(int *)value = (int)pool->values[attribute];
		return API_END(cudaSuccess);
	}
	unsigned long long *n = value;
	pthread_mutex_lock(&lock);
	cudaError_t error = cudaSuccess;
	switch (attribute) {
	case cudaMemPoolAttrReleaseThreshold:
		*n = pool->values[attribute];
		break;
	case cudaMemPoolAttrReservedMemCurrent:
	case cudaMemPoolAttrUsedMemCurrent:
		*n = pool->used;
		break;
	case cudaMemPoolAttrReservedMemHigh:
	case cudaMemPoolAttrUsedMemHigh:
		*n = pool->used_high;
		break;
	default:
		error = cudaErrorInvalidValue;
	}
	pthread_mutex_unlock(&lock);
	return API_END(error);
}

/* Every device reaches every other's memory. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
				 size_t n)
{
	API_BEGIN_CONTEXT;
	if (!is_pool(pool) || (n && !list))
		return API_END(cudaErrorInvalidValue);
	for (size_t i = 0; i < n; i++)
		if (list[i].location.type != cudaMemLocationTypeDevice ||
		    !is_device(list[i].location.id))
			return API_END(cudaErrorInvalidValue);
	return API_END(cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
				 struct cudaMemLocation *location)
{
	API_BEGIN_CONTEXT;
	if (!flags || !location || !is_pool(pool) || !is_device(location->id))
		return API_END(cudaErrorInvalidValue);
	*flags = cudaMemAccessFlagsProtReadWrite;
	return API_END(cudaSuccess);
}

/* ---- pools by location ---------------------------------------------------------------- */

/* The device whose pool is meant; an error where the location or the kind of memory has none here. */
static cudaError_t pool_device(const struct cudaMemLocation *location, enum cudaMemAllocationType type,
			       int *ret)
{
	if (!location)
		return cudaErrorInvalidValue;
	const bool host = location->type == cudaMemLocationTypeHost ||
			  (location->type == cudaMemLocationTypeHostNuma && !location->id);
	*ret = location->id;
	if (type == cudaMemAllocationTypePinned && host)
		return api_unsupported("a memory pool of the host");
	if (type == cudaMemAllocationTypeManaged)
		return api_unsupported("a pool of managed memory");
	return type == cudaMemAllocationTypePinned && location->type == cudaMemLocationTypeDevice &&
		       is_device(*ret) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *ret, struct cudaMemLocation *location,
				     enum cudaMemAllocationType type)
{
	API_BEGIN_CONTEXT;
	int ordinal;
	cudaError_t error = pool_device(location, type, &ordinal);
	return API_END(error ? error : get(ret, ordinal, default_pool));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *ret, struct cudaMemLocation *location,
			      enum cudaMemAllocationType type)
{
	API_BEGIN_CONTEXT;
	int ordinal;
	cudaError_t error = pool_device(location, type, &ordinal);
	return API_END(error ? error : get(ret, ordinal, current_pool));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
			      cudaMemPool_t pool)
{
	API_BEGIN_CONTEXT;
	int ordinal;
	cudaError_t error = pool_device(location, type, &ordinal);
	return API_END(error ? error : cudaDeviceSetMemPool(ordinal, pool));
}

/* ---- pools of other processes ----------------------------------------------------------- */

/* Only file descriptors can be handed on. */
cudaError_t cudaMemPoolExportToShareableHandle(void *ret, cudaMemPool_t handle,
					       enum cudaMemAllocationHandleType type, unsigned flags)
{
	API_BEGIN_CONTEXT;
	const struct pool *pool = (struct pool *)handle;
	if (!ret || flags || type != cudaMemHandleTypePosixFileDescriptor || !is_pool(handle) ||
	    !pool->is_shared)
		return API_END(cudaErrorInvalidValue);
	int fd = ipc_token_new();
	if (fd < 0)
		return API_END(cudaErrorOperatingSystem);
	*(int *)ret = fd;
	return API_END(cudaSuccess);
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *ret, void *handle,
						 enum cudaMemAllocationHandleType type,
						 unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (!ret || flags || type != cudaMemHandleTypePosixFileDescriptor)
		return API_END(cudaErrorInvalidValue);
	if (!ipc_token_is((int)(intptr_t)handle))
		return API_END(cudaErrorUnknown);
	pthread_mutex_lock(&lock);
	struct pool *pool = make(device_current(), false);
	if (pool)
		pool->is_imported = true;
	pthread_mutex_unlock(&lock);
	*ret = (cudaMemPool_t)pool;
	return API_END(pool ? cudaSuccess : cudaErrorMemoryAllocation);
}

static cudaError_t export_pointer(const void *ptr, struct ipc_name *ret)
{
	struct allocation a;
	if (!memory_lookup(ptr, &a) || !a.pool || a.imported || !is_pool(a.pool) ||
	    !((struct pool *)a.pool)->is_shared)
		return cudaErrorInvalidValue;
	device_wait(device_get(a.device), 0); /* its pages move */
	return ipc_name_memory((void *)(uintptr_t)a.range.start, a.range.end - a.range.start,
			       a.device, ret);
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *ret, void *ptr)
{
	API_BEGIN_CONTEXT;
	struct ipc_name name;
	_Static_assert(sizeof *ret >= sizeof name, "what is exported has room");
	cudaError_t error = ret ? export_pointer(ptr, &name) : cudaErrorInvalidValue;
	if (!error)
		memcpy(ret, &name, sizeof name);
	return API_END(error);
}

cudaError_t cudaMemPoolImportPointer(void **ret, cudaMemPool_t handle,
				     struct cudaMemPoolPtrExportData *data)
{
	API_BEGIN_CONTEXT;
	struct pool *pool = (struct pool *)handle;
	struct ipc_name name;
	if (!ret || !data || !is_pool(handle) || !pool->is_imported)
		return API_END(cudaErrorInvalidValue);
	memcpy(&name, data, sizeof name);
	return API_END(ipc_open_memory(&name, pool->device, handle, ret));
}
