/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - all memory by number, and the live ones by address in a sorted array:
 * there are few, and launches look them up far more often than the program makes one. */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

static struct memory **numbered, **live, **arrays;
static size_t n_numbered, n_live, n_arrays, numbered_capacity, live_capacity, arrays_capacity;

/* Another compiler may register other variables: they do not count among allocations. */
static uint64_t key_of(enum record_memory kind, const char *name)
{
	static uint64_t n_allocations;
	uint64_t key = kind;
	if (kind != RECORD_VARIABLE)
		return record_fold(kind, n_allocations++);
	while (*name)
		key = record_fold(key, (unsigned char)*name++);
	return key;
}

static struct memory **grow(struct memory **array, size_t n, size_t *capacity)
{
	if (n < *capacity)
		return array;
	*capacity = *capacity ? 2 * *capacity : 64;
	array = realloc(array, *capacity * sizeof *array);
	if (!array)
		record_die("out of memory");
	return array;
}

/* Index of the first live memory above address. */
static size_t above(uint64_t address)
{
	size_t from = 0, to = n_live;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (live[middle]->address > address)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

struct memory *memory_find(uint64_t address)
{
	size_t i = above(address);
	return i && address - live[i - 1]->address < live[i - 1]->size ? live[i - 1] : NULL;
}

struct memory *memory_get(uint32_t number)
{
	return number < n_numbered ? numbered[number] : NULL;
}

struct memory *const *memory_all(size_t *n)
{
	*n = n_live;
	return live;
}

struct memory *const *memory_arrays(size_t *n)
{
	*n = n_arrays;
	return arrays;
}

void memory_bounds(uint64_t *low, uint64_t *high)
{
	*low = n_live ? live[0]->address : 0;
	*high = n_live ? live[n_live - 1]->address + live[n_live - 1]->size : 0;
}

uint64_t memory_chunk_bytes(const struct memory *m, uint32_t chunk)
{
	uint64_t from = chunk * m->chunk;
	return m->size - from < m->chunk ? m->size - from : m->chunk;
}

static void announce(const struct memory *m, const char *place, const char *element)
{
	write_begin(RECORD_MEMORY);
	write_u32(m->number);
	write_u32(m->kind);
	write_u64(m->size);
	write_u64(m->chunk);
	write_text(m->name);
	write_text(place);
	write_text(element);
	write_end();
}

static void list_live(struct memory *m)
{
	live = grow(live, n_live, &live_capacity);
	size_t at = above(m->address);
	memmove(live + at + 1, live + at, (n_live - at) * sizeof *live);
	live[at] = m;
	n_live++;
}

struct memory *memory_add(enum record_memory kind, uint64_t address, uint64_t size,
			  const char *name, const char *place, const char *element)
{
	if (n_numbered == RECORD_MAX_MEMORIES)
		record_die("the program has allocated more than %d times", RECORD_MAX_MEMORIES);
	/* What the program has given back without a call that is seen (a reset). */
	for (struct memory *old; kind != RECORD_ARRAY && (old = memory_find(address));)
		memory_remove(old->address);
	struct memory *m = calloc(1, sizeof *m);
	if (!m)
		record_die("out of memory");
	*m = (struct memory){.number = (uint32_t)n_numbered,
			     .kind = kind,
			     .address = address,
			     .size = size,
			     .chunk = RECORD_MIN_CHUNK,
			     .name = name,
			     .key = key_of(kind, name)};
	while (m->chunk < UINT64_C(1) << 48 && (size - 1) / m->chunk >= RECORD_MAX_CHUNKS)
		m->chunk *= 2;
	m->n_chunks = (uint32_t)((size - 1) / m->chunk + 1);
	m->hashes = calloc(m->n_chunks, sizeof *m->hashes);
	if (!m->hashes)
		record_die("out of memory");
	numbered = grow(numbered, n_numbered, &numbered_capacity);
	numbered[n_numbered++] = m;
	if (kind == RECORD_ARRAY) {
		arrays = grow(arrays, n_arrays, &arrays_capacity);
		arrays[n_arrays++] = m;
	} else {
		list_live(m);
	}
	announce(m, place, element);
	return m;
}

static void forget(struct memory *m)
{
	m->freed = true;
	free(m->hashes);
	m->hashes = NULL;
	write_begin(RECORD_FREE);
	write_u32(m->number);
	write_end();
}

void memory_remove(uint64_t address)
{
	struct memory *m = memory_find(address);
	if (!m || m->address != address)
		return;
	size_t at = above(address) - 1;
	memmove(live + at, live + at + 1, (n_live - at - 1) * sizeof *live);
	n_live--;
	forget(m);
}

void memory_remove_arrays(uint64_t owner)
{
	size_t n = 0;
	for (size_t i = 0; i < n_arrays; i++)
		if (arrays[i]->owner == owner)
			forget(arrays[i]);
		else
			arrays[n++] = arrays[i];
	n_arrays = n;
}

void memory_remove_all(void)
{
	while (n_live)
		memory_remove(live[n_live - 1]->address);
	for (size_t i = 0; i < n_arrays; i++)
		forget(arrays[i]);
	n_arrays = 0;
}
