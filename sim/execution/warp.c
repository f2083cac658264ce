/* SPDX-License-Identifier: Apache-2.0 */
#include "warp.h"

#include <stdint.h>

#include "block.h"
#include "dispatch.h"
#include "mma.h"
#include "observer.h"
#include "shuffle_lane.h"

enum { LANES = 32 };

/* ---- results: functions of what the lanes brought ------------------------------ */

static uint64_t shuffle(uint32_t mode, uint32_t lane, const struct warp_operand operand[LANES],
			uint32_t arrived)
{
	bool inside;
	uint32_t from = shuffle_lane(mode, lane, operand[lane].b, operand[lane].c, &inside);
	uint32_t value = arrived >> from & 1 ? (uint32_t)operand[from].value : 0;
	return (uint64_t)inside << 32 | value;
}

uint32_t warp_absent(uint32_t mode, uint32_t arrived, const struct warp_operand operand[LANES])
{
	uint32_t absent = 0;
	for (uint32_t rest = arrived; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		bool inside;
		if (!(arrived >>
			      shuffle_lane(mode, lane, operand[lane].b, operand[lane].c, &inside) &
		      1))
			absent |= 1u << lane;
	}
	return absent;
}

static uint32_t lanes_with(uint64_t value, const struct warp_operand operand[LANES],
			   uint32_t arrived)
{
	uint32_t lanes = 0;
	for (uint32_t i = 0; i < LANES; i++)
		if (arrived >> i & 1 && operand[i].value == value)
			lanes |= 1u << i;
	return lanes;
}

static uint32_t vote(uint32_t kind, uint32_t arrived, const struct warp_operand operand[LANES])
{
	uint32_t ballot = lanes_with(1, operand, arrived);
	switch (kind) {
	case CUDASIM_VOTE_ALL:
		return ballot == arrived;
	case CUDASIM_VOTE_ANY:
		return ballot != 0;
	case CUDASIM_VOTE_UNI:
		return ballot == arrived || !ballot;
	default:
		return ballot;
	}
}

