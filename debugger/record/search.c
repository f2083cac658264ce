/* SPDX-License-Identifier: Apache-2.0 */
/* search.c - what a replay looks for while a launch goes on: backward the last, forward the first
 * moment that fits. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error.h"
#include "history.h"
#include "replay.h"
#include "skip.h"

static struct record_replay *replay(void)
{
	return &record_state()->replay;
}

__attribute__((noreturn)) static void finish(void)
{
	struct record_replay *own = replay();
	own->best.at.snapshot = own->snapshot;
	wire_send(own->socket, MESSAGE_RESULT, &own->best, sizeof own->best, NULL, 0, -1);
	for (;;)
		syscall(SYS_exit_group, 0);
}

static bool is_access(void)
{
	enum motion_kind kind = replay()->motion.kind;
	return kind == MOTION_WRITER || kind == MOTION_READER || kind == MOTION_INPUT;
}

uint32_t search_wants(void)
{
	const struct record_replay *own = replay();
	uint32_t ret = CUDASIM_WANT_ACCESS;
	if (is_access())
		return own->motion.by_thread || own->motion.kind == MOTION_INPUT
			       ? ret | CUDASIM_WANT_LOCAL
			       : ret;
	for (uint32_t i = 0; i < own->n_ranges; i++)
		if (own->ranges[i].by_thread)
			ret |= CUDASIM_WANT_LOCAL;
	return own->n_ranges ? ret : 0;
}

/* ---- what fits ------------------------------------------------------------------------------ */

/* Lanes of a warp that came to a breakpoint one behind the other: one hit. */
struct arrivals {
	const struct cudasim_site *site; /* NULL: none */
	uint32_t lanes;
	uint64_t order, lines;
	struct thread_id thread;
};

/* By warp; NULL where memory is out. */
static struct arrivals *arrivals_of(struct cudasim_block *block)
{
	void **data = cudasim_block_data(block, &record_observer);
	if (data && !*data)
		*data = calloc(block_n_warps(block), sizeof(struct arrivals));
	return data ? *data : NULL;
}

/* An event that fits: backward the latest one stays, forward the first ends the search. */
static bool found(uint64_t order, struct thread_id thread, uint64_t lines)
{
	struct record_replay *own = replay();
	if (own->best.found && order < own->best_order)
		return false;
	own->best.found = true;
	own->best.begins_earlier = false;
	own->best.is_breakpoint = own->best.is_watchpoint = own->best.is_snapshot = false;
	own->best_order = order;
	own->best.at.thread = thread;
	own->best.at.lines = lines;
	return true;
}

static void found_now(struct cudasim_thread *thread)
{
	struct record_replay *own = replay();
	bool is_counted = thread_is(thread, own->motion.counted);
	found(own->order, thread_id(thread), is_counted ? own->counted : 0);
}

/* The lanes that have come are on their way: what they came to is a hit by itself. */
static void pass(struct arrivals *a)
{
	if (!a->site)
		return;
	a->site = NULL;
	if (found(a->order, a->thread, a->lines))
		replay()->best.is_breakpoint = true;
}

void search_block_end(struct cudasim_block *block)
{
	void **data = cudasim_block_data(block, &record_observer);
	struct arrivals *arrivals = data ? *data : NULL;
	if (!arrivals)
		return;
	for (uint32_t w = 0; w < block_n_warps(block); w++)
		pass(&arrivals[w]);
	free(arrivals);
	*data = NULL;
}

/* By conditions as they are now. */
static bool hits(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	history_swap(&replay()->history);
	bool ret = breakers_find(thread, site);
	history_swap(&replay()->history);
	return ret;
}

/* Told when it is known what the run control made of it. */
static void come_to_breakpoint(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	struct record_replay *own = replay();
	uint64_t lines = thread_is(thread, own->motion.counted) ? own->counted : 0;
	if (hits(thread, site))
		own->hit = (struct replay_hit){thread, site, lines, own->order};
}

static void hit_found(const struct replay_hit *hit)
{
	struct record_replay *own = replay();
	struct thread_id id = thread_id(hit->thread);
	uint32_t lane = 1u << hit->thread->lane;
	if (!own->motion.backward) {
		found(hit->order, id, hit->lines);
		own->best.is_breakpoint = true;
		finish();
	}
	struct arrivals *a = arrivals_of(hit->thread->block);
	if (!a)
		return;
	a += hit->thread->warp;
	bool is_first = a->site != hit->site || a->lanes & lane;
	if (is_first) {
		pass(a);
		*a = (struct arrivals){.site = hit->site};
	}
	if (is_first || thread_is(hit->thread, own->motion.thread)) {
		a->order = hit->order;
		a->thread = id;
		a->lines = hit->lines;
	}
	a->lanes |= lane;
}

