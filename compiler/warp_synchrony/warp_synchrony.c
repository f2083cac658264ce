/* SPDX-License-Identifier: Apache-2.0 */
/* warp_synchrony.c - a forward data-flow analysis over the shared accesses of one
 * function, between the places where its warps meet anyway.
 *
 * State at a point, for each shared variable: the stores that
 * may have happened since the warp met last, as one key: none, the accesses of
 * one address only, or many. Keys are hashes of address expressions; equal keys
 * mean that a thread comes back to its own address, which needs no meeting. An
 * expression that can have several values in one run of the function (because
 * it depends on what is computed in a loop) ends with the loop's round, unless the
 * thread is known to walk over addresses of its own (synchrony_private.c); in volatile
 * accesses, with which warp-synchronous code is written, its key ends with its block.
 *
 * One lane that a condition has chosen comes back to what it has stored itself, at any address.
 *
 * That is not so where all lanes come to one address. There a load needs a meeting unless all
 * ways to it lead through the same last store, or one lane alone is there. Atomics store what
 * several lanes have made, which plain loads need a meeting for, and load what others have stored
 * plainly. Among each other they need none, since nobody counts on their order. What a lane stores
 * where others may store, too, it loads again as it is, as compilers do, but for volatile accesses
 * and behind a fence: then it is what the last of them has stored.
 *
 * A load is to be preceded by a meeting where a store to the same
 * variable, with another key, is pending. Where the thread has loaded the same
 * address in the same block of code before (a swap's second half), the two have to be proven apart.
 * That is done with the stores, which other lanes' loads and stores have to come before
 * (synchrony_overwrite.c). Meetings only grow in number, so both end.
 *
 * Elements that a warp moves by an index that memory holds (a[p[i]] = a[i], and no loop around)
 * are stored after all its lanes have loaded theirs.
 *
 * Lanes that do not take a branch in which a meeting has been found wait for those that do
 * before the next round of their loop; at the branch's end, where the loop asks who is there,
 * or has other such meetings: they would meet without them.
 *
 * Functions that are inlined nowhere begin as if their callers had accessed everything at
 * unknown addresses, and a call of one leaves what it accesses behind in the same way.
 *
 * Where the block has several warps and lanes load what others have stored behind barriers alone,
 * lanes' order is not kept where they overwrite what others have loaded or stored either: other
 * warps would come to the same elements (synchrony_block.cpp).
 *
 * A load in a loop that stores nothing to its variables needs one meeting before
 * the loop, not one each time round. */
#include "warp_synchrony.h"
#include "synchrony_origin.h"
#include "synchrony_analysis.h"
#include "synchrony_range.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOADED = 8 /* addresses remembered within a block */ };

/* At a block's end the next time round may be meant. */
static void settle(int64_t *pending, unsigned shift)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		if (pending[i] > 0 && pending[i] >> shift & 1)
			pending[i] = KEY_MANY;
}

/* ---- the flow ------------------------------------------------------------- */

bool synchrony_is_one_address(int64_t a, int64_t b)
{
	const int64_t address = ~((((int64_t)1 << STORE_BITS) - 1) | (int64_t)1 << UNIFORM_SHIFT);
	return a > 0 && b > 0 && (a & address) == (b & address);
}

static int64_t join(int64_t a, int64_t b)
{
	if (a == KEY_NONE || a == b)
		return b;
	return b == KEY_NONE ? a : KEY_MANY;
}

/* elector: of the block that accesses `where` with this key. */
static bool conflicts(const struct state *s, const int64_t *pending, objects where, int64_t with,
		      int64_t elector)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		if (where >> i & 1 && pending[i] != KEY_NONE &&
		    !synchrony_is_one_address(pending[i], with) &&
		    (!elector || s->owners[i] != elector))
			return true;
	return false;
}

/* Stores of a block with this elector, or 0. */
static void own(struct state *s, objects where, int64_t elector)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		if (where >> i & 1)
			s->owners[i] = join(s->owners[i], elector ? elector : KEY_MANY);
}

static void pend(int64_t *pending, objects where, int64_t with)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		if (where >> i & 1)
			/* The last store to an address counts. */
			pending[i] = synchrony_is_one_address(pending[i], with)
					     ? with
					     : join(pending[i], with);
}

