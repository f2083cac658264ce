/* SPDX-License-Identifier: Apache-2.0 */
/* race_lanes.c - accesses of many threads at one place of the code: what race_quick.c does for one.
 *
 * Where neighbouring lanes access neighbouring words, those of 64 bytes (a line) have one record of
 * each kind, a row (race_cell.h): what is the same for all of them is compared once. */
#include "race_words.h"

/* ---- rows ------------------------------------------------------------------ */

static inline uint64_t at_word(uint64_t record, uint8_t shift, uint32_t i)
{
	return record ? record + ((uint64_t)(i >> shift) << 32) : 0;
}

void race_row_unfold(const struct race_lines *of, uint32_t line)
{
	const struct race_row *row = &of->rows[line];
	struct race_hot *cells = &of->cells[line * RACE_LINE_WORDS];
	uint64_t write = bits_of(&row->hot.write), read0 = bits_of(&row->hot.read[0]),
		 read1 = bits_of(&row->hot.read[1]);
	bool zero = !(write | read0 | read1);
	/* New cells hold that already. */
	for (uint32_t i = 0; i < (zero && of->states[line] == RACE_ROW_NEW ? 0 : RACE_LINE_WORDS);
	     i++) {
		set_bits(&cells[i].write, at_word(write, row->shift[0], i));
		set_bits(&cells[i].read[0], at_word(read0, row->shift[1], i));
		set_bits(&cells[i].read[1], at_word(read1, row->shift[2], i));
	}
	of->states[line] = RACE_ROW_CELLS;
}

/* Do the records tell the same of all words of the line, compared with those of q? Else some of
 * them may be of the same thread, and others not. */
static inline bool is_alike(const struct race_row *row, const struct quick *q, uint8_t shift)
{
	uint32_t me = (uint32_t)q->me;
	return ((uint32_t)bits_of(&row->hot.write) != me || row->shift[0] == shift) &&
	       ((uint32_t)bits_of(&row->hot.read[0]) != me || row->shift[1] == shift) &&
	       ((uint32_t)bits_of(&row->hot.read[1]) != me || row->shift[2] == shift);
}

/* The accesses of q, whose lane is the line's first one's, to the whole line; its row counts. */
static inline bool enter_row(struct race_row *row, const struct quick *q, uint8_t shift)
{
	if (!is_alike(row, q, shift) ||
	    !(q->writes ? quick_write(q, &row->hot) : quick_read(q, &row->hot)))
		return false;
	uint64_t mine = q->me & ~FAR_BIT;
	if ((bits_of(&row->hot.write) & ~FAR_BIT) == mine)
		row->shift[0] = shift;
	if ((bits_of(&row->hot.read[0]) & ~FAR_BIT) == mine)
		row->shift[1] = shift;
	if ((bits_of(&row->hot.read[1]) & ~FAR_BIT) == mine)
		row->shift[2] = shift;
	return true;
}

/* After lanes have written to a whole line by its cells: nothing else is remembered of it. */
static inline void fold(const struct race_lines *of, uint32_t line, const struct quick *q,
			uint8_t shift)
{
	struct race_row *row = &of->rows[line];
	*row = (struct race_row){.shift = {shift}};
	set_bits(&row->hot.write, q->me);
	of->states[line] = RACE_ROW_STALE;
}

/* ---- lanes of one warp ----------------------------------------------------- */

struct warp_lanes {
	struct quick q; /* of the warp's lane 0; page below: NULL for shared memory */
	const struct cudasim_lanes *accesses;
	struct shadow_page *page;
	struct race_lines lines; /* of the page, or of shared memory */
	uint32_t lanes; /* of the accesses */
	int32_t shift; /* lane i of the accesses is lane i + shift of the warp */
	uint32_t n_words; /* of each access: 1, 2, 4; 0 for parts of one */
};

static inline struct quick quick_of(const struct warp_lanes *w, uint32_t lane)
{
	struct quick q = w->q;
	q.me += (uint64_t)(uint32_t)((int32_t)lane + w->shift) << 32;
	return q;
}

