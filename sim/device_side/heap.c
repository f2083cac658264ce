/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "device.h"
#include "device_side.h"
#include "dispatch.h"
#include "memory.h"
#include "observer.h"

enum { N_CLASSES = 40 };

/* What stands before each block's memory. */
struct header {
	uint64_t mark;           /* MARK_* xor the header's address */
	uint64_t size;           /* bytes up to the next header, this one included */
	struct header *previous; /* in memory; NULL for the first */
	uint64_t asked;          /* bytes asked for; of blocks in use */
};
/* In the memory of a free block. */
struct link {
	struct header *next, *back; /* in the list of its class */
};

static const uint64_t mark_used = 0x7573656462795f31, mark_free = 0x667265656d656d31;

struct heap {
	unsigned char *base;
	uint64_t size, used;
	struct header *free[N_CLASSES]; /* class c: sizes from 2^c to 2^(c+1) - 1 */
};

static uint64_t marked(const struct header *h, uint64_t mark)
{
	return mark ^ (uintptr_t)h;
}

static uint32_t class_of(uint64_t size)
{
	return 63 - (uint32_t)__builtin_clzll(size);
}

static struct link *link_of(struct header *h)
{
	return (struct link *)(h + 1);
}

static struct header *after(const struct heap *heap, struct header *h)
{
	unsigned char *next = (unsigned char *)h + h->size;
	return next < heap->base + heap->size ? (struct header *)next : NULL;
}

static void list_add(struct heap *heap, struct header *h)
{
	struct header **head = &heap->free[class_of(h->size)];
	h->mark = marked(h, mark_free);
	*link_of(h) = (struct link){.next = *head};
	if (*head)
		link_of(*head)->back = h;
	*head = h;
}

static void list_remove(struct heap *heap, struct header *h)
{
	struct link *l = link_of(h);
	if (l->back)
		link_of(l->back)->next = l->next;
	else
		heap->free[class_of(h->size)] = l->next;
	if (l->next)
		link_of(l->next)->back = l->back;
}

struct heap *heap_new(struct device *device, uint64_t size)
{
	struct heap *heap = calloc(1, sizeof *heap);
	size &= ~(uint64_t)15;
	if (size < 2 * sizeof(struct header))
		size = 2 * sizeof(struct header);
	if (heap)
		heap->base = memory_reserve(device, size);
	if (!heap || !heap->base) {
		free(heap);
		return NULL;
	}
	heap->size = size;
	struct header *all = (struct header *)heap->base;
	*all = (struct header){.size = size};
	list_add(heap, all);
	return heap;
}

void heap_free_all(struct heap *heap, struct device *device)
{
	memory_unreserve(device, heap->base, heap->size);
	free(heap);
}

/* A free block of at least size bytes. */
static struct header *find(struct heap *heap, uint64_t size)
{
	for (uint32_t c = class_of(size); c < N_CLASSES; c++)
		for (struct header *h = heap->free[c]; h; h = link_of(h)->next)
			if (h->size >= size)
				return h;
	return NULL;
}

/* Cut what is beyond size bytes off h, which is in no list. */
static void split(struct heap *heap, struct header *h, uint64_t size)
{
	if (h->size < size + sizeof(struct header) + sizeof(struct link))
		return;
	struct header *rest = (struct header *)((unsigned char *)h + size);
	struct header *next = after(heap, h);
	*rest = (struct header){.size = h->size - size, .previous = h};
	if (next)
		next->previous = rest;
	h->size = size;
	list_add(heap, rest);
}

void *heap_alloc(struct heap *heap, uint64_t size)
{
	if (size > heap->size)
		return NULL;
	uint64_t need = ((size ? size : 1) + 15) / 16 * 16 + sizeof(struct header);
	struct header *h = find(heap, need);
	if (!h)
		return NULL;
	list_remove(heap, h);
	split(heap, h, need);
	h->mark = marked(h, mark_used);
	h->asked = size;
	heap->used += h->size;
	return h + 1;
}

/* Join h, which is in no list, with the free block behind it. */
static void join(struct heap *heap, struct header *h)
{
	struct header *next = after(heap, h);
	if (!next || next->mark != marked(next, mark_free))
		return;
	list_remove(heap, next);
	next->mark = 0;
	h->size += next->size;
	struct header *behind = after(heap, h);
	if (behind)
		behind->previous = h;
}