static uint32_t combine(uint32_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case CUDASIM_REDUX_ADD:
		return a + b;
	case CUDASIM_REDUX_MIN:
		return (int32_t)a < (int32_t)b ? a : b;
	case CUDASIM_REDUX_MAX:
		return (int32_t)a > (int32_t)b ? a : b;
	case CUDASIM_REDUX_UMIN:
		return a < b ? a : b;
	case CUDASIM_REDUX_UMAX:
		return a > b ? a : b;
	case CUDASIM_REDUX_AND:
		return a & b;
	case CUDASIM_REDUX_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

static uint32_t reduce(uint32_t op, uint32_t arrived, const struct warp_operand operand[LANES])
{
	uint32_t first = (uint32_t)__builtin_ctz(arrived);
	uint32_t sum = (uint32_t)operand[first].value;
	for (uint32_t rest = arrived & (arrived - 1); rest; rest &= rest - 1)
		sum = combine(op, sum, (uint32_t)operand[__builtin_ctz(rest)].value);
	return sum;
}

void warp_compute(uint32_t kind, uint32_t sub, uint32_t arrived,
		  const struct warp_operand operand[LANES], uint64_t result[LANES])
{
	uint32_t first = (uint32_t)__builtin_ctz(arrived);
	uint64_t common = 0;
	switch (kind) {
	case CUDASIM_WARP_VOTE:
		common = vote(sub, arrived, operand);
		break;
	case CUDASIM_WARP_MATCH_ALL:
		if (lanes_with(operand[first].value, operand, arrived) == arrived)
			common = 1ull << 32 | arrived;
		break;
	case CUDASIM_WARP_REDUX:
		common = reduce(sub, arrived, operand);
		break;
	default:
		break;
	}
	for (uint32_t rest = arrived; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		if (kind == CUDASIM_WARP_SHFL)
			result[lane] = shuffle(sub, lane, operand, arrived);
		else if (kind == CUDASIM_WARP_MATCH_ANY)
			result[lane] = lanes_with(operand[lane].value, operand, arrived);
		else if (kind == CUDASIM_WARP_ELECT)
			result[lane] = (uint64_t)(lane == first) << 32 | first;
		else
			result[lane] = common;
	}
}

/* ---- meeting ------------------------------------------------------------- */

static struct meeting *meeting_find(struct warp *warp, uint32_t mask, uint32_t kind, uint32_t sub)
{
	for (uint32_t i = 0; i < warp->n_meetings; i++) {
		struct meeting *m = &warp->meetings[i];
		if (m->mask == mask && m->kind == kind && m->sub == sub)
			return m;
	}
	return NULL;
}

/* Kinds differ, lanes are disjoint: at most 32 meetings at a time. */
static struct meeting *meeting_add(struct warp *warp, uint32_t mask, uint32_t kind, uint32_t sub)
{
	struct meeting *m = &warp->meetings[warp->n_meetings++];
	*m = (struct meeting){.mask = mask, .kind = kind, .sub = sub};
	return m;
}

static void meeting_remove(struct block *b, uint32_t w, struct meeting *m)
{
	struct warp *warp = &b->warps[w];
	*m = warp->meetings[--warp->n_meetings];
	if (!warp->n_meetings)
		b->partial_warps &= ~(1u << w);
}

/* A lane's operand is the address of its registers. */
static void multiply(uint32_t form, uint32_t lanes, const struct warp_operand operand[32])
{
	uint32_t words[CUDASIM_MMA_MOST_WORDS][CUDASIM_WARP_SIZE] = {0};
	uint32_t c = cudasim_mma_c_at(form), n = cudasim_mma_n_words(form);
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		const uint32_t *registers = (const uint32_t *)(uintptr_t)operand[lane].value;
		for (uint32_t i = 0; i < n; i++)
			words[i][lane] = registers[i];
	}
	mma_compute(form, words);
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		uint32_t *registers = (uint32_t *)(uintptr_t)operand[lane].value;
		for (uint32_t i = c; i < n; i++)
			registers[i] = words[i][lane];
	}
}

/* The lanes have met: give each its result and let it go. */
static void meet(struct block *b, uint32_t w, uint32_t kind, uint32_t sub, uint32_t lanes,
		 const struct cudasim_site *site)
{
	if (__builtin_expect(b->run->watched, 0)) {
		struct cudasim_warp_op op = {(enum cudasim_warp_kind)kind, sub, lanes, site, 0};
		if (kind == CUDASIM_WARP_SHFL)
			op.absent = warp_absent(sub, lanes, b->warps[w].operand);
		observe_warp_meet(&b->pub, w, &op);
	}
	if (kind == CUDASIM_WARP_MMA) {
		multiply(sub, lanes, b->warps[w].operand);
	} else if (kind != CUDASIM_WARP_SYNC) {
		uint64_t result[32];
		warp_compute(kind, sub, lanes, b->warps[w].operand, result);
		for (uint32_t rest = lanes; rest; rest &= rest - 1) {
			uint32_t lane = (uint32_t)__builtin_ctz(rest);
			block_thread(b, w, lane)->result = result[lane];
		}
	}
	block_activate(b, w, lanes);
	b->openings++;
}

static bool complete(const struct block *b, uint32_t w, const struct meeting *m)
{
	return !(m->mask & b->live[w] & ~m->arrived);
}

/* All whom the mask names have come: on with them, or wait for those it does not name. */
static bool is_partial(const struct block *b, uint32_t w, const struct meeting *m)
{
	return b->live[w] & ~m->mask;
}

static bool are_at_one_site(const struct block *b, uint32_t w, uint32_t lanes)
{
	const struct thread *threads = &b->threads[w * CUDASIM_WARP_SIZE];
	const struct cudasim_site *first = NULL;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		const struct cudasim_site *site = threads[__builtin_ctz(rest)].pub.site;
		if (rest == lanes)
			first = site;
		if (site != first)
			return false;
	}
	return true;
}

