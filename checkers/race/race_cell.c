/* SPDX-License-Identifier: Apache-2.0 */
/* race_cell.c - an access against the five that a cell remembers. */
#include "race_place.h"

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
		    (race_order_before(race_launch_at(launch), b->launch) ||
		     race_order_before_child(race_launch_at(launch), r.segment, r.lane, b->launch)))
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

static int farthest(const struct race_me *me)
{
	return me->access->space == CUDASIM_SPACE_SHARED ? 1 : 2;
}

static void note_distance(const struct race_me *me, struct race_record two[2])
{
	two[1].far = two[0].segment && two[1].segment && distance(two[0], two[1]) == farthest(me);
}

/* Whether others' accesses of this epoch may be ordered before the thread's. */
static bool knows(const struct race_me *me)
{
	return me->warp->known_all || me->warp->known || me->block->known.n || me->block->n_known ||
	       atomic_load_explicit(&me->block->launch->beside, memory_order_relaxed);
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
	/* As far apart as can be, and this thread knows nothing but by barriers: neither is
	 * ordered before it, or one is by a barrier of its block, and then the other stands
	 * for it. */
	if (read[1].far && read[0].segment >= me->floor && read[1].segment >= me->floor &&
	    !knows(me))
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
	note_distance(me, read);
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
	if (!scope)
		return false; /* a plain one: enter_write() */
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
	if (__builtin_expect(!ordered(me, r), 0) && !flag(me->record, r) &&
	    !race_lock_protects(me, r.segment, r.lane))
		race_found(me, r, address);
}

/* Writes of two sections of a lock may be in no order: the one before this write is kept
 * beside it, in the place of an atomic access, but plain. */
static void enter_write(const struct race_me *me, struct race_cell *cell)
{
	struct race_record before[3] = {cell->write, cell->atomic[0], cell->atomic[1]};
	int n = 0;
	*cell = (struct race_cell){.write = me->record};
	if (!me->block->n_held)
		return;
	for (int i = 0; i < 3 && n < 2; i++)
		if (before[i].segment && !before[i].scope && !ordered(me, before[i]) &&
		    race_lock_protects(me, before[i].segment, before[i].lane)) {
			cell->atomic[n] = before[i];
			cell->atomic[n++].far = 0;
		}
}

void race_cell_check(const struct race_me *me, struct race_cell *cell, uint64_t address)
{
	if (me->record.scope) { /* atomic */
		against(me, cell->write, address);
		for (int i = 0; i < 2; i++)
			if ((me->record.write || cell->atomic[i].write) &&
			    !ordered(me, cell->atomic[i]) && !scopes_meet(me, cell->atomic[i]) &&
			    !race_lock_protects(me, cell->atomic[i].segment, cell->atomic[i].lane))
				race_found(me, cell->atomic[i], address);
		if (me->record.write)
			for (int i = 0; i < 2; i++)
				against(me, cell->read[i], address);
		enter_atomic(me, cell->atomic);
		note_distance(me, cell->atomic);
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
		enter_write(me, cell);
	}
}
