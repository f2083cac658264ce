/* SPDX-License-Identifier: Apache-2.0 */
/* driver_api.h - the driver API in terms of the runtime's. Streams, events, pools, graphs are the
 * same handles in both, error codes the same numbers; a function of the driver that has one of the
 * runtime with the same meaning is a call of it. */
#ifndef CUDASIM_SIM_API_DRIVER_API_H
#define CUDASIM_SIM_API_DRIVER_API_H

#include "api.h"

#include <cuda.h>
#include <stdbool.h>

/* A CUdeviceptr as the runtime has it. */
#define DEVICE(address) ((void *)(uintptr_t)(address))
#define SAME(name, parameters, ...)                                                    \
	CUresult CUDAAPI name parameters                                               \
	{                                                                              \
		API_BEGIN;                                                             \
		return (CUresult)API_END((cudaError_t)(__VA_ARGS__));                  \
	}

/* What the compiler said of PTX into the buffers that the options name, as errors where it failed;
 * said NULL: nothing, as nothing was compiled. */
void driver_fill_logs(unsigned n, const CUjit_option *options, void **values, const char *said,
		      bool failed);

#endif
