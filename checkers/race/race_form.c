/* SPDX-License-Identifier: Apache-2.0 */
/* race_form.c - the cells of a word in the forms of race_cell.h. Most words have one; where
 * bytes of it are accessed, each byte has one, and four records for all of them will do
 * as long as their accesses differ in the lane only: in bytes of pictures and texts. */
#include <stdlib.h>
#include <string.h>

#include "race_place.h"

/* ---- forms ---------------------------------------------------------------- */

/* One of the four records of RACE_FORM_PARTS, and whose it is. */
struct group {
	struct race_record record; /* lane, scope, far are 0 */
	uint8_t mask;              /* bytes of the word */
	uint8_t lanes[4];
};

static void load_groups(const struct race_place *at, struct group groups[RACE_N_PARTS])
{
	struct race_record fourth;
	memcpy(&fourth, at->cold->words, sizeof fourth);
	const struct race_record all[RACE_N_PARTS] = {
		at->hot->write,
		at->hot->read[0],
		at->hot->read[1],
		fourth,
	};
	const uint8_t *parts = (const uint8_t *)&at->cold->words[2];
	for (int k = 0; k < RACE_N_PARTS; k++, parts += 3) {
		uint32_t packed = parts[0] | (uint32_t)parts[1] << 8 | (uint32_t)parts[2] << 16;
		groups[k].record = all[k];
		groups[k].record.scope = RACE_PLAIN;
		/* What all that comes is after needs no room. */
		groups[k].mask = race_segment_released(all[k].segment) ? 0
								       : packed & RACE_ALL_BYTES;
		for (int i = 0; i < 4; i++)
			groups[k].lanes[i] = packed >> (4 + 5 * i) & 31;
	}
}

static void store_groups(const struct race_place *at, const struct group groups[RACE_N_PARTS])
{
	uint8_t *parts = (uint8_t *)&at->cold->words[2];
	at->hot->write = groups[0].record;
	at->hot->read[0] = groups[1].record;
	at->hot->read[1] = groups[2].record;
	memcpy(at->cold->words, &groups[3].record, sizeof groups[3].record);
	race_form_set(at->hot, RACE_FORM_PARTS);
	for (int k = 0; k < RACE_N_PARTS; k++, parts += 3) {
		uint32_t packed = groups[k].mask;
		for (int i = 0; i < 4; i++)
			packed |= (uint32_t)groups[k].lanes[i] << (4 + 5 * i);
		parts[0] = (uint8_t)packed;
		parts[1] = (uint8_t)(packed >> 8);
		parts[2] = (uint8_t)(packed >> 16);
	}
}

