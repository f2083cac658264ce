/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_late.c - what lanes in a branch have yet to access when others have passed it, for
 * warp_synchrony.c and synchrony_overwrite.c.
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
#include "synchrony_analysis.h"

#include <stdlib.h>
#include <string.h>

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
