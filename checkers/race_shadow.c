/* SPDX-License-Identifier: Apache-2.0 */
/* race_shadow.c - each access against what its words remember, in the forms of
 * race_cell.h.
 *
 * Global memory's cells lie in the pages of shadow.h, where a byte lock guards those of
 * 64 bytes. A block's shared memory has cells of its own, which need no lock, for a block
 * runs on one pthread. Most accesses are of whole words, and ordered with all before them
 * as a comparison of two numbers tells: race_shadow_quick(). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checkers/race.h"

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

static int farthest(const struct race_me *me)
{
	return me->access->space == CUDASIM_SPACE_SHARED ? 1 : 2;
}

/* Whether others' accesses of this epoch may be ordered before the thread's. */
static bool knows(const struct race_me *me)
{
	return me->warp->known_all || me->warp->known || me->block->known.n ||
	       me->block->n_known ||
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
	if (read[1].far && read[0].segment >= me->floor && read[1].segment >= me->floor && !knows(me))
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
	read[1].far = read[0].segment && read[1].segment &&
		      distance(read[0], read[1]) == farthest(me);
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

/* ---- forms ---------------------------------------------------------------- */

enum { N_GROUPS = 4, ALL_BYTES = 0xf };

/* Where a word's cell lies. */
struct place {
	struct race_hot *hot;
	struct race_cold *cold;
	_Atomic uint32_t *n_wide; /* of the page; NULL for shared memory */
};

/* One of the four records of RACE_FORM_PARTS, and whose it is. */
struct group {
	struct race_record record; /* lane, scope, far are 0 */
	uint8_t mask;              /* bytes of the word */
	uint8_t lanes[4];
};

static enum race_form form_of(const struct race_hot *hot)
{
	return (enum race_form)hot->write.scope;
}

static void set_form(struct race_hot *hot, enum race_form form)
{
	hot->write.scope = form & 3;
}

static void load_groups(const struct place *at, struct group groups[N_GROUPS])
{
	struct race_record fourth;
	memcpy(&fourth, at->cold->words, sizeof fourth);
	const struct race_record all[N_GROUPS] = {
		at->hot->write, at->hot->read[0], at->hot->read[1], fourth,
	};
	const uint8_t *parts = (const uint8_t *)&at->cold->words[2];
	for (int k = 0; k < N_GROUPS; k++, parts += 3) {
		uint32_t packed = parts[0] | (uint32_t)parts[1] << 8 | (uint32_t)parts[2] << 16;
		groups[k].record = all[k];
		groups[k].record.scope = RACE_PLAIN;
		groups[k].mask = packed & ALL_BYTES;
		for (int i = 0; i < 4; i++)
			groups[k].lanes[i] = packed >> (4 + 5 * i) & 31;
	}
}

static void store_groups(const struct place *at, const struct group groups[N_GROUPS])
{
	uint8_t *parts = (uint8_t *)&at->cold->words[2];
	at->hot->write = groups[0].record;
	at->hot->read[0] = groups[1].record;
	at->hot->read[1] = groups[2].record;
	memcpy(at->cold->words, &groups[3].record, sizeof groups[3].record);
	set_form(at->hot, RACE_FORM_PARTS);
	for (int k = 0; k < N_GROUPS; k++, parts += 3) {
		uint32_t packed = groups[k].mask;
		for (int i = 0; i < 4; i++)
			packed |= (uint32_t)groups[k].lanes[i] << (4 + 5 * i);
		parts[0] = (uint8_t)packed;
		parts[1] = (uint8_t)(packed >> 8);
		parts[2] = (uint8_t)(packed >> 16);
	}
}

/* The cell of byte i. */
static struct race_cell cell_of(const struct group groups[N_GROUPS], unsigned i)
{
	struct race_cell cell = {0};
	int n = 0;
	for (int k = 0; k < N_GROUPS; k++) {
		if (!(groups[k].mask >> i & 1))
			continue;
		struct race_record r = groups[k].record;
		r.lane = groups[k].lanes[i];
		if (r.write)
			cell.write = r;
		else
			cell.read[n++] = r;
	}
	return cell;
}

static bool same_but_lane(struct race_record a, struct race_record b)
{
	return a.segment == b.segment && a.site == b.site && a.write == b.write &&
	       a.is_volatile == b.is_volatile;
}

/* False where there is no room for one more record. */
static bool add_record(struct group groups[N_GROUPS], struct race_record r, unsigned mask)
{
	struct group *to = NULL;
	for (int k = N_GROUPS; k-- > 0;)
		if (!groups[k].mask)
			to = &groups[k];
	for (int k = 0; k < N_GROUPS; k++)
		if (groups[k].mask && !(groups[k].mask & mask) &&
		    same_but_lane(groups[k].record, r))
			to = &groups[k];
	if (!to)
		return false;
	if (!to->mask) {
		*to = (struct group){.record = r};
		to->record.lane = to->record.far = to->record.scope = 0;
	}
	to->mask |= (uint8_t)mask;
	for (unsigned i = 0; i < 4; i++)
		if (mask >> i & 1)
			to->lanes[i] = (uint8_t)(r.lane & 31);
	return true;
}

/* The bytes of the mask have this cell from now on. False: no room. */
static bool put_cell(struct group groups[N_GROUPS], const struct race_cell *cell, unsigned mask)
{
	for (int k = 0; k < N_GROUPS; k++)
		groups[k].mask &= (uint8_t)~mask;
	if (cell->atomic[0].segment || cell->atomic[1].segment)
		return false;
	return (!cell->write.segment || add_record(groups, cell->write, mask)) &&
	       (!cell->read[0].segment || add_record(groups, cell->read[0], mask)) &&
	       (!cell->read[1].segment || add_record(groups, cell->read[1], mask));
}

/* Bytes of the word whose cells are the same as byte i's. */
static unsigned alike(const struct group groups[N_GROUPS], unsigned i)
{
	unsigned mask = ALL_BYTES;
	for (int k = 0; k < N_GROUPS; k++) {
		bool in = groups[k].mask >> i & 1;
		mask &= in ? groups[k].mask : (unsigned)~groups[k].mask;
		for (unsigned j = 0; in && j < 4; j++)
			if (groups[k].lanes[j] != groups[k].lanes[i])
				mask &= ~(1u << j);
	}
	return mask;
}

/* NULL where the page was cleared meanwhile. */
static struct race_cell *wide_of(const struct place *at)
{
	struct race_cell *cells;
	memcpy(&cells, at->cold->words, sizeof cells);
	return cells;
}

static void drop_wide(const struct place *at)
{
	if (form_of(at->hot) != RACE_FORM_WIDE)
		return;
	free(wide_of(at));
	if (at->n_wide)
		atomic_fetch_sub_explicit(at->n_wide, 1, memory_order_relaxed);
}

static void store_wide(const struct place *at, const struct race_cell cells[4])
{
	struct race_cell *wide = malloc(4 * sizeof *wide);
	if (!wide)
		race_out_of_memory();
	memcpy(wide, cells, 4 * sizeof *wide);
	memset(at->hot, 0, sizeof *at->hot);
	memcpy(at->cold->words, &wide, sizeof wide);
	set_form(at->hot, RACE_FORM_WIDE);
	if (at->n_wide)
		atomic_fetch_add_explicit(at->n_wide, 1, memory_order_relaxed);
}

/* One cell for the whole word. */
static struct race_cell load_whole(const struct place *at)
{
	struct race_cell cell = {
		.write = at->hot->write, .read = {at->hot->read[0], at->hot->read[1]},
	};
	cell.write.scope = RACE_PLAIN;
	if (form_of(at->hot) == RACE_FORM_ATOMIC)
		memcpy(cell.atomic, at->cold->words, sizeof cell.atomic);
	return cell;
}

static void store_whole(const struct place *at, const struct race_cell *cell)
{
	bool atomic = cell->atomic[0].segment || cell->atomic[1].segment;
	at->hot->write = cell->write;
	at->hot->read[0] = cell->read[0];
	at->hot->read[1] = cell->read[1];
	set_form(at->hot, atomic ? RACE_FORM_ATOMIC : RACE_FORM_PLAIN);
	if (atomic)
		memcpy(at->cold->words, cell->atomic, sizeof cell->atomic);
}

/* ---- words ---------------------------------------------------------------- */

static bool is_store(const struct race_me *me)
{
	return me->record.write && !me->record.scope;
}

static void check_wide(const struct race_me *me, const struct place *at, uint64_t address,
		       unsigned from, unsigned to)
{
	struct race_cell *cells = wide_of(at), none[4] = {0};
	if (!cells) {
		set_form(at->hot, RACE_FORM_PLAIN);
		store_wide(at, none);
		cells = wide_of(at);
	}
	for (unsigned i = from; i < to; i++)
		check(me, &cells[i], address + i);
	if (to - from == 4 && is_store(me)) {
		struct race_cell one = cells[0];
		drop_wide(at);
		store_whole(at, &one);
	}
}

static void check_parts(const struct race_me *me, const struct place *at, uint64_t address,
			unsigned from, unsigned to)
{
	struct group groups[N_GROUPS];
	struct race_cell cells[4];
	unsigned mask = (ALL_BYTES << from) & (ALL_BYTES >> (4 - to)), same[4];
	bool fits = true;
	load_groups(at, groups);
	for (unsigned i = 0; i < 4; i++) {
		same[i] = alike(groups, i);
		cells[i] = cell_of(groups, i);
	}
	if (mask == ALL_BYTES && same[0] == ALL_BYTES) {
		check(me, &cells[0], address);
		store_whole(at, &cells[0]);
		return;
	}
	for (unsigned left = mask; left;) {
		unsigned i = (unsigned)__builtin_ctz(left), now = same[i] & left;
		check(me, &cells[i], address + i);
		for (unsigned j = i + 1; j < 4; j++)
			if (now >> j & 1)
				cells[j] = cells[i];
		fits = fits && put_cell(groups, &cells[i], now);
		left &= ~now;
	}
	if (mask == ALL_BYTES && is_store(me))
		store_whole(at, &cells[0]);
	else if (fits)
		store_groups(at, groups);
	else
		store_wide(at, cells);
}

/* Bytes from..to of the word at address. */
static void check_word(const struct race_me *me, const struct place *at, uint64_t address,
		       unsigned from, unsigned to)
{
	enum race_form form = form_of(at->hot);
	if (form == RACE_FORM_WIDE) {
		check_wide(me, at, address, from, to);
	} else if (form == RACE_FORM_PARTS) {
		check_parts(me, at, address, from, to);
	} else if (to - from == 4) {
		struct race_cell cell = load_whole(at);
		check(me, &cell, address);
		store_whole(at, &cell);
	} else {
		struct race_cell cell = load_whole(at);
		struct group groups[N_GROUPS] = {0};
		if (put_cell(groups, &cell, ALL_BYTES)) {
			store_groups(at, groups);
			check_parts(me, at, address, from, to);
		} else {
			store_wide(at, (struct race_cell[4]){cell, cell, cell, cell});
			check_wide(me, at, address, from, to);
		}
	}
}

/* ---- whole accesses ------------------------------------------------------- */

static struct race_cold *shared_cold(const struct race_block *b)
{
	return (struct race_cold *)(b->shared + b->n_shared);
}

static void access_shared(struct race_me *me, struct race_block *owner, uint64_t offset)
{
	uint64_t base = (uint64_t)(uintptr_t)owner->block->shared;
	uint64_t end = offset + me->access->size;
	if (end > owner->n_shared * 4)
		end = owner->n_shared * 4; /* memcheck speaks of the rest */
	me->floor = owner->epoch_first;
	for (uint64_t at = offset; at < end; at = (at & ~(uint64_t)3) + 4) {
		uint64_t word = at & ~(uint64_t)3;
		struct place place = {&owner->shared[word / 4], &shared_cold(owner)[word / 4], NULL};
		check_word(me, &place, base + word, (unsigned)(at - word),
			   end - word < 4 ? (unsigned)(end - word) : 4);
	}
}

static _Atomic uint8_t *lock_of(const struct shadow_page *page, uint64_t address)
{
	return &page->body->locks[(address & (SHADOW_PAGE_BYTES - 1)) >> SHADOW_LOCK_BITS];
}

static struct place place_of(struct shadow_page *page, uint64_t address)
{
	uint32_t i = (uint32_t)(address & (SHADOW_PAGE_BYTES - 1)) / 4;
	return (struct place){&page->body->hot[i], &page->body->cold[i], &page->n_wide};
}

static void use_page(struct shadow_page *page)
{
	if (!atomic_load_explicit(&page->raced, memory_order_relaxed))
		atomic_store_explicit(&page->raced, 1, memory_order_relaxed);
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
		struct place place = place_of(page, word);
		use_page(page);
		lock(lock_of(page, word));
		check_word(me, &place, word, (unsigned)(at - word),
			   end - word < 4 ? (unsigned)(end - word) : 4);
		unlock(lock_of(page, word));
		at = word + 4;
	}
}

