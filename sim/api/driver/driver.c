/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c - devices, the primary context and linear memory of the driver API (libcuda). A
 * context is its device; error codes are the runtime's, as in CUDA. What no file here defines is
 * a stub (stubs.c) that says so and returns CUDA_ERROR_NOT_SUPPORTED. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "activate.h"
#include "context.h"
#include "memory.h"
#include "profile.h"

/* cuda.h would declare the other functions with types that the stubs do not have. */
typedef int CUdevice;
typedef cudaError_t CUresult;
typedef struct context *CUcontext;
typedef unsigned long long CUdeviceptr;

#define EXPORTED(declaration)                                                                      \
	API_EXPORT CUresult declaration;                                                           \
	CUresult declaration

static cudaError_t check(CUdevice device)
{
	int n = 0;
	cudaError_t error = cudaGetDeviceCount(&n);
	return error ? error : device >= 0 && device < n ? cudaSuccess : cudaErrorInvalidDevice;
}

static void *pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

/* ---- start, errors --------------------------------------------------------------- */

EXPORTED(cuInit(unsigned flags))
{
	API_BEGIN;
	if (!flags)
		context_start();
	return API_END(flags ? cudaErrorInvalidValue : check(0));
}

EXPORTED(cuDriverGetVersion(int *version))
{
	API_BEGIN;
	return API_END(cudaDriverGetVersion(version));
}

EXPORTED(cuGetErrorName(CUresult error, const char **ret))
{
	if (!ret)
		return cudaErrorInvalidValue;
	switch ((int)error) {
#define X(code, name)                                                                              \
	case code:                                                                                 \
		*ret = #name;                                                                      \
		return cudaSuccess;
#include "driver_errors.def"
#undef X
	default:
		*ret = NULL;
		return cudaErrorInvalidValue;
	}
}

EXPORTED(cuGetErrorString(CUresult error, const char **ret))
{
	CUresult result = cuGetErrorName(error, ret);
	if (!result)
		*ret = cudaGetErrorString(error);
	return result;
}

/* ---- devices ---------------------------------------------------------------------- */

EXPORTED(cuDeviceGetCount(int *n))
{
	API_BEGIN;
	if (!n)
		return API_END(cudaErrorInvalidValue);
	*n = 0;
	cudaError_t error = cudaGetDeviceCount(n);
	return API_END(error == cudaErrorNoDevice ? cudaSuccess : error);
}

EXPORTED(cuDeviceGet(CUdevice *ret, int ordinal))
{
	API_BEGIN;
	cudaError_t error = ret ? check(ordinal) : cudaErrorInvalidValue;
	if (!error)
		*ret = ordinal;
	return API_END(error);
}

EXPORTED(cuDeviceGetName(char *to, int length, CUdevice device))
{
	API_BEGIN;
	cudaError_t error = to && length > 0 ? check(device) : cudaErrorInvalidValue;
	if (!error)
		snprintf(to, (size_t)length, "%s", device_get(device)->profile->name);
	return API_END(error);
}

static cudaError_t uuid(void *to, CUdevice device)
{
	struct cudaDeviceProp p;
	cudaError_t error = to ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
	if (!error)
		memcpy(to, &p.uuid, sizeof p.uuid);
	return error;
}

EXPORTED(cuDeviceGetUuid_v2(void *to, CUdevice device))
{
	API_BEGIN;
	return API_END(uuid(to, device));
}

EXPORTED(cuDeviceTotalMem_v2(size_t *ret, CUdevice device))
{
	API_BEGIN;
	cudaError_t error = ret ? check(device) : cudaErrorInvalidValue;
	if (!error)
		*ret = device_get(device)->memory_bytes;
	return API_END(error);
}

/* The attributes have the runtime's numbers. */
EXPORTED(cuDeviceGetAttribute(int *ret, int attribute, CUdevice device))
{
	API_BEGIN;
	return API_END(cudaDeviceGetAttribute(ret, (enum cudaDeviceAttr)attribute, device));
}

EXPORTED(cuDeviceComputeCapability(int *major, int *minor, CUdevice device))
{
	API_BEGIN;
	cudaError_t error = major && minor ? check(device) : cudaErrorInvalidValue;
	if (!error) {
		*major = device_get(device)->profile->major;
		*minor = device_get(device)->profile->minor;
	}
	return API_END(error);
}

EXPORTED(cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer))
{
	API_BEGIN;
	return API_END(cudaDeviceCanAccessPeer(can, device, peer));
}

