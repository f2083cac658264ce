/* SPDX-License-Identifier: Apache-2.0 */
/* pool_ipc.c - memory pools that other processes use. */
#include <string.h>

#include "api.h"
#include "ipc.h"
#include "memory.h"
#include "pool.h"

cudaError_t cudaMemPoolExportToShareableHandle(void *ret, cudaMemPool_t handle,
					       enum cudaMemAllocationHandleType type,
					       unsigned flags)
{
	API_BEGIN_CONTEXT;
	const struct pool *pool = (struct pool *)handle;
	if (!ret || flags || !pool_is(handle) || !(pool->handles & (unsigned)type))
		return API_END(cudaErrorInvalidValue);
	if (type != cudaMemHandleTypePosixFileDescriptor)
		return API_END(api_unsupported("a pool's handle that is not a file descriptor"));
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
	pthread_mutex_lock(&pool_lock);
	struct pool *pool = pool_new(POOL_DEVICE, device_current());
	if (pool)
		pool->is_imported = true;
	pthread_mutex_unlock(&pool_lock);
	*ret = (cudaMemPool_t)pool;
	return API_END(pool ? cudaSuccess : cudaErrorMemoryAllocation);
}

static cudaError_t export_pointer(const void *ptr, struct ipc_name *ret)
{
	struct allocation a;
	if (!memory_lookup(ptr, &a) || !a.pool || a.imported || !pool_is(a.pool) ||
	    !((struct pool *)a.pool)->handles)
		return cudaErrorInvalidValue;
	if (a.kind != CUDASIM_MEMORY_DEVICE)
		return api_unsupported("host memory of a pool in another process");
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
	if (!ret || !data || !pool_is(handle) || !pool->is_imported)
		return API_END(cudaErrorInvalidValue);
	memcpy(&name, data, sizeof name);
	return API_END(ipc_open_memory(&name, pool->device, handle, ret));
}
