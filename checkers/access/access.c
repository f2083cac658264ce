/* SPDX-License-Identifier: Apache-2.0 */
#include "access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access_block.h"
#include "history.h"
#include "initcheck.h"
#include "memcheck_access.h"
#include "must.h"
#include "race.h"

uint32_t access_want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	const bool *on = checker_options.tools;
	bool some = (on[CHECKER_MEMCHECK] || on[CHECKER_RACECHECK]) && checker_launch(launch);
	/* Those that are not to be checked write, too. */
	if (!some && !on[CHECKER_INITCHECK])
		return 0;
	return CUDASIM_WANT_ACCESS | CUDASIM_WANT_BLOCK | CUDASIM_WANT_LANES |
	       (some && on[CHECKER_MEMCHECK] ? CUDASIM_WANT_STACK : 0);
}

static const struct cudasim_observer *own_observer;
/* The observer's slot in blocks, which stays the same once it was added. */
static _Atomic int slot_number = -1;

void access_start(const struct cudasim_observer *observer)
{
	own_observer = observer;
}

void access_block_begin(void *tool, struct cudasim_block *block)
{
	(void)tool;
	void **slot = cudasim_block_data(block, own_observer);
	if (!slot)
		return;
	struct access_block *b = must(calloc(1, sizeof *b));
	atomic_store_explicit(&slot_number, (int)(slot - block->tool), memory_order_relaxed);
	b->init = checker_options.tools[CHECKER_INITCHECK];
	b->memory = checker_options.tools[CHECKER_MEMCHECK] && checker_launch(block->launch);
	b->race = checker_options.tools[CHECKER_RACECHECK] ? race_block_of(block) : NULL;
	b->written = b->init ? initcheck_block(block) : NULL;
	b->history = history_block_begin(block);
	b->shared = (uint64_t)(uintptr_t)block->shared;
	b->shared_bytes = block->shared_bytes;
	*slot = b;
}

void access_block_end(void *tool, struct cudasim_block *block)
{
	(void)tool;
	void **slot = cudasim_block_data(block, own_observer);
	struct access_block *b = slot ? *slot : NULL;
	if (!b)
		return;
	history_block_end(b->history);
	free(b->written);
	free(b);
	*slot = NULL;
}

struct history_block *access_history(const struct cudasim_block *block)
{
	int slot = atomic_load_explicit(&slot_number, memory_order_relaxed);
	const struct access_block *b = slot < 0 ? NULL : block->tool[slot];
	return b ? b->history : NULL;
}

struct access_block *access_block_of(const struct cudasim_block *block)
{
	return block->tool[atomic_load_explicit(&slot_number, memory_order_relaxed)];
}

static inline enum cudasim_verdict more(enum cudasim_verdict a, enum cudasim_verdict b)
{
	return a > b ? a : b;
}

/* ---- initcheck ------------------------------------------------------------ */

/* Aligned words of 1, 2, 4, 8 bytes that are written, or are about to be. */
static inline bool init_quick(const struct cudasim_access *access, struct shadow_page *page)
{
	uint64_t at = (uint64_t)(uintptr_t)access->address, size = access->size;
	if (size > 8 || at & (size - 1) || size & (size - 1))
		return false;
	uint8_t *byte = &page->body->written[(at & (SHADOW_PAGE_BYTES - 1)) / 8];
	uint8_t mask = (uint8_t)(((1u << size) - 1) << (at & 7));
	if (__builtin_expect((__atomic_load_n(byte, __ATOMIC_RELAXED) & mask) == mask, 1))
		return true;
	if (access->what & CUDASIM_ACCESS_LOAD ||
	    atomic_load_explicit(&page->known, memory_order_acquire) != SHADOW_MARKED)
		return false;
	__atomic_fetch_or(byte, mask, __ATOMIC_RELAXED);
	return true;
}

static inline bool init_quick_shared(const struct access_block *b,
				     const struct cudasim_access *access)
{
	uint64_t offset = (uint64_t)(uintptr_t)access->address - b->shared;
	uint32_t word;
	if (access->size != 4 || offset + 4 > b->shared_bytes)
		return false;
	memcpy(&word, b->written + offset, sizeof word);
	if (word == 0x01010101)
		return true;
	if (access->what & CUDASIM_ACCESS_LOAD)
		return false;
	memset(b->written + offset, 1, sizeof word);
	return true;
}

