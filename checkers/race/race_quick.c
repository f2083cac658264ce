/* SPDX-License-Identifier: Apache-2.0 */
/* race_quick.c - what most accesses are: of whole words, of a byte, or an atomic of device
 * scope, ordered with all before as a comparison of two numbers tells, or as entering it
 * among accesses of its kind shows. What is done here is what race_cell.c would do; all
 * else is left to it. */
#include <string.h>

#include "race_place.h"
#include "race_words.h"

/* ---- bytes of a word ------------------------------------------------------ */

/* A word's parts as they lie: the mask of bytes in the lowest 4 bits, lanes above. */
struct parts {
	uint64_t record[RACE_N_PARTS];
	uint32_t part[RACE_N_PARTS];
};

static inline void load_parts(const struct race_place *at, struct parts *p)
{
	const uint8_t *bytes = (const uint8_t *)&at->cold->words[2];
	uint32_t last;
	p->record[0] = bits_of(&at->hot->write) & ~FORM_BITS;
	p->record[1] = bits_of(&at->hot->read[0]);
	p->record[2] = bits_of(&at->hot->read[1]);
	memcpy(&p->record[3], at->cold->words, sizeof p->record[3]);
	for (int k = 0; k < 3; k++)
		memcpy(&p->part[k], bytes + 3 * k, sizeof p->part[k]);
	memcpy(&last, bytes + 8, sizeof last);
	p->part[3] = last >> 8;
	for (int k = 0; k < 3; k++)
		p->part[k] &= 0xffffff;
}

static inline void store_parts(const struct race_place *at, const struct parts *p)
{
	uint8_t *bytes = (uint8_t *)&at->cold->words[2];
	uint64_t low = p->part[0] | (uint64_t)p->part[1] << 24 | (uint64_t)p->part[2] << 48;
	uint32_t high = p->part[2] >> 16 | p->part[3] << 8;
	set_bits(&at->hot->write, p->record[0] | (uint64_t)RACE_FORM_PARTS << 37);
	set_bits(&at->hot->read[0], p->record[1]);
	set_bits(&at->hot->read[1], p->record[2]);
	memcpy(at->cold->words, &p->record[3], sizeof p->record[3]);
	memcpy(bytes, &low, sizeof low);
	memcpy(bytes + 8, &high, sizeof high);
}

/* The records of a word of one cell as those of its parts. */
static inline void split_parts(const struct race_place *at, struct parts *p)
{
	p->record[0] = bits_of(&at->hot->write);
	p->record[1] = bits_of(&at->hot->read[0]);
	p->record[2] = bits_of(&at->hot->read[1]);
	p->record[3] = p->part[3] = 0;
	for (int k = 0; k < 3; k++) {
		uint32_t lane = (uint32_t)(p->record[k] >> 32) & 31;
		p->part[k] = p->record[k] ? RACE_ALL_BYTES | lane * 0x8421u << 4 : 0;
		p->record[k] &= ~(LANE_BITS | FAR_BIT);
	}
}

/* False where the word has a form that is not made of parts. */
static inline bool take_parts(const struct race_place *at, struct parts *p)
{
	if (race_form_of(at->hot) == RACE_FORM_PARTS)
		load_parts(at, p);
	else if (race_form_of(at->hot) == RACE_FORM_PLAIN)
		split_parts(at, p);
	else
		return false;
	return true;
}

/* A part for the bytes of the mask: one of that record, or a free one; -1: none. */
static inline int choose_part(const struct parts *p, uint64_t key, unsigned mask)
{
	int to = -1;
	for (int k = 0; k < RACE_N_PARTS; k++) {
		if (p->part[k] & RACE_ALL_BYTES && p->record[k] == key && !(p->part[k] & mask))
			return k;
		if (!(p->part[k] & RACE_ALL_BYTES))
			to = k;
	}
	/* One that all that comes is after needs no room. */
	for (int k = 0; to < 0 && k < RACE_N_PARTS; k++)
		if (race_segment_released((uint32_t)p->record[k]))
			to = k;
	return to;
}

