/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c - devices, the primary context and linear memory of the driver API (libcuda). A
 * context is its device; error codes are the runtime's, as in CUDA. What no file here defines is
 * a stub (stubs.c) that says so and returns CUDA_ERROR_NOT_SUPPORTED. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "profile.h"

/* cuda.h would declare the other functions with types that the stubs do not have. */
typedef int CUdevice;
typedef cudaError_t CUresult;
typedef struct device *CUcontext;
typedef unsigned long long CUdeviceptr;

#define EXPORTED(declaration)                                                          \
	API_EXPORT CUresult declaration;                                               \
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
#define X(code, name)                                                                  \
	case code:                                                                     \
		*ret = #name;                                                          \
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
	for (int i = 0; i < device_count(); i++)
		if (device_get(i) == context)
			return context;
	return NULL;
}

static cudaError_t use(CUcontext context)
{
	return context ? cudaSetDevice((int)context->ordinal) : cudaErrorInvalidValue;
}

static cudaError_t primary(CUcontext *ret, CUdevice device)
{
	cudaError_t error = ret ? check(device) : cudaErrorInvalidValue;
	if (!error)
		error = (cudaError_t)device_activate(device_get(device));
	if (!error)
		*ret = device_get(device);
	return error;
}

EXPORTED(cuDevicePrimaryCtxRetain(CUcontext *ret, CUdevice device))
{
	API_BEGIN;
	return API_END(primary(ret, device));
}

EXPORTED(cuDevicePrimaryCtxRelease_v2(CUdevice device))
{
	API_BEGIN;
	return API_END(check(device));
}

/* Every context of a device is its primary one. */
EXPORTED(cuCtxCreate_v4(CUcontext *ret, void *params, unsigned flags, CUdevice device))
{
	API_BEGIN;
	(void)flags;
	if (params)
		return API_END(api_unsupported("cuCtxCreate with parameters"));
	cudaError_t error = primary(ret, device);
	return API_END(error ? error : use(*ret));
}

EXPORTED(cuCtxDestroy_v2(CUcontext context))
{
	API_BEGIN;
	return API_END(context ? cudaSuccess : cudaErrorInvalidValue);
}

EXPORTED(cuCtxGetCurrent(CUcontext *ret))
{
	API_BEGIN;
	if (!ret)
		return API_END(cudaErrorInvalidValue);
	*ret = device_count() && atomic_load(&device_current()->active) ? device_current() : NULL;
	return API_END(device_count() ? cudaSuccess : check(0));
}

EXPORTED(cuCtxSetCurrent(CUcontext context))
{
	API_BEGIN;
	return API_END(context ? use(context) : cudaSuccess);
}

EXPORTED(cuCtxPushCurrent_v2(CUcontext context))
{
	API_BEGIN;
	return API_END(use(context));
}

EXPORTED(cuCtxPopCurrent_v2(CUcontext *ret))
{
	API_BEGIN;
	if (ret)
		*ret = device_count() ? device_current() : NULL;
	return API_END(check(0));
}

EXPORTED(cuCtxGetDevice(CUdevice *ret))
{
	API_BEGIN;
	return API_END(cudaGetDevice(ret));
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