/* ---- the quick way -------------------------------------------------------- */

/* Records as numbers: segment and lane are the low 37 bits. */
#define THREAD_BITS (((uint64_t)1 << 37) - 1)
#define FORM_BITS ((uint64_t)3 << 37)
#define VOLATILE_BIT ((uint64_t)1 << 40)
#define FAR_BIT ((uint64_t)1 << 41)

struct quick {
	uint64_t me;
	uint32_t floor;
	bool knows; /* something may be ordered in other ways than by barriers */
	bool writes;
	int farthest;
	uint32_t warp;
	const struct race_block *block;
};

static inline uint64_t bits_of(const struct race_record *r)
{
	uint64_t bits;
	memcpy(&bits, r, sizeof bits);
	return bits;
}

static inline void set_bits(struct race_record *r, uint64_t bits)
{
	memcpy(r, &bits, sizeof bits);
}

static inline bool quick_before(const struct quick *q, uint64_t r)
{
	if ((uint32_t)r < q->floor || !((r ^ q->me) & THREAD_BITS))
		return true;
	/* Of this block, but of an epoch before. */
	if ((uint32_t)r == (uint32_t)q->me || (uint32_t)r >= q->block->epoch_first)
		return false;
	return race_segment((uint32_t)r)->block == q->block->id;
}

