/* SPDX-License-Identifier: Apache-2.0 */
/* grid_histogram.c - how often numbers occur, in ranges of equal width from the least to the
 * greatest. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "console.h"
#include "error.h"
#include "grid.h"

enum { BAR = 40 };

static void print_extreme(const struct grid *grid, const char *what, uint64_t i, char format)
{
	char *text = grid_text(grid, i, format);
	fprintf(console(), ", %s %s", what, text ? text : "");
	if (grid->rank)
		fputs(" at ", console());
	grid_print_index(console(), grid, i);
	free(text);
}

static void print_summary(const struct grid *grid, const struct range_of_grid *r, char format)
{
	fprintf(console(), "%" PRIu64 " number%s", r->n, r->n == 1 ? "" : "s");
	if (r->n) {
		print_extreme(grid, "minimum", r->least_at, format);
		print_extreme(grid, "maximum", r->greatest_at, format);
		fprintf(console(), ", mean %.6Lg", r->sum / (long double)r->n);
	}
	if (!r->n_nan)
		fputs(", 0 NaNs", console());
	range_print_others(console(), r);
	fputs(".\n", console());
}

static void print_bins(const struct range_of_grid *r, const uint64_t *counts, uint32_t n_bins)
{
	char text[64];
	uint64_t most = 1;
	int width = 0;
	long double step = (r->greatest - r->least) / n_bins;
	for (uint32_t i = 0; i < n_bins; i++)
		most = counts[i] > most ? counts[i] : most;
	for (uint32_t i = 0; i <= n_bins; i++) {
		int n = snprintf(text, sizeof text, "%.4Lg", r->least + i * step);
		width = n > width ? n : width;
	}
	for (uint32_t i = 0; i < n_bins; i++) {
		/* Whatever occurs has a mark. */
		int bar = (int)((counts[i] * BAR + most - 1) / most);
		fprintf(console(), "%*.4Lg .. %*.4Lg |", width, r->least + i * step, width,
			i + 1 == n_bins ? r->greatest : r->least + (i + 1) * step);
		for (int k = 0; k < BAR; k++)
			fputc(k < bar ? '#' : ' ', console());
		fprintf(console(), "| %" PRIu64 "\n", counts[i]);
	}
}

struct cudasim_error *grid_print_histogram(const struct grid *grid, char format, uint32_t n_bins)
{
	struct cudasim_error *error = grid_check_numbers(grid, "--hist");
	if (error)
		return error;
	struct range_of_grid r = grid_range(grid);
	/* Equal numbers need one bin. */
	n_bins = r.least == r.greatest ? 1 : n_bins;
	uint64_t *counts = calloc(n_bins, sizeof *counts);
	if (!counts)
		return &cudasim_error_nomem;
	for (uint64_t i = 0; i < grid->n; i++) {
		long double number = grid_is_unset(grid, i) ? (long double)NAN
							    : grid_number(grid, i);
		if (!isfinite(number))
			continue;
		uint64_t bin = (uint64_t)(range_part(&r, number) * n_bins);
		counts[bin < n_bins ? bin : n_bins - 1]++;
	}
	grid_print_type(console(), grid);
	fputs(": ", console());
	print_summary(grid, &r, format);
	if (r.n)
		print_bins(&r, counts, n_bins);
	free(counts);
	return NULL;
}