/* Where the program stopped for this hit when it ran first, the whole grid came together for that
 * stop, which is the next snapshot. */
static void settle_hit(bool at_end)
{
	struct record_replay *own = replay();
	struct replay_hit hit = own->hit;
	own->hit.thread = NULL;
	if (!hit.thread)
		return;
	const struct lane *lane = lane_of(hit.thread);
	/* A stop that is told has no yes any more. */
	if (lane->stand != STAND_ARMED || !(lane->yes || at_end) || lane->site != hit.site)
		hit_found(&hit);
}

static void breakpoints_at_end(void)
{
	struct cudasim_block *const *blocks;
	size_t n = grid_blocks(&blocks);
	for (size_t i = 0; i < n; i++) {
		void **data = cudasim_block_data(blocks[i], &record_observer);
		struct arrivals *arrivals = data ? *data : NULL;
		for (uint32_t w = 0; arrivals && w < block_n_warps(blocks[i]); w++)
			pass(&arrivals[w]);
	}
}

/* ---- stores and loads -------------------------------------------------------------------------- */

/* The moment of an access is the line that it is in. */
static void note_access(const struct replay_store *s)
{
	struct record_replay *own = replay();
	if (!found(s->order, thread_id(s->thread), s->lines))
		return;
	own->best.site = s->site;
	own->best.address = s->low;
	own->best.size = s->size;
	own->best.n_bytes = 0;
	own->best.is_watchpoint = s->number;
	own->best.watchpoint = s->number;
	for (uint32_t i = 0; i < own->n_ranges; i++)
		if (own->ranges[i].number == s->number)
			memcpy(own->best.title, own->ranges[i].title, sizeof own->best.title);
}

/* The bytes of low..high that are accessed. */
static struct replay_store access_now(struct cudasim_thread *thread,
				      const struct cudasim_access *access, uint64_t low,
				      uint64_t high, int number)
{
	const struct record_replay *own = replay();
	uint64_t first = (uint64_t)access->address, end = first + access->size;
	struct replay_store ret = {
		.thread = thread, .site = access->site, .number = number, .order = own->order};
	ret.low = low > first ? low : first;
	ret.size = (high < end ? high : end) - ret.low;
	if (thread_is(thread, own->motion.counted))
		ret.lines = own->counted;
	return ret;
}

static uint64_t n_kept(const struct replay_store *s)
{
	return s->size < MOTION_VALUE_BYTES ? s->size : MOTION_VALUE_BYTES;
}

static void note_store(const struct replay_store *store)
{
	struct record_replay *own = replay();
	if (own->n_stores == REPLAY_MOST_STORES)
		return;
	struct replay_store *s = &own->stores[own->n_stores++];
	*s = *store;
	memcpy(s->before, (const void *)(uintptr_t)s->low, n_kept(s));
}

/* The store has been made. */
static void store_done(const struct replay_store *s)
{
	struct record_replay *own = replay();
	const void *now = (const void *)(uintptr_t)s->low;
	if (s->number && !memcmp(s->before, now, n_kept(s)))
		return; /* a watchpoint's value has not changed */
	note_access(s);
	own->best.n_bytes = (uint32_t)n_kept(s);
	memcpy(own->best.before, s->before, n_kept(s));
	memcpy(own->best.after, now, n_kept(s));
	if (!own->motion.backward)
		finish();
}

/* Whoever has an event now, the stores that were told before are made. */
void search_event(void)
{
	struct record_replay *own = replay();
	settle_hit(false);
	for (uint32_t i = 0; i < own->n_stores; i++)
		store_done(&own->stores[i]);
	own->n_stores = 0;
}

/* But for a thread that stopped in front of its store. */
static void stores_at_end(void)
{
	struct record_replay *own = replay();
	for (uint32_t i = 0; i < own->n_stores; i++)
		if (lane_of(own->stores[i].thread)->stand != STAND_EVENT)
			store_done(&own->stores[i]);
}

static bool is_by(const struct cudasim_thread *thread, bool by_thread, bool by_block,
		  struct thread_id id)
{
	if (by_thread)
		return thread_is(thread, id);
	return !by_block || (thread->block->launch->id == id.launch &&
			     cudasim_block_index(thread->block) == id.block);
}

static bool touches(const struct cudasim_access *access, uint64_t low, uint64_t high)
{
	uint64_t first = (uint64_t)access->address;
	return first < high && first + access->size > low;
}