static inline int quick_distance(const struct race_segment *a, uint32_t block, uint32_t warp)
{
	return a->block != block ? 2 : a->warp != warp;
}

/* enter_read(), where accesses of this epoch are ordered with nobody's. */
static inline bool quick_enter(const struct quick *q, struct race_hot *hot, uint64_t first,
			       uint64_t second)
{
	const struct race_segment *a = race_segment((uint32_t)first);
	const struct race_segment *b = race_segment((uint32_t)second);
	int far, near_a = quick_distance(a, q->block->id, q->warp);
	int near_b = quick_distance(b, q->block->id, q->warp);
	if (quick_before(q, first)) {
		set_bits(&hot->read[0], q->me);
		far = near_b;
		if (quick_before(q, second)) {
			set_bits(&hot->read[1], 0);
			return true;
		}
	} else if (quick_before(q, second)) {
		set_bits(&hot->read[1], q->me);
		far = near_a;
	} else {
		int before = quick_distance(a, b->block, b->warp);
		if (before < 2 && near_a > before) {
			set_bits(&hot->read[1], q->me);
			far = near_a;
		} else if (before < 2 && near_b > before) {
			set_bits(&hot->read[0], q->me);
			far = near_b;
		} else {
			return true;
		}
	}
	uint64_t now = bits_of(&hot->read[1]);
	set_bits(&hot->read[1], far == q->farthest ? now | FAR_BIT : now & ~FAR_BIT);
	return true;
}

