/* SPDX-License-Identifier: Apache-2.0 */
/* managed.h - what is remembered of managed memory. */
#ifndef CUDASIM_SIM_API_MANAGED_H
#define CUDASIM_SIM_API_MANAGED_H

#include <driver_types.h>

/* New memory of a pool that prefers a location. cudaErrorMemoryAllocation. */
cudaError_t managed_prefer(const void *ptr, size_t size, struct cudaMemLocation location);

#endif
