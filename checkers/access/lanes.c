/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.c - the accesses of many threads at one place of the code: those that are right are seen
 * here, in global memory a page at a time. Of all others access_check() is told, thread by thread. */
#include <string.h>

#include "cudasim/inspect.h"

#include "access.h"
#include "access_block.h"
#include "memcheck_access.h"
#include "race.h"
#include "shadow.h"

/* The lanes that have their accesses in one page. */
struct group {
	struct shadow_page *page;
	uint32_t lanes;
};

static struct group next_group(uint32_t lanes, const struct cudasim_lanes *accesses)
{
	uint64_t first = cudasim_lane_address(accesses, (uint32_t)__builtin_ctz(lanes));
	struct group ret = {.lanes = lanes};
	uint32_t last = 31 - (uint32_t)__builtin_clz(lanes);
	uint64_t number = first >> SHADOW_PAGE_BITS;
	/* Mostly all are in one. */
	if (accesses->addresses ||
	    number != cudasim_lane_address(accesses, last) >> SHADOW_PAGE_BITS) {
		ret.lanes = 0;
		for (uint32_t left = lanes; left; left &= left - 1) {
			uint32_t lane = (uint32_t)__builtin_ctz(left);
			if (cudasim_lane_address(accesses, lane) >> SHADOW_PAGE_BITS == number)
				ret.lanes |= 1u << lane;
		}
	}
	ret.page = shadow_page(first);
	return ret;
}

struct extent {
	uint64_t low, end;
};

/* Of the lanes' accesses, as offsets from an address. */
static struct extent extent_of(uint32_t lanes, const struct cudasim_lanes *accesses, uint64_t from)
{
	struct extent ret = {UINT64_MAX, 0};
	if (!accesses->addresses)
		lanes = 1u << __builtin_ctz(lanes) | 1u << (31 - __builtin_clz(lanes));
	for (; lanes; lanes &= lanes - 1) {
		uint64_t at = cudasim_lane_address(accesses, (uint32_t)__builtin_ctz(lanes)) - from;
		ret.low = at < ret.low ? at : ret.low;
		ret.end = at + accesses->size > ret.end ? at + accesses->size : ret.end;
	}
	return ret;
}

/* Are the bytes in one range? A page may hold several, of which it remembers the last. */
static bool in_a_range(struct shadow_page *page, uint64_t low, uint64_t size, bool writes)
{
	const struct memory_range *r = atomic_load_explicit(&page->range, memory_order_acquire);
	if (r && !r->overlaid && memory_range_fits(r, low, size, writes))
		return true;
	r = memory_map_find(low, size, writes);
	if (r)
		atomic_store_explicit(&page->range, r, memory_order_release);
	return r;
}

/* The lanes of the group whose accesses are in no range. */
static uint32_t outside(const struct group *g, const struct cudasim_lanes *accesses)
{
	bool writes = accesses->what & CUDASIM_ACCESS_STORE;
	uint32_t ret = 0;
	if (!accesses->addresses) {
		struct extent e = extent_of(g->lanes, accesses, 0);
		if (in_a_range(g->page, e.low, e.end - e.low, writes))
			return 0;
	}
	for (uint32_t left = g->lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		if (!in_a_range(g->page, cudasim_lane_address(accesses, lane), accesses->size,
				writes))
			ret |= 1u << lane;
	}
	return ret;
}

/* Do the lanes follow each other, and their addresses? */
static bool is_run(uint32_t lanes, const struct cudasim_lanes *accesses)
{
	uint32_t shifted = lanes >> __builtin_ctz(lanes);
	return !accesses->addresses && accesses->stride == (int64_t)accesses->size &&
	       !(shifted & (shifted + 1));
}

/* Of a page, from begin to end, in one byte of its bits or more. */
static bool all_written(const struct shadow_page *page, uint64_t begin, uint64_t end)
{
	const uint8_t *bits = page->body->written;
	uint64_t i = begin / 8, n = end / 8, eight;
	uint8_t first = (uint8_t)(0xff << (begin & 7)), last = (uint8_t)((1 << (end & 7)) - 1);
	if (i == n)
		return (bits[i] & first & last) == (first & last);
	if ((bits[i] & first) != first || (last && (bits[n] & last) != last))
		return false;
	for (i++; i + 8 <= n; i += 8) {
		memcpy(&eight, bits + i, sizeof eight);
		if (eight != UINT64_MAX)
			return false;
	}
	for (; i < n; i++)
		if (bits[i] != 0xff)
			return false;
	return true;
}

/* The lanes of the group of which initcheck has to look closer: all bytes of the others are
 * written, or are from now on. */
