/* SPDX-License-Identifier: Apache-2.0 */
/* grid_table.c - elements as a table: rows and columns by their indices, outer dimensions one table
 * after the other. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "error.h"
#include "grid.h"
#include "shell_state.h"

enum { MOST_COLUMNS = 64, USUAL_WIDTH = 80 };

struct table_of {
	const struct grid *grid;
	uint64_t start; /* of the first element */
	uint64_t n_rows, n_columns;
	const struct axis *rows, *columns; /* NULL: there is one, without a name */
	char format;
	int row_width, width; /* of the names of rows, of a cell */
	uint64_t shown_rows, shown_columns;
};

static int name_width(const struct axis *axis, uint64_t n)
{
	char text[32];
	int most = 0;
	/* Names grow in one direction, so that the first or the last is the longest. */
	for (uint64_t i = 0; axis && n && i < 2; i++) {
		int one = snprintf(text, sizeof text, "[%" PRId64 "]",
				   axis_index(axis, i ? n - 1 : 0));
		most = one > most ? one : most;
	}
	return most;
}

static uint64_t element_at(const struct table_of *t, uint64_t row, uint64_t column)
{
	return t->start + row * t->n_columns + column;
}

static void measure(struct table_of *t)
{
	uint64_t most = print_settings()->elements ? print_settings()->elements : UINT64_MAX;
	t->shown_rows = t->n_rows < most ? t->n_rows : most;
	t->shown_columns = t->n_columns < MOST_COLUMNS ? t->n_columns : MOST_COLUMNS;
	t->row_width = name_width(t->rows, t->shown_rows);
	t->width = name_width(t->columns, t->shown_columns);
	for (uint64_t row = 0; row < t->shown_rows; row++) {
		for (uint64_t column = 0; column < t->shown_columns; column++) {
			char *text = grid_text(t->grid, element_at(t, row, column), t->format);
			int n = text ? (int)strlen(text) : 0;
			t->width = n > t->width ? n : t->width;
			free(text);
		}
	}
	/* At least one column, as many as fit the line. */
	uint64_t line = shell_state()->width ? shell_state()->width : USUAL_WIDTH;
	uint64_t room = line > (uint64_t)t->row_width ? line - (uint64_t)t->row_width : 0;
	uint64_t fit = room / (uint64_t)(t->width + 1);
	if (fit < t->shown_columns)
		t->shown_columns = fit ? fit : 1;
}

static void print_name(const struct axis *axis, uint64_t i, int width)
{
	char text[32] = "";
	if (axis)
		snprintf(text, sizeof text, "[%" PRId64 "]", axis_index(axis, i));
	fprintf(console(), "%*s", width, text);
}

static void print_rows(const struct table_of *t)
{
	if (t->columns) {
		fprintf(console(), "%*s", t->row_width, "");
		for (uint64_t column = 0; column < t->shown_columns; column++) {
			fputc(' ', console());
			print_name(t->columns, column, t->width);
		}
		fputc('\n', console());
	}
	for (uint64_t row = 0; row < t->shown_rows; row++) {
		print_name(t->rows, row, t->row_width);
		for (uint64_t column = 0; column < t->shown_columns; column++) {
			char *text = grid_text(t->grid, element_at(t, row, column), t->format);
			fprintf(console(), " %*s", t->width, text ? text : "");
			free(text);
		}
		fputc('\n', console());
	}
}

static void print_left_out(const struct table_of *t)
{
	uint64_t rows = t->n_rows - t->shown_rows, columns = t->n_columns - t->shown_columns;
	if (rows)
		fprintf(console(), "... %" PRIu64 " more row%s", rows, rows == 1 ? "" : "s");
	if (columns)
		fprintf(console(), "%s%" PRIu64 " more column%s", rows ? ", " : "... ", columns,
			columns == 1 ? "" : "s");
	if (rows || columns)
		fputs("\n", console());
}

/* One dimension is laid out as rows that fit, each beginning with the index of its first. */
static void print_line(const struct grid *grid, char format)
{
	uint64_t most = print_settings()->elements ? print_settings()->elements : UINT64_MAX;
	uint64_t n = grid->n < most ? grid->n : most, line = shell_state()->width;
	int width = 0, names = name_width(&grid->axes[0], n);
	for (uint64_t i = 0; i < n; i++) {
		char *text = grid_text(grid, i, format);
		int one = text ? (int)strlen(text) : 0;
		width = one > width ? one : width;
		free(text);
	}
	line = line ? line : USUAL_WIDTH;
	uint64_t fit = line > (uint64_t)names ? (line - (uint64_t)names) / (uint64_t)(width + 1)
					      : 1;
	fit = fit ? fit : 1;
	for (uint64_t i = 0; i < n; i++) {
		char *text = grid_text(grid, i, format);
		if (!(i % fit))
			print_name(&grid->axes[0], i, names);
		fprintf(console(), " %*s", width, text ? text : "");
		if (i + 1 == n || !((i + 1) % fit))
			fputc('\n', console());
		free(text);
	}
	if (n < grid->n)
		fprintf(console(), "... %" PRIu64 " more\n", grid->n - n);
}

struct cudasim_error *grid_print_table(const struct grid *grid, char format)
{
	uint32_t rank = grid->rank;
	uint64_t most = print_settings()->elements ? print_settings()->elements : UINT64_MAX;
	grid_print_type(console(), grid);
	fputs(":\n", console());
	if (!grid->n) {
		fputs("There are no elements.\n", console());
		return NULL;
	}
	if (rank == 1) {
		print_line(grid, format);
		return NULL;
	}
	struct table_of t = {.grid = grid, .n_rows = 1, .n_columns = 1, .format = format};
	if (rank) {
		t.rows = &grid->axes[rank - 2];
		t.columns = &grid->axes[rank - 1];
		t.n_rows = t.rows->n;
		t.n_columns = t.columns->n;
	}
	uint64_t size = t.n_rows * t.n_columns, n_shown = 0;
	for (; t.start < grid->n && n_shown < most; t.start += size, n_shown++) {
		if (rank > 2) {
			struct grid outer = *grid;
			outer.rank = rank - 2;
			outer.n = grid->n / size;
			grid_print_index(console(), &outer, t.start / size);
			fputs(":\n", console());
		}
		measure(&t);
		print_rows(&t);
		print_left_out(&t);
	}
	if (t.start < grid->n)
		fprintf(console(), "... %" PRIu64 " more tables\n", (grid->n - t.start) / size);
	return NULL;
}