/* All that the warp began with. Some may have ended before; but those that only pass the
 * operation by, where hardware refuses it, have ended here, too, when the others settle. */
static uint32_t lanes_of(const struct block *b, uint32_t w)
{
	uint32_t n = b->n_threads - w * CUDASIM_WARP_SIZE;
	return n < CUDASIM_WARP_SIZE ? (1u << n) - 1 : UINT32_MAX;
}

/* Lanes that go to a meeting in vain: it lacks them, and is not one of the whole warp. */
static uint32_t strays_of(const struct block *b, uint32_t w, const struct meeting *m)
{
	if (m->arrived == lanes_of(b, w) && are_at_one_site(b, w, m->arrived))
		return 0;
	return m->arrived & ~m->mask;
}

bool warp_settle_partial(struct block *b, uint32_t w, bool refuse)
{
	struct warp *warp = &b->warps[w];
	bool any = false, stay = false;
	for (uint32_t i = 0; i < warp->n_meetings;) {
		struct meeting m = warp->meetings[i];
		uint32_t strays = strays_of(b, w, &m);
		stay |= strays && !refuse;
		if (strays ? !refuse : !complete(b, w, &m)) {
			i++;
			continue;
		}
		any = true;
		meeting_remove(b, w, &warp->meetings[i]);
		warp->refused |= strays;
		if (strays)
			block_activate(b, w, m.arrived);
		else
			meet(b, w, m.kind, m.sub, m.arrived, NULL);
	}
	if (!stay)
		b->partial_warps &= ~(1u << w);
	return any;
}

uint32_t warp_settling(const struct block *b, uint32_t w)
{
	uint32_t lanes = 0;
	for (uint32_t i = 0; i < b->warps[w].n_meetings; i++) {
		const struct meeting *m = &b->warps[w].meetings[i];
		if (complete(b, w, m) && !strays_of(b, w, m))
			lanes |= m->arrived;
	}
	return lanes;
}

void warp_exit(struct block *b, uint32_t w)
{
	struct warp *warp = &b->warps[w];
	for (uint32_t i = 0; i < warp->n_meetings;) {
		struct meeting m = warp->meetings[i];
		if (is_partial(b, w, &m) && (complete(b, w, &m) || m.arrived & ~m.mask))
			b->partial_warps |= 1u << w;
		if (is_partial(b, w, &m) || !complete(b, w, &m)) {
			i++;
			continue;
		}
		meeting_remove(b, w, &warp->meetings[i]);
		meet(b, w, m.kind, m.sub, m.arrived, NULL);
	}
}

static void announce(struct thread *t, uint32_t kind, uint32_t sub, uint32_t mask,
		     const struct cudasim_site *site)
{
	struct cudasim_warp_op op = {(enum cudasim_warp_kind)kind, sub, mask, site, 0};
	t->pub.site = site;
	if (__builtin_expect(block_of(t)->run->watched, 0))
		observe_warp_arrive(&t->pub, &op);
}

/* Bring the operand in warp->operand[lane] to the operation; returns with
 * t->result set. */
static void warp_wait(struct thread *t, uint32_t kind, uint32_t sub, uint32_t mask,
		      const struct cudasim_site *site)
{
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
	struct warp *warp = &b->warps[w];
	struct meeting *m = meeting_find(warp, mask, kind, sub);
	if (!m)
		m = meeting_add(warp, mask, kind, sub);
	m->arrived |= bit;
	if (is_partial(b, w, m)) {
		if (complete(b, w, m) || !(mask & bit))
			b->partial_warps |= 1u << w;
	} else if (complete(b, w, m)) {
		uint32_t lanes = m->arrived;
		meeting_remove(b, w, m);
		meet(b, w, kind, sub, lanes, site);
		return;
	}
	block_deactivate(b, w, bit);
	t->state = THREAD_MEET;
	t->warp_kind = (uint8_t)kind;
	t->warp_sub = kind == CUDASIM_WARP_MMA ? 0 : (uint8_t)sub;
	t->mask = mask;
	dispatch_suspend(t);
	if (__builtin_expect(warp->refused & bit, 0))
		dispatch_bad_mask(t, mask, site);
}

