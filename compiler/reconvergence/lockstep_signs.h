/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_signs.h - is it worth asking where a module without shared memory relies on the lockstep of
 * its warps? */
#ifndef CUDASIM_COMPILER_LOCKSTEP_SIGNS_H
#define CUDASIM_COMPILER_LOCKSTEP_SIGNS_H

#include <stdbool.h>

#include "device.h"

/* Has it fences, atomics and operations of warps, with which one lane tells others what its warp has
 * stored (synchrony_release.c), or numbers of warps or lanes, with which warps exchange elements
 * (synchrony_exchange.c)? */
bool lockstep_may_matter(struct device_module *dm);

#endif
