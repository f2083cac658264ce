/* SPDX-License-Identifier: Apache-2.0 */
/* memory_made.c - where the host's code allocated device memory: a table by address of
 * the calls that stood on the stack, as glibc's backtrace() finds them. */
#include "memory_made.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "frames_state.h"

enum { MAX_CALLS = 16 };

struct made {
	struct made *next;
	uint64_t start;
	size_t n;
	void *calls[MAX_CALLS];
};

static struct made **bucket_of(uint64_t start)
{
	return &frames_state()->memory.buckets[(start >> 9) * 0x9e3779b97f4a7c15u >> 54];
}

static struct made **find(uint64_t start)
{
	struct made **at = bucket_of(start);
	while (*at && (*at)->start != start)
		at = &(*at)->next;
	return at;
}

void memory_made(void *tool, const struct cudasim_memory *memory)
{
	struct frames_memory *own = &frames_state()->memory;
	(void)tool;
	if (memory->kind == CUDASIM_MEMORY_HEAP || memory->kind == CUDASIM_MEMORY_VARIABLE)
		return;
	struct made *made = malloc(sizeof *made);
	if (!made)
		return; /* one place less is known */
	made->start = (uint64_t)memory->address;
	made->n = (size_t)backtrace(made->calls, MAX_CALLS);
	memory_freed(NULL, memory);
	pthread_mutex_lock(&own->lock);
	struct made **bucket = bucket_of(made->start);
	made->next = *bucket;
	*bucket = made;
	pthread_mutex_unlock(&own->lock);
}

void memory_freed(void *tool, const struct cudasim_memory *memory)
{
	struct frames_memory *own = &frames_state()->memory;
	(void)tool;
	pthread_mutex_lock(&own->lock);
	struct made **at = find((uint64_t)memory->address), *made = *at;
	if (made)
		*at = made->next;
	pthread_mutex_unlock(&own->lock);
	free(made);
}

size_t memory_made_by(uint64_t start, uint64_t *ret, size_t max)
{
	struct frames_memory *own = &frames_state()->memory;
	size_t n = 0;
	pthread_mutex_lock(&own->lock);
	const struct made *made = *find(start);
	if (made) {
		n = made->n;
		for (size_t i = 0; i < n && i < max; i++)
			ret[i] = (uint64_t)made->calls[i];
	}
	pthread_mutex_unlock(&own->lock);
	return n;
}