enum heap_answer heap_release(struct heap *heap, void *address, uint64_t *size)
{
	uint64_t at = (uint64_t)((unsigned char *)address - heap->base);
	*size = 0;
	if ((unsigned char *)address < heap->base || at >= heap->size || at % 16 ||
	    at < sizeof(struct header))
		return HEAP_FOREIGN;
	struct header *h = (struct header *)address - 1;
	if (h->mark == marked(h, mark_free))
		return HEAP_FREED;
	if (h->mark != marked(h, mark_used))
		return HEAP_FOREIGN;
	*size = h->asked;
	heap->used -= h->size;
	h->mark = marked(h, mark_free);
	join(heap, h);
	struct header *previous = h->previous;
	if (previous && previous->mark == marked(previous, mark_free)) {
		list_remove(heap, previous);
		/* h's header stays in the middle of the joined block, marked free,
		 * so that freeing it again is told. */
		previous->size += h->size;
		struct header *behind = after(heap, previous);
		if (behind)
			behind->previous = previous;
		h = previous;
	}
	list_add(heap, h);
	return HEAP_OK;
}

uint64_t heap_used(const struct heap *heap)
{
	return heap->used;
}

void heap_check(const struct heap *heap)
{
	uint64_t used = 0, n_free = 0, n_listed = 0;
	struct header *previous = NULL;
	for (struct header *h = (struct header *)heap->base; h; h = after(heap, h)) {
		assert(h->previous == previous);
		assert(h->size >= sizeof *h && h->size % 16 == 0);
		bool is_free = h->mark == marked(h, mark_free);
		assert(is_free || h->mark == marked(h, mark_used));
		assert(!(is_free && previous && previous->mark == marked(previous, mark_free)));
		used += is_free ? 0 : h->size;
		n_free += is_free;
		previous = h;
	}
	for (uint32_t c = 0; c < N_CLASSES; c++)
		for (struct header *h = heap->free[c]; h; h = link_of(h)->next) {
			assert(class_of(h->size) == c && h->mark == marked(h, mark_free));
			n_listed++;
		}
	assert(used == heap->used && n_free == n_listed);
}

/* ---- for device code ----------------------------------------------------- */

static void tell(struct thread *t, void *address, uint64_t size, const struct cudasim_site *site,
		 void (*how)(const struct cudasim_memory *))
{
	struct cudasim_memory memory = {
		.address = address,
		.size = size,
		.kind = CUDASIM_MEMORY_HEAP,
		.device = (int)t->pub.block->device,
		.function = "malloc",
		.thread = &t->pub,
		.site = site,
	};
	how(&memory);
}

void *__cudasim_malloc(uint64_t size, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct device *device = block_of(t)->run->launch->device;
	struct device_side *side = device_side(device);
	t->pub.site = site;
	pthread_mutex_lock(&side->lock);
	if (!side->heap)
		side->heap = heap_new(device, side->heap_bytes);
	void *address = side->heap ? heap_alloc(side->heap, size) : NULL;
	pthread_mutex_unlock(&side->lock);
	if (address)
		tell(t, address, size, site, observe_allocated);
	dispatch_leave(t);
	return address;
}

static __attribute__((noreturn)) void bad_free(struct thread *t, void *address, bool freed,
					       const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_HEAP,
		.error = ERROR_LAUNCH_FAILURE,
		.site = site,
		.address = address,
		.address_known = true,
	};
	snprintf(fault.what, sizeof fault.what,
		 freed ? "free(%p): it has been freed already"
		       : "free(%p): malloc() in a kernel did not return this address",
		 address);
	tell(t, address, 0, site, observe_bad_free);
	dispatch_die(t, &fault);
}

void __cudasim_free(void *address, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct device_side *side = device_side(block_of(t)->run->launch->device);
	uint64_t size = 0;
	t->pub.site = site;
	if (!address) {
		dispatch_leave(t);
		return;
	}
	pthread_mutex_lock(&side->lock);
	enum heap_answer answer = side->heap ? heap_release(side->heap, address, &size)
					     : HEAP_FOREIGN;
	pthread_mutex_unlock(&side->lock);
	if (answer != HEAP_OK)
		bad_free(t, address, answer == HEAP_FREED, site);
	/* The memory cannot be given out again before others of this block run. */
	tell(t, address, size, site, observe_freed);
	dispatch_leave(t);
}
