/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_overwrite.c - where a lane would overwrite what other lanes of its warp have yet to
 * load, for warp_synchrony.c.
 *
 *	v = s[lane ^ 1];        all lanes load on hardware, and then
 *	s[lane] = w;            all lanes store
 *
 * A forward data-flow analysis: which loads may have happened since the warp met last, and how
 * many rounds of a loop ago. A store, or an atomic, that is not proven to lie apart from what
 * other lanes load there (synchrony_apart.cpp) gets a meeting before it.
 *
 * Rejected: to look only where a load relies on lockstep, too, since trees with barriers
 * (if (t < n) s[t] += s[t + n]) look like that; these are proven now. */
#include "synchrony_analysis.h"
#include "synchrony_apart.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_LOADS = 1024, /* told apart; the last stands for all others */
};

/* Of a load that is pending: in this round, the next of one loop (its header's number + 1 in the
 * upper bits), or any. */
enum { THIS = 1, ANY = 2, NEXT_SHIFT = 2 };

struct search {
	struct analysis *a;
	struct synchrony_apart *apart;
	unsigned *events;     /* of each load */
	unsigned char *known; /* of each load: is its address? */
	objects *where;
	unsigned n;
	uint32_t *in;      /* n of each block */
	uint32_t *pending; /* where the walk is */
};

static bool is_pending(const struct event *e)
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

static bool proves(struct search *s, const struct event *load, const struct event *store,
		   enum synchrony_round round, unsigned header)
{
	return synchrony_are_apart(s->apart, load->instruction, store->instruction, round,
				   round == SYNCHRONY_NEXT_ROUND ? s->a->blocks[header].ref : NULL);
}

static bool is_own(struct search *s, const struct event *load, const struct event *store)
{
	LLVMValueRef address = LLVMIsALoadInst(load->instruction)
				       ? LLVMGetOperand(load->instruction, 0)
				       : NULL;
	return address && synchrony_is_one_address(load->load_key, store->store_key) &&
	       synchrony_is_lanes_own(s->a, address, load->instruction) &&
	       synchrony_is_lanes_own(s->a, address, store->instruction);
}

/* Is load k, which is pending, apart from the store? */
static bool is_apart(struct search *s, unsigned k, const struct event *store)
{
	const struct event *load = &s->a->events[s->events[k]];
	uint32_t code = s->pending[k], next = code >> NEXT_SHIFT;
	if (!s->known[k])
		return false;
	return is_own(s, load, store) ||
	       ((!(code & THIS) || proves(s, load, store, SYNCHRONY_THIS_ROUND, 0)) &&
		(!next || proves(s, load, store, SYNCHRONY_NEXT_ROUND, next - 1)) &&
		(!(code & ANY) || proves(s, load, store, SYNCHRONY_ANY_ROUND, 0)));
}

static void judge(struct search *s, unsigned block, const struct event *e)
{
	if (e->load && !proves(s, e, e, SYNCHRONY_THIS_ROUND, 0))
		synchrony_want(s->a, e->number, SYNCHRONY_WITHIN);
	for (unsigned k = 0; k < s->n; k++) {
		if (!s->pending[k] || !(s->where[k] & e->store) || is_apart(s, k, e))
			continue;
		if (!synchrony_want_before_loop(s->a, block, e->store, true))
			synchrony_want(s->a, e->number, SYNCHRONY_BEFORE);
		return;
	}
}

/* ---- the flow -------------------------------------------------------------- */

static void walk(struct search *s, unsigned block)
{
	const struct block *b = &s->a->blocks[block];
	size_t size = s->n * sizeof *s->pending;
	unsigned load = 0;
	memcpy(s->pending, s->in + (size_t)block * s->n, size);
	while (load + 1 < s->n && s->events[load] < b->first)
		load++;
	for (unsigned k = b->first; k < b->first + b->n; k++) {
		const struct event *e = &s->a->events[k];
		if (e->meets) {
			memset(s->pending, 0, size);
			continue;
		}
		bool met = s->a->meet[e->number] & SYNCHRONY_BEFORE;
		if (e->store && !e->calls && !met)
			judge(s, block, e);
		if (s->a->meet[e->number] & SYNCHRONY_BEFORE)
			memset(s->pending, 0, size);
		while (load + 1 < s->n && s->events[load] < k)
			load++;
		if (is_pending(e))
			s->pending[load] = merge(s->pending[load], THIS);
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
		if (code && back && s->known[k] &&
		    synchrony_is_in_loop(s->apart, header, s->a->events[s->events[k]].instruction))
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
		if (a->changed) {
			/* From the beginning: meetings end what was pending. */
			memset(s->in, 0, (size_t)a->n_blocks * s->n * sizeof *s->in);
			memset(open, true, a->n_blocks);
			s->in[s->n - 1] = synchrony_origins_is_called(a->origins, a->function) ? ANY
											       : 0;
			changed = true;
		}
	}
	free(open);
}

static bool list_loads(struct search *s)
{
	const struct analysis *a = s->a;
	bool stores = false;
	for (unsigned k = 0; k < a->n_events; k++)
		s->n += is_pending(&a->events[k]);
	s->n = s->n < MAX_LOADS ? s->n + 1 : MAX_LOADS;
	s->events = must(calloc(s->n, sizeof *s->events));
	s->known = must(calloc(s->n, 1));
	s->where = must(calloc(s->n, sizeof *s->where));
	for (unsigned k = 0, i = 0; k < a->n_events; k++) {
		const struct event *e = &a->events[k];
		stores |= e->store && !e->calls;
		if (!is_pending(e) || i + 1 == s->n)
			continue;
		s->events[i] = k;
		s->known[i] = !e->calls;
		s->where[i++] = e->load;
	}
	/* What others have loaded before, and loads that are not told apart. */
	s->events[s->n - 1] = UINT32_MAX;
	s->where[s->n - 1] = ~(objects)0;
	return stores;
}

void synchrony_want_before_overwriting(struct analysis *a)
{
	struct search s = {.a = a};
	bool is_called = synchrony_origins_is_called(a->origins, a->function);
	if (list_loads(&s) && (s.n > 1 || is_called)) {
		s.apart = synchrony_apart_new(a->function, is_called);
		s.in = must(calloc((size_t)a->n_blocks * s.n, sizeof *s.in));
		s.pending = must(calloc(s.n, sizeof *s.pending));
		s.in[s.n - 1] = is_called ? ANY : 0;
		flow(&s);
	}
	synchrony_apart_free(s.apart);
	free(s.events);
	free(s.known);
	free(s.where);
	free(s.in);
	free(s.pending);
}