/* Of the line that stores there: the loads before it, and where the one thing leads that they have in
 * common with what is stored is for the user to see. */
static void access_of_line(struct cudasim_thread *thread, const struct cudasim_access *access)
{
	struct record_replay *own = replay();
	struct motion_result *best = &own->best;
	uint64_t begun = own->counted_accesses++;
	if (access->what & CUDASIM_ACCESS_STORE &&
	    touches(access, own->motion.low, own->motion.high)) {
		best->found = true;
		finish();
	}
	if (!(access->what & CUDASIM_ACCESS_LOAD))
		return;
	if (best->n_loads == MOTION_LOADS)
		memmove(best->loads, best->loads + 1, --best->n_loads * sizeof *best->loads);
	struct motion_load *load = &best->loads[best->n_loads++];
	*load = (struct motion_load){.address = (uint64_t)access->address,
				     .size = access->size,
				     .by_thread = access->space == CUDASIM_SPACE_LOCAL,
				     .by_block = access->space == CUDASIM_SPACE_SHARED,
				     .lines = own->counted,
				     .accesses = begun};
	memcpy(load->bytes, access->address,
	       access->size < sizeof load->bytes ? access->size : sizeof load->bytes);
	(void)thread;
}

static void access_asked_for(struct cudasim_thread *thread, const struct cudasim_access *access)
{
	const struct motion *m = &replay()->motion;
	uint32_t what = m->kind == MOTION_WRITER ? CUDASIM_ACCESS_STORE : CUDASIM_ACCESS_LOAD;
	if (!(access->what & what) || !touches(access, m->low, m->high) ||
	    !is_by(thread, m->by_thread, m->by_block, m->thread))
		return;
	struct replay_store now = access_now(thread, access, m->low, m->high, 0);
	if (what == CUDASIM_ACCESS_STORE)
		note_store(&now);
	else
		note_access(&now);
}

static void access_watched(struct cudasim_thread *thread, const struct cudasim_access *access)
{
	struct record_replay *own = replay();
	for (uint32_t i = 0; i < own->n_ranges; i++) {
		const struct watch_range *r = &own->ranges[i];
		if (!(r->what & access->what) || !touches(access, r->low, r->high) ||
		    !is_by(thread, r->by_thread, r->by_block, r->thread))
			continue;
		struct replay_store now = access_now(thread, access, r->low, r->high, r->number);
		if (r->what == CUDASIM_ACCESS_STORE) {
			note_store(&now);
			continue;
		}
		note_access(&now);
		if (!own->motion.backward)
			finish();
	}
}

void search_access(struct cudasim_thread *thread, const struct cudasim_access *access)
{
	struct record_replay *own = replay();
	const struct motion *m = &own->motion;
	own->order++;
	if ((m->is_only && !thread_is(thread, m->counted)) || (!m->backward && !own->is_late))
		return;
	if (m->kind == MOTION_INPUT)
		access_of_line(thread, access);
	else if (is_access())
		access_asked_for(thread, access);
	else
		access_watched(thread, access);
}

/* ---- lines --------------------------------------------------------------------------------------- */

static bool same_line(const struct line_run *a, const struct line_run *b)
{
	return a->line == b->line && a->depth == b->depth &&
	       (a->function == b->function ||
		(a->function && b->function && !strcmp(a->function, b->function)));
}

/* The event before this one belongs to a run of events at its line. */
static void shift(void)
{
	struct record_replay *own = replay();
	if (!own->last.is_there)
		return;
	if (!own->run.is_there || !same_line(&own->run, &own->last))
		own->run = own->last;
	own->last.is_there = false;
}

/* Does a motion by lines take notice of this event? */
static bool counts(struct cudasim_thread *thread, uint64_t depth)
{
	const struct motion *m = &replay()->motion;
	uint64_t low, high, used;
	if (depth <= m->depth)
		return true;
	if (m->kind != MOTION_STEP)
		return false;
	cudasim_thread_stack(thread, &low, &high, &used);
	return !skip_holds(thread, high - m->depth);
}

static void note_place(const struct line_run *here)
{
	struct motion_result *best = &replay()->best;
	best->line = here->line;
	best->depth = here->depth;
	best->line_function = here->function;
}

