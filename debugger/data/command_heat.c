/* SPDX-License-Identifier: Apache-2.0 */
/* command_heat.c - an expression over a block as a map of colours or characters.
 *
 * Colours are a ramp of the 256-colour palette from dark blue over green and yellow
 * to red, cells two columns wide so that they are about square. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command_table.h"
#include "console.h"
#include "error.h"
#include "focus.h"
#include "samples.h"

static const char ramp[] = " .:-=+*#%@";
static const unsigned char colours[] = {17, 18, 19,  20,  26,  32,  38,  44,  43,  42,  41,
					40, 76, 112, 148, 184, 220, 214, 208, 202, 196, 160};
enum { N_RAMP = sizeof ramp - 1, N_COLOURS = sizeof colours };

struct map {
	uint32_t columns, rows, layers;
	const struct sample **cells; /* by x + columns * (y + rows * z); NULL: nobody */
	long double least, greatest;
	bool any, coloured;
};

static bool has_colours(void)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
	return !(no && *no) && !(terminal && !strcmp(terminal, "dumb")) && console_is_terminal();
}

/* How far between least and greatest, 0..n - 1. */
static size_t step_of(const struct map *map, const struct sample *sample, size_t n)
{
	long double range = map->greatest - map->least;
	if (range <= 0)
		return 0;
	size_t step = (size_t)((sample->number - map->least) / range * (long double)n);
	return step < n ? step : n - 1;
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
	if (!map->coloured)
		fputc(letter ? letter : ramp[step_of(map, sample, N_RAMP)], console());
	else if (letter)
		fprintf(console(), "\033[0;7m%c \033[0m", letter);
	else
		fprintf(console(), "\033[48;5;%dm  \033[0m",
			colours[step_of(map, sample, N_COLOURS)]);
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
	size_t n = map->coloured ? N_COLOURS : N_RAMP;
	fprintf(console(), "%s ", least->text);
	for (size_t i = 0; i < n; i++) {
		if (map->coloured)
			fprintf(console(), "\033[48;5;%dm \033[0m", colours[i]);
		else
			fputc(ramp[i], console());
	}
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
			  .coloured = has_colours()};
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
