/* SPDX-License-Identifier: Apache-2.0 */
/* driver_memory.c - the driver's memory beyond what driver.c has: pinned, managed and
 * stream-ordered memory, copies and sets, and what an address is. */
#include "driver_api.h"

#include "context.h"

#include "cudasim/abi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "copy_submit.h"
#include "memory.h"
#include "pool.h"

/* ---- allocating ------------------------------------------------------------------- */

/* p: where the call has put the address, if it was one that went well. */
static CUresult allocated(cudaError_t error, CUdeviceptr *ret, void *const *p)
{
	if (!error)
		*ret = (CUdeviceptr)(uintptr_t)*p;
	return (CUresult)error;
}

static CUresult call_cuMemAllocPitch(CUdeviceptr *ret, size_t *pitch, size_t width, size_t height,
				     unsigned element)
{
	void *p = NULL;
	if (!ret || !pitch || !width || !height || (element != 4 && element != 8 && element != 16))
		return CUDA_ERROR_INVALID_VALUE;
	return allocated(cudaMallocPitch(&p, pitch, width, height), ret, &p);
}
SAME(cuMemAllocPitch,
     (CUdeviceptr * ret, size_t *pitch, size_t width, size_t height, unsigned element),
     call_cuMemAllocPitch(ret, pitch, width, height, element))

static CUresult call_cuMemAllocManaged(CUdeviceptr *ret, size_t n, unsigned flags)
{
	void *p = NULL;
	if (!ret || !n)
		return CUDA_ERROR_INVALID_VALUE;
	return allocated(cudaMallocManaged(&p, n, flags), ret, &p);
}
SAME(cuMemAllocManaged, (CUdeviceptr * ret, size_t n, unsigned flags),
     call_cuMemAllocManaged(ret, n, flags))

static CUresult call_cuMemAllocAsync(CUdeviceptr *ret, size_t n, CUstream s)
{
	void *p = NULL;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	return allocated(cudaMallocAsync(&p, n, s), ret, &p);
}
SAME(cuMemAllocAsync, (CUdeviceptr * ret, size_t n, CUstream s), call_cuMemAllocAsync(ret, n, s))

SAME(cuMemFreeAsync, (CUdeviceptr p, CUstream s), cudaFreeAsync(DEVICE(p), s))
SAME(cuMemAllocHost, (void **p, size_t n), cudaMallocHost(p, n))
SAME(cuMemHostAlloc, (void **p, size_t n, unsigned flags), cudaHostAlloc(p, n, flags))
SAME(cuMemFreeHost, (void *p), cudaFreeHost(p))
SAME(cuMemHostRegister, (void *p, size_t n, unsigned flags), cudaHostRegister(p, n, flags))
SAME(cuMemHostUnregister, (void *p), cudaHostUnregister(p))
SAME(cuMemHostGetFlags, (unsigned *flags, void *p), cudaHostGetFlags(flags, p))

CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *ret, void *host, unsigned flags)
{
	API_BEGIN;
	void *p = NULL;
	cudaError_t error = ret ? cudaHostGetDevicePointer(&p, host, flags) : cudaErrorInvalidValue;
	return (CUresult)API_END((cudaError_t)allocated(error, ret, &p));
}

/* ---- copies ------------------------------------------------------------------------ */

SAME(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t n),
     cudaMemcpy(DEVICE(to), DEVICE(from), n, cudaMemcpyDefault))
SAME(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s),
     cudaMemcpyAsync(DEVICE(to), DEVICE(from), n, cudaMemcpyDefault, s))
SAME(cuMemcpyHtoDAsync, (CUdeviceptr to, const void *from, size_t n, CUstream s),
     cudaMemcpyAsync(DEVICE(to), from, n, cudaMemcpyHostToDevice, s))
SAME(cuMemcpyDtoHAsync, (void *to, CUdeviceptr from, size_t n, CUstream s),
     cudaMemcpyAsync(to, DEVICE(from), n, cudaMemcpyDeviceToHost, s))