static uint64_t operation(uint32_t kind, uint32_t sub, uint32_t mask, uint64_t value,
			  uint32_t arg_b, uint32_t arg_c, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	uint32_t lane = t->pub.lane;
	announce(t, kind, sub, mask, site);
	struct warp_operand *operand = &block_of(t)->warps[t->pub.warp].operand[lane];
	*operand = (struct warp_operand){.value = value, .b = arg_b, .c = arg_c};
	warp_wait(t, kind, sub, mask, site);
	dispatch_leave(t);
	return t->result;
}

void __cudasim_syncwarp(uint32_t mask, const struct cudasim_site *site)
{
	operation(CUDASIM_WARP_SYNC, 0, mask, 0, 0, 0, site);
}

uint64_t __cudasim_shfl(uint32_t mode, uint32_t mask, uint32_t value, uint32_t b, uint32_t c,
			const struct cudasim_site *site)
{
	return operation(CUDASIM_WARP_SHFL, mode, mask, value, b, c, site);
}

uint32_t __cudasim_vote(uint32_t kind, uint32_t mask, uint32_t pred,
			const struct cudasim_site *site)
{
	return (uint32_t)operation(CUDASIM_WARP_VOTE, kind, mask, pred != 0, 0, 0, site);
}

uint32_t __cudasim_match_any(uint32_t mask, uint64_t value, const struct cudasim_site *site)
{
	return (uint32_t)operation(CUDASIM_WARP_MATCH_ANY, 0, mask, value, 0, 0, site);
}

uint64_t __cudasim_match_all(uint32_t mask, uint64_t value, const struct cudasim_site *site)
{
	return operation(CUDASIM_WARP_MATCH_ALL, 0, mask, value, 0, 0, site);
}

uint32_t __cudasim_redux(uint32_t op, uint32_t mask, uint32_t value,
			 const struct cudasim_site *site)
{
	return (uint32_t)operation(CUDASIM_WARP_REDUX, op, mask, value, 0, 0, site);
}

void __cudasim_mma(uint32_t form, uint32_t *registers, const struct cudasim_site *site)
{
	operation(CUDASIM_WARP_MMA, form, UINT32_MAX, (uint64_t)(uintptr_t)registers, 0, 0, site);
}

void __cudasim_mma_lanes(uint32_t form, uint32_t (*words)[CUDASIM_WARP_SIZE])
{
	mma_compute(form, words);
}

uint64_t __cudasim_elect(uint32_t mask, const struct cudasim_site *site)
{
	return operation(CUDASIM_WARP_ELECT, 0, mask, 0, 0, 0, site);
}

/* ---- converging ---------------------------------------------------------- */

/* Whether a GPU's warp would come to site a first: by the compiler's order or, where a program
 * asks itself who is there, by its place in a function; between functions any order will do then
 * that is always the same. */
bool warp_site_before(const struct cudasim_site *a, const struct cudasim_site *b)
{
	if (!a || !b || (a->is_ranked && b->is_ranked) || a->function != b->function ||
	    a->file != b->file)
		return (uintptr_t)a < (uintptr_t)b;
	if (a->line != b->line)
		return a->line < b->line;
	return a->column != b->column ? a->column < b->column : a < b;
}

static const struct cudasim_site *first_site(struct block *b, uint32_t w, uint32_t lanes)
{
	const struct cudasim_site *first = NULL;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		const struct cudasim_site *site =
			block_thread(b, w, (uint32_t)__builtin_ctz(rest))->pub.site;
		if (rest == lanes || warp_site_before(site, first))
			first = site;
	}
	return first;
}

