/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_overwrite.c - where a lane would overwrite what other lanes of its warp have yet to
 * load, or store over what they have yet to store, for warp_synchrony.c.
 *
 *	v = s[lane ^ 1];        all lanes load on hardware, and then
 *	s[lane] = w;            all lanes store
 *
 *	s[lane] = 0;            all elements are 0 on hardware
 *	s[p[lane]] = v;         before the first gets its value
 *
 * A forward data-flow analysis: which accesses may have happened since the warp met last, and how
 * many rounds of a loop ago. A store, or an atomic, that is not proven to lie apart from what
 * other lanes access there (synchrony_apart.cpp) gets a meeting before it. Which of several lanes
 * has the last word where they store to one address by one instruction is not looked at, nor is
 * the order of atomics.
 *
 * Rejected: to look only where a load relies on lockstep, too, since trees with barriers
 * (if (t < n) s[t] += s[t + n]) look like that; these are proven now. */
#include "synchrony_analysis.h"
#include "synchrony_apart.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_ACCESSES = 2048, /* told apart; the last stands for all others */
};

/* Of an access that is pending: in this round, the next of one loop (its header's number + 1 in
 * the upper bits), or any. */
enum { THIS = 1, ANY = 2, NEXT_SHIFT = 2 };

struct access {
	unsigned event;
	bool stores; /* or loads: a copy within shared memory is two accesses */
	bool known;  /* its address */
	objects where;
};

struct search {
	struct analysis *a;
	struct synchrony_apart *apart;
	struct access *accesses; /* in the order of events */
	unsigned n;
	uint32_t *in;      /* n of each block */
	uint32_t *pending; /* where the walk is */
};

static bool loads(const struct event *e)
{
	return e->load && (e->calls || e->is_plain || !LLVMIsALoadInst(e->instruction));
}

static uint32_t merge(uint32_t a, uint32_t b)
{
	uint32_t next = a >> NEXT_SHIFT ? a >> NEXT_SHIFT : b >> NEXT_SHIFT;
	bool several = a >> NEXT_SHIFT && b >> NEXT_SHIFT && a >> NEXT_SHIFT != b >> NEXT_SHIFT;
	uint32_t all = (a | b) & (THIS | ANY);
	if (several || all & ANY)
		return (all & THIS) | ANY;
	return all | next << NEXT_SHIFT;
}

static uint32_t next_round(uint32_t code, unsigned header)
{
	uint32_t next = code & THIS ? (header + 1) << NEXT_SHIFT : 0;
	return code & ~(uint32_t)THIS ? ANY : next;
}

/* ---- one store ------------------------------------------------------------- */

static bool proves(struct search *s, const struct event *first, bool stores,
		   const struct event *store, enum synchrony_round round, unsigned header)
{
	return synchrony_are_apart(s->apart, first->instruction, stores, store->instruction, round,
				   round == SYNCHRONY_NEXT_ROUND ? s->a->blocks[header].ref : NULL);
}

/* Where it stores, or loads if it does not store. */
static LLVMValueRef address_of(const struct event *e)
{
	return LLVMGetOperand(e->instruction, LLVMIsAStoreInst(e->instruction) ? 1 : 0);
}

static bool is_own(struct search *s, const struct event *first, const struct event *store)
{
	bool is_one = LLVMIsALoadInst(first->instruction) || LLVMIsAStoreInst(first->instruction);
	return is_one && synchrony_is_lanes_own(s->a, address_of(first), first->instruction) &&
	       synchrony_is_lanes_own(s->a, address_of(first), store->instruction);
}

static LLVMValueRef stored_constant(LLVMValueRef i)
{
	if (LLVMIsAMemSetInst(i))
		return LLVMIsAConstant(LLVMGetOperand(i, 1));
	return LLVMIsAStoreInst(i) ? LLVMIsAConstant(LLVMGetOperand(i, 0)) : NULL;
}

/* Do all lanes leave the same there, whoever comes last? */
static bool store_one_value(const struct event *first, const struct event *store)
{
	LLVMValueRef value = stored_constant(first->instruction);
	return value && value == stored_constant(store->instruction);
}

static unsigned block_of(const struct search *s, const struct event *e)
{
	return synchrony_block_number(s->a, LLVMGetInstructionParent(e->instruction));
}

/* Do all lanes that execute the first store execute the second, to the same address? Then its
 * value is there in the end, whoever comes last. */
static bool is_replaced(struct search *s, const struct event *first, const struct event *store,
			uint32_t code)
{
	bool stable = !(store->store_key >> ROUND_SHIFT & 1);
	unsigned from = block_of(s, first), by = block_of(s, store);
	return first != store && (stable || code == THIS) &&
	       (from == by ? code == THIS : synchrony_is_passed_on_every_way(s->a, from, by));
}

