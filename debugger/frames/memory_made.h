/* SPDX-License-Identifier: Apache-2.0 */
/* memory_made.h - where the host's code allocated device memory. */
#ifndef CUDASIM_DEBUGGER_MEMORY_MADE_H
#define CUDASIM_DEBUGGER_MEMORY_MADE_H

#include "cudasim/observer.h"

/* Slots of the observer's table: keep the host's calls that led to an allocation, and
 * forget them with it. On any host thread; device code's own malloc() is left out, which
 * has a site. */
void memory_made(void *tool, const struct cudasim_memory *memory);
void memory_freed(void *tool, const struct cudasim_memory *memory);

/* Return addresses of the calls that made the allocation that begins at start, innermost
 * first: writes up to max to ret and returns how many there are; 0 where not known. */
size_t memory_made_by(uint64_t start, uint64_t *ret, size_t max);

#endif
