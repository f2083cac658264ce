/* SPDX-License-Identifier: Apache-2.0 */
/* race_shadow.c - cells: what each word of memory remembers of its accesses.
 *
 * Global memory's cells lie in pages that are made at the first access, found by
 * two levels of tables over the 47 bits of an address; a byte lock in the page
 * guards 16 words each. A block's shared memory has cells of its own, which need no
 * lock, for a block runs on one pthread. A cell whose word is accessed in parts
 * becomes four, one for each byte. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checkers/race.h"

enum {
	PAGE_BITS = 16, /* of addresses */
	PAGE_CELLS = (1 << PAGE_BITS) / 4,
	LEVEL_BITS = 16,
	TOP_BITS = 47 - PAGE_BITS - LEVEL_BITS,
	LOCK_CELLS = 16,
};
#define SPLIT UINT32_MAX

struct page {
	_Atomic uint8_t locks[PAGE_CELLS / LOCK_CELLS];
	struct race_cell cells[PAGE_CELLS];
};

static _Atomic(struct page *) *_Atomic tops[1 << TOP_BITS];

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		race_out_of_memory();
	return p;
}

/* The page of an address, made if `make`; else NULL where there is none. */
static struct page *page_of(uint64_t address, bool make)
{
	RACE_TLS struct { uint64_t number; struct page *page; } last;
	uint64_t number = address >> PAGE_BITS;
	if (last.page && last.number == number)
		return last.page;
	if (number >> (TOP_BITS + LEVEL_BITS))
		return NULL; /* no address of a user's */
	_Atomic(_Atomic(struct page *) *) *top = &tops[number >> LEVEL_BITS];
	_Atomic(struct page *) *level = atomic_load_explicit(top, memory_order_acquire);
	if (!level) {
		if (!make)
			return NULL;
		_Atomic(struct page *) *fresh = map((sizeof *fresh) << LEVEL_BITS);
		if (atomic_compare_exchange_strong(top, &level, fresh))
			level = fresh;
		else
			munmap(fresh, (sizeof *fresh) << LEVEL_BITS);
	}
	_Atomic(struct page *) *slot = &level[number & ((1 << LEVEL_BITS) - 1)];
	struct page *page = atomic_load_explicit(slot, memory_order_acquire);
	if (!page) {
		if (!make)
			return NULL;
		struct page *fresh = map(sizeof *fresh);
		if (atomic_compare_exchange_strong(slot, &page, fresh))
			page = fresh;
		else
			munmap(fresh, sizeof *fresh);
	}
	last.number = number;
	last.page = page;
	return page;
}

static void lock(_Atomic uint8_t *l)
{
	while (atomic_exchange_explicit(l, 1, memory_order_acquire))
		while (atomic_load_explicit(l, memory_order_relaxed))
			__builtin_ia32_pause();
}

static void unlock(_Atomic uint8_t *l)
{
	atomic_store_explicit(l, 0, memory_order_release);
}

/* ---- order ---------------------------------------------------------------- */

static bool ordered_in_warp(const struct race_me *me, const struct race_segment *s, uint32_t lane)
{
	const struct race_warp *w = me->warp;
	return lane == me->record.lane || s->sequence < w->known_all ||
	       (w->known && s->sequence < w->known[me->record.lane][lane]);
}

static __attribute__((noinline)) bool ordered_slow(const struct race_me *me, struct race_record r)
{
	const struct race_segment *s = race_segment(r.segment);
	const struct race_block *b = me->block;
	if (s->block == b->id) {
		if (s->epoch < b->epoch)
			return true;
		if (s->warp == me->thread->warp && ordered_in_warp(me, s, r.lane))
			return true;
	} else {
		uint32_t launch = race_block_name(s->block)->launch;
		if (launch != b->launch->index &&
		    race_order_before(race_launch_at(launch), b->launch))
			return true;
	}
	return race_sync_knows(me, r.segment, r.lane);
}

