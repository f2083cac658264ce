/* SPDX-License-Identifier: Apache-2.0 */
/* rangemap.h - which range holds an address?
 *
 * An ordered set of ranges [start, end) that do not overlap. Ranges are the
 * caller's: embed a struct range, the map links it and never frees it. No
 * locking; every call but the iteration takes O(log n) steps. */
#ifndef CUDASIM_BASE_RANGEMAP_H
#define CUDASIM_BASE_RANGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range in a map. Set start and end, start < end, before rangemap_insert()
 * and leave them alone while it is in a map. */
struct range {
	uint64_t start, end;
	/* the map's */
	struct range *left, *right;
	uint32_t priority;
};

/* All zero is an empty map. */
struct rangemap {
	struct range *root;
	size_t n;      /* ranges */
	uint32_t seed; /* of the priorities */
};

/* False, and nothing happens, where the range is empty or overlaps another. */
bool rangemap_insert(struct rangemap *map, struct range *range);
/* range must be in the map. */
void rangemap_remove(struct rangemap *map, struct range *range);

/* The range that holds address, or NULL. */
struct range *rangemap_find(const struct rangemap *map, uint64_t address);
/* The range with the greatest start <= address, or NULL. */
struct range *rangemap_below(const struct rangemap *map, uint64_t address);
/* The range with the least start > address, or NULL. */
struct range *rangemap_above(const struct rangemap *map, uint64_t address);
/* The first range that overlaps [start, end), or NULL. */
struct range *rangemap_overlap(const struct rangemap *map, uint64_t start, uint64_t end);

/* For each range r in ascending order; the loop may remove r. */
#define RANGEMAP_FOR_EACH(map, r)                                                                  \
	for (struct range *r = rangemap_overlap((map), 0, UINT64_MAX), *next_ = NULL;              \
	     r && (next_ = rangemap_above((map), r->start), true); r = next_)

#endif
