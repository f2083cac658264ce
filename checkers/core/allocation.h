/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.h - the allocations of the program with the places they were made
 * and freed at, for reports. Filled by check.c; ended ones are kept (the last 4096).
 *
 * Why it does not ask cudasim_memory_find(): libcudasim knows the device heap as a whole, not
 * the blocks of malloc() in device code (to enter each into a table would slow down all programs
 * that use it), and it keeps no stacks. One look-up here finds a range with its stacks;
 * with two, another thread could free and reuse the address in between, and the report would
 * show the stacks of other memory. */
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