bool warp_stands_before(struct block *block, uint32_t w, uint32_t a, uint32_t b)
{
	return !warp_site_before(first_site(block, w, b), first_site(block, w, a));
}

void warp_resolve(struct block *b, uint32_t w)
{
	const struct cudasim_site *first = NULL;
	uint32_t lanes = 0;
	for (uint32_t rest = b->converging[w]; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);
		const struct cudasim_site *site = block_thread(b, w, lane)->pub.site;
		if (lanes && site == first) {
			lanes |= 1u << lane;
		} else if (!lanes || warp_site_before(site, first)) {
			first = site;
			lanes = 1u << lane;
		}
	}
	struct thread *t = block_thread(b, w, (uint32_t)__builtin_ctz(lanes));
	if (__builtin_expect(b->run->watched, 0)) {
		struct cudasim_warp_op op = {
			(enum cudasim_warp_kind)t->warp_kind, 0, lanes, first, 0,
		};
		observe_warp_meet(&b->pub, w, &op);
	}
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		block_thread(b, w, (uint32_t)__builtin_ctz(rest))->result = lanes;
	b->converging[w] &= ~lanes;
	if (!b->converging[w])
		b->converging_warps &= ~(1u << w);
	block_activate(b, w, lanes);
	b->openings++;
}

uint32_t warp_reconverge(struct thread *t, uint32_t kind, const struct cudasim_site *site)
{
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
	announce(t, kind, 0, b->live[w], site);
	/* The only lane that is left meets nobody. */
	if (b->live[w] == bit)
		return bit;
	block_deactivate(b, w, bit);
	b->converging[w] |= bit;
	b->converging_warps |= 1u << w;
	t->state = THREAD_CONVERGE;
	t->warp_kind = (uint8_t)kind;
	dispatch_suspend(t);
	return (uint32_t)t->result;
}

uint32_t __cudasim_activemask(const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	uint32_t lanes = warp_reconverge(t, CUDASIM_WARP_ACTIVEMASK, site);
	dispatch_leave(t);
	return lanes;
}

void __cudasim_reconverge(const struct cudasim_site *site)
{
	if (__builtin_expect(__cudasim_self->want & THREAD_BORROWED, 0))
		return; /* nobody runs beside it */
	struct thread *t = dispatch_enter();
	warp_reconverge(t, CUDASIM_WARP_CONVERGE, site);
	dispatch_leave(t);
}

void __cudasim_post_barrier(const struct cudasim_site *site)
{
	if (__builtin_expect(__cudasim_self->want & THREAD_BORROWED, 0))
		return; /* nobody runs beside it */
	struct thread *t = dispatch_enter();
	struct block *b = block_of(t);
	uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
	t->pub.site = site;
	if (b->worker->schedule.order != SCHEDULE_RANDOM && b->n_live > 1) {
		block_deactivate(b, w, bit);
		b->post_barrier[w] |= bit;
		b->post_barrier_warps |= 1u << w;
		t->state = THREAD_POST_BARRIER;
		dispatch_suspend(t);
	}
	dispatch_leave(t);
}

void warp_turn(struct thread *t, const struct cudasim_site *site)
{
	struct warp *warp = &block_of(t)->warps[t->pub.warp];
	uint32_t bit = 1u << t->pub.lane;
	uint32_t lanes = warp_reconverge(t, CUDASIM_WARP_CONVERGE, site);
	/* The first to come on enters all, for all of them come on. */
	if (!(warp->queue & bit))
		warp->queue |= lanes;
	while (warp->queue & (bit - 1))
		dispatch_yield(t, THREAD_YIELDED, false, site);
}

void warp_turn_end(struct thread *t)
{
	block_of(t)->warps[t->pub.warp].queue &= ~(1u << t->pub.lane);
}

void warp_turn_last(struct thread *t, const struct cudasim_site *site)
{
	warp_turn_end(t);
	while (block_of(t)->warps[t->pub.warp].queue)
		dispatch_yield(t, THREAD_YIELDED, false, site);
}
