/* SPDX-License-Identifier: Apache-2.0 */
/* race_place.h - where the cell of a word lies. */
#ifndef CUDASIM_CHECKERS_RACE_PLACE_H
#define CUDASIM_CHECKERS_RACE_PLACE_H

#include "race.h"

/* Of RACE_FORM_PARTS. */
enum { RACE_N_PARTS = 4, RACE_ALL_BYTES = 0xf };

struct race_place {
	struct race_hot *hot;
	struct race_cold *cold;
	_Atomic uint32_t *n_wide; /* of the page; NULL for shared memory */
};

static inline enum race_form race_form_of(const struct race_hot *hot)
{
	return (enum race_form)hot->write.scope;
}

static inline void race_form_set(struct race_hot *hot, enum race_form form)
{
	hot->write.scope = form & 3;
}

/* The words of a page, or of a block's shared memory, by lines: each has its cells and a row, of which the
 * state (enum race_row_state) says what counts. */
struct race_lines {
	struct race_hot *cells; /* RACE_LINE_WORDS a line */
	struct race_row *rows;
	uint8_t *states;
};

enum { RACE_LINE_WORDS = (1 << SHADOW_LOCK_BITS) / 4 };

static inline struct race_lines race_lines_global(const struct shadow_page *page)
{
	return (struct race_lines){page->body->hot, page->body->rows, page->body->row_state};
}

/* Behind the cells. The last line may be a part of one: its cells count. */
static inline size_t race_lines_bytes(size_t n_cells)
{
	return (n_cells + RACE_LINE_WORDS - 1) / RACE_LINE_WORDS * (sizeof(struct race_row) + 1);
}

static inline struct race_lines race_lines_shared(const struct race_block *b)
{
	struct race_cold *cold = (struct race_cold *)(b->shared + b->n_shared);
	struct race_row *rows = (struct race_row *)(cold + b->n_shared);
	size_t n = (b->n_shared + RACE_LINE_WORDS - 1) / RACE_LINE_WORDS;
	return (struct race_lines){b->shared, rows, (uint8_t *)(rows + n)};
}

/* The cells of the line count from now on, no longer its row. With its lock. */
void race_row_unfold(const struct race_lines *of, uint32_t line);

/* Of word i of the block's shared memory. */
static inline struct race_place race_place_shared(const struct race_block *b, uint64_t i)
{
	struct race_cold *cold = (struct race_cold *)(b->shared + b->n_shared);
	struct race_lines lines = race_lines_shared(b);
	if (lines.states[i / RACE_LINE_WORDS] != RACE_ROW_CELLS)
		race_row_unfold(&lines, (uint32_t)(i / RACE_LINE_WORDS));
	return (struct race_place){&b->shared[i], &cold[i], NULL};
}

/* Of the word that holds the byte at address, in its page. */
static inline struct race_place race_place_global(struct shadow_page *page, uint64_t address)
{
	uint32_t i = (uint32_t)(address & (SHADOW_PAGE_BYTES - 1)) / 4;
	return (struct race_place){&page->body->hot[i], &page->body->cold[i], &page->n_wide};
}

/* Which 64 bytes of its page the address is in. */
static inline uint32_t race_line_of(uint64_t address)
{
	return (uint32_t)(address & (SHADOW_PAGE_BYTES - 1)) >> SHADOW_LOCK_BITS;
}

/* Before the row or the cells of the line are looked at. */
static inline _Atomic uint8_t *race_line_lock(struct shadow_page *page, uint32_t line)
{
	_Atomic uint8_t *l = &page->body->locks[line];
	if (!atomic_load_explicit(&page->raced, memory_order_relaxed))
		atomic_store_explicit(&page->raced, 1, memory_order_relaxed);
	while (atomic_exchange_explicit(l, 1, memory_order_acquire))
		while (atomic_load_explicit(l, memory_order_relaxed))
			__builtin_ia32_pause();
	return l;
}

/* Before the cells of the word at address are looked at, and after. */
static inline _Atomic uint8_t *race_place_lock(struct shadow_page *page, uint64_t address)
{
	uint32_t line = race_line_of(address);
	_Atomic uint8_t *l = race_line_lock(page, line);
	if (__builtin_expect(page->body->row_state[line] != RACE_ROW_CELLS, 0)) {
		struct race_lines lines = race_lines_global(page);
		race_row_unfold(&lines, line);
	}
	return l;
}

static inline void race_place_unlock(_Atomic uint8_t *l)
{
	atomic_store_explicit(l, 0, memory_order_release);
}

/* ---- race_cell.c ---------------------------------------------------------- */

/* Compare the access with what the cell remembers, and enter it. */
void race_cell_check(const struct race_me *me, struct race_cell *cell, uint64_t address);

/* ---- race_form.c ---------------------------------------------------------- */

/* The same for bytes from..to (1..4) of the word at address. With its lock. */
void race_form_check(const struct race_me *me, const struct race_place *at, uint64_t address,
		     unsigned from, unsigned to);
/* The cells of the word's four bytes, or the one of all: 4, or 1. With its lock. */
unsigned race_form_cells(const struct race_place *at, struct race_cell ret[4]);
/* Nobody has accessed the word. */
void race_form_forget(const struct race_place *at);

#endif