/* The cell of byte i. */
static struct race_cell cell_of(const struct group groups[RACE_N_PARTS], unsigned i)
{
	struct race_cell cell = {0};
	int n = 0;
	for (int k = 0; k < RACE_N_PARTS; k++) {
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
static bool add_record(struct group groups[RACE_N_PARTS], struct race_record r, unsigned mask)
{
	struct group *to = NULL;
	for (int k = RACE_N_PARTS; k-- > 0;)
		if (!groups[k].mask)
			to = &groups[k];
	for (int k = 0; k < RACE_N_PARTS; k++)
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
static bool put_cell(struct group groups[RACE_N_PARTS], const struct race_cell *cell, unsigned mask)
{
	for (int k = 0; k < RACE_N_PARTS; k++)
		groups[k].mask &= (uint8_t)~mask;
	if (cell->atomic[0].segment || cell->atomic[1].segment)
		return false;
	return (!cell->write.segment || add_record(groups, cell->write, mask)) &&
	       (!cell->read[0].segment || add_record(groups, cell->read[0], mask)) &&
	       (!cell->read[1].segment || add_record(groups, cell->read[1], mask));
}

/* Bytes of the word whose cells are the same as byte i's. */
static unsigned alike(const struct group groups[RACE_N_PARTS], unsigned i)
{
	unsigned mask = RACE_ALL_BYTES;
	for (int k = 0; k < RACE_N_PARTS; k++) {
		bool in = groups[k].mask >> i & 1;
		mask &= in ? groups[k].mask : (unsigned)~groups[k].mask;
		for (unsigned j = 0; in && j < 4; j++)
			if (groups[k].lanes[j] != groups[k].lanes[i])
				mask &= ~(1u << j);
	}
	return mask;
}

/* NULL where the page was cleared meanwhile. */
static struct race_cell *wide_of(const struct race_place *at)
{
	struct race_cell *cells;
	memcpy(&cells, at->cold->words, sizeof cells);
	return cells;
}

static void drop_wide(const struct race_place *at)
{
	if (race_form_of(at->hot) != RACE_FORM_WIDE)
		return;
	free(wide_of(at));
	if (at->n_wide)
		atomic_fetch_sub_explicit(at->n_wide, 1, memory_order_relaxed);
}

static void store_wide(const struct race_place *at, const struct race_cell cells[4])
{
	struct race_cell *wide = must(malloc(4 * sizeof *wide));
	memcpy(wide, cells, 4 * sizeof *wide);
	memset(at->hot, 0, sizeof *at->hot);
	memcpy(at->cold->words, &wide, sizeof wide);
	race_form_set(at->hot, RACE_FORM_WIDE);
	if (at->n_wide)
		atomic_fetch_add_explicit(at->n_wide, 1, memory_order_relaxed);
}

/* One cell for the whole word. */
static struct race_cell load_whole(const struct race_place *at)
{
	struct race_cell cell = {.write = at->hot->write};
	bool hot = at->hot->write.far;
	cell.write.scope = RACE_PLAIN;
	cell.write.far = 0;
	memcpy(hot ? cell.atomic : cell.read, at->hot->read, sizeof cell.read);
	if (!hot && race_form_of(at->hot) == RACE_FORM_ATOMIC)
		memcpy(cell.atomic, at->cold->words, sizeof cell.atomic);
	return cell;
}

static void store_whole(const struct race_place *at, const struct race_cell *cell)
{
	bool atomic = cell->atomic[0].segment || cell->atomic[1].segment;
	bool hot = atomic && !cell->read[0].segment && !cell->read[1].segment;
	at->hot->write = cell->write;
	memcpy(at->hot->read, hot ? cell->atomic : cell->read, sizeof cell->read);
	race_form_set(at->hot, atomic ? RACE_FORM_ATOMIC : RACE_FORM_PLAIN);
	at->hot->write.far = hot;
	if (atomic && !hot)
		memcpy(at->cold->words, cell->atomic, sizeof cell->atomic);
}

/* ---- words ---------------------------------------------------------------- */

static bool is_store(const struct race_me *me)
{
	return me->record.write && !me->record.scope;
}

static void check_wide(const struct race_me *me, const struct race_place *at, uint64_t address,
		       unsigned from, unsigned to)
{
	struct race_cell *cells = wide_of(at), none[4] = {0};
	if (!cells) {
		race_form_set(at->hot, RACE_FORM_PLAIN);
		store_wide(at, none);
		cells = wide_of(at);
	}
	for (unsigned i = from; i < to; i++)
		race_cell_check(me, &cells[i], address + i);
	if (to - from == 4 && is_store(me)) {
		struct race_cell one = cells[0];
		drop_wide(at);
		store_whole(at, &one);
	}
}

static void check_parts(const struct race_me *me, const struct race_place *at, uint64_t address,
			unsigned from, unsigned to)
{
	struct group groups[RACE_N_PARTS];
	struct race_cell cells[4];
	unsigned mask = (RACE_ALL_BYTES << from) & (RACE_ALL_BYTES >> (4 - to)), same[4];
	bool fits = true;
	load_groups(at, groups);
	for (unsigned i = 0; i < 4; i++) {
		same[i] = alike(groups, i);
		cells[i] = cell_of(groups, i);
	}
	if (mask == RACE_ALL_BYTES && same[0] == RACE_ALL_BYTES) {
		race_cell_check(me, &cells[0], address);
		store_whole(at, &cells[0]);
		return;
	}
	for (unsigned left = mask; left;) {
		unsigned i = (unsigned)__builtin_ctz(left), now = same[i] & left;
		race_cell_check(me, &cells[i], address + i);
		for (unsigned j = i + 1; j < 4; j++)
			if (now >> j & 1)
				cells[j] = cells[i];
		fits = fits && put_cell(groups, &cells[i], now);
		left &= ~now;
	}
	if (mask == RACE_ALL_BYTES && is_store(me))
		store_whole(at, &cells[0]);
	else if (fits)
		store_groups(at, groups);
	else
		store_wide(at, cells);
}

void race_form_check(const struct race_me *me, const struct race_place *at, uint64_t address,
		     unsigned from, unsigned to)
{
	enum race_form form = race_form_of(at->hot);
	if (form == RACE_FORM_WIDE) {
		check_wide(me, at, address, from, to);
	} else if (form == RACE_FORM_PARTS) {
		check_parts(me, at, address, from, to);
	} else if (to - from == 4) {
		struct race_cell cell = load_whole(at);
		race_cell_check(me, &cell, address);
		store_whole(at, &cell);
	} else {
		struct race_cell cell = load_whole(at);
		struct group groups[RACE_N_PARTS] = {0};
		if (put_cell(groups, &cell, RACE_ALL_BYTES)) {
			store_groups(at, groups);
			check_parts(me, at, address, from, to);
		} else {
			store_wide(at, (struct race_cell[4]){cell, cell, cell, cell});
			check_wide(me, at, address, from, to);
		}
	}
}

/* ---- other uses ----------------------------------------------------------- */

unsigned race_form_cells(const struct race_place *at, struct race_cell ret[4])
{
	struct group groups[RACE_N_PARTS];
	switch (race_form_of(at->hot)) {
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

void race_form_forget(const struct race_place *at)
{
	drop_wide(at);
	memset(at->hot, 0, sizeof *at->hot);
}
