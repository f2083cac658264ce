/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.h - what the checkers keep beside global memory, found once for all of them.
 *
 * Addresses are cut into pages of 64 KiB. A page's shadow has a head of 64 bytes and a
 * body, which the system gives memory to as parts of it are touched:
 *
 *   locks    a byte for each 64 bytes, for racecheck
 *   written  a bit for each byte: initcheck's
 *   hot      for each word the plain accesses to it, 24 bytes: racecheck's (race.h)
 *   cold     20 bytes more for words that are accessed in parts, or atomically beside
 *            plain reads
 *
 *   rows     28 bytes for each 64 bytes whose words neighbouring threads access, in the place of
 *            their cells
 *
 * so that, at most, 11.7 bytes go with each byte of memory. Heads are found by two
 * levels of tables over the 47 bits of an address, behind a cache of the pthread's; they
 * stay for good. */
#ifndef CUDASIM_CHECKERS_SHADOW_H
#define CUDASIM_CHECKERS_SHADOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "memory_map.h"
#include "race_cell.h"

enum {
	SHADOW_PAGE_BITS = 16,
	SHADOW_PAGE_BYTES = 1 << SHADOW_PAGE_BITS,
	SHADOW_WORDS = SHADOW_PAGE_BYTES / 4,
	SHADOW_LOCK_BITS = 6, /* bytes of memory under one lock, as a power of two */
	SHADOW_LINES = SHADOW_PAGE_BYTES >> SHADOW_LOCK_BITS,
	SHADOW_CACHE = 256,
};

struct shadow_body {
	_Alignas(4096) struct race_hot hot[SHADOW_WORDS]; /* each begins an OS page */
	struct race_cold cold[SHADOW_WORDS];
	struct race_row rows[SHADOW_LINES];
	uint8_t row_state[SHADOW_LINES]; /* enum race_row_state */
	uint8_t written[SHADOW_PAGE_BYTES / 8];
	_Atomic uint8_t locks[SHADOW_LINES];
};

struct history_record;

/* Whether `written` counts. */
enum shadow_known {
	SHADOW_UNKNOWN, /* no: all counts as written. It holds 0 */
	SHADOW_CLEAN,   /* yes, and it holds 0 */
	SHADOW_MARKED,  /* yes */
};

struct shadow_page {
	_Alignas(64) uint64_t number; /* address >> SHADOW_PAGE_BITS */
	struct shadow_body *body;
	/* A range that bytes of the page were found in; NULL where none was. */
	_Atomic(const struct memory_range *) range;
	_Atomic uint8_t known; /* enum shadow_known */
	_Atomic uint8_t raced; /* cells have been used */
	_Atomic uint32_t n_wide; /* words whose cells have moved elsewhere (race_shadow.c) */
	struct history_record *history; /* [SHADOW_PAGE_BYTES], NULL at first (history.c) */
};
_Static_assert(sizeof(struct shadow_page) == 64, "a head is a cache line");

/* Thread-local variables of the hot paths: no call to find them. The object is opened
 * before main(), when there is room for such few. */
#define CHECKER_TLS static _Thread_local __attribute__((tls_model("initial-exec")))

extern _Thread_local struct shadow_page **shadow_cache
	__attribute__((tls_model("initial-exec"))); /* [SHADOW_CACHE], NULL at first */

/* Behind the cache: the page of an address, made if `make`. NULL where there is none, or
 * where no program can have memory. */
struct shadow_page *shadow_page_find(uint64_t address, bool make);

static inline struct shadow_page *shadow_page(uint64_t address)
{
	uint64_t number = address >> SHADOW_PAGE_BITS;
	if (__builtin_expect(shadow_cache != NULL, 1)) {
		struct shadow_page *page = shadow_cache[number & (SHADOW_CACHE - 1)];
		if (__builtin_expect(page && page->number == number, 1))
			return page;
	}
	return shadow_page_find(address, true);
}

/* Reserves address space that is 0; ends the process where there is none. */
void *shadow_reserve(uint64_t bytes);
/* Whole OS pages of it become 0 again, and are given back. */
void shadow_clear(void *at, uint64_t bytes);

#endif
