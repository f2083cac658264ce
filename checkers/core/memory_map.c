/* SPDX-License-Identifier: Apache-2.0 */
/* memory_map.c - a table of the address space by pieces of 2 MiB, whose entries name the one
 * range that a piece lies in, or a page of 4096 entries for its units of 512 bytes, CUDA's
 * granule of allocation. Units that several ranges share (variables, the device heap,
 * registered host memory) are looked up in a tree, behind a cache of the pthread's own.
 *
 * Entries are indices into an array of ranges that never moves, and are read without a
 * lock: a range is complete before an entry names it, and a freed one stays readable. */
#define _GNU_SOURCE
#include "memory_map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "address_space.h"
#include "must.h"
#include "rangemap.h"

#define PIECE_BITS 21
#define UNIT_BITS 9
#define ADDRESS_BITS 47
enum {
	N_UNITS = 1 << (PIECE_BITS - UNIT_BITS),
	MIXED = 1,      /* entries: 0 nothing, MIXED, or a range's index */
	FIRST = 2,
	PAGED = 1 << 0, /* low bit of a piece's entry: the rest is a page's address */
};
#define N_PIECES (1ull << (ADDRESS_BITS - PIECE_BITS))
#define MAX_RANGES (1ull << 28)
#define MIN_RANGES (1ull << 12)

struct page {
	_Atomic uint32_t unit[N_UNITS];
};

