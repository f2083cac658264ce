/* SPDX-License-Identifier: Apache-2.0 */
/* race_words.h - accesses to whole words, in a few comparisons: for race_quick.c and race_lanes.c. */
#ifndef CUDASIM_CHECKERS_RACE_WORDS_H
#define CUDASIM_CHECKERS_RACE_WORDS_H

#include <string.h>

#include "race_place.h"

/* Records as numbers: segment and lane are the low 37 bits. */
#define LANE_BITS ((uint64_t)31 << 32)
#define THREAD_BITS (((uint64_t)1 << 37) - 1)
#define FORM_BITS ((uint64_t)3 << 37) /* else the scope's */
#define WRITE_BIT ((uint64_t)1 << 39)
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

/* Which of two accesses that are ordered with nobody's I take the place of, so that those
 * that are left are farther apart; -1 for none. */
static inline int quick_farther(const struct quick *q, uint32_t first, uint32_t second)
{
	uint32_t me = (uint32_t)q->me;
	if (first == me && second == me)
		return -1;
	const struct race_segment *a = race_segment(first), *b = race_segment(second);
	int before = quick_distance(a, b->block, b->warp);
	if (before >= 2)
		return -1;
	if (quick_distance(a, q->block->id, q->warp) > before)
		return 1;
	return quick_distance(b, q->block->id, q->warp) > before ? 0 : -1;
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
		int out = quick_farther(q, (uint32_t)first, (uint32_t)second);
		if (out < 0)
			return true;
		set_bits(&hot->read[out], q->me);
		far = out ? near_a : near_b;
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

/* race_quick.c: an access to one or two bytes of a word, those of the mask, `first` among them; and
 * those of neighbouring lanes, of size bytes each (1, 2), to all bytes of a word, the first of them
 * by q's lane. False where nothing is entered. */
struct race_place;
bool race_quick_parts(const struct quick *q, const struct race_place *at, unsigned first,
		      unsigned mask);
bool race_quick_bytes(const struct quick *q, const struct race_place *at, uint32_t size);

/* n words, or as many as are quick. */
static inline __attribute__((always_inline)) uint32_t quick_words(const struct quick *q,
								  struct race_hot *hot, uint32_t n)
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

#endif