EXPORTED(cuDeviceGetPCIBusId(char *to, int length, CUdevice device))
{
	API_BEGIN;
	return API_END(cudaDeviceGetPCIBusId(to, length, device));
}

/* ---- contexts ----------------------------------------------------------------------- */

/* driver_api.h */
struct device *driver_device_of(CUcontext context);
struct device *driver_device_of(CUcontext context)
{
	struct context *c = context_find(context);
	return c && context_lives(c) ? c->device : NULL;
}

static cudaError_t primary(CUcontext *ret, CUdevice device)
{
	cudaError_t error = check(device);
	if (!error && !ret)
		error = cudaErrorInvalidValue;
	if (!error)
		error = (cudaError_t)device_activate(device_get(device));
	if (error)
		return error;
	*ret = context_primary(device_get(device));
	atomic_fetch_add(&(*ret)->refs, 1);
	return cudaSuccess;
}

/* It does not become current. */
EXPORTED(cuDevicePrimaryCtxRetain(CUcontext *ret, CUdevice device))
{
	API_BEGIN;
	return API_END(primary(ret, device));
}

/* Who lets the last reference go ends the context: its memory goes, and who has it current is
 * told so. */
static cudaError_t release(CUdevice device)
{
	cudaError_t error = check(device);
	if (error)
		return error;
	struct context *c = context_primary(device_get(device));
	int refs = atomic_load(&c->refs);
	do {
		if (refs <= 0)
			return cudaErrorDeviceUninitialized;
	} while (!atomic_compare_exchange_weak(&c->refs, &refs, refs - 1));
	if (refs > 1)
		return cudaSuccess;
	int before = (int)device_current()->ordinal;
	device_set_current(device);
	error = cudaDeviceReset();
	device_set_current(before);
	return error;
}

EXPORTED(cuDevicePrimaryCtxRelease_v2(CUdevice device))
{
	API_BEGIN;
	return API_END(release(device));
}

EXPORTED(cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active))
{
	API_BEGIN;
	cudaError_t error = check(device);
	if (!error && (!flags || !active))
		error = cudaErrorInvalidValue;
	if (error)
		return API_END(error);
	*flags = atomic_load(&device_get(device)->flags);
	*active = context_lives(context_primary(device_get(device)));
	return API_END(cudaSuccess);
}

/* CU_CTX_FLAGS_MASK */
enum { CONTEXT_FLAGS = 0xff };

