/* SPDX-License-Identifier: Apache-2.0 */
/* race_cell.h - what a word of memory remembers of its accesses. */
#ifndef CUDASIM_CHECKERS_RACE_CELL_H
#define CUDASIM_CHECKERS_RACE_CELL_H

#include <stdint.h>

/* An access as a cell keeps it. segment 0: nothing. */
struct race_record {
	uint32_t segment;
	uint32_t lane : 5;
	uint32_t scope : 2;       /* enum race_scope; of a word's write: enum race_form */
	uint32_t write : 1;
	uint32_t is_volatile : 1;
	/* Of the second of two: they are of two blocks. Of a word's write: see below. */
	uint32_t far : 1;
	uint32_t site : 22;       /* race_site() */
};

enum race_scope { RACE_PLAIN, RACE_BLOCK, RACE_CLUSTER, RACE_DEVICE };

/* What is checked against: of one word, or of one byte of it. */
struct race_cell {
	struct race_record write, atomic[2], read[2];
};

/* How a cell is kept: */
enum race_form {
	RACE_FORM_PLAIN,  /* one for the word, without atomic accesses: hot is all */
	/* One for the word: cold holds the two atomic accesses; or, where `far` of the write is
	 * set, hot does in the place of reads, of which there are none. */
	RACE_FORM_ATOMIC,
	/* One for each byte, which share four records, the last one in cold: each is of the
	 * bytes and lanes that its part says, a write or a read, never an atomic access. */
	RACE_FORM_PARTS,
	RACE_FORM_WIDE,   /* one for each byte, elsewhere: cold holds the address */
};

struct race_hot {
	struct race_record write, read[2];
};
struct race_cold {
	uint32_t words[5];
};

/* The cells of the words of 64 bytes, all in form PLAIN, as one: neighbouring threads have
 * accessed neighbouring words. Word i's record k is hot's with the lane i >> shift[k] higher,
 * or nothing where that is nothing. */
struct race_row {
	struct race_hot hot;
	uint8_t shift[4]; /* write, read[0], read[1]; one unused */
};

enum race_row_state {
	RACE_ROW_NEW,   /* the row is what counts, and the cells hold 0 */
	RACE_ROW_CELLS, /* the cells count */
	RACE_ROW_STALE, /* the row counts, and the cells hold what was before */
};

_Static_assert(sizeof(struct race_row) == 28, "half a byte a byte");
_Static_assert(sizeof(struct race_hot) == 24 && sizeof(struct race_cold) == 20, "11 bytes a byte");

#endif