SAME(cuMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s),
     cudaMemcpyAsync(DEVICE(to), DEVICE(from), n, cudaMemcpyDeviceToDevice, s))

/* -1 where it is none. */
static int ordinal_of(CUcontext context)
{
	const struct device *device = driver_device_of(context);
	return device ? (int)device->ordinal : -1;
}

static CUresult call_cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
				  CUcontext from_context, size_t n)
{
	if (!to_context || !from_context)
		return CUDA_ERROR_INVALID_CONTEXT;
	return (CUresult)cudaMemcpyPeer(DEVICE(to), ordinal_of(to_context), DEVICE(from),
					ordinal_of(from_context), n);
}
SAME(cuMemcpyPeer,
     (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n),
     call_cuMemcpyPeer(to, to_context, from, from_context, n))

static CUresult call_cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
				       CUcontext from_context, size_t n, CUstream s)
{
	if (!to_context || !from_context)
		return CUDA_ERROR_INVALID_CONTEXT;
	return (CUresult)cudaMemcpyPeerAsync(DEVICE(to), ordinal_of(to_context), DEVICE(from),
					     ordinal_of(from_context), n, s);
}
SAME(cuMemcpyPeerAsync,
     (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n,
      CUstream s),
     call_cuMemcpyPeerAsync(to, to_context, from, from_context, n, s))

/* ---- sets --------------------------------------------------------------------------- */

static cudaError_t set(struct cudasim_copy what, unsigned value, unsigned bytes, CUstream stream)
{
	if (what.width && what.height &&
	    ((uintptr_t)what.to % bytes || (what.height > 1 && what.to_pitch % bytes)))
		return cudaErrorInvalidValue;
	what.kind = CUDASIM_SET;
	what.value = value;
	what.value_bytes = bytes;
	what.direction = cudaMemcpyDeviceToDevice;
	cudaError_t error = set_check(&what);
	return error ? error : copy_submit(stream, &what, true);
}

#define SETS(bits, type)                                                                           \
	CUresult CUDAAPI cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t n, CUstream s)  \
	{                                                                                          \
		BEGIN;                                                                             \
		return (CUresult)API_END(                                                          \
			set(copy_1d(DEVICE(to), NULL, n * (bits / 8)), value, bits / 8, s));       \
	}                                                                                          \
	CUresult CUDAAPI cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value,        \
						  size_t width, size_t height, CUstream s)         \
	{                                                                                          \
		BEGIN;                                                                             \
		return (CUresult)API_END(                                                          \
			set(copy_2d(DEVICE(to), pitch, NULL, 0, width * (bits / 8), height),       \
			    value, bits / 8, s));                                                  \
	}                                                                                          \
	CUresult CUDAAPI cuMemsetD2D##bits(CUdeviceptr to, size_t pitch, type value, size_t width, \
					   size_t height)                                          \
	{                                                                                          \
		return cuMemsetD2D##bits##Async(to, pitch, value, width, height, 0);               \
	}
#define BEGIN                                                                                      \
	API_BEGIN;                                                                                 \
	do {                                                                                       \
		cudaError_t error_ = api_context();                                                \
		if (error_)                                                                        \
			return (CUresult)API_END(error_);                                          \
	} while (0)
SETS(8, unsigned char)
SETS(16, unsigned short)
SETS(32, unsigned)
SAME(cuMemsetD16, (CUdeviceptr to, unsigned short v, size_t n), cuMemsetD16Async(to, v, n, 0))
SAME(cuMemsetD32, (CUdeviceptr to, unsigned v, size_t n), cuMemsetD32Async(to, v, n, 0))

/* ---- what an address is ---------------------------------------------------------------- */

CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	struct allocation a;
	BEGIN;
	if (!memory_lookup(DEVICE(address), &a) || a.kind == CUDASIM_MEMORY_HEAP ||
	    pool_forbids_memory(&a))
		return (CUresult)API_END((cudaError_t)CUDA_ERROR_NOT_FOUND);
	if (base)
		*base = a.range.start;
	if (size)
		*size = a.range.end - a.range.start;
	return (CUresult)API_END(cudaSuccess);
}

