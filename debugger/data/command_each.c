/* SPDX-License-Identifier: Apache-2.0 */
/* command_each.c - print -each-thread, -each-lane, -each-block: the table and what is
 * said below it. Columns are those of info cuda threads, lanes and blocks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "data_state.h"
#include "error.h"
#include "samples.h"
#include "setting.h"

enum { WIDTH = 48, MAX_DIFFERING = 20, FEW_ROWS = 8 };

/* ---- cells --------------------------------------------------------------------------- */

static const char *triple(char *to, const uint32_t *three)
{
	snprintf(to, WIDTH, "(%u,%u,%u)", three[0], three[1], three[2]);
	return to;
}

static void print_number(FILE *out, const struct sample *like, long double number)
{
	if (like->is_integer)
		fprintf(out, "%.0Lf", number);
	else
		fprintf(out, "%.9Lg", number);
}

static void print_fold_value(const struct sample *samples, const struct fold *fold)
{
	fputs(samples[fold->first].text, console());
	if (fold->is_even) {
		fprintf(console(), " .. %s by ",
			samples[fold->first + (fold->n - 1) * fold->stride].text);
		print_number(console(), &samples[fold->first], fold->step);
	}
	fputc('\n', console());
}

/* Who it is, in words. */
static void print_who(const struct sample *sample, enum each each)
{
	char text[WIDTH];
	if (each == EACH_LANE) {
		fprintf(console(), "lane %u", sample->lane);
		return;
	}
	fprintf(console(), "block %s", triple(text, sample->block));
	if (each == EACH_THREAD)
		fprintf(console(), " thread %s", triple(text, sample->thread));
}

static const char *noun(enum each each, size_t n)
{
	static const char *const nouns[][2] = {
		{"thread", "threads"}, {"lane", "lanes"}, {"block", "blocks"}};
	return nouns[each][n != 1];
}

/* ---- the table -------------------------------------------------------------------------- */

struct widths {
	int block, thread;
};

static int longer(int width, const char *text)
{
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static struct widths measure(const struct samples *s)
{
	char text[WIDTH];
	struct widths w = {8, 9};
	for (size_t i = 0; i < s->n; i++) {
		w.block = longer(w.block, triple(text, s->all[i].block));
		w.thread = longer(w.thread, triple(text, s->all[i].thread));
	}
	return w;
}

/* Steps are a column where a row has one. */
static void print_head(enum each each, const struct widths *w, bool has_steps)
{
	if (each == EACH_LANE)
		fprintf(console(), "  Ln %*s To Ln %*s Count", w->thread, "ThreadIdx", w->thread,
			"ThreadIdx");
	else if (each == EACH_BLOCK)
		fprintf(console(), "  %*s To %*s Count", w->block, "BlockIdx", w->block,
			"BlockIdx");
	else
		fprintf(console(), "  %*s %*s To %*s %*s Count", w->block, "BlockIdx", w->thread,
			"ThreadIdx", w->block, "BlockIdx", w->thread, "ThreadIdx");
	fputs(has_steps ? " Step Value\n" : " Value\n", console());
}

static void print_ends(enum each each, const struct sample *a, const struct sample *b,
		       const struct widths *w)
{
	char one[WIDTH], two[WIDTH], three[WIDTH], four[WIDTH];
	triple(one, a->block), triple(two, a->thread);
	triple(three, b->block), triple(four, b->thread);
	if (each == EACH_LANE)
		fprintf(console(), "%2u %*s    %2u %*s", a->lane, w->thread, two, b->lane,
			w->thread, four);
	else if (each == EACH_BLOCK)
		fprintf(console(), "%*s    %*s", w->block, one, w->block, three);
	else
		fprintf(console(), "%*s %*s    %*s %*s", w->block, one, w->thread, two, w->block,
			three, w->thread, four);
}

static bool holds_focus(const struct sample *samples, const struct fold *fold)
{
	for (size_t i = 0; i < fold->n; i++)
		if (samples[fold->first + i * fold->stride].is_focus)
			return true;
	return false;
}

static struct cudasim_error *print_folds(const struct samples *s, const struct sample *samples,
					 size_t n, const struct widths *w, size_t max,
					 size_t *ret_n)
{
	struct fold *folds;
	size_t n_folds;
	struct cudasim_error *error = samples_fold(samples, n, &folds, &n_folds);
	if (error)
		return error;
	bool has_steps = false;
	for (size_t i = 0; i < n_folds && i < max; i++)
		has_steps |= folds[i].stride > 1;
	print_head(s->each, w, has_steps);
	for (size_t i = 0; i < n_folds && i < max; i++) {
		const struct sample *first = &samples[folds[i].first];
		fprintf(console(), "%c ", holds_focus(samples, &folds[i]) ? '*' : ' ');
		print_ends(s->each, first, first + (folds[i].n - 1) * folds[i].stride, w);
		fprintf(console(), " %5zu ", folds[i].n);
		if (has_steps)
			fprintf(console(), "%4zu ", folds[i].stride);
		print_fold_value(samples, &folds[i]);
	}
	if (n_folds > max)
		fprintf(console(), "  ... %zu more rows\n", n_folds - max);
	*ret_n = n_folds;
	free(folds);
	return NULL;
}

/* ---- below it ------------------------------------------------------------------------------ */

static void print_extremes(const struct samples *s)
{
	const struct sample *least = NULL, *greatest = NULL, *nan = NULL;
	size_t n_nan = 0, n_missing = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct sample *sample = &s->all[i];
		n_missing += sample->is_missing;
		if (sample->is_nan) {
			nan = n_nan++ ? nan : sample;
			continue;
		}
		if (!sample->is_number)
			continue;
		if (!least || sample->number < least->number)
			least = sample;
		if (!greatest || sample->number > greatest->number)
			greatest = sample;
	}
	fprintf(console(), "%zu %s", s->n, noun(s->each, s->n));
	if (least) {
		fprintf(console(), ", minimum %s in ", least->text);
		print_who(least, s->each);
		fprintf(console(), ", maximum %s in ", greatest->text);
		print_who(greatest, s->each);
	}
	if (n_nan) {
		fprintf(console(), ", %zu NaN%s, first in ", n_nan, n_nan == 1 ? "" : "s");
		print_who(nan, s->each);
	}
	if (n_missing)
		fprintf(console(), ", %zu without a value", n_missing);
	fputs(".\n", console());
}