static inline bool ordered(const struct race_me *me, struct race_record r)
{
	if (r.segment < me->floor)
		return true;
	if (r.segment == me->record.segment)
		return r.lane == me->record.lane;
	return ordered_slow(me, r);
}

/* ---- cells ---------------------------------------------------------------- */

static bool same_thread(struct race_record a, struct race_record b)
{
	return a.segment == b.segment && a.lane == b.lane;
}

/* 0: of one warp, 1: of one block, 2: of two blocks. */
static int distance(struct race_record a, struct race_record b)
{
	const struct race_segment *x = race_segment(a.segment), *y = race_segment(b.segment);
	return x->block != y->block ? 2 : x->warp != y->warp;
}

/* Two accesses that are not ordered stand for many: the further they are apart, the
 * more threads exist that are ordered with neither. */
static void enter_read(const struct race_me *me, struct race_record *read)
{
	if (same_thread(read[0], me->record)) {
		if (!me->record.is_volatile)
			read[0].is_volatile = 0;
		return;
	}
	/* Of two blocks, and this thread knows nothing of other blocks' accesses: neither
	 * can be ordered before it but by a barrier of its own block, and then the other
	 * stands for it. */
	if (read[1].far && read[0].segment >= me->floor && read[1].segment >= me->floor &&
	    !me->block->known.n && !me->block->n_known)
		return;
	if (ordered(me, read[0])) {
		read[0] = me->record;
		if (read[1].segment && (read[1].segment < me->floor || ordered(me, read[1])))
			read[1] = (struct race_record){0};
	} else if (ordered(me, read[1])) {
		read[1] = me->record;
	} else {
		int before = distance(read[0], read[1]);
		if (before < 2 && distance(read[0], me->record) > before)
			read[1] = me->record;
		else if (before < 2 && distance(read[1], me->record) > before)
			read[0] = me->record;
		else
			return;
	}
	read[1].far = read[0].segment && read[1].segment && distance(read[0], read[1]) == 2;
}

/* The narrower its scope, the more accesses an atomic access conflicts with; a load
 * conflicts with fewer than a store. */
static int weight(struct race_record r)
{
	return (RACE_DEVICE - (int)r.scope) * 2 + (int)r.write;
}

static void enter_atomic(const struct race_me *me, struct race_record *atomic)
{
	for (int i = 0; i < 2; i++)
		if (same_thread(atomic[i], me->record) && weight(atomic[i]) <= weight(me->record)) {
			atomic[i] = me->record;
			return;
		}
	for (int i = 0; i < 2; i++)
		if (ordered(me, atomic[i])) {
			atomic[i] = me->record;
			return;
		}
	int least = weight(atomic[0]) < weight(atomic[1]) ? 0 : 1;
	if (weight(atomic[least]) > weight(me->record))
		return;
	int before = distance(atomic[0], atomic[1]);
	if (weight(atomic[least]) < weight(me->record) ||
	    (before < 2 && distance(atomic[!least], me->record) > before))
		atomic[least] = me->record;
}

/* Whether two atomic accesses see each other as such: PTX's "morally strong". */
static bool scopes_meet(const struct race_me *me, struct race_record r)
{
	uint32_t scope = r.scope < me->record.scope ? r.scope : me->record.scope;
	if (scope == RACE_DEVICE)
		return true;
	const struct race_segment *s = race_segment(r.segment);
	if (s->block == me->block->id)
		return true;
	const struct race_block_name *name = race_block_name(s->block);
	const uint32_t *cluster = me->block->block->cluster_nctaid;
	uint64_t size = (uint64_t)cluster[0] * cluster[1] * cluster[2];
	if (scope != RACE_CLUSTER || size == 1 || name->launch != me->block->launch->index)
		return false;
	const uint64_t *grid = me->block->launch->grid;
	uint64_t other[3] = {name->index % grid[0], name->index / grid[0] % grid[1],
			     name->index / grid[0] / grid[1]};
	for (int i = 0; i < 3; i++)
		if (other[i] / cluster[i] != me->block->block->ctaid[i] / cluster[i])
			return false;
	return true;
}

