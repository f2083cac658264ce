/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h - elements that were read, and the ways in which they are shown.
 *
 * Elements lie one behind the other, the last index the fastest. Those that nobody has written, or
 * that a lane would have to bring that is not there, are marked. */
#ifndef CUDASIM_DEBUGGER_GRID_H
#define CUDASIM_DEBUGGER_GRID_H

#include "shape.h"

struct grid {
	const struct type *element;
	uint32_t rank;
	struct axis axes[MAX_RANK]; /* sizes and what the indices are called; no places */
	uint64_t n;
	unsigned char *bytes;
	unsigned char *unset; /* 1: there is no value; NULL: all have one */
};
void grid_fini(struct grid *grid);
/* Read what the shape says. */
struct cudasim_error *grid_read(const struct shape *shape, struct grid *ret);
/* Room for elements, all unset. */
struct cudasim_error *grid_new(const struct type *element, uint32_t rank, const uint64_t *sizes,
			       struct grid *ret);
void grid_set(struct grid *grid, uint64_t i, const void *bytes);

/* ---- elements ------------------------------------------------------------------------------ */

static inline bool grid_is_unset(const struct grid *grid, uint64_t i)
{
	return grid->unset && grid->unset[i];
}
/* Element i as a number: its type is one (grid_check_numbers()), it is not unset. */
long double grid_number(const struct grid *grid, uint64_t i);
/* As print writes it; characters as numbers unless the format says else. malloc'ed. */
char *grid_text(const struct grid *grid, uint64_t i, char format);
/* "[2][3]" */
void grid_print_index(FILE *out, const struct grid *grid, uint64_t i);
/* "float [4][8]" */
void grid_print_type(FILE *out, const struct grid *grid);
/* An error where elements are no numbers; what: who needs them. */
struct cudasim_error *grid_check_numbers(const struct grid *grid, const char *what);

/* The numbers together. Infinities count as neither least nor greatest. */
struct range_of_grid {
	uint64_t n, n_nan, n_infinite, n_unset; /* n: finite */
	uint64_t least_at, greatest_at;
	long double least, greatest, sum;
};
struct range_of_grid grid_range(const struct grid *grid);
/* Where a number stands between the least and the greatest, 0..1. */
long double range_part(const struct range_of_grid *range, long double number);
/* "2 NaNs, 1 infinite, 3 without a value"; nothing where there is none. */
void range_print_others(FILE *out, const struct range_of_grid *range);

/* ---- shown ----------------------------------------------------------------------------------- */

struct cudasim_error *grid_print_table(const struct grid *grid, char format);
struct cudasim_error *grid_print_heat(const struct grid *grid, char format);
struct cudasim_error *grid_print_histogram(const struct grid *grid, char format, uint32_t n_bins);
struct cudasim_error *grid_write_npy(const struct grid *grid, const char *path);
struct cudasim_error *grid_write_png(const struct grid *grid, const char *path);

#endif