/* Allocations for which CU_POINTER_ATTRIBUTE_SYNC_MEMOPS is set. Copies of the simulator never
 * return before what is promised of them, so it is only remembered. */
static pthread_mutex_t sync_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t *sync_ids;
static size_t n_sync;

static bool sync_has(uint64_t id)
{
	bool has = false;
	pthread_mutex_lock(&sync_lock);
	for (size_t i = 0; i < n_sync && !has; i++)
		has = sync_ids[i] == id;
	pthread_mutex_unlock(&sync_lock);
	return has;
}

static cudaError_t sync_set(uint64_t id, bool set)
{
	cudaError_t error = cudaSuccess;
	pthread_mutex_lock(&sync_lock);
	for (size_t i = 0; i < n_sync; i++)
		if (sync_ids[i] == id)
			sync_ids[i--] = sync_ids[--n_sync];
	uint64_t *list = set ? realloc(sync_ids, (n_sync + 1) * sizeof *list) : NULL;
	if (list) {
		sync_ids = list;
		sync_ids[n_sync++] = id;
	} else if (set) {
		error = cudaErrorMemoryAllocation;
	}
	pthread_mutex_unlock(&sync_lock);
	return error;
}

/* A variable is an allocation of its own to the driver, and a module's are one here. */
static struct allocation alone(const struct allocation *a, uintptr_t address)
{
	struct allocation ret = *a;
	if (a->kind != CUDASIM_MEMORY_VARIABLE || !a->module)
		return ret;
	for (uint64_t i = 0; i < a->module->n_variables; i++) {
		const struct cudasim_variable *v = &a->module->variables[i];
		if (address - a->range.start - v->offset >= v->size)
			continue;
		ret.range.start = a->range.start + v->offset;
		ret.range.end = ret.range.start + v->size;
		ret.id = ret.range.start; /* no other allocation has it */
	}
	return ret;
}

/* Attributes that are 0 or 1. False: it is another one. */
static bool flag(CUpointer_attribute which, const struct allocation *a, unsigned *ret)
{
	bool managed = a->kind == CUDASIM_MEMORY_MANAGED;
	switch (which) {
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*ret = managed;
		return true;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*ret = 1;
		return true;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
		*ret = managed || sync_has(a->id);
		return true;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		*ret = a->kind == CUDASIM_MEMORY_DEVICE && !a->pool && !a->held && !a->imported;
		return true;
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		*ret = a->kind == CUDASIM_MEMORY_DEVICE && !a->pool;
		return true;
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
		*ret = a->kind == CUDASIM_MEMORY_DEVICE && !a->pool;
		return true;
	default:
		return false;
	}
}

static cudaError_t attribute(void *to, CUpointer_attribute which, const struct allocation *a,
			     uintptr_t address)
{
	const struct allocation own = alone(a, address);
	a = &own;
	bool host = a->kind == CUDASIM_MEMORY_HOST || a->kind == CUDASIM_MEMORY_REGISTERED;
	bool managed = a->kind == CUDASIM_MEMORY_MANAGED;
	unsigned is;
	if (flag(which, a, &is)) {
		*(unsigned *)to = is;
		return cudaSuccess;
	}
	switch (which) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		/* Pools and managed variables are no context's. */
		*(CUcontext *)to = a->pool || (managed && a->module) ? NULL
				   : a->context                      ? (CUcontext)a->context
								     : (CUcontext)context_primary(
                                                          a->device < 0 ? device_current()
                                                                        : device_get(a->device));
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)to = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		if (pool_forbids_memory(a))
			return cudaErrorInvalidValue;
		*(CUdeviceptr *)to = address;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (!host && !managed)
			return cudaErrorInvalidValue;
		*(void **)to = (void *)address;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		*(unsigned long long *)to = a->id;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)to = a->device < 0 ? (int)device_current()->ordinal : a->device;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)to = a->kind == CUDASIM_MEMORY_HOST && a->pool ? 0 : a->range.start;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)to = a->range.end - a->range.start;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		*(unsigned long long *)to = 0;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(unsigned *)to = a->kind == CUDASIM_MEMORY_REGISTERED &&
						  a->flags & cudaHostRegisterReadOnly
					  ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
					  : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(CUmemoryPool *)to = a->pool;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
		*(size_t *)to = a->range.end - a->range.start;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
		*(CUdeviceptr *)to = a->range.start;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
		*(unsigned long long *)to = a->id;
		return cudaSuccess;
	case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
		return api_unsupported("this attribute of cuPointerGetAttribute");
	default:
		return cudaErrorInvalidValue;
	}
}

