/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.c - the tables of shadow.h. Heads and bodies come from slabs of reserved address
 * space, so that neighbours lie together: a mapping for each would be too many. */
#define _GNU_SOURCE
#include "address_space.h"
#include "shadow.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	LEVEL_BITS = 16,
	TOP_BITS = 47 - SHADOW_PAGE_BITS - LEVEL_BITS,
	SLAB = 256, /* pages */
	SMALL = 4096,
};

static _Atomic(_Atomic(struct shadow_page *) *) tops[1 << TOP_BITS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shadow_page *heads;
static struct shadow_body *bodies;
static uint32_t n_left;

_Thread_local struct shadow_page **shadow_cache __attribute__((tls_model("initial-exec")));

void *shadow_reserve(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		fputs(address_space_limit() == UINT64_MAX
			      ? "cudasim check: out of memory for the checkers' tables\n"
			      : "cudasim check: no address space for the checkers' tables, which are twelve times "
				"what is watched: `ulimit -v` is too low\n",
		      stderr);
		abort();
	}
	return p;
}

void shadow_clear(void *at, uint64_t bytes)
{
	if (bytes <= SMALL) {
		memset(at, 0, bytes);
		return;
	}
	uint64_t begin = (uint64_t)(uintptr_t)at, end = begin + bytes;
	uint64_t first = (begin + 4095) & ~(uint64_t)4095, last = end & ~(uint64_t)4095;
	memset(at, 0, first - begin);
	memset((void *)(uintptr_t)last, 0, end - last);
	if (madvise((void *)(uintptr_t)first, last - first, MADV_DONTNEED))
		memset((void *)(uintptr_t)first, 0, last - first);
}

/* With the lock. */
static struct shadow_page *make_page(uint64_t number)
{
	if (!n_left) {
		heads = shadow_reserve(SLAB * sizeof *heads);
		bodies = shadow_reserve(SLAB * sizeof *bodies);
		/* Huge pages would bring in more than is touched. */
		madvise(bodies, SLAB * sizeof *bodies, MADV_NOHUGEPAGE);
		n_left = SLAB;
	}
	struct shadow_page *page = &heads[--n_left];
	page->number = number;
	page->body = &bodies[n_left];
	return page;
}

static struct shadow_page *page_at(uint64_t number, bool make)
{
	_Atomic(_Atomic(struct shadow_page *) *) *top = &tops[number >> LEVEL_BITS];
	_Atomic(struct shadow_page *) *level = atomic_load_explicit(top, memory_order_acquire);
	_Atomic(struct shadow_page *) *slot = level ? &level[number & ((1 << LEVEL_BITS) - 1)]
						    : NULL;
	struct shadow_page *page = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL;
	if (page || !make)
		return page;
	pthread_mutex_lock(&lock);
	level = atomic_load(top);
	if (!level) {
		level = shadow_reserve(sizeof *level << LEVEL_BITS);
		atomic_store_explicit(top, level, memory_order_release);
	}
	slot = &level[number & ((1 << LEVEL_BITS) - 1)];
	page = atomic_load(slot);
	if (!page) {
		page = make_page(number);
		atomic_store_explicit(slot, page, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return page;
}

struct shadow_page *shadow_page_find(uint64_t address, bool make)
{
	uint64_t number = address >> SHADOW_PAGE_BITS;
	if (number >> (TOP_BITS + LEVEL_BITS))
		return NULL;
	if (!shadow_cache)
		shadow_cache = shadow_reserve(SHADOW_CACHE * sizeof *shadow_cache);
	struct shadow_page **cached = &shadow_cache[number & (SHADOW_CACHE - 1)];
	if (*cached && (*cached)->number == number)
		return *cached;
	struct shadow_page *page = page_at(number, make);
	if (page)
		*cached = page;
	return page;
}