/* Does it store to an address that the thread keeps in a local array? A loop that scatters elements
 * to places it has computed before, as sorts and selections do, stores each to a place of its own.
 * Rejected: to meet in each round, which makes CUB's block sort 28 times and its selections 3 times
 * slower, and not to meet where indices are loaded from other memory either, which may hold one
 * twice. */
static bool is_scattered(struct search *s, const struct event *store)
{
	s->a->nodes = 0;
	return synchrony_is_kept(s->a, address_of(store), 0);
}

/* Has one access of the program been taken apart to both? */
static bool are_parts(const struct search *s, const struct event *first, const struct event *store)
{
	const struct event *begin = s->a->events + s->a->blocks[block_of(s, store)].first;
	while (store > begin && !store->is_first)
		if (--store == first)
			return true;
	return false;
}

/* Is access k, which is pending, apart from the store? */
static bool is_apart(struct search *s, unsigned k, const struct event *store)
{
	const struct access *access = &s->accesses[k];
	const struct event *first = &s->a->events[access->event];
	uint32_t code = s->pending[k], next = code >> NEXT_SHIFT;
	bool stores = access->stores;
	if (!access->known)
		return false;
	if (code == THIS && are_parts(s, first, store))
		return true;
	if (stores && (first->is_atomic ? store->is_atomic : store_one_value(first, store)))
		return true;
	if (stores && first == store && is_scattered(s, store))
		return true;
	if (synchrony_is_one_address(stores ? first->store_key : first->load_key,
				     store->store_key) &&
	    (is_own(s, first, store) || (stores && is_replaced(s, first, store, code))))
		return true;
	return (!(code & THIS) || proves(s, first, stores, store, SYNCHRONY_THIS_ROUND, 0)) &&
	       (!next || proves(s, first, stores, store, SYNCHRONY_NEXT_ROUND, next - 1)) &&
	       (!(code & ANY) || proves(s, first, stores, store, SYNCHRONY_ANY_ROUND, 0));
}

static bool is_looked_up(struct search *s, const struct event *e)
{
	s->a->nodes = 0;
	return !(LLVMIsALoadInst(e->instruction) || LLVMIsAStoreInst(e->instruction)) ||
	       synchrony_is_looked_up(s->a, address_of(e), 0);
}

/* Would several warps come to the same elements as the lanes of one (synchrony_block.cpp)? Not where
 * memory holds the places, or conditions leave both accesses to one warp. */
static bool is_of_block(struct search *s, const struct event *first, const struct event *store,
			objects where)
{
	return s->a->block.has_warps && !(where & s->a->exchanged) && !first->calls &&
	       !is_looked_up(s, first) && !is_looked_up(s, store) &&
	       !(synchrony_is_of_one_warp(s->apart, first->instruction) &&
		 synchrony_is_of_one_warp(s->apart, store->instruction));
}

/* A load that the key of its address has not decided. Only stores matter to it. */
static void judge_load(struct search *s, const struct event *e)
{
	for (unsigned k = 0; k < s->n; k++) {
		const struct access *access = &s->accesses[k];
		if (!s->pending[k] || !access->stores || !(access->where & e->load))
			continue;
		const struct event *store = &s->a->events[access->event];
		if (access->known && is_of_block(s, e, store, access->where & e->load))
			continue;
		bool once = s->pending[k] == THIS;
		if (access->known && proves(s, e, false, store,
					    once ? SYNCHRONY_THIS_ROUND : SYNCHRONY_ANY_ROUND, 0))
			continue;
		s->a->exchanged |= e->load;
		synchrony_want(s->a, e->number, SYNCHRONY_BEFORE);
		return;
	}
}

static void judge(struct search *s, unsigned block, const struct event *e)
{
	for (unsigned k = 0; k < s->n; k++) {
		objects both = s->accesses[k].where & e->store;
		if (!s->pending[k] || !both || is_apart(s, k, e))
			continue;
		if (s->accesses[k].known &&
		    is_of_block(s, &s->a->events[s->accesses[k].event], e, both))
			continue;
		if (!synchrony_want_before_loop(s->a, block, e->store, !s->accesses[k].stores))
			synchrony_want(s->a, e->number, SYNCHRONY_BEFORE);
		return;
	}
}

/* ---- the flow -------------------------------------------------------------- */

/* Accesses that lanes have yet to make that are still in a branch when others pass its end. */
static void pend_late(struct search *s, const struct block *join)
{
	const struct analysis *a = s->a;
	for (unsigned i = 0; i < join->n_late; i++) {
		const struct block *b = &a->blocks[join->late[i].block];
		uint32_t code = join->late[i].is_in_loop ? THIS | ANY : THIS;
		for (unsigned k = 0; k + 1 < s->n; k++)
			if (s->accesses[k].event >= b->first &&
			    s->accesses[k].event < b->first + b->n)
				s->pending[k] = merge(s->pending[k], code);
	}
}

