/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <string.h>
#include <sys/mman.h>

#include "address_space.h"
#include "cudasim/abi.h"

enum {
	PAGE = 4096,
	GRANULE = 128,
	/* Nothing is mapped for so long before and behind the window, behind it less where
	 * address space is limited: each worker has a window. */
	GUARD_BEFORE = 64 * 1024,
	GUARD_BEHIND = 96 << 20,
	GUARD_PART = 512,
};

static size_t guard_behind(void)
{
	return address_space_share(GUARD_BEHIND, GUARD_PART) / PAGE * PAGE;
}

void window_fini(struct window *w)
{
	if (w->map)
		munmap(w->map, w->capacity + GUARD_BEFORE + w->guard);
	*w = (struct window){0};
}

static bool reserve(struct window *w, size_t capacity)
{
	window_fini(w);
	capacity = (capacity + PAGE - 1) / PAGE * PAGE;
	size_t guard = guard_behind();
	unsigned char *map = mmap(NULL, capacity + GUARD_BEFORE + guard, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	if (mprotect(map + GUARD_BEFORE, capacity, PROT_READ | PROT_WRITE)) {
		munmap(map, capacity + GUARD_BEFORE + guard);
		return false;
	}
	w->map = map;
	w->capacity = capacity;
	w->guard = guard;
	return true;
}

bool window_prepare(struct window *w, uint32_t bytes, uint32_t align)
{
	if (align < GRANULE)
		align = GRANULE;
	size_t room = ((size_t)bytes + align - 1) / align * align;
	if (room > w->capacity && !reserve(w, room))
		return false;
	w->bytes = bytes;
	w->base = w->map + GUARD_BEFORE + w->capacity - room;
	return true;
}

static bool are_near(struct window *const windows[], uint32_t n)
{
	const unsigned char *low = windows[0]->base, *high = low;
	for (uint32_t i = 1; i < n; i++) {
		const unsigned char *base = windows[i]->base;
		low = base < low ? base : low;
		high = base > high ? base : high;
	}
	return (uint64_t)(high - low) < INT32_MAX - WINDOW_RANGE;
}

bool window_gather(struct window *const windows[], uint32_t n, uint32_t align)
{
	if (are_near(windows, n))
		return true;
	size_t capacity = 0, guard = guard_behind();
	for (uint32_t i = 0; i < n; i++)
		capacity = windows[i]->capacity > capacity ? windows[i]->capacity : capacity;
	size_t each = GUARD_BEFORE + capacity + guard;
	unsigned char *all = mmap(NULL, n * each, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (mprotect(all + i * each + GUARD_BEFORE, capacity, PROT_READ | PROT_WRITE)) {
			munmap(all, n * each);
			return false;
		}
	for (uint32_t i = 0; i < n; i++) {
		struct window *w = windows[i];
		uint32_t bytes = w->bytes;
		window_fini(w);
		w->map = all + i * each;
		w->capacity = capacity;
		w->guard = guard;
		window_prepare(w, bytes, align);
	}
	return true;
}

void window_clear(struct window *w)
{
	/* The reserved part is never written by a correct program, but a wrong
	 * one may, and the next block must not see it. */
	memset(w->base, 0, w->bytes);
}

bool window_guards(const struct window *w, const void *addr)
{
	const unsigned char *a = addr;
	if (!w->map)
		return false;
	if (a < w->map || a >= w->map + GUARD_BEFORE + w->capacity + w->guard)
		return false;
	return a < w->map + GUARD_BEFORE || a >= w->map + GUARD_BEFORE + w->capacity;
}
