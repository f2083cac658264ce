/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.h - the allocations of the program with the places they were made
 * and freed at, for reports. Filled by memcheck's table or, where that is not
 * asked for, by check.c's own; ended ones are kept (the last 4096). */
#ifndef CUDASIM_CHECKERS_ALLOCATION_H
#define CUDASIM_CHECKERS_ALLOCATION_H

#include "checker.h"

enum { ALLOCATION_MAX_FRAMES = 16 };

struct allocation {
	struct cudasim_memory memory; /* thread and site are NULL but for HEAP's site */
	bool freed;
	uint64_t made[ALLOCATION_MAX_FRAMES],
		gone[ALLOCATION_MAX_FRAMES]; /* host pcs, 0-terminated */
};

/* The live allocation that holds address, or else the freed one that held it last,
 * or else the nearest live one within 1 MiB. False where there is none. Copies it. */
bool allocation_find(const void *address, struct allocation *ret, bool *inside);

#endif
