/* SPDX-License-Identifier: Apache-2.0 */
/* race_shadow.c - each access against what its words remember.
 *
 * Global memory's cells lie in the pages of shadow.h, where a byte lock guards those of
 * 64 bytes. A block's shared memory has cells of its own, which need no lock, for a block
 * runs on one pthread. */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "race_place.h"

/* ---- whole accesses ------------------------------------------------------- */

static void access_shared(struct race_me *me, struct race_block *owner, uint64_t offset)
{
	uint64_t base = (uint64_t)(uintptr_t)owner->block->shared;
	uint64_t end = offset + me->access->size;
	if (end > owner->n_shared * 4)
		end = owner->n_shared * 4; /* memcheck speaks of the rest */
	me->floor = owner->epoch_first;
	for (uint64_t at = offset; at < end; at = (at & ~(uint64_t)3) + 4) {
		uint64_t word = at & ~(uint64_t)3;
		struct race_place place = race_place_shared(owner, word / 4);
		race_form_check(me, &place, base + word, (unsigned)(at - word),
				end - word < 4 ? (unsigned)(end - word) : 4);
	}
}

void race_shadow_access(struct race_me *me)
{
	uint64_t at = (uint64_t)(uintptr_t)me->access->address, end = at + me->access->size;
	if (me->access->space == CUDASIM_SPACE_SHARED) {
		struct race_block *b = me->block;
		uint64_t offset = at - (uint64_t)(uintptr_t)b->block->shared;
		if (offset < b->block->shared_bytes)
			access_shared(me, b, offset);
		return;
	}
	me->floor = atomic_load_explicit(&me->block->launch->floor, memory_order_relaxed);
	while (at < end) {
		struct shadow_page *page = shadow_page(at);
		if (!page)
			return; /* memcheck speaks of it */
		uint64_t word = at & ~(uint64_t)3;
		struct race_place place = race_place_global(page, word);
		_Atomic uint8_t *l = race_place_lock(page, word);
		race_form_check(me, &place, word, (unsigned)(at - word),
				end - word < 4 ? (unsigned)(end - word) : 4);
		race_place_unlock(l);
		at = word + 4;
	}
}

/* ---- other uses ----------------------------------------------------------- */

static void forget_words(struct shadow_page *page, uint64_t at, uint64_t end)
{
	for (; at < end; at += 4) {
		struct race_place place = race_place_global(page, at);
		_Atomic uint8_t *l = race_place_lock(page, at);
		race_form_forget(&place);
		race_place_unlock(l);
	}
}

void race_shadow_forget(const void *address, uint64_t size)
{
	uint64_t at = (uint64_t)(uintptr_t)address & ~(uint64_t)3;
	uint64_t end = (uint64_t)(uintptr_t)address + size;
	while (at < end) {
		uint64_t next = (at | (SHADOW_PAGE_BYTES - 1)) + 1;
		struct shadow_page *page = shadow_page_find(at, false);
		bool whole = !(at & (SHADOW_PAGE_BYTES - 1)) && end >= next;
		if (page && atomic_load(&page->raced)) {
			if (!whole || atomic_load(&page->n_wide))
				forget_words(page, at, next < end ? next : end);
			if (whole) {
				atomic_store(&page->raced, 0);
				shadow_clear(page->body->hot, sizeof page->body->hot);
				shadow_clear(page->body->cold, sizeof page->body->cold);
				shadow_clear(page->body->rows,
					     sizeof page->body->rows +
						     sizeof page->body->row_state);
			}
		}
		at = next;
	}
}

static bool each_of(const struct race_cell *cell, uint64_t address, bool writes_only,
		    bool (*each)(void *, struct race_record, uint64_t), void *data)
{
	struct race_record all[5] = {cell->write, cell->atomic[0], cell->atomic[1], cell->read[0],
				     cell->read[1]};
	for (int i = 0; i < 5; i++)
		if (all[i].segment && (all[i].write || !writes_only) &&
		    !each(data, all[i], address))
			return false;
	return true;
}

uint64_t race_shadow_each(const void *address, uint64_t size, bool writes_only,
			  bool (*each)(void *, struct race_record, uint64_t), void *data)
{
	uint64_t begin = (uint64_t)(uintptr_t)address, at = begin & ~(uint64_t)3;
	uint64_t end = begin + size, looked = 0;
	while (at < end) {
		uint64_t next = (at | (SHADOW_PAGE_BYTES - 1)) + 1;
		struct shadow_page *page = shadow_page_find(at, false);
		bool raced = page && atomic_load(&page->raced);
		for (; raced && at < next && at < end; at += 4, looked++) {
			struct race_place place = race_place_global(page, at);
			struct race_cell cells[4];
			_Atomic uint8_t *l = race_place_lock(page, at);
			unsigned n = race_form_cells(&place, cells);
			race_place_unlock(l);
			for (unsigned j = 0; j < n; j++)
				if ((n == 1 || (at + j >= begin && at + j < end)) &&
				    !each_of(&cells[j], at + j, writes_only, each, data))
					return looked;
		}
		at = next;
	}
	return looked;
}

/* ---- blocks' cells -------------------------------------------------------- */

/* Cells of ended blocks serve later ones of the same pthread as they are: what they
 * hold has lower segments than the new block's first. */
enum { MAX_POOL = 64 };
CHECKER_TLS struct {
	struct race_hot *cells;
	size_t n;
} pool[MAX_POOL];

static size_t bytes_of(size_t n_cells)
{
	return n_cells * (sizeof(struct race_hot) + sizeof(struct race_cold)) +
	       race_lines_bytes(n_cells);
}

struct race_hot *race_shadow_block(size_t n_cells)
{
	for (int i = 0; i < MAX_POOL; i++)
		if (pool[i].n == n_cells) {
			pool[i].n = 0;
			return pool[i].cells;
		}
	return n_cells ? shadow_reserve(bytes_of(n_cells)) : NULL;
}

void race_shadow_block_end(struct race_hot *cells, size_t n_cells)
{
	if (!n_cells)
		return;
	for (int i = 0; i < MAX_POOL; i++)
		if (!pool[i].n) {
			pool[i].cells = cells;
			pool[i].n = n_cells;
			return;
		}
	struct race_cold *cold = (struct race_cold *)(cells + n_cells);
	for (size_t i = 0; i < n_cells; i++)
		race_form_forget(&(struct race_place){&cells[i], &cold[i], NULL});
	munmap(cells, bytes_of(n_cells));
}