/* One or two bytes of a word, those of the mask, `first` among them. */
bool race_quick_parts(const struct quick *q, const struct race_place *at, unsigned first,
		      unsigned mask)
{
	struct parts p;
	uint32_t lane = (uint32_t)(q->me >> 32) & 31, shift = 4 + 5 * first;
	uint32_t lanes = mask >> first == 1 ? 31u << shift : 1023u << shift;
	uint64_t key = q->me & ~LANE_BITS;
	int others = 0, theirs_at[2] = {0};
	if (!take_parts(at, &p))
		return false;
	for (int k = 0; k < RACE_N_PARTS; k++) {
		uint32_t theirs = p.part[k] >> shift & 31;
		uint64_t r = p.record[k] | (uint64_t)theirs << 32;
		if (!(p.part[k] & mask))
			continue;
		if ((p.part[k] & mask) != mask || r & VOLATILE_BIT ||
		    (p.part[k] & lanes) != (theirs * 0x21 << shift & lanes))
			return false;
		bool before = quick_before(q, r);
		if (q->writes || r & WRITE_BIT) {
			if (!before)
				return false;
			if (q->writes)
				p.part[k] &= ~mask;
		} else if (!((r ^ q->me) & THREAD_BITS)) {
			return true;
		} else if (before) {
			p.part[k] &= ~mask;
		} else {
			if ((uint32_t)r != (uint32_t)q->me && q->knows)
				return false;
			theirs_at[others++ & 1] = k;
		}
	}
	if (others == 2) {
		int out = quick_farther(q, (uint32_t)p.record[theirs_at[0]],
					(uint32_t)p.record[theirs_at[1]]);
		if (out < 0)
			return true;
		p.part[theirs_at[out]] &= ~mask;
	}
	int to = choose_part(&p, key, mask);
	if (to < 0)
		return false;
	if (p.record[to] != key || !(p.part[to] & RACE_ALL_BYTES))
		p.part[to] = 0;
	p.record[to] = key;
	p.part[to] = (p.part[to] & ~lanes) | (lane * 0x21 << shift & lanes) | mask;
	store_parts(at, &p);
	return true;
}

bool race_quick_bytes(const struct quick *q, const struct race_place *at, uint32_t size)
{
	struct parts p;
	uint32_t lane = (uint32_t)(q->me >> 32) & 31, lanes = 0;
	uint64_t key = q->me & ~LANE_BITS;
	for (uint32_t i = 0; i < 4; i++)
		lanes |= (lane + i / size) << (4 + 5 * i);
	if (!take_parts(at, &p))
		return false;
	for (int k = 0; k < RACE_N_PARTS; k++) {
		uint64_t r = p.record[k];
		if (!(p.part[k] & RACE_ALL_BYTES))
			continue;
		bool own = (uint32_t)r == (uint32_t)q->me && p.part[k] == (lanes | RACE_ALL_BYTES);
		bool old = (uint32_t)r != (uint32_t)q->me && quick_before(q, r);
		if (r & VOLATILE_BIT || (!own && !old))
			return false;
		if (!q->writes && !(r & WRITE_BIT) && own)
			return true;
		if (q->writes || !(r & WRITE_BIT))
			p.part[k] = 0;
	}
	int to = choose_part(&p, key, RACE_ALL_BYTES);
	if (to < 0)
		return false;
	p.record[to] = key;
	p.part[to] = lanes | RACE_ALL_BYTES;
	store_parts(at, &p);
	return true;
}

/* ---- atomics -------------------------------------------------------------- */

/* An atomic write of device scope that orders nothing. */
static inline bool quick_atomic(const struct quick *q, const struct race_place *at)
{
	uint64_t write = bits_of(&at->hot->write), form = write & FORM_BITS;
	uint64_t a[2] = {0}, r[2] = {bits_of(&at->hot->read[0]), bits_of(&at->hot->read[1])};
	uint64_t alike = WRITE_BIT | (uint64_t)RACE_DEVICE << 37;
	bool hot = write & FAR_BIT;
	int to = -1;
	if (hot) {
		a[0] = r[0], a[1] = r[1];
		r[0] = r[1] = 0;
	} else if (form == (uint64_t)RACE_FORM_ATOMIC << 37) {
		memcpy(a, at->cold->words, sizeof a);
	} else if (form) {
		return false;
	} else {
		/* Nobody asks any more who read what is now changed. */
		hot = race_segment_released((uint32_t)r[0]) &&
		      race_segment_released((uint32_t)r[1]);
	}
	if (!quick_before(q, write & ~(FORM_BITS | FAR_BIT)) || !quick_before(q, r[0]) ||
	    !quick_before(q, r[1]))
		return false;
	for (int i = 0; i < 2; i++)
		if (a[i] && (a[i] & (alike | VOLATILE_BIT)) != alike)
			return false;
	/* As enter_atomic(). */
	if (!((a[0] ^ q->me) & THREAD_BITS) || quick_before(q, a[0]))
		to = 0;
	else if (!((a[1] ^ q->me) & THREAD_BITS) || quick_before(q, a[1]))
		to = 1;
	if (to < 0) {
		if (((uint32_t)a[0] == (uint32_t)q->me && (uint32_t)a[1] == (uint32_t)q->me) ||
		    (a[1] & FAR_BIT && !q->knows))
			return true;
		return false;
	}
	a[to] = q->me;
	a[1] &= ~FAR_BIT;
	uint64_t other = a[!to];
	if (other && (uint32_t)other != (uint32_t)q->me) {
		const struct race_segment *s = race_segment((uint32_t)other);
		if (quick_distance(s, q->block->id, q->warp) == q->farthest)
			a[1] |= FAR_BIT;
	}
	if (hot) {
		set_bits(&at->hot->read[0], a[0]);
		set_bits(&at->hot->read[1], a[1]);
		write |= FAR_BIT;
	} else {
		memcpy(at->cold->words, a, sizeof a);
	}
	set_bits(&at->hot->write, (write & ~FORM_BITS) | (uint64_t)RACE_FORM_ATOMIC << 37);
	return true;
}