static void met(struct state *s)
{
	memset(s->stores, 0, sizeof s->stores);
	memset(s->plain, 0, sizeof s->plain);
	memset(s->owners, 0, sizeof s->owners);
	s->shared = s->several = 0;
}

/* Addresses that the thread has loaded in this block since the warp met. */
struct loaded {
	int64_t keys[MAX_LOADED];
	unsigned n;
};

static bool has(const struct loaded *loaded, int64_t key)
{
	for (unsigned i = 0; i < loaded->n; i++)
		if (synchrony_is_one_address(loaded->keys[i], key))
			return true;
	return false;
}

static bool was_loaded(const struct loaded *loaded, const struct event *e)
{
	return has(loaded, e->load_key) && !e->is_volatile;
}

static void remember(struct loaded *loaded, int64_t key)
{
	if (loaded->n < MAX_LOADED)
		loaded->keys[loaded->n++] = key;
}

void synchrony_want(struct analysis *a, uint32_t number, enum synchrony_meeting where)
{
	if (!(a->meet[number] & where)) {
		a->meet[number] |= (unsigned char)where;
		a->changed = true;
	}
}

bool synchrony_meets_before(const struct analysis *a, const struct event *e)
{
	return e->is_first && a->meet[e->number] & SYNCHRONY_BEFORE;
}

/* What is moved within a variable, unless it is one half of a swap. */
static void want_move(struct analysis *a, const struct event *e, const struct loaded *loaded)
{
	if (!e->moves || has(loaded, e->store_key))
		return;
	if (e->load)
		synchrony_want(a, e->number, SYNCHRONY_WITHIN);
	else if (has(loaded, e->copied_key))
		synchrony_want(a, e->number, SYNCHRONY_BEFORE);
}

/* Does the event load what another lane may have stored since the warp met? */
static bool needs_synchrony(const struct state *s, const struct loaded *loaded, int64_t elector,
			    struct event *e)
{
	if (e->is_atomic)
		return conflicts(s, s->plain, e->store, e->store_key, elector);
	bool counts = e->load && (conflicts(s, s->stores, e->load, e->load_key, elector) ||
				  (e->is_plain && e->load & s->shared));
	if (!counts || !was_loaded(loaded, e))
		return counts;
	e->again = true;
	return false;
}

static bool is_for_all(int64_t key)
{
	return key > 0 && key >> UNIFORM_SHIFT & 1;
}

/* What lanes have yet to store that are still in a branch when others pass its end. */
static void pend_late(const struct analysis *a, const struct block *join, struct state *s)
{
	for (unsigned i = 0; i < join->n_late; i++) {
		int64_t ends = (int64_t)1 << UNSTABLE_SHIFT | (int64_t)join->late[i].is_in_loop
								      << ROUND_SHIFT;
		const struct block *b = &a->blocks[join->late[i].block];
		for (unsigned k = b->first; k < b->first + b->n; k++) {
			const struct event *e = &a->events[k];
			bool known = !e->calls && !is_for_all(e->store_key) &&
				     !(e->store_key & ends);
			int64_t key = known ? e->store_key : KEY_MANY;
			if (!e->store || e->meets || e->fences)
				continue;
			pend(s->stores, e->store, key);
			own(s, e->store, e->calls ? 0 : b->elector);
			if (!e->is_atomic)
				pend(s->plain, e->store, key);
			s->shared |= e->is_shared || e->is_several ? e->store : 0;
		}
	}
}

