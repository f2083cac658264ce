/* SPDX-License-Identifier: Apache-2.0 */
/* warp_loop_limits.h - how large the loops over warps of a module may become. */
#ifndef CUDASIM_COMPILER_WARP_LOOP_LIMITS_H
#define CUDASIM_COMPILER_WARP_LOOP_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "warp_loop.h"

/* Instructions of a loop. Its code grows several times in the optimiser, so a module has room for a
 * few large ones only: the kernels of CUB's device-wide scans, selections and sorts (6,000 to 12,000),
 * which are 6 to 25 times as fast as on fibers. Fibers pay for each region, the compiler for each
 * instruction, so those that have many for each region stay on fibers (a sort of one tile: 190; the
 * others 50 to 120). Large loops are compiled for one plain body. */
enum {
	MOST_INSTRUCTIONS = 4000,
	MOST_OF_LARGE = 12000,
	MOST_OF_ALL_LARGE = 80000,
	MOST_IN_LARGE_REGION = 128, /* on the average */
};
/* The same of its continuation, which is known before the cuts and the loop are made. */
enum { MOST_OF_CONTINUATION = 6000, MOST_OF_LARGE_CONTINUATION = 12000 };

/* Of the continuation: the regions of larger ones have no second form for lanes under a mask, which has
 * about the size of the loop. Thrust's sorts would become twice as large. In watched loops it takes
 * longer to compile, as each access is a call for all lanes. */
enum { MOST_UNDER_MASKS = 1000, MOST_UNDER_MASKS_WATCHED = 100 };

/* Instructions of continuations that were made in vain, of a module: sources with hundreds of
 * instances of large kernels are not tried to their end. */
enum { MOST_SPENT = 300000 };

/* Of the continuation: in larger ones short regions behind which lanes may part are loops, not straight
 * code of 32 lanes, which gains too little there for its size (an eighth of Thrust's reductions). */
enum { MOST_AS_STRAIGHT_CODE = 400 };

/* Of a watched loop and its continuation, and of those that were made in vain: kernels that have none
 * run thread by thread where they are watched. */
enum { MOST_WATCHED = 2000, MOST_SPENT_WATCHED = 20000 };

/* Is there room for a loop of this size? n_regions: 0 where not yet known. */
static inline bool has_room(const struct warp_loop_spent *spent, size_t size, unsigned n_regions)
{
	return size <= MOST_INSTRUCTIONS ||
	       (size <= MOST_OF_LARGE && spent->large + size <= MOST_OF_ALL_LARGE &&
		(!n_regions || size <= (size_t)n_regions * MOST_IN_LARGE_REGION));
}

#endif
