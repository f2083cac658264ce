/* SPDX-License-Identifier: Apache-2.0 */
/* memory_made.h - where the host's code allocated device memory: the calls of each allocation by
 * its number (cudasim_memory.id). Which allocation holds an address is cudasim_memory_find()'s to
 * say; it keeps no calls, since reading a stack takes longer than most allocations. */
#ifndef CUDASIM_DEBUGGER_MEMORY_MADE_H
#define CUDASIM_DEBUGGER_MEMORY_MADE_H

#include <stddef.h>

#include "cudasim/observer.h"

/* Slots of the observer's table: keep the host's calls that led to an allocation, and
 * forget them with it. On any host thread; device code's own malloc() is left out, which
 * has a site. */
void memory_made(void *tool, const struct cudasim_memory *memory);
void memory_freed(void *tool, const struct cudasim_memory *memory);

/* Return addresses of the calls that made the live allocation of that number, innermost
 * first: writes up to max to ret and returns how many there are; 0 where not known. */
size_t memory_made_by(uint64_t id, uint64_t *ret, size_t max);

#endif