static void line_event(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	struct record_replay *own = replay();
	const struct motion *m = &own->motion;
	uint64_t depth = depth_of(thread, frame_of(thread));
	struct line_run here = {true, false, own->counted, site->line, depth, site->function};
	if (m->kind == MOTION_FINISH) {
		if (own->best.found && !m->backward)
			finish();
		if (depth >= m->depth)
			return;
		found_now(thread);
		note_place(&here);
		return;
	}
	if (!counts(thread, depth) && !own->best.found)
		return;
	if (m->backward) {
		shift();
		own->last = here;
		return;
	}
	struct line_run from = {true, false, 0, m->line, m->depth, m->function};
	/* Only what comes next shows if this is where the program stopped. */
	if (own->best.found)
		finish();
	if (same_line(&from, &here))
		return;
	found_now(thread);
	note_place(&here);
}

void search_line(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	struct record_replay *own = replay();
	const struct motion *m = &own->motion;
	bool is_counted = thread_is(thread, m->counted);
	own->order++;
	own->counted += is_counted;
	if (is_counted)
		own->counted_accesses = 0;
	if ((!m->backward && !own->is_late) || (m->is_only && !is_counted))
		return;
	switch (m->kind) {
	case MOTION_FIRST:
		found(own->order, thread_id(thread), 1);
		finish();
	case MOTION_CONTINUE:
		come_to_breakpoint(thread, site);
		return;
	case MOTION_STEP:
	case MOTION_NEXT:
	case MOTION_FINISH:
		if (is_counted)
			line_event(thread, site);
		return;
	default:
		return;
	}
}

/* ---- the ends -------------------------------------------------------------------------------------- */

/* Where the thread stands in the snapshot counts as line event 0. */
static void lines_begin(void)
{
	struct record_replay *own = replay();
	struct cudasim_thread *thread = thread_in_flight(own->motion.thread);
	struct cudasim_thread_status status;
	if (!thread || !grid_of(thread->block))
		return;
	cudasim_thread_status(thread, &status);
	if (status.state == CUDASIM_THREAD_WAITING || status.state == CUDASIM_THREAD_EXITED)
		return;
	struct lane *lane = lane_of(thread);
	bool at_start = lane->stand == STAND_ARMED || lane->stand == STAND_LINE;
	const struct cudasim_site *site = at_start ? lane->site : status.site;
	if (!site)
		return;
	if (!own->motion.backward)
		return;
	if (at_start && own->motion.kind == MOTION_FINISH)
		line_event(thread, site);
	else if (counts(thread, depth_of(thread, frame_of(thread))))
		own->run = (struct line_run){
			true,          true, 0, site->line, depth_of(thread, frame_of(thread)),
			site->function};
}

void search_start(void)
{
	struct record_replay *own = replay();
	const struct motion *m = &own->motion;
	const struct stop *stop = &record_state()->stopped;
	own->is_late = !own->until.lines;
	if (m->kind == MOTION_STEP || m->kind == MOTION_NEXT || m->kind == MOTION_FINISH)
		lines_begin();
	bool may_be_here = m->kind == MOTION_HERE || (m->kind == MOTION_CONTINUE && m->backward);
	if (may_be_here && stop->launch && stop->thread && grid_of(stop->thread->block) &&
	    lane_of(stop->thread)->stand == STAND_ARMED &&
	    hits(stop->thread, lane_of(stop->thread)->site)) {
		found(0, thread_id(stop->thread), 0);
		own->best.is_breakpoint = own->best.is_snapshot = true;
	}
	if (m->kind == MOTION_HERE)
		finish();
}

__attribute__((noreturn)) void search_at_end(void)
{
	struct record_replay *own = replay();
	const struct motion *m = &own->motion;
	bool where_stopped = !m->backward || own->until.lines == MOMENT_END;
	settle_hit(where_stopped);
	stores_at_end();
	if (m->backward && (m->kind == MOTION_STEP || m->kind == MOTION_NEXT)) {
		/* The last event is the present line's own where the thread stands at its beginning. */
		if (!where_stopped || !m->at_start)
			shift();
		own->best.found = own->run.is_there;
		own->best.begins_earlier = own->run.begins_earlier;
		own->best.at.lines = own->run.first;
		note_place(&own->run);
		own->best.at.thread = m->thread;
		own->best.is_snapshot = !own->run.first;
		own->best.has_lines = own->counted;
		/* The thread has stood at this line ever since. */
		struct cudasim_thread *thread = thread_in_flight(m->thread);
		own->best.is_next = where_stopped && own->run.is_there && own->run.first &&
				    own->run.first == own->counted && thread &&
				    lane_of(thread)->stand != STAND_NOT;
	}
	if (m->backward && m->kind == MOTION_CONTINUE)
		breakpoints_at_end();
	if (!m->backward && own->best.found) {
		struct cudasim_thread *thread = thread_in_flight(own->best.at.thread);
		own->best.is_next = thread && lane_of(thread)->stand != STAND_NOT;
	}
	finish();
}
