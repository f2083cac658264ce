/* SPDX-License-Identifier: Apache-2.0 */
/* shape.h - where the elements of an array lie, by their indices.
 *
 * An element's place is the sum of what each axis says of its index, in bytes from the first
 * element: true of C's arrays, of strides, and of CuTe's layouts. */
#ifndef CUDASIM_DEBUGGER_SHAPE_H
#define CUDASIM_DEBUGGER_SHAPE_H

#include "value.h"

enum { MAX_RANK = 8 };

struct axis {
	uint64_t n;
	int64_t step;   /* bytes from one index to the next */
	int64_t *table; /* or bytes from the first element by index; owned */
	int64_t first, by; /* what the indices are called: first + i * by */
};

struct shape {
	const struct type *element;
	uint32_t rank;
	struct axis axes[MAX_RANK]; /* the outermost first */
	/* Where the first element lies: in memory, or in bytes that the shape owns. */
	bool is_memory;
	uint64_t address;
	enum storage storage;
	unsigned char *bytes;
	uint64_t n_bytes; /* of the whole array; 0: not known */
};
void shape_fini(struct shape *shape);

/* Of an array, of a container whose elements lie one behind the other, of what a pointer points
 * at (then of rank 0), of a single number. */
struct cudasim_error *shape_of_value(const struct value *value, struct shape *ret);
/* Sizes and, where not NULL, strides in elements; without, the last index is the fastest. */
struct cudasim_error *shape_set(struct shape *shape, uint32_t rank, const uint64_t *sizes,
				const int64_t *strides);
/* By a layout of CuTe's, "((2,4),8):((1,16),2)" (cute_layout.c). */
struct cudasim_error *shape_set_layout(struct shape *shape, const char *text);
/* NumPy's way to choose: "2", "1:5", "::2" for each axis, comma between (shape_slice.c). */
struct cudasim_error *shape_slice(struct shape *shape, const char *text);
/* All axes in the opposite order. */
void shape_transpose(struct shape *shape);
/* How many elements there are; an error where they are too many to be held. */
struct cudasim_error *shape_count(const struct shape *shape, uint64_t *ret);
/* The part of a comma-separated list at *text, not within parentheses, evaluated; advances
 * behind the comma. */
struct cudasim_error *list_number(const char **text, int64_t *ret);

static inline int64_t axis_place(const struct axis *axis, uint64_t i)
{
	return axis->table ? axis->table[i] : (int64_t)i * axis->step;
}

static inline int64_t axis_index(const struct axis *axis, uint64_t i)
{
	return axis->first + (int64_t)i * axis->by;
}

#endif
