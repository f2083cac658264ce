/* SPDX-License-Identifier: Apache-2.0 */
/* cute_layout.c - shapes as CuTe writes layouts, SHAPE:STRIDE with tuples within tuples.
 *
 * Source: CUTLASS's documentation, "CuTe Layouts". Each mode of the outermost tuple is an axis. An
 * index of it is taken apart, the leftmost number of the mode first, and the parts times their
 * strides add up. Without a stride the leftmost is the fastest. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "error.h"
#include "shape.h"
#include "text.h"

enum { MAX_LEAVES = 32, MAX_DEPTH = 16 };

/* A tuple flattened: its numbers, and to which mode of the outermost tuple each belongs. */
struct tuple {
	int64_t numbers[MAX_LEAVES];
	uint32_t modes[MAX_LEAVES], depths[MAX_LEAVES];
	size_t n;
	uint32_t n_modes;
};

static struct cudasim_error *wrong(const char *at)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "A layout is written as (4,8):(8,1), near `%s'.", at);
}

static struct cudasim_error *parse_number(const char **at, uint32_t depth, struct tuple *ret)
{
	char *end;
	const char *digits = *at + (**at == '_'); /* _8 is a static 8 */
	if (!isdigit((unsigned char)*digits) && *digits != '-')
		return wrong(*at);
	if (ret->n == MAX_LEAVES)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "A layout of more than %d numbers.",
					 MAX_LEAVES);
	ret->numbers[ret->n] = strtoll(digits, &end, 10);
	ret->modes[ret->n] = ret->n_modes;
	ret->depths[ret->n++] = depth;
	*at = text_skip(end);
	return NULL;
}

static struct cudasim_error *parse_tuple(const char **at, uint32_t depth, struct tuple *ret)
{
	struct cudasim_error *error = NULL;
	*at = text_skip(*at);
	if (**at != '(') {
		error = parse_number(at, depth, ret);
		ret->n_modes += !depth;
		return error;
	}
	if (depth == MAX_DEPTH)
		return wrong(*at);
	do {
		*at = text_skip(*at + 1);
		error = parse_tuple(at, depth + 1, ret);
		ret->n_modes += !error && !depth;
	} while (!error && **at == ',');
	if (!error && **at != ')')
		error = wrong(*at);
	if (!error)
		*at = text_skip(*at + 1);
	return error;
}

/* Leftmost fastest. */
static void default_strides(const struct tuple *sizes, struct tuple *ret)
{
	int64_t step = 1;
	*ret = *sizes;
	for (size_t i = 0; i < sizes->n; i++) {
		ret->numbers[i] = step;
		if (__builtin_mul_overflow(step, sizes->numbers[i], &step))
			step = 0; /* the sizes' product is refused below */
	}
}

static bool are_alike(const struct tuple *a, const struct tuple *b)
{
	for (size_t i = 0; a->n == b->n && i < a->n; i++)
		if (a->modes[i] != b->modes[i] || a->depths[i] != b->depths[i])
			return false;
	return a->n == b->n;
}

static struct cudasim_error *parse(const char *text, struct tuple *sizes, struct tuple *strides)
{
	const char *at = text;
	struct cudasim_error *error = parse_tuple(&at, 0, sizes);
	if (!error && *at == ':') {
		at++;
		error = parse_tuple(&at, 0, strides);
	} else if (!error) {
		default_strides(sizes, strides);
	}
	if (!error && *at)
		error = wrong(at);
	if (!error && !are_alike(sizes, strides))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Shape and stride of the layout have different tuples.");
	for (size_t i = 0; i < sizes->n && !error; i++)
		if (sizes->numbers[i] < 1 || sizes->numbers[i] > UINT32_MAX ||
		    strides->numbers[i] > INT32_MAX || strides->numbers[i] < INT32_MIN)
			error = cudasim_error_new(CUDASIM_E_ARGUMENT,
						  "The layout has a size of %" PRId64
						  " and a stride of %" PRId64 ".",
						  sizes->numbers[i], strides->numbers[i]);
	return error;
}

static struct cudasim_error *make_axis(const struct tuple *sizes, const struct tuple *strides,
				       uint32_t mode, int64_t element, struct axis *ret)
{
	uint64_t n = 1;
	for (size_t i = 0; i < sizes->n; i++)
		if (sizes->modes[i] == mode &&
		    (__builtin_mul_overflow(n, (uint64_t)sizes->numbers[i], &n) || n > 1u << 27))
			return cudasim_error_new(
				CUDASIM_E_UNSUPPORTED,
				"A mode of the layout has more than 2^27 indices.");
	*ret = (struct axis){.n = n, .by = 1, .table = calloc(n, sizeof *ret->table)};
	if (!ret->table)
		return &cudasim_error_nomem;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t rest = i;
		for (size_t k = 0; k < sizes->n; k++) {
			if (sizes->modes[k] != mode)
				continue;
			uint64_t size = (uint64_t)sizes->numbers[k];
			ret->table[i] += (int64_t)(rest % size) * strides->numbers[k] * element;
			rest /= size;
		}
	}
	return NULL;
}

/* Not beyond the array that it is of, where its size is known. */
static struct cudasim_error *check_inside(const struct shape *shape)
{
	int64_t low = 0, high = 0, size = (int64_t)shape->element->size;
	for (uint32_t d = 0; d < shape->rank; d++) {
		const struct axis *axis = &shape->axes[d];
		int64_t least = 0, most = 0;
		for (uint64_t i = 0; i < axis->n; i++) {
			least = axis->table[i] < least ? axis->table[i] : least;
			most = axis->table[i] > most ? axis->table[i] : most;
		}
		low += least;
		high += most;
	}
	if (shape->n_bytes && (low < 0 || (uint64_t)(high + size) > shape->n_bytes))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "The layout reaches from element %" PRId64 " to %" PRId64
					 ", and there are %" PRIu64 ".",
					 low / size, high / size,
					 shape->n_bytes / shape->element->size);
	return NULL;
}

struct cudasim_error *shape_set_layout(struct shape *shape, const char *text)
{
	struct tuple sizes = {.n = 0}, strides = {.n = 0};
	struct cudasim_error *error = parse(text, &sizes, &strides);
	if (!error && sizes.n_modes > MAX_RANK)
		error = cudasim_error_new(CUDASIM_E_UNSUPPORTED, "A layout of more than %d modes.",
					  MAX_RANK);
	shape->rank = 0;
	for (uint32_t d = 0; d < MAX_RANK; d++) {
		free(shape->axes[d].table);
		shape->axes[d].table = NULL;
	}
	for (uint32_t d = 0; !error && d < sizes.n_modes; d++) {
		error = make_axis(&sizes, &strides, d, (int64_t)shape->element->size,
				  &shape->axes[d]);
		shape->rank += !error;
	}
	return error ? error : check_inside(shape);
}
