/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - what a profile says through the runtime API. */
#ifndef CUDASIM_SIM_PROFILE_H
#define CUDASIM_SIM_PROFILE_H

#include <driver_types.h>
#include <stddef.h>

#include "device.h"

void profile_properties(const struct device *device, struct cudaDeviceProp *ret);

/* What the device makes of a value for a limit: it may be raised to the smallest
 * or lowered to the largest possible one. cudaErrorInvalidValue. */
cudaError_t profile_limit(const struct profile *profile, enum cudaLimit limit, size_t *value);

#endif