static uint32_t unwritten(const struct group *g, const struct cudasim_lanes *accesses)
{
	uint64_t size = accesses->size;
	bool marks = !(accesses->what & CUDASIM_ACCESS_LOAD) &&
		     atomic_load_explicit(&g->page->known, memory_order_acquire) == SHADOW_MARKED;
	uint32_t ret = 0;
	if (size > 8 || accesses->alignment != size)
		return g->lanes;
	if (is_run(g->lanes, accesses)) {
		uint32_t first = (uint32_t)__builtin_ctz(g->lanes);
		uint64_t at = cudasim_lane_address(accesses, first) & (SHADOW_PAGE_BYTES - 1);
		if (all_written(g->page, at,
				at + size * (32 - first - (uint32_t)__builtin_clz(g->lanes))))
			return 0;
	}
	for (uint32_t left = g->lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		uint64_t at = cudasim_lane_address(accesses, lane) & (SHADOW_PAGE_BYTES - 1);
		uint8_t *byte = &g->page->body->written[at / 8];
		uint8_t mask = (uint8_t)(((1u << size) - 1) << (at & 7));
		if ((__atomic_load_n(byte, __ATOMIC_RELAXED) & mask) == mask)
			continue;
		if (marks)
			__atomic_fetch_or(byte, mask, __ATOMIC_RELAXED);
		else
			ret |= 1u << lane;
	}
	return ret;
}

/* ---- shared memory --------------------------------------------------------- */

/* Do the lanes' accesses follow each other, over nothing but written bytes? */
static bool all_written_shared(const struct access_block *b, uint32_t lanes,
			       const struct cudasim_lanes *accesses)
{
	uint64_t not = 0;
	uint32_t word;
	if (!is_run(lanes, accesses))
		return false;
	uint32_t first = (uint32_t)__builtin_ctz(lanes);
	uint64_t at = cudasim_lane_address(accesses, first) - b->shared;
	uint64_t n = accesses->size * (32 - first - (uint32_t)__builtin_clz(lanes)), i = 0;
	for (uint64_t two; i + sizeof two <= n; i += sizeof two) {
		memcpy(&two, b->written + at + i, sizeof two);
		not |= two ^ 0x0101010101010101;
	}
	for (; i < n; i += sizeof word) {
		memcpy(&word, b->written + at + i, sizeof word);
		not |= word ^ 0x01010101;
	}
	return !not;
}

/* As unwritten(), of whole words of shared memory, of which a byte says of each byte whether it is
 * written. */
static uint32_t unwritten_shared(struct access_block *b, uint32_t lanes,
				 const struct cudasim_lanes *accesses)
{
	uint32_t ret = 0, like_one = 0;
	if (accesses->what & CUDASIM_ACCESS_LOAD && !accesses->addresses && !accesses->stride) {
		like_one = lanes; /* the first one stands for all */
		lanes &= -lanes;
	} else if (all_written_shared(b, lanes, accesses)) {
		return 0;
	}
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left), word;
		uint64_t at = cudasim_lane_address(accesses, lane) - b->shared, i = at;
		for (; i < at + accesses->size; i += sizeof word) {
			memcpy(&word, b->written + i, sizeof word);
			if (word == 0x01010101)
				continue;
			if (accesses->what & CUDASIM_ACCESS_LOAD)
				break;
			memset(b->written + i, 1, sizeof word);
		}
		if (i < at + accesses->size)
			ret |= 1u << lane;
	}
	return ret ? ret | like_one : 0;
}

static uint32_t lanes_shared(struct access_block *b, struct cudasim_block *block, uint32_t lanes,
			     const struct cudasim_lanes *accesses)
{
	struct extent e = extent_of(lanes, accesses, b->shared);
	uint32_t left = 0;
	if (accesses->size & 3 || accesses->alignment < 4 || e.end > b->shared_bytes ||
	    e.low < CUDASIM_GROUP_SCRATCH_BYTES ||
	    (b->memory && !memcheck_fits_shared(block, e.low, e.end - e.low)))
		return lanes;
	if (b->init)
		left = unwritten_shared(b, lanes, accesses);
	lanes &= ~left;
	if (lanes && b->race)
		left |= race_lanes(b->race, lanes, accesses, NULL);
	return left;
}

/* ---- all ------------------------------------------------------------------- */

uint32_t access_lanes(void *tool, struct cudasim_block *block, uint32_t lanes,
		      const struct cudasim_lanes *accesses)
{
	(void)tool;
	struct access_block *b = access_block_of(block);
	uint32_t ret = 0;
	if (__builtin_expect(!b, 0))
		return 0;
	if (!lanes && b->race)
		race_lane_stored(b->race, cudasim_block_thread(block, accesses->first));
	if (b->history || !lanes)
		return lanes;
	if (accesses->space == CUDASIM_SPACE_SHARED)
		return lanes_shared(b, block, lanes, accesses);
	while (lanes) {
		struct group g = next_group(lanes, accesses);
		lanes &= ~g.lanes;
		uint32_t left = !g.page ? g.lanes : b->memory ? outside(&g, accesses) : 0;
		g.lanes &= ~left;
		if (left && !(accesses->what & CUDASIM_ACCESS_STORE)) {
			struct extent e = extent_of(left, accesses, 0);
			if (memcheck_is_constant(block->launch, e.low, e.end))
				left = 0;
		}
		if (g.lanes && b->init) {
			uint32_t not_yet = unwritten(&g, accesses);
			left |= not_yet;
			g.lanes &= ~not_yet;
		}
		if (g.lanes && b->race)
			left |= race_lanes(b->race, g.lanes, accesses, g.page);
		ret |= left;
	}
	return ret;
}