/* Whether race_sync_strong() has nothing to do for it. */
static inline bool orders_nothing(const struct race_block *b, const struct cudasim_access *access)
{
	return access->order <= CUDASIM_ORDER_RELAXED && !race_sync_takes(access) && !b->threads &&
	       !b->released && !atomic_load_explicit(&race_sync_active, memory_order_relaxed);
}

static inline bool unsettled(const struct race_thread *t)
{
	return t->pending || t->n_doubts || t->n_taken || t->released.lock.log;
}

/* What quick ones of the words there are can do for the access. */
static inline bool quick_any(const struct quick *q, const struct race_place *at,
			     const struct cudasim_access *access)
{
	unsigned first = (uint32_t)(uintptr_t)access->address & 3;
	uint32_t n = (uint32_t)access->size / 4;
	if (__builtin_expect(!n, 0))
		return race_quick_parts(q, at, first, (access->size * 2u - 1) << first);
	if (__builtin_expect(access->what & CUDASIM_ACCESS_ATOMIC, 0))
		return quick_atomic(q, at) &&
		       (n == 1 || quick_atomic(q, &(struct race_place){at->hot + 1, at->cold + 1,
								       at->n_wide}));
	return quick_words(q, at->hot, n) == n;
}

/* Sizes and kinds of accesses that there is a quick way for. */
static inline bool may_be_quick(const struct race_block *b, const struct cudasim_thread *thread,
				const struct cudasim_access *access)
{
	uint64_t at = (uint64_t)(uintptr_t)access->address, size = access->size;
	bool writes = access->what & CUDASIM_ACCESS_STORE;
	bool reads = access->what & CUDASIM_ACCESS_LOAD;
	if (access->what & CUDASIM_ACCESS_VOLATILE || b->pending || size > 16 ||
	    (at & 3) + size > (size > 4 ? size : 4) || (size >= 4 ? size & 3 : size == 3) ||
	    (b->threads && unsettled(&b->threads[thread->linear])))
		return false;
	if (access->what & CUDASIM_ACCESS_ATOMIC)
		return writes && size >= 4 && size <= 8 && access->scope == CUDASIM_SCOPE_DEVICE &&
		       orders_nothing(b, access);
	return !(writes && reads);
}

bool race_shadow_quick(struct race_block *b, const struct cudasim_thread *thread,
		       const struct cudasim_access *access, struct shadow_page *page)
{
	uint64_t at = (uint64_t)(uintptr_t)access->address;
	uint64_t in_lock = at & ((1 << SHADOW_LOCK_BITS) - 1);
	struct race_warp *warp = &b->warps[thread->warp];
	if (!may_be_quick(b, thread, access))
		return false;
	struct quick q = {
		.block = b,
		.warp = thread->warp,
		.farthest = page ? 2 : 1,
		.writes = access->what & CUDASIM_ACCESS_STORE,
		.knows = warp->known_all || warp->known || b->known.n || b->n_known ||
			 atomic_load_explicit(&b->launch->beside, memory_order_relaxed),
	};
	uint32_t segment = warp->segment ? warp->segment : race_segment_now(b, thread->warp);
	bool atomic = access->what & CUDASIM_ACCESS_ATOMIC;
	q.me = segment | (uint64_t)(thread->lane & 31) << 32 | (uint64_t)q.writes << 39 |
	       (atomic ? (uint64_t)RACE_DEVICE << 37 : 0) | (uint64_t)race_site(access->site) << 42;
	if (!page) {
		uint64_t offset = at - (uint64_t)(uintptr_t)b->block->shared, i = offset / 4;
		q.floor = b->epoch_first;
		if (offset + access->size > b->n_shared * 4)
			return false;
		struct race_place place = race_place_shared(b, i);
		return quick_any(&q, &place, access);
	}
	if (in_lock + access->size > 1 << SHADOW_LOCK_BITS || race_copy_beside(b->launch))
		return false;
	q.floor = atomic_load_explicit(&b->launch->floor, memory_order_relaxed);
	struct race_place place = race_place_global(page, at);
	_Atomic uint8_t *l = race_place_lock(page, at);
	bool all = quick_any(&q, &place, access);
	race_place_unlock(l);
	if (all && q.writes && !atomic)
		b->dirty[thread->linear] = 1;
	return all;
}
