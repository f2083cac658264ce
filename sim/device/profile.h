/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - what a profile says through the runtime API. */
#ifndef CUDASIM_SIM_PROFILE_H
#define CUDASIM_SIM_PROFILE_H

#include <driver_types.h>
#include <stddef.h>

#include "device.h"

void profile_properties(const struct device *device, struct cudaDeviceProp *ret);

/* An attribute in which a device differs from the H200; a list ends with DIFFERENCES_END. */
struct difference {
	int attribute, value;
};
enum { DIFFERENCES_END = -1, N_ATTRIBUTES = 148 };

/* The profile in a file (cudasim/profile.h), and that of the machine's device. They live as
 * long as the process. CUDASIM_E_SYSTEM, CUDASIM_E_FORMAT: no such file, no such line;
 * errors of the device as for cudasim_profile_write(). */
struct cudasim_error *profile_read(const char *path, const struct profile **ret);
struct cudasim_error *profile_of_this(const struct profile **ret);

/* What the device makes of a value for a limit: it may be raised to the smallest
 * or lowered to the largest possible one. cudaErrorInvalidValue. */
cudaError_t profile_limit(const struct profile *profile, enum cudaLimit limit, size_t *value);

#endif