CUresult CUDAAPI cuPointerGetAttribute(void *to, CUpointer_attribute which, CUdeviceptr address)
{
	struct allocation a;
	BEGIN;
	if (!to || !memory_lookup(DEVICE(address), &a))
		return (CUresult)API_END(cudaErrorInvalidValue);
	return (CUresult)API_END(attribute(to, which, &a, (uintptr_t)address));
}

/* Of what is nobody's memory everything is 0, but the device and the host's address; a range is
 * not told at all. */
static cudaError_t unknown(void *to, CUpointer_attribute which, bool known, CUdeviceptr address)
{
	static const unsigned char sizes[] = {
		[CU_POINTER_ATTRIBUTE_CONTEXT] = sizeof(CUcontext),
		[CU_POINTER_ATTRIBUTE_MEMORY_TYPE] = sizeof(unsigned),
		[CU_POINTER_ATTRIBUTE_DEVICE_POINTER] = sizeof(CUdeviceptr),
		[CU_POINTER_ATTRIBUTE_HOST_POINTER] = sizeof(void *),
		[CU_POINTER_ATTRIBUTE_SYNC_MEMOPS] = sizeof(unsigned),
		[CU_POINTER_ATTRIBUTE_BUFFER_ID] = sizeof(unsigned long long),
		[CU_POINTER_ATTRIBUTE_IS_MANAGED] = sizeof(unsigned),
		[CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL] = sizeof(int),
		[CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE] = sizeof(unsigned),
		[CU_POINTER_ATTRIBUTE_MAPPED] = sizeof(unsigned),
		[CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES] = sizeof(unsigned long long),
		[CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE] = sizeof(unsigned),
		[CU_POINTER_ATTRIBUTE_ACCESS_FLAGS] = sizeof(unsigned),
		[CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE] = sizeof(CUmemoryPool),
		[CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE] = sizeof(unsigned),
	};
	if (which == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
	    which == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
		return cudaSuccess;
	if ((unsigned)which >= sizeof sizes || !sizes[which])
		return cudaErrorInvalidValue;
	if (which == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
		*(int *)to = CU_DEVICE_INVALID;
	else if (which == CU_POINTER_ATTRIBUTE_HOST_POINTER && !known)
		*(void **)to = DEVICE(address);
	else
		memset(to, 0, sizes[which]);
	return cudaSuccess;
}

CUresult CUDAAPI cuPointerGetAttributes(unsigned n, CUpointer_attribute *which, void **to,
					CUdeviceptr address)
{
	struct allocation a;
	BEGIN;
	cudaError_t error = n && which && to ? cudaSuccess : cudaErrorInvalidValue;
	bool known = memory_lookup(DEVICE(address), &a);
	for (unsigned i = 0; i < n && !error; i++) {
		error = to[i] ? cudaSuccess : cudaErrorInvalidValue;
		/* What one of them does not have is 0, and no error. */
		if (!error && (!known || attribute(to[i], which[i], &a, (uintptr_t)address)))
			error = unknown(to[i], which[i], known, address);
	}
	return (CUresult)API_END(error);
}

CUresult CUDAAPI cuPointerSetAttribute(const void *value, CUpointer_attribute which,
				       CUdeviceptr address)
{
	struct allocation a;
	BEGIN;
	if (!value || which != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
	    !memory_lookup(DEVICE(address), &a))
		return (CUresult)API_END(cudaErrorInvalidValue);
	return (CUresult)API_END(sync_set(a.id, *(const unsigned *)value));
}
