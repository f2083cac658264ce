/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c - memory of the driver API, where the program is linked with it. Errors are
 * CUresult, of which as of cudaError_t 0 alone is success. */
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop
#include <stdint.h>

#include "recorder.h"

static CUresult made(CUresult error, enum record_memory kind, CUdeviceptr address, size_t size,
		     const char *function)
{
	record_made((cudaError_t)error, kind, (void *)(uintptr_t)address, size, function);
	return error;
}

CUresult cuMemAlloc(CUdeviceptr *ret, size_t size)
{
	CUresult error = CALL(cuMemAlloc, ret, size);
	return made(error, RECORD_DEVICE, error ? 0 : *ret, size, "cuMemAlloc");
}

CUresult cuMemAllocPitch(CUdeviceptr *ret, size_t *pitch, size_t width, size_t height,
			 unsigned element)
{
	CUresult error = CALL(cuMemAllocPitch, ret, pitch, width, height, element);
	return made(error, RECORD_DEVICE, error ? 0 : *ret, error ? 0 : *pitch * height,
		    "cuMemAllocPitch");
}

CUresult cuMemAllocManaged(CUdeviceptr *ret, size_t size, unsigned flags)
{
	CUresult error = CALL(cuMemAllocManaged, ret, size, flags);
	return made(error, RECORD_MANAGED, error ? 0 : *ret, size, "cuMemAllocManaged");
}

CUresult cuMemAllocHost(void **ret, size_t size)
{
	CUresult error = CALL(cuMemAllocHost, ret, size);
	return made(error, RECORD_HOST, error ? 0 : (CUdeviceptr)(uintptr_t)*ret, size,
		    "cuMemAllocHost");
}

CUresult cuMemHostAlloc(void **ret, size_t size, unsigned flags)
{
	CUresult error = CALL(cuMemHostAlloc, ret, size, flags);
	return made(error, RECORD_HOST, error ? 0 : (CUdeviceptr)(uintptr_t)*ret, size,
		    "cuMemHostAlloc");
}

CUresult cuMemHostRegister(void *address, size_t size, unsigned flags)
{
	CUresult error = CALL(cuMemHostRegister, address, size, flags);
	record_borrowed((cudaError_t)error, address, size, "cuMemHostRegister");
	return error;
}

CUresult cuMemFree(CUdeviceptr address)
{
	record_gone((void *)(uintptr_t)address);
	return CALL(cuMemFree, address);
}

CUresult cuMemFreeHost(void *address)
{
	record_gone(address);
	return CALL(cuMemFreeHost, address);
}

CUresult cuMemHostUnregister(void *address)
{
	record_gone(address);
	return CALL(cuMemHostUnregister, address);
}