static inline bool quick_read(const struct quick *q, struct race_hot *hot)
{
	uint64_t write = bits_of(&hot->write);
	uint64_t first = bits_of(&hot->read[0]), second = bits_of(&hot->read[1]);
	if (write & FORM_BITS || !quick_before(q, write))
		return false;
	if (!((first ^ q->me) & THREAD_BITS)) {
		if (first & VOLATILE_BIT)
			set_bits(&hot->read[0], first & ~VOLATILE_BIT);
		return true;
	}
	if ((uint32_t)first < q->floor && (uint32_t)second < q->floor) {
		set_bits(&hot->read[0], q->me);
		if (second)
			set_bits(&hot->read[1], 0);
		return true;
	}
	/* Three lanes of one piece of a warp's run; or two that already are as far apart as
	 * can be. */
	if (((uint32_t)first == (uint32_t)q->me && (uint32_t)second == (uint32_t)q->me) ||
	    (second & FAR_BIT && !q->knows && (uint32_t)first >= q->floor &&
	     (uint32_t)second >= q->floor))
		return true;
	return !q->knows && quick_enter(q, hot, first, second);
}

static inline bool quick_write(const struct quick *q, struct race_hot *hot)
{
	uint64_t write = bits_of(&hot->write);
	uint64_t first = bits_of(&hot->read[0]), second = bits_of(&hot->read[1]);
	if (write & FORM_BITS || !quick_before(q, write) || !quick_before(q, first) ||
	    !quick_before(q, second))
		return false;
	set_bits(&hot->write, q->me);
	set_bits(&hot->read[0], 0);
	set_bits(&hot->read[1], 0);
	return true;
}

