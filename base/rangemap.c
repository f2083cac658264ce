/* SPDX-License-Identifier: Apache-2.0 */
/* rangemap.c - ranges in a treap: a search tree by start that is also a heap by
 * random priorities, which keeps its expected depth logarithmic (Seidel and
 * Aragon, "Randomized search trees", 1996). A sorted array was rejected: programs
 * with 100,000 allocations would move megabytes for each. */
#include "rangemap.h"

static uint32_t next_priority(struct rangemap *map)
{
	uint32_t x = map->seed ? map->seed : 2463534242u; /* xorshift32 */
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return map->seed = x;
}

/* Ranges that start before `at` go to *low, the others to *high. */
static void split(struct range *tree, uint64_t at, struct range **low, struct range **high)
{
	while (tree) {
		if (tree->start < at) {
			*low = tree;
			low = &tree->right;
			tree = tree->right;
		} else {
			*high = tree;
			high = &tree->left;
			tree = tree->left;
		}
	}
	*low = *high = NULL;
}

/* All of low starts before all of high. */
static struct range *merge(struct range *low, struct range *high)
{
	struct range *root = NULL, **to = &root;
	while (low && high) {
		if (low->priority >= high->priority) {
			*to = low;
			to = &low->right;
			low = low->right;
		} else {
			*to = high;
			to = &high->left;
			high = high->left;
		}
	}
	*to = low ? low : high;
	return root;
}

struct range *rangemap_below(const struct rangemap *map, uint64_t address)
{
	struct range *best = NULL;
	for (struct range *r = map->root; r;) {
		if (r->start <= address) {
			best = r;
			r = r->right;
		} else {
			r = r->left;
		}
	}
	return best;
}

struct range *rangemap_above(const struct rangemap *map, uint64_t address)
{
	struct range *best = NULL;
	for (struct range *r = map->root; r;) {
		if (r->start > address) {
			best = r;
			r = r->left;
		} else {
			r = r->right;
		}
	}
	return best;
}

struct range *rangemap_find(const struct rangemap *map, uint64_t address)
{
	struct range *r = rangemap_below(map, address);
	return r && address < r->end ? r : NULL;
}

struct range *rangemap_overlap(const struct rangemap *map, uint64_t start, uint64_t end)
{
	struct range *r = rangemap_find(map, start);
	if (r)
		return r;
	r = rangemap_above(map, start);
	return r && r->start < end ? r : NULL;
}

bool rangemap_insert(struct rangemap *map, struct range *range)
{
	if (range->start >= range->end || rangemap_overlap(map, range->start, range->end))
		return false;
	range->priority = next_priority(map);
	struct range **at = &map->root;
	while (*at && (*at)->priority > range->priority)
		at = range->start < (*at)->start ? &(*at)->left : &(*at)->right;
	split(*at, range->start, &range->left, &range->right);
	*at = range;
	map->n++;
	return true;
}

void rangemap_remove(struct rangemap *map, struct range *range)
{
	struct range **at = &map->root;
	while (*at && *at != range)
		at = range->start < (*at)->start ? &(*at)->left : &(*at)->right;
	if (!*at)
		return;
	*at = merge(range->left, range->right);
	range->left = range->right = NULL;
	map->n--;
}