static void print_pattern(const struct samples *s, const struct pattern *pattern)
{
	static const char *const indices[][3] = {
		[PATTERN_POSITION] = {"i, the thread's number in the grid", "laneid",
				      "the block's number"},
		[PATTERN_X] = {"threadIdx.x", "threadIdx.x", ""},
		[PATTERN_Y] = {"threadIdx.y", "threadIdx.y", ""},
		[PATTERN_Z] = {"threadIdx.z", "threadIdx.z", ""},
		[PATTERN_LINEAR] = {"i, the thread's number in its block", "", ""},
	};
	const struct sample *like = &s->all[pattern->like];
	if (pattern->kind == PATTERN_CONSTANT) {
		fputs(like->text, console());
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->all[i].is_number)
			like = &s->all[i];
	if (pattern->base != 0) {
		print_number(console(), like, pattern->base);
		fputs(" + ", console());
	}
	if (pattern->step != 1) {
		print_number(console(), like, pattern->step);
		fputs(" * ", console());
	}
	fputs(indices[pattern->kind][s->each], console());
}

/* Which samples do not follow the rest; listed where the table above has too many rows
 * to see them in. */
static struct cudasim_error *print_differing(const struct samples *s, const struct widths *w,
					     size_t n_rows)
{
	struct pattern pattern = samples_pattern(s->all, s->n);
	size_t n_values = 0;
	for (size_t i = 0; i < s->n; i++)
		n_values += !s->all[i].is_missing;
	if (pattern.kind == PATTERN_NONE) {
		if (n_values > 2)
			fprintf(console(),
				"No value or line is common to more than half of the %s.\n",
				noun(s->each, 2));
		return NULL;
	}
	struct sample *others = malloc((s->n + 1) * sizeof *others);
	size_t n = 0;
	if (!others)
		return &cudasim_error_nomem;
	for (size_t i = 0; i < s->n; i++)
		if (!sample_follows(&s->all[i], &pattern, s->all))
			others[n++] = s->all[i];
	if (n)
		fprintf(console(), "%zu differ%s from the rest, which %s ", n, n == 1 ? "s" : "",
			s->n - n == 1 ? "is" : "are");
	else
		fputs("All are ", console());
	print_pattern(s, &pattern);
	bool is_listed = n && n_rows > FEW_ROWS;
	fputs(is_listed ? ":\n" : ".\n", console());
	struct cudasim_error *error = is_listed
					      ? print_folds(s, others, n, w, MAX_DIFFERING, &n_rows)
					      : NULL;
	free(others);
	return error;
}

struct cudasim_error *print_each(enum each each, const char *expression, char format)
{
	struct data_each *own = &data_state()->each;
	struct samples samples;
	if (!*expression)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Argument required (expression to compute).");
	struct cudasim_error *error = samples_collect(each, expression, format, false, &samples);
	if (error)
		return error;
	if (!samples.n) {
		fputs("No thread can be examined.\n", console());
		return NULL;
	}
	struct widths w = measure(&samples);
	size_t n_rows = 0;
	error = print_folds(&samples, samples.all, samples.n, &w,
			    own->max_rows ? own->max_rows : SIZE_MAX, &n_rows);
	if (!error) {
		print_extremes(&samples);
		error = print_differing(&samples, &w, n_rows);
	}
	samples_fini(&samples);
	return error;
}

__attribute__((constructor)) static void start(void)
{
	const struct setting settings[] = {
		{.name = "print each-rows",
		 .kind = SETTING_NUMBER,
		 .value = &data_state()->each.max_rows,
		 .show = "Rows that print -each-thread shows at most are %s.",
		 .summary =
			 "The maximum number of rows that print -each-thread, -each-lane and -each-block "
			 "print"},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
}
