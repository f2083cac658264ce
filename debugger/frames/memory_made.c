/* SPDX-License-Identifier: Apache-2.0 */
/* memory_made.c - the calls that stood on the stack when memory was allocated, as callers.h
 * finds them. */
#include "memory_made.h"

#include <pthread.h>
#include <stdlib.h>

#include "callers.h"
#include "frames_state.h"

enum { MAX_CALLS = 16 };

struct made {
	size_t n;
	void *calls[MAX_CALLS];
};

static const void *key_of(uint64_t id)
{
	return (const void *)(uintptr_t)id;
}

/* By the host, with a number of its own. */
static bool is_counted(const struct cudasim_memory *memory)
{
	return memory->id && memory->kind != CUDASIM_MEMORY_HEAP &&
	       memory->kind != CUDASIM_MEMORY_VARIABLE;
}

void memory_made(void *tool, const struct cudasim_memory *memory)
{
	struct frames_memory *own = &frames_state()->memory;
	(void)tool;
	struct made *made = is_counted(memory) ? malloc(sizeof *made) : NULL;
	if (!made)
		return; /* or one place less is known */
	made->n = (size_t)callers_take(made->calls, MAX_CALLS);
	pthread_mutex_lock(&own->lock);
	bool kept = hash_put(&own->made, key_of(memory->id), made);
	pthread_mutex_unlock(&own->lock);
	if (!kept)
		free(made);
}

void memory_freed(void *tool, const struct cudasim_memory *memory)
{
	struct frames_memory *own = &frames_state()->memory;
	(void)tool;
	if (!is_counted(memory))
		return;
	pthread_mutex_lock(&own->lock);
	struct made *made = hash_remove(&own->made, key_of(memory->id));
	pthread_mutex_unlock(&own->lock);
	free(made);
}

size_t memory_made_by(uint64_t id, uint64_t *ret, size_t max)
{
	struct frames_memory *own = &frames_state()->memory;
	size_t n = 0;
	pthread_mutex_lock(&own->lock);
	const struct made *made = hash_get(&own->made, key_of(id));
	if (made) {
		n = made->n;
		for (size_t i = 0; i < n && i < max; i++)
			ret[i] = (uint64_t)made->calls[i];
	}
	pthread_mutex_unlock(&own->lock);
	return n;
}