/* PTX makes volatile accesses relaxed ones of system scope, but what programs declare
 * volatile is often data that locks should guard. So a volatile variable that somebody
 * spins on is synchronisation, and so is a volatile look at what atomics write; others
 * are held to what holds for plain accesses. */
static bool flag(struct race_record a, struct race_record b)
{
	return (a.is_volatile && b.is_volatile && (a.scope || b.scope)) ||
	       (a.scope && b.is_volatile && !b.write) || (b.scope && a.is_volatile && !a.write);
}

static inline void against(const struct race_me *me, struct race_record r, uint64_t address)
{
	if (__builtin_expect(!ordered(me, r), 0) && !flag(me->record, r))
		race_found(me, r, address);
}

static inline void check(const struct race_me *me, struct race_cell *cell, uint64_t address)
{
	if (me->record.scope) { /* atomic */
		against(me, cell->write, address);
		for (int i = 0; i < 2; i++)
			if ((me->record.write || cell->atomic[i].write) &&
			    !ordered(me, cell->atomic[i]) && !scopes_meet(me, cell->atomic[i]))
				race_found(me, cell->atomic[i], address);
		if (me->record.write)
			for (int i = 0; i < 2; i++)
				against(me, cell->read[i], address);
		enter_atomic(me, cell->atomic);
	} else if (!me->record.write) {
		against(me, cell->write, address);
		for (int i = 0; i < 2; i++)
			if (cell->atomic[i].write)
				against(me, cell->atomic[i], address);
		enter_read(me, cell->read);
	} else {
		against(me, cell->write, address);
		for (int i = 0; i < 2; i++) {
			against(me, cell->atomic[i], address);
			against(me, cell->read[i], address);
		}
		*cell = (struct race_cell){.write = me->record};
	}
}

static struct race_cell *parts_of(struct race_cell *cell)
{
	struct race_cell *parts;
	memcpy(&parts, &cell->atomic[0], sizeof parts);
	return parts;
}

static struct race_cell *split(struct race_cell *cell)
{
	if (cell->write.segment == SPLIT)
		return parts_of(cell);
	struct race_cell *parts = malloc(4 * sizeof *parts);
	if (!parts)
		race_out_of_memory();
	for (int i = 0; i < 4; i++)
		parts[i] = *cell;
	memset(cell, 0, sizeof *cell);
	cell->write.segment = SPLIT;
	memcpy(&cell->atomic[0], &parts, sizeof parts);
	return parts;
}

/* Bytes from..to of the word at address. */
static void check_word(const struct race_me *me, struct race_cell *cell, uint64_t address,
		       unsigned from, unsigned to)
{
	if (to - from == 4 && cell->write.segment != SPLIT) {
		check(me, cell, address);
		return;
	}
	struct race_cell *parts = split(cell);
	for (unsigned i = from; i < to; i++)
		check(me, &parts[i], address + i);
}

/* ---- whole accesses ------------------------------------------------------- */

