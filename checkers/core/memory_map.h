/* SPDX-License-Identifier: Apache-2.0 */
/* memory_map.h - may device code touch these bytes? In a few loads, without a lock.
 *
 * Why it does not ask cudasim_memory_find(): each access of each thread asks here, and that one
 * locks a tree that the host's calls change. This table says whether, not whose; reports ask
 * allocation.h. */
#ifndef CUDASIM_CHECKERS_MEMORY_MAP_H
#define CUDASIM_CHECKERS_MEMORY_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cudasim/observer.h"

enum memory_state {
	MEMORY_NONE,     /* nobody's */
	MEMORY_LIVE,
	MEMORY_FREED,    /* until it is used again */
	MEMORY_CONSTANT, /* live, and only to be read */
	MEMORY_FORBIDDEN, /* live, and not for devices */
};

/* A range that begins and ends where the program said. */
struct memory_range {
	uint64_t start, end;
	_Atomic uint8_t state;    /* enum memory_state */
	_Atomic uint8_t overlaid; /* by a later one: who remembers it has to look again */
};

/* False where address space or memory is out. */
bool memory_map_start(void);
void memory_map_add(const void *address, uint64_t size, enum memory_state state);
/* The range that begins there is freed. */
void memory_map_free(const void *address);
/* The range that begins there is from now on MEMORY_LIVE or MEMORY_FORBIDDEN. */
void memory_map_set(const void *address, enum memory_state state);
/* Whether size bytes at address are all of one live range (of any live one where
 * `write` is false, of one that is not constant otherwise). */
bool memory_map_fits(uint64_t address, uint64_t size, bool write);
/* The range that holds size bytes at address, as above; NULL where none does. Ranges stay
 * where they are for good, with `start` and `end`. */
const struct memory_range *memory_map_find(uint64_t address, uint64_t size, bool write);
static inline bool memory_range_fits(const struct memory_range *r, uint64_t address, uint64_t size,
				     bool write)
{
	uint8_t state = atomic_load_explicit(&r->state, memory_order_relaxed);
	return address - r->start < r->end - r->start && size <= r->end - address &&
	       (state == MEMORY_LIVE || (state == MEMORY_CONSTANT && !write));
}
/* What is at address; *ret is its range where there is one, else all 0. */
enum memory_state memory_map_state(uint64_t address, struct memory_range *ret);

#endif