/* One or two bytes of one lane. */
static bool part_of(const struct warp_lanes *w, const struct race_place *at, uint32_t lane)
{
	struct quick q = quick_of(w, lane);
	uint32_t size = (uint32_t)w->accesses->size;
	unsigned first = (unsigned)cudasim_lane_address(w->accesses, lane) & 3;
	return race_quick_parts(&q, at, first, (size * 2u - 1) << first);
}

/* The word, in its page or in shared memory, at which a lane's access begins. */
static inline uint32_t word_of(const struct warp_lanes *w, uint32_t lane)
{
	uint64_t at = cudasim_lane_address(w->accesses, lane);
	uint64_t start = w->page ? at & ~(uint64_t)(SHADOW_PAGE_BYTES - 1)
				 : (uint64_t)(uintptr_t)w->q.block->block->shared;
	return (uint32_t)(at - start) / 4;
}

/* A line's lock, and where its cells are asked for these count from now on. Nobody else comes to shared
 * memory's. */
struct held {
	_Atomic uint8_t *lock; /* NULL: none */
	uint32_t line;
};

static inline struct held hold_row(const struct warp_lanes *w, uint32_t line)
{
	return (struct held){w->page ? race_line_lock(w->page, line) : NULL, line};
}

static inline struct held hold_cells(const struct warp_lanes *w, uint32_t line)
{
	struct held ret = hold_row(w, line);
	if (w->lines.states[line] != RACE_ROW_CELLS)
		race_row_unfold(&w->lines, line);
	return ret;
}

static inline void let_go(const struct held *h)
{
	if (h->lock)
		race_place_unlock(h->lock);
}

/* From line to line. */
static inline void hold_next(const struct warp_lanes *w, struct held *h, uint32_t line)
{
	if (h->line == line)
		return;
	let_go(h);
	*h = hold_cells(w, line);
}

/* Parts of words of global memory, or of shared memory. Lanes that follow each other over whole
 * words are entered a word at a time. */
static uint32_t parts_of(const struct warp_lanes *w)
{
	const struct cudasim_lanes *a = w->accesses;
	uint32_t size = (uint32_t)a->size, per_word = 4 / size, left = 0;
	bool run = !a->addresses && a->stride == (int64_t)size;
	struct held held = {.line = UINT32_MAX};
	for (uint32_t lanes = w->lanes; lanes;) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes);
		uint64_t at = cudasim_lane_address(a, lane);
		uint32_t word = ((1u << per_word) - 1) << lane;
		bool whole = run && !(at & 3) && lane + per_word <= 32 && (lanes & word) == word;
		uint32_t i = word_of(w, lane);
		hold_next(w, &held, i / RACE_LINE_WORDS);
		struct race_place place = w->page ? race_place_global(w->page, at)
						  : race_place_shared(w->q.block, i);
		struct quick q = quick_of(w, lane);
		if (!whole || !race_quick_bytes(&q, &place, size)) {
			word = whole ? word : 1u << lane;
			for (uint32_t some = word; some; some &= some - 1)
				if (!part_of(w, &place, (uint32_t)__builtin_ctz(some)))
					left |= some & -some;
		}
		lanes &= ~word;
	}
	let_go(&held);
	return left;
}

/* The lowest of the lanes, and those that follow it without a gap. */
static inline uint32_t run_at(uint32_t lanes)
{
	uint32_t end = lanes + (lanes & -lanes);
	return lanes & ~end;
}

static inline __attribute__((always_inline)) uint32_t cells_from(const struct warp_lanes *w,
								 struct race_hot *hot, uint32_t run,
								 bool writes, uint32_t n)
{
	uint32_t left = 0, end = 32 - (uint32_t)__builtin_clz(run);
	struct quick q = quick_of(w, (uint32_t)__builtin_ctz(run));
	q.writes = writes;
	for (uint32_t lane = (uint32_t)__builtin_ctz(run); lane < end; lane++) {
		if (quick_words(&q, hot, n) != n)
			left |= 1u << lane;
		hot += n;
		q.me += (uint64_t)1 << 32;
	}
	return left;
}

/* Lanes that follow each other without a gap, at words that do, the first of them hot's; the lanes that
 * are not quick. */
