/* SPDX-License-Identifier: Apache-2.0 */
/* driver_pool.c - the driver's pools of memory, and memory and events of other processes. Pools,
 * their properties and what is handed to other processes are the runtime's. */
#include "driver_api.h"

_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "properties");
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "access");
_Static_assert(sizeof(CUmemLocation) == sizeof(struct cudaMemLocation), "locations");
_Static_assert(sizeof(CUmemPoolPtrExportData) == sizeof(struct cudaMemPoolPtrExportData),
	       "exports");
_Static_assert(sizeof(CUipcMemHandle) == sizeof(cudaIpcMemHandle_t), "handles of memory");
_Static_assert(sizeof(CUipcEventHandle) == sizeof(cudaIpcEventHandle_t), "handles of events");

#define LOCATION(location) ((struct cudaMemLocation *)(location))

/* An address that the runtime has put at p, if all went well. */
static cudaError_t address_of(cudaError_t error, void *const *p, CUdeviceptr *ret)
{
	if (!error)
		*ret = (uintptr_t)*p;
	return error;
}

/* ---- pools -------------------------------------------------------------------------- */

SAME(cuMemPoolCreate, (CUmemoryPool * ret, const CUmemPoolProps *props),
     cudaMemPoolCreate(ret, (const struct cudaMemPoolProps *)props))
SAME(cuMemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc *list, size_t n),
     cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)list, n))
SAME(cuMemPoolGetAccess, (CUmemAccess_flags * flags, CUmemoryPool pool, CUmemLocation *location),
     cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, pool, LOCATION(location)))
SAME(cuMemGetDefaultMemPool,
     (CUmemoryPool * ret, CUmemLocation *location, CUmemAllocationType type),
     cudaMemGetDefaultMemPool(ret, LOCATION(location), (enum cudaMemAllocationType)type))
SAME(cuMemGetMemPool, (CUmemoryPool * ret, CUmemLocation *location, CUmemAllocationType type),
     cudaMemGetMemPool(ret, LOCATION(location), (enum cudaMemAllocationType)type))
SAME(cuMemSetMemPool, (CUmemLocation * location, CUmemAllocationType type, CUmemoryPool pool),
     cudaMemSetMemPool(LOCATION(location), (enum cudaMemAllocationType)type, pool))

static cudaError_t alloc_from(CUdeviceptr *ret, size_t n, CUmemoryPool pool, CUstream s)
{
	void *p = NULL;
	return address_of(ret ? cudaMallocFromPoolAsync(&p, n, pool, s) : cudaErrorInvalidValue, &p,
			  ret);
}
SAME(cuMemAllocFromPoolAsync, (CUdeviceptr * ret, size_t n, CUmemoryPool pool, CUstream s),
     alloc_from(ret, n, pool, s))

/* ---- for other processes --------------------------------------------------------------- */

/* The runtime has fewer bits of flags, and there are none. */
static cudaError_t export_pool(void *ret, CUmemoryPool pool, CUmemAllocationHandleType type,
			       unsigned long long flags)
{
	return flags ? cudaErrorInvalidValue
		     : cudaMemPoolExportToShareableHandle(
			       ret, pool, (enum cudaMemAllocationHandleType)type, 0);
}
SAME(cuMemPoolExportToShareableHandle,
     (void *ret, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags),
     export_pool(ret, pool, type, flags))

static cudaError_t import_pool(CUmemoryPool *ret, void *handle, CUmemAllocationHandleType type,
			       unsigned long long flags)
{
	return flags ? cudaErrorInvalidValue
		     : cudaMemPoolImportFromShareableHandle(
			       ret, handle, (enum cudaMemAllocationHandleType)type, 0);
}
SAME(cuMemPoolImportFromShareableHandle,
     (CUmemoryPool * ret, void *handle, CUmemAllocationHandleType type, unsigned long long flags),
     import_pool(ret, handle, type, flags))

SAME(cuMemPoolExportPointer, (CUmemPoolPtrExportData * ret, CUdeviceptr p),
     cudaMemPoolExportPointer((struct cudaMemPoolPtrExportData *)ret, DEVICE(p)))

static cudaError_t import_pointer(CUdeviceptr *ret, CUmemoryPool pool, CUmemPoolPtrExportData *data)
{
	void *p = NULL;
	return address_of(
		ret ? cudaMemPoolImportPointer(&p, pool, (struct cudaMemPoolPtrExportData *)data)
		    : cudaErrorInvalidValue,
		&p, ret);
}
SAME(cuMemPoolImportPointer, (CUdeviceptr * ret, CUmemoryPool pool, CUmemPoolPtrExportData *data),
     import_pointer(ret, pool, data))

SAME(cuIpcGetMemHandle, (CUipcMemHandle * ret, CUdeviceptr p),
     cudaIpcGetMemHandle((cudaIpcMemHandle_t *)ret, DEVICE(p)))

static cudaError_t open_memory(CUdeviceptr *ret, CUipcMemHandle handle, unsigned flags)
{
	union {
		CUipcMemHandle driver;
		cudaIpcMemHandle_t runtime;
	} both = {.driver = handle};
	void *p = NULL;
	return address_of(ret ? cudaIpcOpenMemHandle(&p, both.runtime, flags)
			      : cudaErrorInvalidValue,
			  &p, ret);
}
SAME(cuIpcOpenMemHandle, (CUdeviceptr * ret, CUipcMemHandle handle, unsigned flags),
     open_memory(ret, handle, flags))
SAME(cuIpcCloseMemHandle, (CUdeviceptr p), cudaIpcCloseMemHandle(DEVICE(p)))

SAME(cuIpcGetEventHandle, (CUipcEventHandle * ret, CUevent event),
     cudaIpcGetEventHandle((cudaIpcEventHandle_t *)ret, event))

static cudaError_t open_event(CUevent *ret, CUipcEventHandle handle)
{
	union {
		CUipcEventHandle driver;
		cudaIpcEventHandle_t runtime;
	} both = {.driver = handle};
	return cudaIpcOpenEventHandle(ret, both.runtime);
}
SAME(cuIpcOpenEventHandle, (CUevent * ret, CUipcEventHandle handle), open_event(ret, handle))