static void access_shared(struct race_me *me, struct race_block *owner, uint64_t offset)
{
	uint64_t base = (uint64_t)(uintptr_t)owner->block->shared;
	uint64_t end = offset + me->access->size;
	if (end > owner->n_shared * 4)
		end = owner->n_shared * 4; /* memcheck speaks of the rest */
	me->floor = owner->first_segment;
	for (uint64_t at = offset; at < end; at = (at & ~(uint64_t)3) + 4) {
		uint64_t word = at & ~(uint64_t)3;
		check_word(me, &owner->shared[word / 4], base + word, (unsigned)(at - word),
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
		struct page *page = page_of(at, true);
		if (!page)
			return; /* memcheck speaks of it */
		uint64_t word = at & ~(uint64_t)3;
		uint32_t cell = (uint32_t)(word >> 2) & (PAGE_CELLS - 1);
		_Atomic uint8_t *l = &page->locks[cell / LOCK_CELLS];
		lock(l);
		check_word(me, &page->cells[cell], word, (unsigned)(at - word),
			   end - word < 4 ? (unsigned)(end - word) : 4);
		unlock(l);
		at = word + 4;
	}
}

/* ---- other uses ----------------------------------------------------------- */

static void forget_cell(struct race_cell *cell)
{
	if (cell->write.segment == SPLIT)
		free(parts_of(cell));
	memset(cell, 0, sizeof *cell);
}

void race_shadow_forget(const void *address, uint64_t size)
{
	uint64_t at = (uint64_t)(uintptr_t)address & ~(uint64_t)3;
	uint64_t end = (uint64_t)(uintptr_t)address + size;
	while (at < end) {
		uint64_t next = (at | ((1 << PAGE_BITS) - 1)) + 1;
		struct page *page = page_of(at, false);
		for (; page && at < next && at < end; at += 4) {
			uint32_t cell = (uint32_t)(at >> 2) & (PAGE_CELLS - 1);
			_Atomic uint8_t *l = &page->locks[cell / LOCK_CELLS];
			lock(l);
			forget_cell(&page->cells[cell]);
			unlock(l);
		}
		at = next;
	}
}

static bool each_of(struct race_cell *cell, uint64_t address, bool writes_only,
		    bool (*each)(void *, struct race_record, uint64_t), void *data)
{
	struct race_record all[5] = {cell->write, cell->atomic[0], cell->atomic[1],
				     cell->read[0], cell->read[1]};
	for (int i = 0; i < 5; i++)
		if (all[i].segment && (all[i].write || !writes_only) &&
		    !each(data, all[i], address))
			return false;
	return true;
}

void race_shadow_each(const void *address, uint64_t size, bool writes_only,
		      bool (*each)(void *, struct race_record, uint64_t), void *data)
{
	uint64_t begin = (uint64_t)(uintptr_t)address, at = begin & ~(uint64_t)3;
	uint64_t end = begin + size;
	while (at < end) {
		uint64_t next = (at | ((1 << PAGE_BITS) - 1)) + 1;
		struct page *page = page_of(at, false);
		for (; page && at < next && at < end; at += 4) {
			uint32_t i = (uint32_t)(at >> 2) & (PAGE_CELLS - 1);
			struct race_cell *cell = &page->cells[i], copy[4];
			_Atomic uint8_t *l = &page->locks[i / LOCK_CELLS];
			lock(l);
			bool is_split = cell->write.segment == SPLIT;
			memcpy(copy, is_split ? parts_of(cell) : cell,
			       is_split ? sizeof copy : sizeof *copy);
			unlock(l);
			for (unsigned j = 0; j < (is_split ? 4 : 1); j++)
				if ((!is_split || (at + j >= begin && at + j < end)) &&
				    !each_of(&copy[j], at + j, writes_only, each, data))
					return;
		}
		at = next;
	}
}

/* ---- blocks' cells -------------------------------------------------------- */

/* Cells of ended blocks serve later ones of the same pthread as they are: what they
 * hold has lower segments than the new block's first. */
enum { MAX_POOL = 64 };
RACE_TLS struct {
	struct race_cell *cells;
	size_t n;
} pool[MAX_POOL];

struct race_cell *race_shadow_block(size_t n_cells)
{
	for (int i = 0; i < MAX_POOL; i++)
		if (pool[i].n == n_cells) {
			pool[i].n = 0;
			return pool[i].cells;
		}
	return n_cells ? map(n_cells * sizeof(struct race_cell)) : NULL;
}

void race_shadow_block_end(struct race_cell *cells, size_t n_cells)
{
	if (!n_cells)
		return;
	for (int i = 0; i < MAX_POOL; i++)
		if (!pool[i].n) {
			pool[i].cells = cells;
			pool[i].n = n_cells;
			return;
		}
	for (size_t i = 0; i < n_cells; i++)
		forget_cell(&cells[i]);
	munmap(cells, n_cells * sizeof *cells);
}
