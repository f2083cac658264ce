/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_loop.c - meetings that stand before loops, in them, and behind branches, in the
 * place of accesses, for warp_synchrony.c. */
#include "synchrony_analysis.h"

#include <stdlib.h>

/* ---- before loops --------------------------------------------------------- */

static bool touches(const struct analysis *a, const struct block *b, objects where, bool loads)
{
	for (unsigned k = b->first; k < b->first + b->n; k++)
		if ((loads ? a->events[k].load : a->events[k].store) & where)
			return true;
	return false;
}

/* Is block k in the natural loop of header h, which stores nothing to `where`, or loads nothing?
 * The loop is collected backwards from its latch, and with it, where a cycle is entered past
 * the header, all that leads there: what is stored on such a way counts as stored inside. */
static bool loop_is_quiet(const struct analysis *a, unsigned h, unsigned k, objects where,
			  bool loads)
{
	unsigned char *in = must(calloc(a->n_blocks, 1));
	unsigned *stack = must(malloc(a->n_blocks * sizeof *stack)), n = 0;
	bool quiet = !touches(a, &a->blocks[h], where, loads);
	in[h] = 1;
	if (!in[a->blocks[h].latch]) {
		in[a->blocks[h].latch] = 1;
		stack[n++] = a->blocks[h].latch;
	}
	while (n && quiet) {
		const struct block *b = &a->blocks[stack[--n]];
		quiet = !touches(a, b, where, loads);
		for (unsigned i = 0; i < b->n_from; i++)
			if (!in[b->from[i]]) {
				in[b->from[i]] = 1;
				stack[n++] = b->from[i];
			}
	}
	quiet &= in[k];
	free(in);
	free(stack);
	return quiet;
}

/* Want meetings at the ends of block k or, where the end has no number, of the
 * blocks before it. False where that leads nowhere; then nothing is wanted. */
static bool want_at_end(struct analysis *a, unsigned k, unsigned depth)
{
	enum { MOST = 8 };
	const struct block *b = &a->blocks[k];
	const struct event *last = b->n ? &a->events[b->first + b->n - 1] : NULL;
	if (last && last->is_end) {
		synchrony_want(a, last->number, SYNCHRONY_BEFORE);
		return true;
	}
	if (depth == MOST || b->n_from != 1)
		return false;
	return want_at_end(a, b->from[0], depth + 1);
}

/* The outermost quiet loop around block k gets the meeting before it. */
bool synchrony_want_before_loop(struct analysis *a, unsigned k, objects where, bool loads)
{
	unsigned best = 0, best_size = 0;
	if (!a->blocks[k].cyclic)
		return false;
	for (unsigned h = 0; h < a->n_blocks; h++) {
		if (!a->blocks[h].before || !loop_is_quiet(a, h, k, where, loads))
			continue;
		/* Blocks stand in the order of the source: an outer loop's header
		 * comes before an inner one's. */
		if (!best_size) {
			best = h;
			best_size = 1;
		}
	}
	return best_size && want_at_end(a, a->blocks[best].before - 1, 0);
}

/* ---- in loops ------------------------------------------------------------- */

static bool has_meeting(const struct analysis *a, const struct block *b)
{
	for (unsigned k = b->first; k < b->first + b->n; k++)
		if (a->events[k].meets || a->meet[a->events[k].number] & SYNCHRONY_BEFORE)
			return true;
	return false;
}

/* Lanes that pass by a meeting in a loop wait for the others before the next round, where
 * they would meet without them: at the end of the one block before the latch. */
void synchrony_want_in_loops(struct analysis *a)
{
	for (unsigned h = 0; h < a->n_blocks; h++) {
		const struct block *header = &a->blocks[h];
		if (!header->before || header->latch == h)
			continue;
		const struct block *latch = &a->blocks[header->latch];
		if (latch->n_from != 1 || has_meeting(a, latch))
			continue;
		unsigned last = latch->from[0];
		if (last == h || a->blocks[last].n_from < 2)
			continue;
		/* A branch's arm that ends in that block, and meets. */
		bool wanted = false;
		for (unsigned i = 0; i < a->blocks[last].n_from; i++) {
			unsigned k = a->blocks[last].from[i];
			wanted |= a->blocks[k].n_to == 1 && has_meeting(a, &a->blocks[k]) &&
				  synchrony_leads_past(a, h, last, k);
		}
		if (wanted && !has_meeting(a, &a->blocks[last]))
			want_at_end(a, last, 0);
	}
}

/* A meeting that nobody wrote. */
static bool has_wanted(const struct analysis *a, unsigned k)
{
	const struct block *b = &a->blocks[k];
	for (unsigned i = b->first; i < b->first + b->n; i++)
		if (a->meet[a->events[i].number] & SYNCHRONY_BEFORE && !a->events[i].is_end)
			return true;
	return false;
}

/* Is there a place where lanes could meet without those that stand in block k: another one on a
 * cycle with it, or one in the block that asks who is there? */
static bool may_be_lapped(const struct analysis *a, unsigned k)
{
	for (unsigned i = 0; i < a->n_blocks; i++) {
		const struct block *b = &a->blocks[i];
		if (b->component != a->blocks[k].component)
			continue;
		bool meets = i != k && has_wanted(a, i);
		for (unsigned n = b->first; n < b->first + b->n; n++)
			meets |= a->events[n].asks;
		if (meets)
			return true;
	}
	return false;
}

/* Lanes in a branch that meet where nobody wrote it come back to the others where the branch
 * ends, as on hardware, and not only a round later. */
void synchrony_want_behind_branches(struct analysis *a)
{
	for (unsigned k = 0; k < a->n_blocks; k++) {
		const struct block *b = &a->blocks[k];
		if (!b->cyclic || !has_wanted(a, k) || b->n_from != 1 || !may_be_lapped(a, k))
			continue;
		/* The first block behind it that all lanes of the branch before it come to. */
		unsigned before = b->from[0], join = k;
		while (a->blocks[join].n_to == 1 && (join == k || a->blocks[join].n_from == 1))
			join = a->edges[a->blocks[join].to];
		if (a->blocks[before].n_to > 1 && a->blocks[join].n_from > 1 &&
		    synchrony_leads_past(a, before, join, k) &&
		    synchrony_is_passed_on_every_way(a, before, join) &&
		    !has_meeting(a, &a->blocks[join]))
			want_at_end(a, join, 0);
	}
}