static uint32_t cells_of(const struct warp_lanes *w, struct race_hot *hot, uint32_t run)
{
	if (w->n_words != 1)
		return cells_from(w, hot, run, w->q.writes, w->n_words);
	return w->q.writes ? cells_from(w, hot, run, true, 1) : cells_from(w, hot, run, false, 1);
}

/* The same with the line's lock. */
static uint32_t cells_in(const struct warp_lanes *w, uint32_t word, uint32_t run)
{
	struct held held = hold_cells(w, word / RACE_LINE_WORDS);
	uint32_t left = cells_of(w, &w->lines.cells[word], run);
	let_go(&held);
	return left;
}

/* One lane after the other; the lanes that are not quick. */
static uint32_t each_of(const struct warp_lanes *w, uint32_t lanes)
{
	struct held held = {.line = UINT32_MAX};
	uint32_t left = 0;
	for (; lanes; lanes &= lanes - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes), word = word_of(w, lane);
		hold_next(w, &held, word / RACE_LINE_WORDS);
		struct quick q = quick_of(w, lane);
		if (quick_words(&q, &w->lines.cells[word], w->n_words) != w->n_words)
			left |= 1u << lane;
	}
	let_go(&held);
	return left;
}

/* The lanes from `lane` on access the whole line. */
static uint32_t line_of(const struct warp_lanes *w, uint32_t line, uint32_t lane, uint32_t lanes)
{
	static const uint8_t shifts[] = {0, 0, 1, 0, 2};
	uint8_t shift = shifts[w->n_words];
	struct race_hot *cells = &w->lines.cells[line * RACE_LINE_WORDS];
	struct quick q = quick_of(w, lane);
	struct held held = hold_row(w, line);
	bool done = w->lines.states[line] != RACE_ROW_CELLS &&
		    enter_row(&w->lines.rows[line], &q, shift);
	uint32_t left = 0;
	if (!done) {
		if (w->lines.states[line] != RACE_ROW_CELLS)
			race_row_unfold(&w->lines, line);
		left = cells_of(w, cells, lanes);
		bool still = w->q.writes && !left;
		for (uint32_t i = 0; i < RACE_LINE_WORDS && still; i++)
			still = bits_of(&cells[i].write) == at_word(q.me, shift, i) &&
				!bits_of(&cells[i].read[0]) && !bits_of(&cells[i].read[1]);
		if (still)
			fold(&w->lines, line, &q, shift);
	}
	let_go(&held);
	return left;
}

/* Lanes that follow each other at addresses that do. */
static uint32_t run_of(const struct warp_lanes *w)
{
	uint32_t left = 0, lanes = w->lanes;
	uint32_t per_line = RACE_LINE_WORDS / w->n_words;
	while (lanes) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes), word = word_of(w, lane);
		uint32_t n = per_line - word % RACE_LINE_WORDS / w->n_words;
		uint32_t some = (n < 32 ? (1u << n) - 1 : ~0u) << lane, of_line = lanes & some;
		lanes &= ~some;
		if (n == per_line && lane + n <= 32 && of_line == some)
			left |= line_of(w, word / RACE_LINE_WORDS, lane, of_line);
		else if (run_at(of_line) == of_line)
			left |= cells_in(w, word, of_line);
		else
			left |= each_of(w, of_line);
	}
	return left;
}

/* All lanes read the same words: of one piece of a warp's run two stand for all. */
static uint32_t same_of(const struct warp_lanes *w)
{
	uint32_t word = word_of(w, 0), left = 0, segment = (uint32_t)w->q.me;
	struct race_hot *hot = &w->lines.cells[word];
	struct held held = hold_cells(w, word / RACE_LINE_WORDS);
	for (uint32_t lanes = w->lanes; lanes; lanes &= lanes - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes);
		bool two = true;
		for (uint32_t i = 0; i < w->n_words; i++)
			two = two && hot[i].read[0].segment == segment &&
			      hot[i].read[1].segment == segment && hot[i].write.segment != segment;
		if (two)
			break;
		struct quick q = quick_of(w, lane);
		if (quick_words(&q, hot, w->n_words) != w->n_words)
			left |= 1u << lane;
	}
	let_go(&held);
	return left;
}

/* ---- all ------------------------------------------------------------------- */

