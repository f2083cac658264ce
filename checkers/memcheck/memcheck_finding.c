/* SPDX-License-Identifier: Apache-2.0 */
#include "memcheck.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char *space_word(enum cudasim_space space)
{
	switch (space) {
	case CUDASIM_SPACE_SHARED:
		return "__shared__";
	case CUDASIM_SPACE_LOCAL:
		return "__local__";
	case CUDASIM_SPACE_CONSTANT:
		return "__constant__";
	default:
		return "__global__";
	}
}

static const char *verb_word(uint32_t what)
{
	if (what & CUDASIM_ACCESS_ATOMIC)
		return "atomic";
	return what & CUDASIM_ACCESS_STORE ? "write" : "read";
}

void memcheck_line(struct finding *f, const char *format, ...)
{
	size_t n = strlen(f->detail);
	va_list list;
	if (n + 2 >= sizeof f->detail)
		return;
	if (n)
		f->detail[n++] = '\n';
	va_start(list, format);
	vsnprintf(f->detail + n, sizeof f->detail - n, format, list);
	va_end(list);
}

void memcheck_place(struct finding *f, uint64_t a, uint64_t begin, uint64_t size, const char *what)
{
	uint64_t end = begin + size;
	if (a >= end)
		memcheck_line(f,
			      "and is %" PRIu64 " bytes after %s at 0x%" PRIx64 " of size %" PRIu64
			      " bytes",
			      a - end + 1, what, begin, size);
	else if (a < begin)
		memcheck_line(f,
			      "and is %" PRIu64 " bytes before %s at 0x%" PRIx64 " of size %" PRIu64
			      " bytes",
			      begin - a, what, begin, size);
	else
		memcheck_line(f, "and is inside %s at 0x%" PRIx64 " of size %" PRIu64 " bytes",
			      what, begin, size);
}

/* The access that bounds() has told of last: it follows. */
static _Thread_local struct {
	const struct cudasim_site *site;
	const void *by_bounds; /* its address */
} reported;

/* Launches and places that findings were told of, so that the fault that follows is not told
 * twice; it comes on another pthread with some engines. A place in the table has the last one: no
 * lock, no memory, and base/hash.h has both. */
static _Atomic uint64_t told_of[1024];

static uint64_t told_key(uint64_t launch, const struct cudasim_site *site)
{
	return (launch << 40 ^ (uint64_t)(uintptr_t)site) * 0x9e3779b97f4a7c15u | 1;
}

static void set_told(uint64_t launch, const struct cudasim_site *site)
{
	uint64_t key = told_key(launch, site);
	atomic_store_explicit(&told_of[key >> 54], key, memory_order_relaxed);
}

bool memcheck_is_told(uint64_t launch, const struct cudasim_site *site)
{
	uint64_t key = told_key(launch, site);
	return atomic_load_explicit(&told_of[key >> 54], memory_order_relaxed) == key;
}

bool memcheck_told_by_bounds(const struct cudasim_access *access)
{
	bool told = reported.by_bounds && reported.by_bounds == access->address &&
		    reported.site == access->site;
	reported.by_bounds = NULL;
	return told;
}

enum cudasim_verdict memcheck_tell(struct finding *f, struct cudasim_thread *thread,
				   const struct cudasim_access *access)
{
	f->tool = CHECKER_MEMCHECK;
	f->severity = FINDING_ERROR;
	f->launch = thread->block->launch;
	f->thread = thread;
	finding_side_of(&f->side, thread);
	if (access) {
		f->side.site = access->site;
		f->side.what = access->what & 0xff;
		f->side.size = access->size;
		if (!*f->title)
			snprintf(f->title, sizeof f->title,
				 "Invalid %s %s of size %" PRIu64 " bytes",
				 space_word(access->space), verb_word(access->what), access->size);
	}
	reported.site = f->side.site;
	set_told(f->launch->id, f->side.site);
	return finding_report(f);
}

void memcheck_tell_bounds(const struct cudasim_access *access)
{
	reported.by_bounds = access->address;
}
