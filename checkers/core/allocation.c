/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.c - a range map of the live allocations and one of freed ones, which leave it
 * when their addresses are used again or when FREED_MAX newer ones have come. */
#include "allocation_table.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backtrace.h"
#include "must.h"
#include "rangemap.h"

static_assert((int)BACKTRACE_MAX == (int)ALLOCATION_MAX_FRAMES, "one size of backtraces");

enum { FREED_MAX = 4096, NEAR = 1 << 20 };

struct node {
	struct range range; /* first */
	struct allocation a;
	uint64_t number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rangemap live, gone;
static struct node *ring[FREED_MAX];
static uint64_t n_made, n_gone;

static void forget(uint64_t start, uint64_t end)
{
	struct range *r;
	while ((r = rangemap_overlap(&gone, start, end))) {
		struct node *n = (struct node *)r;
		rangemap_remove(&gone, r);
		ring[n->number % FREED_MAX] = NULL;
		free(n);
	}
}

void allocation_made(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	if (!memory->size)
		return;
	struct node *n = must(calloc(1, sizeof *n));
	n->range.start = (uint64_t)(uintptr_t)memory->address;
	n->range.end = n->range.start + memory->size;
	n->a.memory = *memory;
	n->a.memory.thread = NULL;
	/* On a CUDA thread's stack there is no host below. */
	if (memory->kind != CUDASIM_MEMORY_HEAP && memory->kind != CUDASIM_MEMORY_VARIABLE)
		backtrace_take(n->a.made);
	pthread_mutex_lock(&lock);
	n->number = ++n_made;
	forget(n->range.start, n->range.end);
	struct range *old;
	while ((old = rangemap_overlap(&live, n->range.start, n->range.end))) {
		rangemap_remove(&live, old); /* ended without our hearing of it (a device reset) */
		free(old);
	}
	rangemap_insert(&live, &n->range);
	pthread_mutex_unlock(&lock);
}

void allocation_freed(void *tool, const struct cudasim_memory *memory)
{
	uint64_t frames[BACKTRACE_MAX] = {0};
	(void)tool;
	if (memory->kind != CUDASIM_MEMORY_HEAP)
		backtrace_take(frames);
	pthread_mutex_lock(&lock);
	struct node *n = (struct node *)rangemap_find(&live, (uint64_t)(uintptr_t)memory->address);
	if (n && n->a.memory.address == memory->address) {
		rangemap_remove(&live, &n->range);
		n->a.freed = true;
		memcpy(n->a.gone, frames, sizeof frames);
		n->number = ++n_gone;
		struct node **slot = &ring[n->number % FREED_MAX];
		if (*slot) {
			rangemap_remove(&gone, &(*slot)->range);
			free(*slot);
		}
		*slot = n;
		forget(n->range.start, n->range.end);
		*slot = n;
		rangemap_insert(&gone, &n->range);
	}
	pthread_mutex_unlock(&lock);
}

/* Bytes between address and the range. */
static uint64_t distance(const struct range *r, uint64_t address)
{
	return !r                   ? UINT64_MAX
	       : address < r->start ? r->start - address
	       : address < r->end   ? 0
				    : address - r->end + 1;
}

bool allocation_find(const void *address, struct allocation *ret, bool *inside)
{
	uint64_t a = (uint64_t)(uintptr_t)address;
	*inside = false;
	pthread_mutex_lock(&lock);
	struct range *r = rangemap_find(&live, a);
	if (!r)
		r = rangemap_find(&gone, a);
	if (r) {
		*inside = true;
	} else {
		struct range *below = rangemap_below(&live, a), *above = rangemap_above(&live, a);
		r = distance(below, a) <= distance(above, a) ? below : above;
		if (distance(r, a) > NEAR)
			r = NULL;
	}
	if (r)
		*ret = ((struct node *)r)->a;
	pthread_mutex_unlock(&lock);
	return r;
}

void allocation_each_freed(unsigned n, void (*visit)(const struct allocation *allocation))
{
	pthread_mutex_lock(&lock);
	for (uint64_t i = 0; i < n && i < FREED_MAX && i < n_gone; i++)
		if (ring[(n_gone - i) % FREED_MAX])
			visit(&ring[(n_gone - i) % FREED_MAX]->a);
	pthread_mutex_unlock(&lock);
}

static int by_number(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a, *y = *(struct node *const *)b;
	return x->number < y->number ? -1 : x->number > y->number;
}

void allocation_each(void (*visit)(const struct allocation *allocation))
{
	size_t n = 0;
	pthread_mutex_lock(&lock);
	struct node **all = calloc(live.n + 1, sizeof *all);
	if (all)
		RANGEMAP_FOR_EACH(&live, r)
	all[n++] = (struct node *)r;
	if (all)
		qsort(all, n, sizeof *all, by_number);
	struct allocation *copies = all ? calloc(n + 1, sizeof *copies) : NULL;
	for (size_t i = 0; copies && i < n; i++)
		copies[i] = all[i]->a;
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; copies && i < n; i++)
		visit(&copies[i]);
	free(copies);
	free(all);
}
