/* SPDX-License-Identifier: Apache-2.0 */
/* grid_heat.c - numbers as a map of colours or characters. What does not fit the line is drawn in
 * cells of several elements, which show their mean. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "console.h"
#include "error.h"
#include "grid.h"
#include "ramp.h"
#include "shell_state.h"

enum { USUAL_WIDTH = 80, NAMES_WIDTH = 8, MOST_LINES = 100 };

struct map {
	const struct grid *grid;
	struct range_of_grid range;
	uint64_t n_rows, n_columns;
	uint64_t cell_rows, cell_columns; /* elements of a cell */
	bool coloured, is_line;           /* line: one dimension, folded */
};

/* What a cell shows: N, I or ? where an element of it is none, else 0 and the mean. */
static char cell_of(const struct map *map, uint64_t row, uint64_t column, long double *ret)
{
	long double sum = 0;
	uint64_t n = 0;
	char letter = 0;
	for (uint64_t y = row; y < row + map->cell_rows && y < map->n_rows; y++) {
		for (uint64_t x = column; x < column + map->cell_columns && x < map->n_columns;
		     x++) {
			uint64_t i = y * map->n_columns + x;
			if (i >= map->grid->n)
				continue;
			if (grid_is_unset(map->grid, i)) {
				letter = letter ? letter : '?';
				continue;
			}
			long double number = grid_number(map->grid, i);
			if (isnan(number))
				letter = 'N';
			else if (isinf(number))
				letter = letter == 'N' ? 'N' : 'I';
			sum += number;
			n++;
		}
	}
	*ret = n ? sum / (long double)n : 0;
	return letter ? letter : n ? 0 : ' ';
}

static void print_map(const struct map *map)
{
	const struct axis *rows = map->grid->rank == 2 ? &map->grid->axes[0]
						       : &map->grid->axes[map->grid->rank - 1];
	for (uint64_t row = 0; row < map->n_rows; row += map->cell_rows) {
		uint64_t name = map->is_line ? row * map->n_columns : row;
		fprintf(console(), "%*" PRId64 " |", NAMES_WIDTH - 2, axis_index(rows, name));
		for (uint64_t column = 0; column < map->n_columns; column += map->cell_columns) {
			long double mean;
			char letter = cell_of(map, row, column, &mean);
			if (letter == ' ')
				fputs(map->coloured ? "  " : " ", console());
			else if (letter)
				ramp_letter(map->coloured, letter);
			else
				ramp_cell(map->coloured, range_part(&map->range, mean));
		}
		fputs("|\n", console());
	}
}

static void print_legend(const struct map *map, char format)
{
	const struct range_of_grid *r = &map->range;
	if (!r->n) {
		fputs("No element is a finite number", console());
		range_print_others(console(), r);
		fputs(".\n", console());
		return;
	}
	char *least = grid_text(map->grid, r->least_at, format);
	char *greatest = grid_text(map->grid, r->greatest_at, format);
	fprintf(console(), "%s ", least ? least : "");
	ramp_legend(map->coloured);
	fprintf(console(), " %s: minimum at ", greatest ? greatest : "");
	grid_print_index(console(), map->grid, r->least_at);
	fputs(", maximum at ", console());
	grid_print_index(console(), map->grid, r->greatest_at);
	range_print_others(console(), r);
	fputs(".\n", console());
	free(least);
	free(greatest);
}

static void choose_cells(struct map *map)
{
	uint64_t line = shell_state()->width ? shell_state()->width : USUAL_WIDTH;
	uint64_t room = line > NAMES_WIDTH + 2 ? line - NAMES_WIDTH - 1 : 1;
	room = map->coloured ? (room + 1) / 2 : room;
	if (map->is_line) {
		/* As many in a line as a round number that fits. */
		map->n_columns = room >= 64 ? 64 : room >= 32 ? 32 : room >= 16 ? 16 : 8;
		map->n_columns = map->n_columns < map->grid->n ? map->n_columns : map->grid->n;
		map->n_rows = (map->grid->n + map->n_columns - 1) / map->n_columns;
		map->cell_columns = 1;
	} else {
		map->cell_columns = (map->n_columns + room - 1) / room;
	}
	map->cell_rows = map->is_line ? 1 : map->cell_columns;
	if ((map->n_rows + map->cell_rows - 1) / map->cell_rows > MOST_LINES && !map->is_line)
		map->cell_rows = (map->n_rows + MOST_LINES - 1) / MOST_LINES;
}

struct cudasim_error *grid_print_heat(const struct grid *grid, char format)
{
	struct map map = {.grid = grid, .coloured = ramp_has_colours(), .is_line = grid->rank < 2};
	struct cudasim_error *error = grid_check_numbers(grid, "--heat");
	if (error)
		return error;
	if (!grid->rank || grid->rank > 2)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "--heat draws one or two dimensions, and there are %u: "
					 "choose with --slice.",
					 grid->rank);
	grid_print_type(console(), grid);
	if (!grid->n) {
		fputs(":\nThere are no elements.\n", console());
		return NULL;
	}
	map.range = grid_range(grid);
	map.n_rows = grid->axes[0].n;
	map.n_columns = grid->axes[grid->rank - 1].n;
	choose_cells(&map);
	if (map.is_line && map.n_rows > 10 * MOST_LINES)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "\n%" PRIu64
					 " elements of one dimension are too many for a "
					 "map: give --shape or --slice.",
					 grid->n);
	if (map.cell_rows * map.cell_columns > 1)
		fprintf(console(), ", a cell is the mean of %" PRIu64 " x %" PRIu64, map.cell_rows,
			map.cell_columns);
	fputs(":\n", console());
	print_map(&map);
	print_legend(&map, format);
	return NULL;
}
