/* SPDX-License-Identifier: Apache-2.0 */
/* malloc.c - device, pinned, managed and registered memory. */
#include <stdatomic.h>
#include <stdlib.h>

#include "api.h"
#include "arena.h"
#include "graph_memory.h"
#include "ipc.h"
#include "memory.h"
#include "pool.h"

/* Rows of pitched memory begin at multiples of this, in bytes. */
enum { PITCH = 512 };

enum {
	DEVICE_KIND = 1u << CUDASIM_MEMORY_DEVICE | 1u << CUDASIM_MEMORY_MANAGED,
	HOST_KIND = 1u << CUDASIM_MEMORY_HOST,
};

static cudaError_t allocate(enum cudasim_memory_kind kind, size_t size, unsigned flags, void **ret)
{
	struct allocation what = {
		.kind = kind,
		.device = (int)device_current()->ordinal,
		.flags = flags,
		.function = api_name(),
	};
	if (!ret)
		return cudaErrorInvalidValue;
	*ret = NULL;
	return size ? memory_alloc(&what, size, ret) : cudaSuccess;
}

cudaError_t cudaMalloc(void **ptr, size_t size)
{
	API_BEGIN_UNSAFE;
	return API_END(allocate(CUDASIM_MEMORY_DEVICE, size, 0, ptr));
}

static cudaError_t allocate_pitched(void **ptr, size_t *pitch, size_t width, size_t rows)
{
	size_t size;
	if (!ptr || !pitch)
		return cudaErrorInvalidValue;
	*pitch = rows ? (width + PITCH - 1) / PITCH * PITCH : 0;
	if (width > SIZE_MAX - PITCH || __builtin_mul_overflow(*pitch, rows, &size))
		return cudaErrorMemoryAllocation;
	return allocate(CUDASIM_MEMORY_DEVICE, size, 0, ptr);
}

cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
	API_BEGIN_UNSAFE;
	return API_END(allocate_pitched(ptr, pitch, width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *ptr, struct cudaExtent extent)
{
	API_BEGIN_UNSAFE;
	size_t rows;
	if (!ptr)
		return API_END(cudaErrorInvalidValue);
	if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
		return API_END(cudaErrorMemoryAllocation);
	ptr->xsize = extent.width;
	ptr->ysize = extent.height;
	return API_END(allocate_pitched(&ptr->ptr, &ptr->pitch, extent.width, rows));
}

cudaError_t cudaMallocManaged(void **ptr, size_t size, unsigned flags)
{
	API_BEGIN_UNSAFE;
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
		return API_END(cudaErrorInvalidValue);
	return API_END(allocate(CUDASIM_MEMORY_MANAGED, size, flags, ptr));
}

/* Work in flight may still use the memory: CUDA waits, too. */
cudaError_t cudaFree(void *ptr)
{
	API_BEGIN_UNSAFE;
	if (!ptr)
		return API_END(cudaSuccess);
	struct allocation a;
	if (memory_lookup(ptr, &a) && a.kind == CUDASIM_MEMORY_DEVICE)
		device_wait(device_get(a.device), 0);
	else
		device_wait(device_current(), 0);
	cudaError_t error = api_synchronized(device_current());
	const bool pooled = memory_lookup(ptr, &a) && a.pool;
	if (!error && pooled && a.imported)
		return API_END(ipc_close_memory(ptr));
	if (!error)
		error = memory_free(ptr, pooled ? DEVICE_KIND | HOST_KIND : DEVICE_KIND, __func__);
	if (!error && pooled)
		pool_shrink_late((struct pool *)a.pool, a.range.end - a.range.start);
	if (!error)
		graph_memory_freed(ptr);
	return API_END(error);
}

/* ---- host memory -------------------------------------------------------------- */

/* Small pinned allocations share pieces with others that are write-combined as they are, or are
 * not, and a piece is as portable as its first allocation: so an H200 tells. */
static unsigned shared_flags(size_t size, unsigned flags)
{
	static atomic_int portable[2]; /* by whether it is write-combined: 0 nobody, 1 no, 2 yes */
	atomic_int *piece = &portable[(flags & cudaHostAllocWriteCombined) != 0];
	int none = 0, own = flags & cudaHostAllocPortable ? 2 : 1;
	if (size <= ARENA_SMALL && !atomic_compare_exchange_strong(piece, &none, own))
		own = none;
	flags &= ~(unsigned)cudaHostAllocPortable;
	return own == 2 ? flags | cudaHostAllocPortable : flags;
}

static cudaError_t allocate_host(void **ptr, size_t size, unsigned flags)
{
	const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped |
			       cudaHostAllocWriteCombined;
	if (flags & ~known)
		return cudaErrorInvalidValue;
	return allocate(CUDASIM_MEMORY_HOST, size, size ? shared_flags(size, flags) : flags, ptr);
}

cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned flags)
{
	API_BEGIN_UNSAFE;
	return API_END(allocate_host(ptr, size, flags));
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
	API_BEGIN_UNSAFE;
	return API_END(allocate_host(ptr, size, cudaHostAllocDefault));
}

