/* SPDX-License-Identifier: Apache-2.0 */
/* direct.h - a kernel of one thread, run on the host thread that asks for it. */
#ifndef CUDASIM_SIM_DIRECT_H
#define CUDASIM_SIM_DIRECT_H

#include <stdbool.h>

#include "device.h"
#include "registry.h"

/* What direct_run() answers where an observer wants to see more of the kernel than its
 * fault: it has not been run. */
enum { DIRECT_WATCHED = -1 };

/* The function of a host stub where it is the one that this host thread ran last, found
 * without a lock; else NULL, and registry_function() knows. */
const struct function *direct_last(const void *stub);
/* Can the kernel be run so: no stream of the device has work, no schedule or engine was
 * asked for that it would go around? */
bool direct_possible(struct device *device, const struct function *function);
/* Run it with these arguments, one pointer for each parameter. Returns a cudaError_t;
 * what the thread died of is the device's sticky error then. cudaErrorMemoryAllocation. */
int direct_run(struct device *device, const struct function *function, void **arguments);

#endif
