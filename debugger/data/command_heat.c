/* SPDX-License-Identifier: Apache-2.0 */
/* command_heat.c - an expression over a block as a map of colours or characters. */
#include <math.h>
#include <stdlib.h>

#include "console.h"
#include "error.h"
#include "focus.h"
#include "ramp.h"
#include "samples.h"

struct map {
	uint32_t columns, rows, layers;
	const struct sample **cells; /* by x + columns * (y + rows * z); NULL: nobody */
	long double least, greatest;
	bool any, coloured;
};

/* How far between least and greatest, 0..1. */
static long double part_of(const struct map *map, const struct sample *sample)
{
	long double range = map->greatest - map->least;
	return range > 0 ? (sample->number - map->least) / range : 0;
}

static char letter_of(const struct sample *sample)
{
	if (!sample || sample->is_missing || !sample->is_number)
		return '?';
	if (sample->is_nan)
		return 'N';
	return isinf(sample->number) ? 'I' : 0;
}

static void print_cell(const struct map *map, const struct sample *sample)
{
	char letter = letter_of(sample);
	if (letter)
		ramp_letter(map->coloured, letter);
	else
		ramp_cell(map->coloured, part_of(map, sample));
}

static void print_map(const struct map *map)
{
	for (uint32_t z = 0; z < map->layers; z++) {
		if (map->layers > 1)
			fprintf(console(), "z = %u\n", z);
		for (uint32_t y = 0; y < map->rows; y++) {
			fprintf(console(), "%4u |", y);
			for (uint32_t x = 0; x < map->columns; x++)
				print_cell(map,
					   map->cells[x + (uint64_t)map->columns *
								  (y + (uint64_t)map->rows * z)]);
			fputs("|\n", console());
		}
	}
}

static void print_legend(const struct map *map, const struct samples *samples)
{
	const struct sample *least = NULL, *greatest = NULL;
	size_t n_nan = 0;
	for (size_t i = 0; i < samples->n; i++) {
		const struct sample *sample = &samples->all[i];
		n_nan += sample->is_nan;
		if (letter_of(sample))
			continue;
		least = least && least->number <= sample->number ? least : sample;
		greatest = greatest && greatest->number >= sample->number ? greatest : sample;
	}
	if (!least) {
		fputs("No thread has a number here.\n", console());
		return;
	}
	fprintf(console(), "%s ", least->text);
	ramp_legend(map->coloured);
	fprintf(console(), " %s: minimum at thread (%u,%u,%u), maximum at thread (%u,%u,%u)",
		greatest->text, least->thread[0], least->thread[1], least->thread[2],
		greatest->thread[0], greatest->thread[1], greatest->thread[2]);
	if (n_nan)
		fprintf(console(), ", %zu NaN%s", n_nan, n_nan == 1 ? "" : "s");
	fputs(".\n", console());
}

static void find_range(struct map *map, const struct samples *samples)
{
	for (size_t i = 0; i < samples->n; i++) {
		const struct sample *sample = &samples->all[i];
		if (letter_of(sample))
			continue;
		if (!map->any || sample->number < map->least)
			map->least = sample->number;
		if (!map->any || sample->number > map->greatest)
			map->greatest = sample->number;
		map->any = true;
	}
}

static struct cudasim_error *draw(const struct samples *samples)
{
	const struct cudasim_block *block = focus_get()->block;
	struct map map = {.columns = block->ntid[0],
			  .rows = block->ntid[1],
			  .layers = block->ntid[2],
			  .coloured = ramp_has_colours()};
	bool is_line = map.rows == 1 && map.layers == 1;
	if (is_line && map.columns > CUDASIM_WARP_SIZE) { /* a warp a line */
		map.rows = (map.columns + CUDASIM_WARP_SIZE - 1) / CUDASIM_WARP_SIZE;
		map.columns = CUDASIM_WARP_SIZE;
	}
	map.cells = calloc((size_t)map.columns * map.rows * map.layers, sizeof *map.cells);
	if (!map.cells)
		return &cudasim_error_nomem;
	/* The linear index is that of the cell, also where the lines are warps. */
	for (size_t i = 0; i < samples->n; i++)
		map.cells[samples->all[i].linear] = &samples->all[i];
	find_range(&map, samples);
	fprintf(console(), "block (%u,%u,%u), %s:\n", block->ctaid[0], block->ctaid[1],
		block->ctaid[2], is_line ? "one warp a line" : "x to the right, y downwards");
	print_map(&map);
	print_legend(&map, samples);
	free(map.cells);
	return NULL;
}

struct cudasim_error *command_heat(const char *argument)
{
	struct samples samples;
	char format = 0;
	struct cudasim_error *error = format_of_value(&argument, "heat", &format);
	if (!error && !*argument)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Argument required (expression to compute).");
	if (!error)
		error = samples_collect(EACH_THREAD, argument, format, true, &samples);
	if (error)
		return error;
	error = draw(&samples);
	samples_fini(&samples);
	return error;
}