/* n words, or as many as are quick. */
static inline uint32_t quick_words(const struct quick *q, struct race_hot *hot, uint32_t n)
{
	uint32_t i = 0;
	if (q->writes)
		while (i < n && quick_write(q, &hot[i]))
			i++;
	else
		while (i < n && quick_read(q, &hot[i]))
			i++;
	return i;
}

static inline bool unsettled(const struct race_thread *t)
{
	return t->pending || t->n_doubts || t->n_taken;
}

bool race_shadow_quick(struct race_block *b, const struct cudasim_thread *thread,
		       const struct cudasim_access *access, struct shadow_page *page)
{
	uint64_t at = (uint64_t)(uintptr_t)access->address;
	uint64_t in_lock = at & ((1 << SHADOW_LOCK_BITS) - 1);
	uint32_t n = (uint32_t)access->size / 4;
	if (access->what & (CUDASIM_ACCESS_ATOMIC | CUDASIM_ACCESS_VOLATILE) ||
	    (at | access->size) & 3 || access->size > 16 || b->pending ||
	    (b->threads && unsettled(&b->threads[thread->linear])))
		return false;
	struct race_warp *warp = &b->warps[thread->warp];
	struct quick q = {
		.block = b,
		.warp = thread->warp,
		.farthest = page ? 2 : 1,
		.writes = access->what & CUDASIM_ACCESS_STORE,
		.knows = warp->known_all || warp->known || b->known.n || b->n_known ||
			 atomic_load_explicit(&b->launch->beside, memory_order_relaxed),
	};
	uint32_t segment = warp->segment ? warp->segment : race_segment_now(b, thread->warp);
	q.me = segment | (uint64_t)(thread->lane & 31) << 32 | (uint64_t)q.writes << 39 |
	       (uint64_t)race_site(access->site) << 42;
	if (q.writes && access->what & CUDASIM_ACCESS_LOAD)
		return false;
	if (!page) {
		uint64_t offset = at - (uint64_t)(uintptr_t)b->block->shared;
		q.floor = b->epoch_first;
		return offset / 4 + n <= b->n_shared &&
		       quick_words(&q, &b->shared[offset / 4], n) == n;
	}
	if (in_lock + access->size > 1 << SHADOW_LOCK_BITS ||
	    atomic_load_explicit(&race_order_n_copies, memory_order_relaxed))
		return false;
	q.floor = atomic_load_explicit(&b->launch->floor, memory_order_relaxed);
	use_page(page);
	_Atomic uint8_t *l = lock_of(page, at);
	lock(l);
	bool all = quick_words(&q, place_of(page, at).hot, n) == n;
	unlock(l);
	if (all && q.writes)
		b->dirty[thread->linear] = 1;
	return all;
}