/* ---- accesses ------------------------------------------------------------- */

static inline enum cudasim_verdict on_shared(struct access_block *b, struct cudasim_thread *thread,
					     const struct cudasim_access *access)
{
	enum cudasim_verdict verdict = CUDASIM_GO;
	/* What cooperative groups keep for themselves: atomic accesses there order others. */
	if (__builtin_expect(access->what & CUDASIM_ACCESS_TOOLKIT &&
				     (uint64_t)(uintptr_t)access->address - b->shared +
						     access->size <=
					     CUDASIM_GROUP_SCRATCH_BYTES,
			     0))
		return b->race && access->what & CUDASIM_ACCESS_ATOMIC
			       ? race_access(b->race, thread, access, NULL)
			       : CUDASIM_GO;
	if (b->memory)
		verdict = memcheck_shared(thread, access);
	if (b->init && !init_quick_shared(b, access))
		verdict = more(verdict, initcheck_shared(thread, access, b->written));
	if (b->race)
		verdict = more(verdict, race_access(b->race, thread, access, NULL));
	return verdict;
}

static inline enum cudasim_verdict on_global(struct access_block *b, struct cudasim_thread *thread,
					     const struct cudasim_access *access)
{
	uint64_t at = (uint64_t)(uintptr_t)access->address;
	struct shadow_page *page = shadow_page(at);
	enum cudasim_verdict verdict = CUDASIM_GO;
	/* What memory has to bring comes while the rest is done: the access's own, too. */
	__builtin_prefetch(access->address, 1);
	if (b->race && page)
		race_prefetch(page, at);
	if (b->memory) {
		const struct memory_range *r =
			page ? atomic_load_explicit(&page->range, memory_order_acquire) : NULL;
		if (__builtin_expect(
			    !r || r->overlaid ||
				    !memory_range_fits(r, at, access->size,
						       access->what & CUDASIM_ACCESS_STORE),
			    0))
			verdict = memcheck_global(thread, access, page);
	}
	if (!page)
		return verdict;
	if (b->init && !init_quick(access, page))
		verdict = more(verdict, initcheck_global(thread, access, page));
	if (b->race)
		verdict = more(verdict, race_access(b->race, thread, access, page));
	return verdict;
}

static inline enum cudasim_verdict check(struct access_block *b, struct cudasim_thread *thread,
					 const struct cudasim_access *access)
{
	uint64_t at = (uint64_t)(uintptr_t)access->address;
	enum cudasim_verdict verdict = CUDASIM_GO;
	if (__builtin_expect(b->memory && at & (access->alignment - 1), 0))
		return memcheck_misaligned(thread, access);
	switch (access->space) {
	case CUDASIM_SPACE_SHARED:
		return on_shared(b, thread, access);
	case CUDASIM_SPACE_GLOBAL:
		return on_global(b, thread, access);
	case CUDASIM_SPACE_LOCAL:
		return b->memory ? memcheck_local(thread, access) : verdict;
	case CUDASIM_SPACE_CONSTANT:
		if (b->init)
			verdict = init_constant_read(thread, access);
		return b->memory ? more(verdict, memcheck_global(thread, access, NULL)) : verdict;
	default:
		return b->memory ? memcheck_global(thread, access, NULL) : verdict;
	}
}

/* The access is made after it was checked, and later by a thread that is held before. */
static enum cudasim_verdict check_and_note(struct access_block *b, struct cudasim_thread *thread,
					   const struct cudasim_access *access)
{
	history_settle(b->history, thread);
	enum cudasim_verdict verdict = check(b, thread, access);
	if (access->what & CUDASIM_ACCESS_STORE && verdict < CUDASIM_STOP)
		history_write(b->history, thread, access, verdict != CUDASIM_GO);
	return verdict;
}

enum cudasim_verdict access_check(void *tool, struct cudasim_thread *thread,
				  const struct cudasim_access *access)
{
	(void)tool;
	struct access_block *b =
		thread->block->tool[atomic_load_explicit(&slot_number, memory_order_relaxed)];
	if (__builtin_expect(!b, 0))
		return CUDASIM_GO;
	if (__builtin_expect(b->history != NULL, 0))
		return check_and_note(b, thread, access);
	return check(b, thread, access);
}
