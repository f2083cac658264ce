/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - tables as `info cuda` prints them. */
#define _GNU_SOURCE
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "vector.h"

struct row {
	bool is_focused;
	char *section; /* then it has no cells */
	unsigned n;
	char *cells[TABLE_MAX_COLUMNS];
};

struct table {
	const struct column *columns;
	unsigned n_columns;
	struct row *rows;
	size_t n, capacity, n_sections;
};

struct table *table_new(const struct column *columns)
{
	struct table *table = must(calloc(1, sizeof *table));
	table->columns = columns;
	while (table->n_columns < TABLE_MAX_COLUMNS && columns[table->n_columns].title)
		table->n_columns++;
	return table;
}

static struct row *row_new(struct table *table)
{
	table->rows =
		must(vector_grow(table->rows, table->n, &table->capacity, sizeof *table->rows));
	struct row *row = &table->rows[table->n++];
	memset(row, 0, sizeof *row);
	return row;
}

void table_row(struct table *table, bool is_focused)
{
	row_new(table)->is_focused = is_focused;
}

static char *text_of(const char *format, va_list arguments)
{
	char *text;
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	return must(text);
}

void table_cell(struct table *table, const char *format, ...)
{
	struct row *row = &table->rows[table->n - 1];
	va_list arguments;
	if (row->n == table->n_columns)
		return;
	va_start(arguments, format);
	row->cells[row->n++] = text_of(format, arguments);
	va_end(arguments);
}

void table_section(struct table *table, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	row_new(table)->section = text_of(format, arguments);
	va_end(arguments);
	table->n_sections++;
}

bool table_is_empty(const struct table *table)
{
	return table->n == table->n_sections;
}

static unsigned width_of(const struct table *table, unsigned column)
{
	const struct column *c = &table->columns[column];
	size_t width = strlen(c->title);
	if (width < c->width)
		width = c->width;
	for (size_t i = 0; i < table->n; i++) {
		const struct row *row = &table->rows[i];
		size_t own = column < row->n ? strlen(row->cells[column]) : 0;
		if (own > width)
			width = own;
	}
	return (unsigned)width;
}

/* A cell and the blank behind it. Centred text leans to the right. */
static void print_cell(FILE *out, const struct column *column, unsigned width, const char *text)
{
	unsigned spare = width - (unsigned)strlen(text);
	unsigned left = column->align == COLUMN_RIGHT  ? spare
			: column->align == COLUMN_LEFT ? 0
						       : (spare + 1) / 2;
	fprintf(out, "%*s%s%*s ", (int)left, "", text, (int)(spare - left), "");
}

void table_print(FILE *out, const struct table *table)
{
	unsigned widths[TABLE_MAX_COLUMNS];
	fputs("  ", out);
	for (unsigned i = 0; i < table->n_columns; i++) {
		widths[i] = width_of(table, i);
		print_cell(out, &table->columns[i], widths[i], table->columns[i].title);
	}
	fputc('\n', out);
	for (size_t r = 0; r < table->n; r++) {
		const struct row *row = &table->rows[r];
		if (row->section) {
			fprintf(out, "%s\n", row->section);
			continue;
		}
		fputs(row->is_focused ? "* " : "  ", out);
		for (unsigned i = 0; i < row->n; i++)
			print_cell(out, &table->columns[i], widths[i], row->cells[i]);
		fputc('\n', out);
	}
}

void table_free(struct table *table)
{
	for (size_t r = 0; r < table->n; r++) {
		free(table->rows[r].section);
		for (unsigned i = 0; i < table->rows[r].n; i++)
			free(table->rows[r].cells[i]);
	}
	free(table->rows);
	free(table);
}
