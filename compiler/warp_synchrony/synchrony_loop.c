/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_loop.c - meetings that stand before loops, in them, and behind branches, in the
 * place of accesses, for warp_synchrony.c. */
#include "synchrony_analysis.h"

#include <stdlib.h>
#include <string.h>

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
		if (synchrony_meets_before(a, &a->events[i]))
			return true;
	return false;
}

/* Does a loop around block k go round by this edge of block `from`? */
static bool goes_round(const struct analysis *a, unsigned from, unsigned edge, unsigned k)
{
	unsigned header = a->edges[edge];
	return a->back[edge] && (k == header || synchrony_leads_past(a, k, from, header));
}

/* Is there a meeting that nobody wrote behind block `from`, and not beyond block `to`? */
static bool leads_to_meeting(const struct analysis *a, unsigned from, unsigned to)
{
	unsigned *stack = must(malloc((a->n_blocks + 1) * sizeof *stack)), n = 0;
	unsigned char *seen = must(calloc(a->n_blocks, 1));
	bool found = false;
	stack[n++] = from;
	seen[to] = 1;
	while (n && !found) {
		const struct block *b = &a->blocks[stack[--n]];
		for (unsigned i = b->to; i < b->to + b->n_to && !found; i++) {
			unsigned next = a->edges[i];
			if (seen[next])
				continue;
			seen[next] = 1;
			stack[n++] = next;
			found = has_wanted(a, next);
		}
	}
	free(stack);
	free(seen);
	return found;
}

/* What a lane meets first in a block; NULL: nothing. */
static const struct event *first_meeting(const struct analysis *a, unsigned k)
{
	const struct block *b = &a->blocks[k];
	for (unsigned i = b->first; i < b->first + b->n; i++)
		if (a->events[i].meets || synchrony_meets_before(a, &a->events[i]))
			return &a->events[i];
	return NULL;
}

/* Do lanes that come to the meeting first go on without those who are late? Not where somebody wrote
 * it, unless it asks who is there. came_round: they have left a loop around the others behind. Where
 * they have not, the order of places lets the others go first, but for a place in several parts of the
 * kernel, or in several kernels, which may come before others in that order. */
static bool goes_on(const struct analysis *a, const struct event *e, bool came_round)
{
	bool is_shared = !e->meets && synchrony_origins_is_shared(a->origins, e->number);
	return is_shared || (came_round && (!e->meets || e->asks));
}

/* Is there a way from block `from`, past no other meeting, to one at which lanes go on without those
 * that have parted from them at block k? */
static bool leads_on(const struct analysis *a, unsigned from, unsigned k)
{
	unsigned *stack = must(malloc(2 * (a->n_blocks + 1) * sizeof *stack)), n = 0;
	unsigned char *seen = must(calloc(2 * a->n_blocks, 1));
	bool found = false;
	stack[n++] = 2 * from;
	seen[2 * from] = 1;
	while (n && !found) {
		unsigned at = stack[n - 1] / 2, round = stack[n - 1] % 2;
		const struct block *b = &a->blocks[at];
		const struct event *first = first_meeting(a, at);
		n--;
		if (first)
			found = goes_on(a, first, round);
		for (unsigned i = b->to; i < b->to + b->n_to && !first; i++) {
			bool comes_round = a->blocks[k].cyclic && goes_round(a, at, i, k);
			unsigned then = 2 * a->edges[i] + (round || comes_round);
			if (seen[then])
				continue;
			seen[then] = 1;
			stack[n++] = then;
		}
	}
	free(stack);
	free(seen);
	return found;
}

/* Want a meeting at the beginning of block k, or of the one that all its lanes go on to. */
static void want_at_beginning(struct analysis *a, unsigned k)
{
	enum { MOST = 8 };
	for (unsigned depth = 0; depth < MOST; depth++) {
		const struct block *b = &a->blocks[k];
		for (unsigned i = b->first; i < b->first + b->n; i++) {
			if (a->events[i].is_first)
				synchrony_want(a, a->events[i].number, SYNCHRONY_BEFORE);
			if (a->events[i].is_first || a->events[i].meets)
				return;
		}
		if (b->n_to != 1)
			return;
		k = a->edges[b->to];
	}
}

