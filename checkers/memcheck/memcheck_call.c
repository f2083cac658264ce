/* SPDX-License-Identifier: Apache-2.0 */
#include "memcheck.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory_map.h"

/* ---- frees ---------------------------------------------------------------------- */

void memcheck_bad_free(void *tool, const struct cudasim_memory *memory)
{
	struct finding f = {
		.tool = CHECKER_MEMCHECK,
		.severity = FINDING_ERROR,
		.address = memory->address,
	};
	struct memory_range range;
	uint64_t a = (uint64_t)(uintptr_t)memory->address;
	enum memory_state state = memory_map_state(a, &range);
	const bool live = state == MEMORY_LIVE || state == MEMORY_FORBIDDEN;
	(void)tool;
	if (state == MEMORY_FREED && range.start == a) {
		f.kind = "double-free";
		memcheck_line(&f, "0x%" PRIx64 " has been freed before", a);
	} else {
		f.kind = "invalid-free";
		if (live && range.start != a)
			memcheck_line(&f,
				      "0x%" PRIx64 " is %" PRIu64
				      " bytes into an allocation, not its start",
				      a, a - range.start);
		else if (live)
			memcheck_line(&f, "0x%" PRIx64 " was allocated by another function", a);
		else
			memcheck_line(&f, "0x%" PRIx64 " was not allocated", a);
	}
	snprintf(f.title, sizeof f.title, "%s %s",
		 memory->thread ? "Malloc/Free Error encountered: " : "",
		 !strcmp(f.kind, "double-free") ? "Double free" : "Invalid pointer to free");
	memmove(f.title, f.title + (f.title[0] == ' '), strlen(f.title) + (f.title[0] != ' '));
	if (memory->thread) {
		struct cudasim_access at = {.site = memory->site};
		memcheck_tell(&f, memory->thread, &at);
		return;
	}
	f.side = (struct finding_side){.host = true, .function = memory->function};
	if (memory->function)
		snprintf(f.title, sizeof f.title, "%s on CUDA API call to %s",
			 !strcmp(f.kind, "double-free") ? "Double free" : "Invalid free",
			 memory->function);
	finding_report(&f);
}

/* ---- copies and sets ------------------------------------------------------------ */

static void bad_copy(const struct cudasim_copy *copy, uint64_t a, uint64_t size, bool write)
{
	struct finding f = {
		.tool = CHECKER_MEMCHECK,
		.severity = FINDING_ERROR,
		.side = {.host = true, .function = copy->function},
		.address = (const void *)(uintptr_t)a,
	};
	struct memory_range range;
	enum memory_state state = memory_map_state(a, &range);
	f.kind = state == MEMORY_FREED ? "use-after-free" : "out-of-bounds";
	snprintf(f.title, sizeof f.title, "Invalid %s of size %" PRIu64 " bytes by %s",
		 write ? "write" : "read", size, copy->function ? copy->function : "a copy");
	memcheck_line(&f, "Access to 0x%" PRIx64 " is %s", a,
		      state == MEMORY_FREED ? "in memory that has been freed" : "out of bounds");
	if (state != MEMORY_NONE)
		memcheck_place(&f, state == MEMORY_FREED ? a : a + size - 1, range.start,
			       range.end - range.start, "the allocation");
	finding_report(&f);
}

/* One side, row by row. The host's own memory is nobody's: it is not looked at. */
static void check_rows(const struct cudasim_copy *copy, const void *base, uint64_t pitch,
		       uint64_t slice, bool write)
{
	struct memory_range range;
	uint64_t a = (uint64_t)(uintptr_t)base;
	enum memory_state state = copy->width ? memory_map_state(a, &range) : MEMORY_NONE;
	/* The host makes copies of what is the host's alone. */
	if (state == MEMORY_NONE || state == MEMORY_FORBIDDEN)
		return;
	for (uint64_t z = 0; z < copy->depth; z++)
		for (uint64_t y = 0; y < copy->height; y++) {
			uint64_t row = a + z * slice + y * pitch;
			if (memory_map_fits(row, copy->width, false))
				continue;
			bad_copy(copy, row, copy->width, write);
			return;
		}
}

void memcheck_copy(void *tool, const struct cudasim_copy *copy)
{
	(void)tool;
	check_rows(copy, copy->to, copy->to_pitch, copy->to_slice, true);
	if (copy->kind == CUDASIM_COPY)
		check_rows(copy, copy->from, copy->from_pitch, copy->from_slice, false);
}
