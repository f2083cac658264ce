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