static void walk(struct analysis *a, struct block *b)
{
	struct state s = b->in;
	pend_late(a, b, &s);
	struct loaded loaded = {.n = 0};
	for (unsigned k = b->first; k < b->first + b->n; k++) {
		struct event *e = &a->events[k];
		if (e->meets) {
			met(&s);
			loaded.n = 0;
			continue;
		}
		if (e->fences) {
			s.shared |= s.several;
			continue;
		}
		if (e->calls) {
			/* It meets by itself where it comes to an access. */
			pend(s.stores, e->store, KEY_MANY);
			pend(s.plain, e->store, KEY_MANY);
			own(&s, e->store, 0);
			continue;
		}
		if (needs_synchrony(&s, &loaded, b->elector, e)) {
			a->exchanged |= e->is_atomic ? e->store : e->load;
			if (e->is_atomic || !synchrony_want_before_loop(
						    a, (unsigned)(b - a->blocks), e->load, false))
				synchrony_want(a, e->number, SYNCHRONY_BEFORE);
		}
		want_move(a, e, &loaded);
		if (synchrony_meets_before(a, e)) {
			met(&s);
			loaded.n = 0;
		}
		if (e->load) {
			remember(&loaded, e->load_key);
		}
		if (e->store) {
			pend(s.stores, e->store, e->store_key);
			own(&s, e->store, b->elector);
		}
		if (e->store && !e->is_atomic)
			pend(s.plain, e->store, e->store_key);
		if (e->is_shared)
			s.shared |= e->store;
		if (e->is_several)
			s.several |= e->store;
	}
	settle(s.stores, UNSTABLE_SHIFT);
	settle(s.plain, UNSTABLE_SHIFT);
	b->out = s;
}

/* What is pending where two ways meet. together: lanes come on one of them. If not, and only some
 * have executed the last store to an address that is the same for all, the others load from there
 * what these have stored. */
static int64_t join_ways(int64_t a, int64_t b, bool together)
{
	if (together && synchrony_is_one_address(a, b))
		return a;
	if (!together && a != b && (is_for_all(a) || is_for_all(b)))
		return KEY_MANY;
	return join(a, b);
}

static void merge(struct analysis *a, struct state *into, const struct state *from, bool together)
{
	struct state before = *into;
	together |= !into->reached;
	into->reached = true;
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		into->stores[i] = join_ways(into->stores[i], from->stores[i], together);
		into->plain[i] = join_ways(into->plain[i], from->plain[i], together);
		into->owners[i] = join(into->owners[i], from->owners[i]);
	}
	into->shared |= from->shared;
	into->several |= from->several;
	a->changed |= memcmp(&before, into, sizeof before) != 0;
}

static void flow(struct analysis *a)
{
	do {
		a->changed = false;
		for (unsigned k = 0; k < a->n_blocks; k++) {
			struct block *b = &a->blocks[k];
			walk(a, b);
			for (unsigned i = 0; i < b->n_to; i++) {
				struct block *to = &a->blocks[a->edges[b->to + i]];
				struct state out = b->out;
				bool back = a->back[b->to + i];
				if (!b->in.reached)
					continue;
				if (back) {
					settle(out.stores, ROUND_SHIFT);
					settle(out.plain, ROUND_SHIFT);
				}
				merge(a, &to->in, &out, back || to->elected);
			}
		}
	} while (a->changed);
}

/* What is volatile, and all in code for single warps; flow() adds to it. */
static void find_exchanged(struct analysis *a)
{
	for (unsigned k = 0; k < a->n_events; k++)
		if (a->events[k].is_volatile)
			a->exchanged |= a->events[k].load | a->events[k].store;
	if (a->block.has_warps && synchrony_is_of_warps(a->function))
		a->exchanged = ~(objects)0;
}

void synchrony_analyse(LLVMValueRef function, const struct synchrony_origins *origins,
		       struct synchrony_block block, unsigned char *meet)
{
	struct analysis a = {
		.function = function, .origins = origins, .block = block, .meet = meet};
	synchrony_list_blocks(&a);
	synchrony_find_exchanges(&a);
	synchrony_list_events(&a);
	if (synchrony_origins_is_called(origins, function))
		/* What its callers have done is not known. */
		for (unsigned k = 0; k < MAX_OBJECTS; k++)
			a.blocks[0].in.stores[k] = a.blocks[0].in.plain[k] =
				a.blocks[0].in.owners[k] = KEY_MANY;
	a.blocks[0].in.reached = true;
	find_exchanged(&a);
	do
		flow(&a);
	while (synchrony_find_late(&a));
	synchrony_want_before_overwriting(&a);
	synchrony_want_behind_branches(&a);
	synchrony_want_in_loops(&a);
	synchrony_ranges_free(a.ranges);
	for (unsigned k = 0; k < a.n_blocks; k++) {
		free(a.blocks[k].from);
		free(a.blocks[k].late);
	}
	free(a.blocks);
	hash_fini(&a.numbers);
	free(a.edges);
	free(a.back);
	free(a.events);
	free(a.stack);
	free(a.exchanges);
}
