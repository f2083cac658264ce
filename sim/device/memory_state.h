/* SPDX-License-Identifier: Apache-2.0 */
/* memory_state.h - what memory.c (allocating, freeing) and memory_find.c (finding, what was freed)
 * share. Nobody else includes it. */
#ifndef CUDASIM_SIM_MEMORY_STATE_H
#define CUDASIM_SIM_MEMORY_STATE_H

#include <pthread.h>

#include "memory.h"

struct allocations {
	pthread_mutex_t lock;
	struct rangemap live, freed; /* struct allocation */
};
extern struct allocations allocations;

static inline void *allocation_address(const struct allocation *a)
{
	return (void *)(uintptr_t)a->range.start;
}

static inline uint64_t allocation_size(const struct allocation *a)
{
	return a->range.end - a->range.start;
}

/* With the lock held. The range is in use again: it counts as freed no more. */
void freed_forget(uint64_t start, uint64_t end);
/* With the lock held. Takes a over, which is in no map. */
void freed_remember(struct allocation *a);

#endif
