/* SPDX-License-Identifier: Apache-2.0 */
/* source_list.h - listing source lines: for source.c and the commands about
 * sources. */
#ifndef CUDASIM_DEBUGGER_SOURCE_LIST_H
#define CUDASIM_DEBUGGER_SOURCE_LIST_H

#include <stdio.h>

#include "source.h"

/* Where listing stands. file NULL: nowhere yet. */
struct list_place {
	const char *file;
	uint32_t next;        /* `list` goes on here */
	uint32_t first, last; /* what was shown last */
	uint32_t focus;       /* the selected frame's line, 0: none in this file */
	bool is_fresh;        /* nothing was listed since the place was set */
};
const struct list_place *list_place(void);

/* Lines from..to with their numbers, and the place moved behind them.
 * "Line number 160 out of range; "x.cu" has 159 lines." */
struct cudasim_error *list_lines(FILE *out, const char *file, uint32_t from, uint32_t to);

/* The lines alone; returns the last one printed. Of files that cannot be read, the number
 * of the first and the file's name. */
uint32_t source_print(FILE *out, const char *file, uint32_t from, uint32_t to);

/* Absolute path of a file that the compiler was given, as the debug information has
 * it; name itself where that does not tell. */
const char *source_path(const char *name);
/* Where its text was read from, NULL where it cannot be read. */
const char *source_found(const char *name);

/* Directories to look through, ':' between them; "" for none. */
void source_directories_set(const char *text);
const char *source_directories(void);

#endif
