/* SPDX-License-Identifier: Apache-2.0 */
/* prelude_make.h - precompiled headers for a unit's passes (plan.h), by way of the cache.
 *
 * A pass with new options makes one first and takes up to 0.4 s longer for it; from then on each pass takes 0.3 s
 * less. Debug information of a pass that uses one has no entries for the `using` declarations of
 * those headers. So that it does not depend on what was compiled before, there is always one where there is a cache,
 * and without a cache none. */
#ifndef CUDASIM_DRIVER_JOB_PRELUDE_MAKE_H
#define CUDASIM_DRIVER_JOB_PRELUDE_MAKE_H

#include <stdbool.h>

#include "cache.h"

/* Puts the precompiled headers of the unit's passes in place from the cache, or makes
 * them. shows: the commands that are run appear on stderr. Whatever fails, the passes do without. */
void prelude_make(const struct plan *plan, const struct unit *unit, const struct surroundings *here,
		  struct cache *cache, bool shows);

#endif
