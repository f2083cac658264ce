/* SPDX-License-Identifier: Apache-2.0 */
/* shape_slice.c - parts of an array, chosen as in NumPy: an index takes its axis away, START:STOP:STEP
 * keeps part of it. Negative indices count from the end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "shape.h"

struct range {
	bool is_index;
	int64_t start, stop, step;
};

static struct cudasim_error *number_of(char *text, int64_t *ret)
{
	const char *rest = text;
	return list_number(&rest, ret);
}

/* A part of "START:STOP:STEP" that is there; colons of A::B and ?: belong to expressions and are
 * not understood here. */
static struct cudasim_error *parse_range(char *text, uint64_t n, struct range *ret)
{
	char *stop = strchr(text, ':'), *step = stop ? strchr(stop + 1, ':') : NULL;
	struct cudasim_error *error = NULL;
	*ret = (struct range){.is_index = !stop, .step = 1};
	if (!stop)
		return number_of(text, &ret->start);
	*stop++ = 0;
	if (step)
		*step++ = 0;
	if (step && *step)
		error = number_of(step, &ret->step);
	if (!error && !ret->step)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "The step of a slice cannot be 0.");
	ret->start = ret->step < 0 ? (int64_t)n - 1 : 0;
	ret->stop = ret->step < 0 ? -1 - (int64_t)n : (int64_t)n;
	if (!error && *text)
		error = number_of(text, &ret->start);
	if (!error && *stop)
		error = number_of(stop, &ret->stop);
	return error;
}

static int64_t clamped(int64_t i, int64_t low, int64_t high)
{
	return i < low ? low : i > high ? high : i;
}

/* From the end, and not beyond either of them. */
static void fit(struct range *range, int64_t n)
{
	bool down = range->step < 0;
	range->start += range->start < 0 ? n : 0;
	range->stop += range->stop < 0 ? n : 0;
	range->start = clamped(range->start, down ? -1 : 0, down ? n - 1 : n);
	range->stop = clamped(range->stop, down ? -1 : 0, n);
}

static struct cudasim_error *keep_range(struct axis *axis, struct range *range)
{
	fit(range, (int64_t)axis->n);
	int64_t way = range->step > 0 ? range->stop - range->start : range->start - range->stop;
	uint64_t by = range->step > 0 ? (uint64_t)range->step : -(uint64_t)range->step;
	uint64_t n = way > 0 ? ((uint64_t)way - 1) / by + 1 : 0;
	int64_t *table = axis->table ? calloc(n ? n : 1, sizeof *table) : NULL;
	if (axis->table && !table)
		return &cudasim_error_nomem;
	for (uint64_t i = 0; table && i < n; i++)
		table[i] = axis->table[range->start + (int64_t)i * range->step];
	free(axis->table);
	axis->table = table;
	axis->first = range->start;
	axis->by = range->step;
	axis->n = n;
	return NULL;
}

static void move_start(struct shape *shape, int64_t bytes)
{
	shape->address += (uint64_t)bytes;
}

static struct cudasim_error *take_axis(struct shape *shape, uint32_t *d, char *text)
{
	struct axis *axis = &shape->axes[*d];
	struct range range;
	struct cudasim_error *error = parse_range(text, axis->n, &range);
	if (error)
		return error;
	if (!range.is_index) {
		int64_t step = axis->step;
		if ((error = keep_range(axis, &range)))
			return error;
		if (!axis->table) {
			move_start(shape, axis->n ? range.start * step : 0);
			axis->step = step * range.step;
		}
		++*d;
		return NULL;
	}
	int64_t i = range.start < 0 ? range.start + (int64_t)axis->n : range.start;
	if (i < 0 || (uint64_t)i >= axis->n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "There is no index %" PRId64 " among %" PRIu64 ".",
					 range.start, axis->n);
	move_start(shape, axis_place(axis, (uint64_t)i));
	free(axis->table);
	memmove(axis, axis + 1, (shape->rank - *d - 1) * sizeof *axis);
	memset(&shape->axes[--shape->rank], 0, sizeof *axis);
	return NULL;
}

struct cudasim_error *shape_slice(struct shape *shape, const char *text)
{
	char *copy = strdup(text), *rest = copy;
	struct cudasim_error *error = copy ? NULL : &cudasim_error_nomem;
	uint32_t d = 0;
	while (!error && rest) {
		char *part = strsep(&rest, ",");
		if (d == shape->rank)
			error = cudasim_error_new(CUDASIM_E_ARGUMENT,
						  "The slice has more parts than dimensions.");
		else
			error = take_axis(shape, &d, part);
	}
	free(copy);
	return error;
}