/* A range among others in the same units. */
struct small {
	struct range range; /* first */
	uint32_t index;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t tree_lock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic uint64_t *pieces;     /* [N_PIECES]: index << 1, or page | PAGED */
static struct memory_range *ranges;  /* [max_ranges], reserved */
static uint64_t max_ranges;
static uint32_t n_ranges = FIRST;
static struct rangemap tree;         /* struct small: all ranges */
static _Atomic uint32_t generation;  /* of the tree: a range was freed or replaced */

static void *reserve(uint64_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

bool memory_map_start(void)
{
	pieces = reserve(N_PIECES * sizeof *pieces);
	uint64_t bytes = 0;
	ranges = address_space_reserve(MAX_RANGES * sizeof *ranges, MIN_RANGES * sizeof *ranges, 32,
				       PROT_READ | PROT_WRITE, &bytes);
	max_ranges = bytes / sizeof *ranges;
	if (!pieces || !ranges)
		fputs("cudasim check: no address space for memcheck's tables\n", stderr);
	return pieces && ranges;
}

/* ---- writing; under lock ---------------------------------------------------- */

static struct page *page_of(uint64_t piece)
{
	uint64_t entry = atomic_load_explicit(&pieces[piece], memory_order_relaxed);
	if (entry & PAGED)
		return (struct page *)(uintptr_t)(entry & ~(uint64_t)PAGED);
	struct page *page = must(reserve(sizeof *page));
	for (uint32_t i = 0; entry && i < N_UNITS; i++)
		atomic_init(&page->unit[i], (uint32_t)(entry >> 1));
	atomic_store_explicit(&pieces[piece], (uint64_t)(uintptr_t)page | PAGED,
			      memory_order_release);
	return page;
}

static void set_units(uint64_t first, uint64_t end, uint32_t index)
{
	while (first < end) {
		uint64_t piece = first / N_UNITS, in = first % N_UNITS;
		uint64_t n = N_UNITS - in < end - first ? N_UNITS - in : end - first;
		if (n == N_UNITS && !(atomic_load(&pieces[piece]) & PAGED)) {
			atomic_store_explicit(&pieces[piece], (uint64_t)index << 1,
					      memory_order_release);
		} else {
			struct page *page = page_of(piece);
			for (uint64_t i = 0; i < n; i++)
				atomic_store_explicit(&page->unit[in + i], index,
						      memory_order_release);
		}
		first += n;
	}
}

static uint32_t unit_entry(uint64_t address)
{
	uint64_t entry = atomic_load_explicit(&pieces[address >> PIECE_BITS], memory_order_acquire);
	if (!(entry & PAGED))
		return (uint32_t)(entry >> 1);
	const struct page *page = (const struct page *)(uintptr_t)(entry & ~(uint64_t)PAGED);
	return atomic_load_explicit(&page->unit[address >> UNIT_BITS & (N_UNITS - 1)],
				    memory_order_acquire);
}

/* Whether a range that is still there, not `but`, has bytes in the unit. */
static bool shared_unit(uint64_t unit, uint64_t start, uint64_t end)
{
	uint64_t low = unit << UNIT_BITS, high = low + (1 << UNIT_BITS);
	struct range *before = low < start ? rangemap_overlap(&tree, low, start) : NULL;
	struct range *after = end < high ? rangemap_overlap(&tree, end, high) : NULL;
	return before || after;
}

void memory_map_add(const void *address, uint64_t size, enum memory_state state)
{
	uint64_t start = (uint64_t)(uintptr_t)address, end = start + size;
	struct small *s = calloc(1, sizeof *s);
	if (!size || end >> ADDRESS_BITS || end < start) {
		free(s);
		return;
	}
	if (!s)
		must_fail();
	pthread_mutex_lock(&lock);
	if (n_ranges == max_ranges)
		must_fail();
	uint32_t index = n_ranges++;
	ranges[index].start = start;
	ranges[index].end = end;
	atomic_init(&ranges[index].state, (uint8_t)state);
	s->range.start = start;
	s->range.end = end;
	s->index = index;
	pthread_rwlock_wrlock(&tree_lock);
	struct range *old;
	while ((old = rangemap_overlap(&tree, start, end))) {
		atomic_store(&ranges[((struct small *)old)->index].overlaid, 1);
		rangemap_remove(&tree, old);
		free(old);
	}
	rangemap_insert(&tree, &s->range);
	uint64_t first = start >> UNIT_BITS, last = (end - 1) >> UNIT_BITS;
	bool first_shared = shared_unit(first, start, end);
	bool last_shared = shared_unit(last, start, end);
	atomic_fetch_add(&generation, 1);
	pthread_rwlock_unlock(&tree_lock);
	set_units(first, last + 1, index);
	if (first_shared)
		set_units(first, first + 1, MIXED);
	if (last_shared)
		set_units(last, last + 1, MIXED);
	pthread_mutex_unlock(&lock);
}

void memory_map_free(const void *address)
{
	memory_map_set(address, MEMORY_FREED);
}

void memory_map_set(const void *address, enum memory_state state)
{
	uint64_t at = (uint64_t)(uintptr_t)address;
	pthread_mutex_lock(&lock);
	pthread_rwlock_wrlock(&tree_lock);
	struct small *s = (struct small *)rangemap_find(&tree, at);
	if (s && s->range.start == at) {
		atomic_store(&ranges[s->index].state, (uint8_t)state);
		atomic_fetch_add(&generation, 1);
	}
	pthread_rwlock_unlock(&tree_lock);
	pthread_mutex_unlock(&lock);
}

/* ---- reading ---------------------------------------------------------------- */

static const struct memory_range *mixed(uint64_t address)
{
	static _Thread_local struct {
		uint64_t start, end;
		uint32_t generation, index;
	} cache[4];
	unsigned slot = (unsigned)(address >> 5) & 3;
	uint32_t now = atomic_load_explicit(&generation, memory_order_acquire);
	if (cache[slot].generation == now && address >= cache[slot].start &&
	    address < cache[slot].end)
		return &ranges[cache[slot].index];
	pthread_rwlock_rdlock(&tree_lock);
	const struct small *s = (const struct small *)rangemap_find(&tree, address);
	uint32_t index = s ? s->index : 0;
	pthread_rwlock_unlock(&tree_lock);
	if (!index)
		return NULL;
	cache[slot].start = ranges[index].start;
	cache[slot].end = ranges[index].end;
	cache[slot].generation = now;
	cache[slot].index = index;
	return &ranges[index];
}

static const struct memory_range *range_of(uint64_t address)
{
	if (address >> ADDRESS_BITS)
		return NULL;
	uint32_t entry = unit_entry(address);
	if (!entry)
		return NULL;
	const struct memory_range *r = entry == MIXED ? mixed(address) : &ranges[entry];
	return r && address >= r->start && address < r->end ? r : NULL;
}

const struct memory_range *memory_map_find(uint64_t address, uint64_t size, bool write)
{
	const struct memory_range *r = range_of(address);
	return r && memory_range_fits(r, address, size, write) ? r : NULL;
}

bool memory_map_fits(uint64_t address, uint64_t size, bool write)
{
	return memory_map_find(address, size, write) != NULL;
}

enum memory_state memory_map_state(uint64_t address, struct memory_range *ret)
{
	const struct memory_range *r = range_of(address);
	*ret = (struct memory_range){0};
	if (!r)
		return MEMORY_NONE;
	ret->start = r->start;
	ret->end = r->end;
	atomic_init(&ret->state, atomic_load(&r->state));
	return (enum memory_state)atomic_load(&r->state);
}