static void walk(struct search *s, unsigned block)
{
	const struct block *b = &s->a->blocks[block];
	size_t size = s->n * sizeof *s->pending;
	unsigned access = 0;
	memcpy(s->pending, s->in + (size_t)block * s->n, size);
	pend_late(s, b);
	while (access + 1 < s->n && s->accesses[access].event < b->first)
		access++;
	for (unsigned k = b->first; k < b->first + b->n; k++) {
		const struct event *e = &s->a->events[k];
		if (e->meets) {
			memset(s->pending, 0, size);
			continue;
		}
		if (e->store && e->load && !e->calls && !is_of_block(s, e, e, e->store) &&
		    !proves(s, e, false, e, SYNCHRONY_THIS_ROUND, 0))
			synchrony_want(s->a, e->number, SYNCHRONY_WITHIN);
		if (e->store && !e->calls && !synchrony_meets_before(s->a, e))
			judge(s, block, e);
		if (e->again && !synchrony_meets_before(s->a, e))
			judge_load(s, e);
		if (synchrony_meets_before(s->a, e))
			memset(s->pending, 0, size);
		if (!loads(e) && !e->store)
			continue;
		while (access + 1 < s->n && s->accesses[access].event < k)
			access++;
		unsigned last = access;
		while (last + 1 < s->n && s->accesses[last + 1].event == k)
			last++;
		for (unsigned i = access; i <= last; i++)
			s->pending[i] = merge(s->pending[i], THIS);
	}
}

/* Does what is pending at the end of one block change what is at the beginning of the next? */
static bool pass_on(struct search *s, unsigned to, bool back)
{
	bool changed = false;
	uint32_t *in = s->in + (size_t)to * s->n;
	LLVMBasicBlockRef header = s->a->blocks[to].ref;
	for (unsigned k = 0; k < s->n; k++) {
		uint32_t code = s->pending[k];
		if (code && back && s->accesses[k].known &&
		    synchrony_is_in_loop(s->apart, header,
					 s->a->events[s->accesses[k].event].instruction))
			code = next_round(code, to);
		code = merge(in[k], code);
		changed |= code != in[k];
		in[k] = code;
	}
	return changed;
}

static void flow(struct search *s)
{
	struct analysis *a = s->a;
	bool *open = must(calloc(a->n_blocks, sizeof *open)), changed = true;
	memset(open, true, a->n_blocks);
	while (changed) {
		changed = a->changed = false;
		for (unsigned k = 0; k < a->n_blocks; k++) {
			const struct block *b = &a->blocks[k];
			if (!open[k] || !b->in.reached)
				continue;
			open[k] = false;
			walk(s, k);
			for (unsigned i = 0; i < b->n_to; i++) {
				unsigned to = a->edges[b->to + i];
				if (pass_on(s, to, a->back[b->to + i])) {
					open[to] = true;
					changed = true;
				}
			}
		}
		if (a->changed || (!changed && synchrony_find_late(a))) {
			/* From the beginning: meetings end what was pending, and make lanes late. */
			memset(s->in, 0, (size_t)a->n_blocks * s->n * sizeof *s->in);
			memset(open, true, a->n_blocks);
			s->in[s->n - 1] = synchrony_origins_is_called(a->origins, a->function) ? ANY
											       : 0;
			changed = true;
		}
	}
	free(open);
}

/* What others have accessed before, and accesses that are not told apart, are the last. */
static bool list_accesses(struct search *s)
{
	const struct analysis *a = s->a;
	bool stores = false;
	for (unsigned k = 0; k < a->n_events; k++)
		s->n += loads(&a->events[k]) + (a->events[k].store != 0);
	s->n = s->n < MAX_ACCESSES ? s->n + 1 : MAX_ACCESSES;
	s->accesses = must(calloc(s->n, sizeof *s->accesses));
	for (unsigned k = 0, i = 0; k < a->n_events; k++) {
		const struct event *e = &a->events[k];
		stores |= e->store && !e->calls;
		if (loads(e) && i + 1 < s->n)
			s->accesses[i++] =
				(struct access){.event = k, .known = !e->calls, .where = e->load};
		if (e->store && i + 1 < s->n)
			s->accesses[i++] = (struct access){
				.event = k, .stores = true, .known = !e->calls, .where = e->store};
	}
	s->accesses[s->n - 1] = (struct access){.event = UINT32_MAX, .where = ~(objects)0};
	return stores;
}

void synchrony_want_before_overwriting(struct analysis *a)
{
	struct search s = {.a = a};
	bool is_called = synchrony_origins_is_called(a->origins, a->function);
	if (list_accesses(&s) && (s.n > 1 || is_called)) {
		s.apart = synchrony_apart_new(a->function, is_called, a->block);
		s.in = must(calloc((size_t)a->n_blocks * s.n, sizeof *s.in));
		s.pending = must(calloc(s.n, sizeof *s.pending));
		s.in[s.n - 1] = is_called ? ANY : 0;
		flow(&s);
	}
	synchrony_apart_free(s.apart);
	free(s.accesses);
	free(s.in);
	free(s.pending);
}
