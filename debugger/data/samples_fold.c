/* SPDX-License-Identifier: Apache-2.0 */
/* samples_fold.c - samples folded into runs, and the pattern that most follow.
 *
 * Runs are found greedily from the left: neighbours that are equal, or at least
 * three that grow by one step. Where that gives many short runs, a stretch is looked for in which each
 * stride-th sample goes on alike, for the least stride of up to 64 that has at least three of each.
 * The pattern is the most common value, or the line
 * base + step * index whose step is the most common difference of neighbours and
 * whose base is the most common rest: both by sorting, n log n. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "samples.h"

/* ---- runs ------------------------------------------------------------------------- */

/* Nobody stands between them. */
static bool are_next(const struct sample *a, const struct sample *b)
{
	return b->position == a->position + 1;
}

static bool are_equal(const struct sample *a, const struct sample *b)
{
	return a->is_missing == b->is_missing && !strcmp(a->text, b->text);
}

static bool has_number(const struct sample *sample)
{
	return sample->is_number && !sample->is_nan && isfinite(sample->number);
}

static size_t equal_run(const struct sample *samples, size_t n)
{
	size_t length = 1;
	while (length < n && are_next(&samples[length - 1], &samples[length]) &&
	       are_equal(&samples[0], &samples[length]))
		length++;
	return length;
}

static size_t even_run(const struct sample *samples, size_t n, long double *step)
{
	size_t length = 1;
	if (n < 2 || !has_number(&samples[0]) || !has_number(&samples[1]))
		return 1;
	*step = samples[1].number - samples[0].number;
	while (length < n && has_number(&samples[length]) &&
	       are_next(&samples[length - 1], &samples[length]) &&
	       samples[length].number - samples[length - 1].number == *step)
		length++;
	return length;
}

/* The run that begins at samples[0]. */
static struct fold run_of(const struct sample *samples, size_t n)
{
	struct fold fold = {.n = equal_run(samples, n), .stride = 1};
	long double step = 0;
	size_t even = fold.n == 1 ? even_run(samples, n, &step) : 1;
	/* The last of an even run may begin a run of equal ones. */
	if (even >= 3 && even < n && are_equal(&samples[even - 1], &samples[even]))
		even--;
	if (even >= 3) {
		fold.n = even;
		fold.is_even = true;
		fold.step = step;
	}
	return fold;
}

/* ---- every stride-th ------------------------------------------------------------------- */

enum { MAX_STRIDE = 64 };

/* Does samples[i] go on as those a stride and two strides before it do? */
static bool goes_on(const struct sample *samples, size_t i, size_t stride)
{
	const struct sample *a = &samples[i - 2 * stride], *b = &samples[i - stride],
			    *c = &samples[i];
	if (are_equal(a, b))
		return are_equal(b, c);
	return has_number(a) && has_number(b) && has_number(c) &&
	       c->number - b->number == b->number - a->number;
}

/* How many of samples[0, n) are alike every stride-th: 0, or at least three of each. */
static size_t strided_run(const struct sample *samples, size_t n, size_t stride)
{
	size_t length = 1;
	while (length < n && are_next(&samples[length - 1], &samples[length]) &&
	       (length < 2 * stride || goes_on(samples, length, stride)))
		length++;
	return length >= 3 * stride ? length : 0;
}

static size_t count_runs(const struct sample *samples, size_t n)
{
	size_t count = 0;
	for (size_t i = 0; i < n; count++)
		i += run_of(samples + i, n - i).n;
	return count;
}

/* The least stride that is worth it; *ret_length samples are folded by it. 0: there is none. */
static size_t stride_of(const struct sample *samples, size_t n, size_t *ret_length)
{
	for (size_t stride = 2; stride <= MAX_STRIDE && 3 * stride <= n; stride++) {
		*ret_length = strided_run(samples, n, stride);
		if (*ret_length && count_runs(samples, *ret_length) >= 2 * stride)
			return stride;
	}
	return 0;
}

static struct fold strided_fold(const struct sample *samples, size_t n, size_t k, size_t stride)
{
	struct fold fold = {.first = k, .n = (n - k + stride - 1) / stride, .stride = stride};
	fold.is_even = !are_equal(&samples[k], &samples[k + stride]);
	if (fold.is_even)
		fold.step = samples[k + stride].number - samples[k].number;
	return fold;
}