/* Lanes that pass by a branch, or leave a loop early, wait for the others where these come back
 * to them, as on hardware, if the others meet there, where nobody wrote it, and they themselves
 * could come round an outer loop to the same places first, or to a place that also comes before the
 * branch. Elsewhere the order of places is enough (pass_reconverge.c). */
void synchrony_want_behind_branches(struct analysis *a)
{
	bool any = false;
	for (unsigned k = 0; k < a->n_blocks; k++)
		any |= has_wanted(a, k);
	for (unsigned k = 0; any && k < a->n_blocks; k++) {
		if (a->blocks[k].n_to < 2)
			continue;
		unsigned join = synchrony_join(a, k);
		if (join && leads_to_meeting(a, k, join - 1) && leads_on(a, join - 1, k))
			want_at_beginning(a, join - 1);
	}
}

/* ---- late lanes -------------------------------------------------------------
 *
 * What lanes in a branch have yet to access when others have passed it, for synchrony_overwrite.c, too.
 *
 *	if (lane < 8) {
 *		v = s[lane + 20];
 *		s[lane] = v;            a meeting: lane + 20 may be 0 to 7
 *	}
 *	s[lane + 20] = w;               lane 31 need not wait to come here
 *
 * On hardware the lanes that pass the branch by wait at its end for those in it. Here a meeting ends
 * what is pending for the lanes that meet, and those that pass by run ahead of it. So whatever is
 * accessed in a branch that has meetings which nobody wrote is pending at its end. Where a barrier
 * stands in the branch, all lanes take it. */

/* What lies between block `from` and the join `to`: a byte for each block, which is cleared
 * before. False where no meeting there matters. */
static bool find_branch(const struct analysis *a, unsigned from, unsigned to, unsigned char *in)
{
	unsigned *stack = must(malloc((a->n_blocks + 1) * sizeof *stack)), n = 0;
	bool wanted = false, all_take_it = false;
	memset(in, 0, a->n_blocks);
	stack[n++] = from;
	while (n) {
		const struct block *b = &a->blocks[stack[--n]];
		for (unsigned i = b->first; in[b - a->blocks] && i < b->first + b->n; i++) {
			const struct event *e = &a->events[i];
			wanted |= synchrony_meets_before(a, e);
			all_take_it |= e->meets && synchrony_is_barrier(e->instruction);
		}
		for (unsigned i = b->to; i < b->to + b->n_to; i++) {
			unsigned next = a->edges[i];
			if (next == to || in[next])
				continue;
			in[next] = 1;
			stack[n++] = next;
		}
	}
	free(stack);
	return wanted && !all_take_it;
}

static bool is_late(const struct block *join, unsigned block)
{
	for (unsigned i = 0; i < join->n_late; i++)
		if (join->late[i].block == block)
			return true;
	return false;
}

/* Does a cycle lead through block k that does not lead through block `without`? */
static bool is_in_loop(const struct analysis *a, unsigned k, unsigned without)
{
	const struct block *b = &a->blocks[k];
	bool found = false;
	for (unsigned i = b->to; b->cyclic && i < b->to + b->n_to && !found; i++)
		found = synchrony_leads_past(a, a->edges[i], k, without);
	return found;
}

/* The blocks with accesses, to those that are late at the join. Have any been new? */
static bool add_late(struct analysis *a, unsigned join, const unsigned char *in)
{
	struct block *to = &a->blocks[join];
	bool is_new = false;
	for (unsigned k = 0; k < a->n_blocks; k++) {
		if (!in[k] || !a->blocks[k].n || is_late(to, k))
			continue;
		to->late = must(realloc(to->late, (to->n_late + 1) * sizeof *to->late));
		to->late[to->n_late++] = (struct late){k, is_in_loop(a, k, join)};
		is_new = true;
	}
	return is_new;
}

bool synchrony_find_late(struct analysis *a)
{
	bool any = false, is_new = false;
	for (unsigned k = 0; k < a->n_events; k++)
		any |= synchrony_meets_before(a, &a->events[k]);
	if (!any)
		return false;
	unsigned char *in = must(malloc(a->n_blocks));
	for (unsigned k = 0; k < a->n_blocks; k++) {
		if (a->blocks[k].n_to < 2)
			continue;
		unsigned join = synchrony_join(a, k);
		if (join && find_branch(a, k, join - 1, in))
			is_new |= add_late(a, join - 1, in);
	}
	free(in);
	return is_new;
}