/* Sizes and kinds of accesses that there is a quick way for. */
static bool may_be_quick(const struct race_block *b, const struct cudasim_lanes *accesses)
{
	bool writes = accesses->what & CUDASIM_ACCESS_STORE;
	bool reads = accesses->what & CUDASIM_ACCESS_LOAD;
	uint64_t size = accesses->size;
	return !(accesses->what & (CUDASIM_ACCESS_VOLATILE | CUDASIM_ACCESS_ATOMIC)) &&
	       !b->pending && !b->threads && !(writes && reads) && size <= 16 &&
	       !(size & (size - 1)) && accesses->alignment == size &&
	       (accesses->space == CUDASIM_SPACE_SHARED || !race_copy_beside(b->launch));
}

static uint32_t lanes_of_warp(const struct warp_lanes *w)
{
	const struct cudasim_lanes *a = w->accesses;
	if (!w->n_words)
		return parts_of(w);
	if (!a->addresses && a->stride == (int64_t)a->size)
		return run_of(w);
	if (!a->addresses && !a->stride && !w->q.writes)
		return same_of(w);
	return each_of(w, w->lanes);
}

/* Each as a thread's own: atomic accesses. */
static uint32_t alone(struct race_block *b, uint32_t lanes, const struct cudasim_lanes *accesses,
		      struct shadow_page *page)
{
	uint32_t left = 0;
	struct cudasim_access access = {
		.size = accesses->size,
		.alignment = accesses->alignment,
		.what = accesses->what,
		.space = accesses->space,
		.declared_space = accesses->declared_space,
		.scope = accesses->scope,
		.order = accesses->order,
		.op = accesses->op,
		.site = accesses->site,
	};
	for (; lanes; lanes &= lanes - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes), linear = accesses->first + lane;
		/* All that is looked at of a thread. */
		struct cudasim_thread thread = {
			.lane = linear % 32,
			.warp = linear / 32,
			.linear = linear,
			.block = b->block,
		};
		access.address = (const void *)(uintptr_t)cudasim_lane_address(accesses, lane);
		if (!race_shadow_quick(b, &thread, &access, page))
			left |= 1u << lane;
	}
	return left;
}

uint32_t race_lanes(struct race_block *b, uint32_t lanes, const struct cudasim_lanes *accesses,
		    struct shadow_page *page)
{
	uint32_t left = 0;
	if (!may_be_quick(b, accesses))
		return alone(b, lanes, accesses, page);
	struct warp_lanes of = {
		.q = {.block = b,
		      .farthest = page ? 2 : 1,
		      .writes = accesses->what & CUDASIM_ACCESS_STORE,
		      .floor = page ? atomic_load_explicit(&b->launch->floor, memory_order_relaxed)
				    : b->epoch_first},
		.accesses = accesses,
		.page = page,
		.lines = page ? race_lines_global(page) : race_lines_shared(b),
		.n_words = (uint32_t)accesses->size / 4,
	};
	bool beside = b->known.n || b->n_known ||
		      atomic_load_explicit(&b->launch->beside, memory_order_relaxed);
	uint64_t kind = (uint64_t)of.q.writes << 39 | (uint64_t)race_site(accesses->site) << 42;
	for (uint32_t rest = lanes; rest;) {
		uint32_t w = (accesses->first + (uint32_t)__builtin_ctz(rest)) / 32;
		of.shift = (int32_t)(accesses->first - 32 * w);
		of.lanes = rest;
		if (of.shift > 0)
			of.lanes &= (1u << (32 - of.shift)) - 1;
		rest &= ~of.lanes;
		struct race_warp *warp = &b->warps[w];
		uint32_t segment = warp->segment ? warp->segment : race_segment_now(b, w);
		of.q.warp = w;
		of.q.knows = warp->known_all || warp->known || beside;
		of.q.me = segment | kind;
		left |= lanes_of_warp(&of);
	}
	for (uint32_t done = of.q.writes && page ? lanes & ~left : 0, run; done; done &= ~run) {
		run = run_at(done);
		uint32_t lane = (uint32_t)__builtin_ctz(run);
		memset(&b->dirty[accesses->first + lane], 1,
		       32 - lane - (uint32_t)__builtin_clz(run));
	}
	return left;
}