/* A context beside the primary one has the same device, streams and limits. */
static cudaError_t create(CUcontext *ret, unsigned flags, CUdevice device)
{
	cudaError_t error = check(device);
	if (!error && (!ret || flags & ~(unsigned)CONTEXT_FLAGS))
		error = cudaErrorInvalidValue;
	if (!error)
		error = (cudaError_t)device_activate(device_get(device));
	if (error)
		return error;
	*ret = context_new(device_get(device), flags);
	return *ret && context_push(*ret) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* cuda.h's CUctxCreateParams. */
struct create_params {
	const void *affinity; /* of n parts of the SMs */
	int n;
	const void *graphics;
};

/* Parameters that ask for nothing are as none. A part of the SMs is MPS's alone, also on an H200. */
EXPORTED(cuCtxCreate_v4(CUcontext *ret, const struct create_params *params, unsigned flags,
			CUdevice device))
{
	API_BEGIN;
	if (params && params->graphics)
		return API_END(api_unsupported("cuCtxCreate with cigParams"));
	if (params && params->n > 0)
		return API_END(params->affinity ? cudaErrorUnsupportedExecAffinity
						: cudaErrorInvalidValue);
	return API_END(create(ret, flags, device));
}

static cudaError_t destroy(CUcontext context)
{
	if (!context_started())
		return cudaErrorInitializationError;
	if (!context)
		return cudaErrorInvalidValue;
	struct context *c = context_find(context);
	if (!c || c->primary || !context_lives(c))
		return cudaErrorDeviceUninitialized;
	device_wait(c->device, 0);
	atomic_store(&c->refs, 0);
	if (context_top() == c)
		context_pop();
	memory_drop(c);
	return cudaSuccess;
}

EXPORTED(cuCtxDestroy_v2(CUcontext context))
{
	API_BEGIN;
	return API_END(destroy(context));
}

/* One reference more of the current context, and one fewer. */
EXPORTED(cuCtxAttach(CUcontext *ret, unsigned flags))
{
	API_BEGIN;
	cudaError_t error = context_for_driver(CONTEXT_LIVE);
	if (!error && (!ret || flags))
		error = cudaErrorInvalidValue;
	if (error)
		return API_END(error);
	*ret = context_top();
	atomic_fetch_add(&(*ret)->refs, 1);
	return API_END(cudaSuccess);
}

EXPORTED(cuCtxDetach(CUcontext context))
{
	API_BEGIN;
	struct context *c = context_find(context);
	if (!c || !context_lives(c))
		return API_END(cudaErrorDeviceUninitialized);
	if (atomic_load(&c->refs) == 1 && !c->primary)
		return API_END(destroy(c));
	atomic_fetch_sub(&c->refs, 1);
	return API_END(cudaSuccess);
}

EXPORTED(cuCtxGetCurrent(CUcontext *ret))
{
	API_BEGIN;
	if (!context_started())
		return API_END(cudaErrorInitializationError);
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	*ret = context_top();
	return API_END(cudaSuccess);
}

/* Also a context that has ended can be made current; calls say then that it has. */
EXPORTED(cuCtxSetCurrent(CUcontext context))
{
	API_BEGIN;
	if (!context_started())
		return API_END(cudaErrorInitializationError);
	struct context *c = context_find(context);
	if (context && !c)
		return API_END(cudaErrorDeviceUninitialized);
	return API_END(context_set(c) ? cudaSuccess : cudaErrorMemoryAllocation);
}

EXPORTED(cuCtxPushCurrent_v2(CUcontext context))
{
	API_BEGIN;
	if (!context_started())
		return API_END(cudaErrorInitializationError);
	struct context *c = context_find(context);
	if (!c)
		return API_END(context ? cudaErrorDeviceUninitialized : cudaErrorInvalidValue);
	return API_END(context_push(c) ? cudaSuccess : cudaErrorMemoryAllocation);
}

EXPORTED(cuCtxPopCurrent_v2(CUcontext *ret))
{
	API_BEGIN;
	if (!context_started())
		return API_END(cudaErrorInitializationError);
	struct context *top = context_pop();
	if (ret && top)
		*ret = top;
	return API_END(top ? cudaSuccess : cudaErrorDeviceUninitialized);
}

EXPORTED(cuCtxGetDevice(CUdevice *ret))
{
	API_BEGIN;
	cudaError_t error = ret ? context_for_driver(CONTEXT_ANY) : cudaErrorInvalidValue;
	if (!context_started())
		error = cudaErrorInitializationError;
	if (!error)
		*ret = (CUdevice)context_top()->device->ordinal;
	return API_END(error);
}

EXPORTED(cuCtxSynchronize(void))
{
	API_BEGIN;
	return API_END(cudaDeviceSynchronize());
}

/* ---- memory -------------------------------------------------------------------------- */

EXPORTED(cuMemGetInfo_v2(size_t *available, size_t *total))
{
	API_BEGIN;
	return API_END(cudaMemGetInfo(available, total));
}

/* Unlike cudaMalloc it refuses nothing at all. */
EXPORTED(cuMemAlloc_v2(CUdeviceptr *ret, size_t size))
{
	API_BEGIN;
	void *p = NULL;
	cudaError_t error = ret && size ? cudaMalloc(&p, size) : cudaErrorInvalidValue;
	if (!error)
		*ret = (CUdeviceptr)(uintptr_t)p;
	return API_END(error);
}

EXPORTED(cuMemFree_v2(CUdeviceptr address))
{
	API_BEGIN;
	return API_END(cudaFree(pointer(address)));
}

EXPORTED(cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n))
{
	API_BEGIN;
	return API_END(cudaMemcpy(pointer(to), from, n, cudaMemcpyHostToDevice));
}

EXPORTED(cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n))
{
	API_BEGIN;
	return API_END(cudaMemcpy(to, pointer(from), n, cudaMemcpyDeviceToHost));
}

EXPORTED(cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n))
{
	API_BEGIN;
	return API_END(cudaMemcpy(pointer(to), pointer(from), n, cudaMemcpyDeviceToDevice));
}

EXPORTED(cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n))
{
	API_BEGIN;
	return API_END(cudaMemset(pointer(to), value, n));
}

EXPORTED(cuProfilerStart(void))
{
	return check(0);
}

EXPORTED(cuProfilerStop(void))
{
	return check(0);
}