/* ---- other uses ----------------------------------------------------------- */

static void forget_words(struct shadow_page *page, uint64_t at, uint64_t end)
{
	for (; at < end; at += 4) {
		struct place place = place_of(page, at);
		lock(lock_of(page, at));
		drop_wide(&place);
		memset(place.hot, 0, sizeof *place.hot);
		unlock(lock_of(page, at));
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
			}
		}
		at = next;
	}
}

static bool each_of(const struct race_cell *cell, uint64_t address, bool writes_only,
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

/* The cells of the word's bytes, or the one of all: how many. With the lock. */
static unsigned copy_cells(const struct place *at, struct race_cell ret[4])
{
	struct group groups[N_GROUPS];
	switch (form_of(at->hot)) {
	case RACE_FORM_WIDE:
		if (wide_of(at))
			memcpy(ret, wide_of(at), 4 * sizeof *ret);
		else
			memset(ret, 0, 4 * sizeof *ret);
		return 4;
	case RACE_FORM_PARTS:
		load_groups(at, groups);
		for (unsigned i = 0; i < 4; i++)
			ret[i] = cell_of(groups, i);
		return 4;
	default:
		ret[0] = load_whole(at);
		return 1;
	}
}

void race_shadow_each(const void *address, uint64_t size, bool writes_only,
		      bool (*each)(void *, struct race_record, uint64_t), void *data)
{
	uint64_t begin = (uint64_t)(uintptr_t)address, at = begin & ~(uint64_t)3;
	uint64_t end = begin + size;
	while (at < end) {
		uint64_t next = (at | (SHADOW_PAGE_BYTES - 1)) + 1;
		struct shadow_page *page = shadow_page_find(at, false);
		bool raced = page && atomic_load(&page->raced);
		for (; raced && at < next && at < end; at += 4) {
			struct place place = place_of(page, at);
			struct race_cell cells[4];
			lock(lock_of(page, at));
			unsigned n = copy_cells(&place, cells);
			unlock(lock_of(page, at));
			for (unsigned j = 0; j < n; j++)
				if ((n == 1 || (at + j >= begin && at + j < end)) &&
				    !each_of(&cells[j], at + j, writes_only, each, data))
					return;
		}
		at = next;
	}
}

/* ---- blocks' cells -------------------------------------------------------- */

/* Cells of ended blocks serve later ones of the same pthread as they are: what they
 * hold has lower segments than the new block's first. */
enum { MAX_POOL = 64, CELL_BYTES = sizeof(struct race_hot) + sizeof(struct race_cold) };
CHECKER_TLS struct {
	struct race_hot *cells;
	size_t n;
} pool[MAX_POOL];

struct race_hot *race_shadow_block(size_t n_cells)
{
	for (int i = 0; i < MAX_POOL; i++)
		if (pool[i].n == n_cells) {
			pool[i].n = 0;
			return pool[i].cells;
		}
	return n_cells ? shadow_reserve(n_cells * CELL_BYTES) : NULL;
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
		drop_wide(&(struct place){&cells[i], &cold[i], NULL});
	munmap(cells, n_cells * CELL_BYTES);
}
