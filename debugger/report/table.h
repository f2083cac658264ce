/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - tables as `info cuda` prints them: columns as wide as their widest cell,
 * a marker before the focused row, lines of sections between the rows. */
#ifndef CUDASIM_DEBUGGER_TABLE_H
#define CUDASIM_DEBUGGER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_MAX_COLUMNS = 16 };

struct column {
	const char *title;
	enum { COLUMN_RIGHT, COLUMN_LEFT, COLUMN_CENTRE } align;
	unsigned width; /* at least */
};

struct table;
/* columns is borrowed until the table is freed and ends with a NULL title; at most
 * TABLE_MAX_COLUMNS. Never NULL: out of memory ends the process. */
struct table *table_new(const struct column *columns);
/* The next row; then its cells, each by one table_cell(). */
void table_row(struct table *table, bool is_focused);
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line of its own, over the whole width: "Kernel 0". */
void table_section(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool table_is_empty(const struct table *table); /* has no row */
void table_print(FILE *out, const struct table *table);
void table_free(struct table *table);

#endif
