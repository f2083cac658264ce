/* SPDX-License-Identifier: Apache-2.0 */
/* driver_early.c - launches as before CUDA 4: a function keeps the shape of its blocks, its shared
 * memory and its parameters, byte by byte, until it is launched, and after it. As an H200's driver
 * launches a function of which nothing was set: blocks are one thread, parameters zeros, and the
 * size that cuParamSetSize() is told decides nothing. */
#include "driver_api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "graph_api.h"
#include "registry.h"

struct early_launch {
	dim3 block;
	unsigned shared;
	char parameters[MOST_PARAMETER_BYTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What f keeps, made where there is none. Called with the lock. */
static cudaError_t early_of(CUfunction f, struct early_launch **ret)
{
	struct function *function;
	cudaError_t error = f ? api_context() : cudaErrorInvalidResourceHandle;
	if (!error)
		error = registry_function(f, &function);
	if (error)
		return error;
	if (!function->early) {
		function->early = calloc(1, sizeof *function->early);
		if (!function->early)
			return cudaErrorMemoryAllocation;
		function->early->block = (dim3){1, 1, 1};
	}
	*ret = function->early;
	return cudaSuccess;
}

static cudaError_t set_shape(CUfunction f, int x, int y, int z)
{
	struct early_launch *early;
	pthread_mutex_lock(&lock);
	cudaError_t error = early_of(f, &early);
	/* Whether the device has room for so many in all is asked when it is launched. */
	const uint32_t *most = device_current()->profile->max_block;
	if (!error && (x <= 0 || y <= 0 || z <= 0 || (uint32_t)x > most[0] ||
		       (uint32_t)y > most[1] || (uint32_t)z > most[2]))
		error = cudaErrorInvalidValue;
	if (!error)
		early->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z};
	pthread_mutex_unlock(&lock);
	return error;
}
SAME(cuFuncSetBlockShape, (CUfunction f, int x, int y, int z), set_shape(f, x, y, z))

static cudaError_t set_shared(CUfunction f, unsigned bytes)
{
	struct early_launch *early;
	pthread_mutex_lock(&lock);
	cudaError_t error = early_of(f, &early);
	if (!error)
		early->shared = bytes;
	pthread_mutex_unlock(&lock);
	return error;
}
SAME(cuFuncSetSharedSize, (CUfunction f, unsigned bytes), set_shared(f, bytes))

/* from: NULL to ask only whether so many bytes fit. */
static cudaError_t set_parameter(CUfunction f, int offset, const void *from, size_t n)
{
	struct early_launch *early;
	pthread_mutex_lock(&lock);
	cudaError_t error = early_of(f, &early);
	if (!error && (offset < 0 || n > sizeof early->parameters ||
		       (size_t)offset > sizeof early->parameters - n))
		error = cudaErrorInvalidValue;
	if (!error && from)
		memcpy(early->parameters + offset, from, n);
	pthread_mutex_unlock(&lock);
	return error;
}
SAME(cuParamSetSize, (CUfunction f, unsigned n), set_parameter(f, 0, NULL, n))
SAME(cuParamSeti, (CUfunction f, int offset, unsigned value),
     set_parameter(f, offset, &value, sizeof value))
SAME(cuParamSetf, (CUfunction f, int offset, float value),
     set_parameter(f, offset, &value, sizeof value))
SAME(cuParamSetv, (CUfunction f, int offset, void *from, unsigned n),
     from ? set_parameter(f, offset, from, n) : cudaErrorInvalidValue)

static cudaError_t launch(CUfunction f, int width, int height, CUstream s)
{
	struct early_launch *early, kept;
	pthread_mutex_lock(&lock);
	cudaError_t error = early_of(f, &early);
	if (!error)
		kept = *early;
	pthread_mutex_unlock(&lock);
	if (error)
		return error;
	if (width <= 0 || height <= 0)
		return cudaErrorInvalidValue;
	struct function *function;
	void *args[MOST_PARAMETER_BYTES];
	error = registry_function(f, &function);
	const struct cudasim_kernel *kernel = error ? NULL : function->kernel;
	for (uint32_t i = 0; kernel && i < kernel->n_params; i++) {
		if (kernel->params[i].offset + kernel->params[i].size > sizeof kept.parameters)
			return cudaErrorLaunchOutOfResources;
		args[i] = kept.parameters + kernel->params[i].offset;
	}
	const cudaLaunchConfig_t config = {.gridDim = {(unsigned)width, (unsigned)height, 1},
					   .blockDim = kept.block,
					   .dynamicSmemBytes = kept.shared,
					   .stream = s};
	return error ? error : cudaLaunchKernelExC(&config, f, args);
}
SAME(cuLaunch, (CUfunction f), launch(f, 1, 1, NULL))
SAME(cuLaunchGrid, (CUfunction f, int width, int height), launch(f, width, height, NULL))
SAME(cuLaunchGridAsync, (CUfunction f, int width, int height, CUstream s),
     launch(f, width, height, s))
