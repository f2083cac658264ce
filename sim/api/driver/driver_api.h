/* SPDX-License-Identifier: Apache-2.0 */
/* driver_api.h - the driver API in terms of the runtime's. Streams, events, pools, graphs are the
 * same handles in both, error codes the same numbers; a function of the driver that has one of the
 * runtime with the same meaning is a call of it. */
#ifndef CUDASIM_SIM_API_DRIVER_API_H
#define CUDASIM_SIM_API_DRIVER_API_H

#include "api.h"

#include <cuda.h>

/* A CUdeviceptr as the runtime has it. */
#define DEVICE(address) ((void *)(uintptr_t)(address))
#define SAME(name, parameters, ...)                                                                \
	CUresult CUDAAPI name parameters                                                           \
	{                                                                                          \
		API_BEGIN;                                                                         \
		return (CUresult)API_END((cudaError_t)(__VA_ARGS__));                              \
	}

/* For a function that has begun with API_BEGIN: the current device is ready, or it ends. */
#define DRIVER_CONTEXT                                                                             \
	do {                                                                                       \
		cudaError_t error_ = api_context();                                                \
		if (error_)                                                                        \
			return (CUresult)API_END(error_);                                          \
	} while (0)

/* The device that the context is (driver.c); NULL where it is none. */
struct device *driver_device_of(CUcontext context);

/* What a copy in three dimensions does: arrays are the memory that they lie in.
 * cudaErrorInvalidValue, cudaErrorInvalidResourceHandle (of an array). */
struct cudasim_copy;
cudaError_t driver_copy_of(const CUDA_MEMCPY3D *p, struct cudasim_copy *ret);

/* Words of memory that a stream or a graph's node waits for and writes, in order. ret is a work
 * that has a copy of them. cudaErrorInvalidValue. */
cudaError_t driver_words(const CUstreamBatchMemOpParams *words, unsigned n, unsigned flags,
			 struct device *device, struct work *ret);
/* They are the work's own; good as long as it is. */
void driver_words_of(const struct work *work, CUDA_BATCH_MEM_OP_NODE_PARAMS *ret);

#endif
