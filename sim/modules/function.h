/* SPDX-License-Identifier: Apache-2.0 */
/* function.h - a kernel's settings on a device. */
#ifndef CUDASIM_SIM_FUNCTION_H
#define CUDASIM_SIM_FUNCTION_H

#include <vector_types.h>

#include "device.h"
#include "operation.h"
#include "registry.h"

/* Dynamic shared memory that a launch may ask for, in bytes: as
 * cudaFuncSetAttribute left it, else what 48 KiB leave beside the static part. */
static inline uint64_t function_max_dynamic(const struct function *f, const struct profile *profile)
{
	uint32_t fixed = f->kernel->static_shared_bytes;
	if (atomic_load(&f->dynamic_shared_is_set))
		return (uint64_t)atomic_load(&f->max_dynamic_shared);
	return fixed < profile->shared_per_block ? profile->shared_per_block - fixed : 0;
}

/* A launch as work for the device: checked as a launch is, with its own copy of
 * the parameters. */
cudaError_t launch_work(const void *stub, dim3 grid, dim3 block, size_t shared, void **args,
			struct device *device, struct work *ret);

#endif
