/* SPDX-License-Identifier: Apache-2.0 */
/* texture.c - the table of texture and surface objects. */
#include "texture.h"

#include <pthread.h>
#include <stdlib.h>

#include "texture_table.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Chunks, so that an entry stays where it is while device code reads it. */
enum { CHUNK = 256 };
static struct texture *chunks[MAX_OBJECTS / CHUNK];

static struct texture *entry(unsigned long long handle)
{
	if (!handle || handle >= MAX_OBJECTS)
		return NULL;
	struct texture *chunk = __atomic_load_n(&chunks[handle / CHUNK], __ATOMIC_ACQUIRE);
	return chunk ? &chunk[handle % CHUNK] : NULL;
}

const struct texture *texture_find(unsigned long long handle)
{
	struct texture *t = entry(handle);
	return t && __atomic_load_n(&t->used, __ATOMIC_ACQUIRE) ? t : NULL;
}

/* A place for the lowest free handle. */
static struct texture *free_entry(unsigned long long *handle)
{
	for (unsigned long long h = 1; h < MAX_OBJECTS; h++) {
		struct texture **chunk = &chunks[h / CHUNK];
		if (!*chunk) {
			struct texture *made = calloc(CHUNK, sizeof *made);
			if (!made)
				return NULL;
			__atomic_store_n(chunk, made, __ATOMIC_RELEASE);
		}
		if (!(*chunk)[h % CHUNK].used) {
			*handle = h;
			return &(*chunk)[h % CHUNK];
		}
	}
	return NULL;
}

cudaError_t texture_add(const struct texture *what, unsigned long long *handle)
{
	pthread_mutex_lock(&lock);
	struct texture *t = free_entry(handle);
	if (t) {
		*t = *what;
		__atomic_store_n(&t->used, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return t ? cudaSuccess : cudaErrorMemoryAllocation;
}

void texture_remove(unsigned long long handle)
{
	struct texture *t = entry(handle);
	if (t)
		__atomic_store_n(&t->used, false, __ATOMIC_RELEASE);
}

void texture_reset(int device)
{
	for (unsigned long long h = 1; h < MAX_OBJECTS; h++) {
		if (!chunks[h / CHUNK])
			return;
		struct texture *t = entry(h);
		if (t->used && t->device == device)
			texture_remove(h);
	}
}