struct cudasim_error *samples_fold(const struct sample *samples, size_t n, struct fold **ret,
				   size_t *ret_n)
{
	struct fold *folds = malloc((n ? n : 1) * sizeof *folds);
	if (!folds)
		return &cudasim_error_nomem;
	*ret_n = 0;
	for (size_t i = 0; i < n;) {
		struct fold fold = run_of(samples + i, n - i);
		size_t length, stride = fold.n < 3 ? stride_of(samples + i, n - i, &length) : 0;
		for (size_t k = 0; k < stride; k++) {
			folds[*ret_n] = strided_fold(samples + i, length, k, stride);
			folds[(*ret_n)++].first += i;
		}
		if (stride) {
			i += length;
			continue;
		}
		fold.first = i;
		folds[(*ret_n)++] = fold;
		i += fold.n;
	}
	*ret = folds;
	return NULL;
}

/* ---- the pattern ----------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	long double x = *(const long double *)a, y = *(const long double *)b;
	return (x > y) - (x < y);
}

/* The number that stands most often in all, which is sorted; the least of several. */
static long double most_common(long double *all, size_t n, size_t *ret_count)
{
	long double best = 0;
	*ret_count = 0;
	qsort(all, n, sizeof *all, by_number);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && all[end] == all[i]; end++)
			;
		if (end - i > *ret_count) {
			*ret_count = end - i;
			best = all[i];
		}
	}
	return best;
}

/* ... then as they stand in their array. */
static int by_text(const void *a, const void *b)
{
	const struct sample *x = *(const struct sample *const *)a;
	const struct sample *y = *(const struct sample *const *)b;
	int order = strcmp(x->text, y->text);
	return order ? order : (x > y) - (x < y);
}

/* The most common text; the one that stands first of several. */
static struct pattern constant_pattern(const struct sample *samples, size_t n)
{
	struct pattern best = {.kind = PATTERN_CONSTANT};
	const struct sample **order = malloc(n * sizeof *order);
	size_t m = 0;
	for (size_t i = 0; order && i < n; i++)
		if (!samples[i].is_missing)
			order[m++] = &samples[i];
	if (m)
		qsort(order, m, sizeof *order, by_text);
	for (size_t i = 0, end; i < m; i = end) {
		for (end = i; end < m && !strcmp(order[end]->text, order[i]->text); end++)
			;
		if (end - i > best.n_following ||
		    (end - i == best.n_following && order[i] < &samples[best.like])) {
			best.n_following = end - i;
			best.like = (size_t)(order[i] - samples);
		}
	}
	free(order);
	return best;
}

static long double index_of(const struct sample *sample, enum pattern_kind kind)
{
	if (kind >= PATTERN_X && kind <= PATTERN_Z)
		return sample->thread[kind - PATTERN_X];
	return kind == PATTERN_POSITION ? (long double)sample->position
					: (long double)sample->linear;
}

static struct pattern line_pattern(const struct sample *samples, size_t n, enum pattern_kind kind)
{
	struct pattern pattern = {.kind = kind};
	size_t m = 0, count;
	long double *all = malloc(n * sizeof *all);
	if (!all)
		return pattern;
	for (size_t i = 1; i < n; i++) {
		const struct sample *a = &samples[i - 1], *b = &samples[i];
		long double way = index_of(b, kind) - index_of(a, kind);
		if (has_number(a) && has_number(b) && way > 0)
			all[m++] = (b->number - a->number) / way;
	}
	pattern.step = m ? most_common(all, m, &count) : 0;
	m = 0;
	for (size_t i = 0; i < n && pattern.step != 0; i++)
		if (has_number(&samples[i]))
			all[m++] = samples[i].number - pattern.step * index_of(&samples[i], kind);
	if (m)
		pattern.base = most_common(all, m, &pattern.n_following);
	free(all);
	return pattern;
}

bool sample_follows(const struct sample *sample, const struct pattern *pattern,
		    const struct sample *samples)
{
	if (pattern->kind == PATTERN_CONSTANT)
		return are_equal(sample, &samples[pattern->like]);
	return has_number(sample) &&
	       sample->number - pattern->step * index_of(sample, pattern->kind) == pattern->base;
}

struct pattern samples_pattern(const struct sample *samples, size_t n)
{
	struct pattern best = constant_pattern(samples, n);
	for (int kind = PATTERN_POSITION; kind <= PATTERN_LINEAR; kind++) {
		struct pattern line = line_pattern(samples, n, (enum pattern_kind)kind);
		/* Two points are always on a line. */
		if (line.n_following > best.n_following && line.n_following > 2)
			best = line;
	}
	if (best.n_following * 2 <= n || best.n_following < 2)
		best.kind = PATTERN_NONE;
	return best;
}
