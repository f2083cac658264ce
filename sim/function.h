/* SPDX-License-Identifier: Apache-2.0 */
/* function.h - a kernel's settings on a device. */
#ifndef CUDASIM_SIM_FUNCTION_H
#define CUDASIM_SIM_FUNCTION_H

#include "device.h"
#include "registry.h"

/* Dynamic shared memory that a launch may ask for, in bytes: as
 * cudaFuncSetAttribute left it, else what 48 KiB leave beside the static part. */
static inline uint64_t function_max_dynamic(const struct function *f,
					    const struct profile *profile)
{
	uint32_t fixed = f->kernel->static_shared_bytes;
	if (atomic_load(&f->dynamic_shared_is_set))
		return (uint64_t)atomic_load(&f->max_dynamic_shared);
	return fixed < profile->shared_per_block ? profile->shared_per_block - fixed : 0;
}

#endif