cudaError_t cudaFreeHost(void *ptr)
{
	API_BEGIN_UNSAFE;
	if (!ptr)
		return API_END(cudaSuccess);
	device_wait(device_current(), 0);
	struct allocation a;
	const bool pooled = memory_lookup(ptr, &a) && a.pool;
	return API_END(memory_free(ptr, pooled ? 0 : HOST_KIND, __func__));
}

static cudaError_t register_host(void *ptr, size_t size, unsigned flags)
{
	const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
			       cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
	/* There is no memory of other devices here. */
	if (!ptr || !size || flags & ~known || flags & cudaHostRegisterIoMemory ||
	    (uintptr_t)ptr > UINTPTR_MAX - size)
		return cudaErrorInvalidValue;
	struct allocation what = {
		.kind = CUDASIM_MEMORY_REGISTERED,
		.device = (int)device_current()->ordinal,
		.flags = flags,
		.function = api_name(),
	};
	struct allocation a;
	if (memory_lookup(ptr, &a) && a.kind != CUDASIM_MEMORY_REGISTERED)
		return cudaErrorInvalidValue; /* CUDA's own */
	return memory_add(&what, ptr, size) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags)
{
	API_BEGIN_UNSAFE;
	return API_END(register_host(ptr, size, flags));
}

cudaError_t cudaHostUnregister(void *ptr)
{
	API_BEGIN_UNSAFE;
	if (!ptr)
		return API_END(cudaErrorInvalidValue);
	device_wait(device_current(), 0);
	if (memory_forget(ptr, CUDASIM_MEMORY_REGISTERED, __func__))
		return API_END(cudaSuccess);
	struct allocation a;
	return API_END(memory_lookup(ptr, &a) ? cudaErrorInvalidValue
					      : cudaErrorHostMemoryNotRegistered);
}

static bool is_host(const void *ptr, struct allocation *a)
{
	return memory_lookup(ptr, a) && !a->pool &&
	       (a->kind == CUDASIM_MEMORY_HOST || a->kind == CUDASIM_MEMORY_REGISTERED);
}

cudaError_t cudaHostGetDevicePointer(void **ret, void *ptr, unsigned flags)
{
	API_BEGIN_CONTEXT;
	struct allocation a;
	if (ret)
		*ret = NULL;
	if (!ret || flags || !is_host(ptr, &a))
		return API_END(cudaErrorInvalidValue);
	*ret = ptr; /* unified addressing */
	return API_END(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *ptr)
{
	API_BEGIN_CONTEXT;
	struct allocation a;
	if (!flags || !memory_lookup(ptr, &a) || a.pool)
		return API_END(cudaErrorInvalidValue);
	/* All pinned memory is mapped on devices with unified addressing. */
	switch (a.kind) {
	case CUDASIM_MEMORY_HOST:
		*flags = cudaHostAllocMapped | a.flags;
		return API_END(cudaSuccess);
	case CUDASIM_MEMORY_REGISTERED:
		*flags = cudaHostRegisterMapped | (a.flags & cudaHostRegisterPortable);
		return API_END(cudaSuccess);
	case CUDASIM_MEMORY_MANAGED:
		*flags = cudaHostAllocMapped;
		return API_END(cudaSuccess);
	default:
		return API_END(cudaErrorInvalidValue);
	}
}

/* ---- asking -------------------------------------------------------------------- */

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
	API_BEGIN_CONTEXT;
	if (available)
		*available = memory_available(device_current());
	if (total)
		*total = device_current()->memory_bytes;
	return API_END(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *ret, const void *ptr)
{
	API_BEGIN;
	cudaError_t error = api_is_dead() ? cudaSuccess : api_context();
	if (error)
		return API_END(error);
	struct allocation a;
	void *address = (void *)(uintptr_t)ptr;
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	*ret = (struct cudaPointerAttributes){
		.type = cudaMemoryTypeUnregistered,
		.device = -2,
		.hostPointer = address,
	};
	if (!memory_lookup(ptr, &a) || a.kind == CUDASIM_MEMORY_HEAP || (a.held && !a.out))
		return API_END(cudaSuccess);
	ret->type = memory_type(a.kind);
	ret->device = a.device;
	ret->devicePointer = pool_forbids_memory(&a) ? NULL : address;
	ret->hostPointer = ret->type == cudaMemoryTypeDevice ? NULL : address;
	return API_END(cudaSuccess);
}
