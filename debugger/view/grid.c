/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c - reading elements, and what their ways of being shown have in common. */
#include "grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "error.h"
#include "unwritten.h"

/* Rows whose elements lie further apart are read one by one. */
#define MAX_SPAN (1u << 20)

void grid_fini(struct grid *grid)
{
	free(grid->bytes);
	free(grid->unset);
	memset(grid, 0, sizeof *grid);
}

static struct cudasim_error *reserve(struct grid *grid, bool unset)
{
	grid->bytes = calloc(grid->n ? grid->n : 1, grid->element->size);
	grid->unset = unset ? malloc(grid->n ? grid->n : 1) : NULL;
	if (!grid->bytes || (unset && !grid->unset)) {
		grid_fini(grid);
		return &cudasim_error_nomem;
	}
	if (unset)
		memset(grid->unset, 1, grid->n);
	return NULL;
}

struct cudasim_error *grid_new(const struct type *element, uint32_t rank, const uint64_t *sizes,
			       struct grid *ret)
{
	*ret = (struct grid){.element = element, .rank = rank, .n = 1};
	for (uint32_t d = 0; d < rank; d++) {
		ret->axes[d] = (struct axis){.n = sizes[d], .by = 1};
		ret->n *= sizes[d];
	}
	return reserve(ret, true);
}

void grid_set(struct grid *grid, uint64_t i, const void *bytes)
{
	memcpy(grid->bytes + i * grid->element->size, bytes, grid->element->size);
	grid->unset[i] = 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct cudasim_error *cannot_access(const struct shape *shape, uint64_t address)
{
	uint64_t window = shape->storage == STORAGE_SHARED ? value_window(NULL) : 0;
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "Cannot access memory at address 0x%" PRIx64,
				 address - window);
}

/* Memory that is declared shared ends with the block's window: behind it lies another's. */
static struct cudasim_error *read_memory(const struct shape *shape, uint64_t address, void *to,
					 uint64_t n)
{
	uint64_t size, window = value_window(&size);
	if (shape->storage == STORAGE_SHARED && window &&
	    (address - window > size || n > size - (address - window)))
		return cannot_access(shape, address);
	return value_memory_read(address, to, n);
}

static struct cudasim_error *read_bytes(const struct shape *shape, int64_t at, void *to, uint64_t n)
{
	uint64_t address = shape->address + (uint64_t)at;
	if (shape->is_memory)
		return read_memory(shape, address, to, n);
	/* The bytes of a value that lies nowhere begin at address 0. */
	if (address > shape->n_bytes || n > shape->n_bytes - address)
		return cannot_access(shape, address);
	memcpy(to, shape->bytes + address, n);
	return NULL;
}

/* Marks what nobody has written. */
static struct cudasim_error *mark(const struct shape *shape, int64_t at, uint64_t i,
				  struct grid *ret)
{
	if (!shape->is_memory || !unwritten_at(shape->address + (uint64_t)at, shape->element->size))
		return NULL;
	if (!ret->unset && !(ret->unset = calloc(ret->n, 1)))
		return &cudasim_error_nomem;
	ret->unset[i] = 1;
	return NULL;
}

/* n elements from index i on, along the last axis. */
static struct cudasim_error *read_row(const struct shape *shape, int64_t at, uint64_t i, uint64_t n,
				      struct grid *ret)
{
	const struct axis *axis = shape->rank ? &shape->axes[shape->rank - 1] : NULL;
	uint64_t size = shape->element->size;
	unsigned char *to = ret->bytes + i * size;
	struct cudasim_error *error = NULL;
	if (!axis || (!axis->table && axis->step == (int64_t)size)) {
		error = read_bytes(shape, at, to, n * size);
	} else if (!axis->table && axis->step > 0 && (uint64_t)axis->step <= MAX_SPAN / n) {
		uint64_t span = (n - 1) * (uint64_t)axis->step + size;
		unsigned char *all = malloc(span);
		error = all ? read_bytes(shape, at, all, span) : &cudasim_error_nomem;
		for (uint64_t k = 0; !error && k < n; k++)
			memcpy(to + k * size, all + k * (uint64_t)axis->step, size);
		free(all);
	} else {
		for (uint64_t k = 0; !error && k < n; k++)
			error = read_bytes(shape, at + axis_place(axis, k), to + k * size, size);
	}
	for (uint64_t k = 0; !error && k < n; k++)
		error = mark(shape, at + (axis ? axis_place(axis, k) : 0), i + k, ret);
	return error;
}

struct cudasim_error *grid_read(const struct shape *shape, struct grid *ret)
{
	uint64_t index[MAX_RANK] = {0};
	*ret = (struct grid){.element = shape->element, .rank = shape->rank};
	memcpy(ret->axes, shape->axes, sizeof ret->axes);
	for (uint32_t d = 0; d < MAX_RANK; d++)
		ret->axes[d].table = NULL;
	struct cudasim_error *error = shape_count(shape, &ret->n);
	if (!error)
		error = reserve(ret, false);
	uint64_t row = shape->rank ? shape->axes[shape->rank - 1].n : 1;
	for (uint64_t i = 0; !error && i < ret->n; i += row) {
		int64_t at = 0;
		for (uint32_t d = 0; d + 1 < shape->rank; d++)
			at += axis_place(&shape->axes[d], index[d]);
		error = read_row(shape, at, i, row, ret);
		if (!error && !(i / row % 256))
			error = interrupt_quits();
		for (uint32_t d = shape->rank > 1 ? shape->rank - 1 : 0; d-- > 0;) {
			if (++index[d] < shape->axes[d].n)
				break;
			index[d] = 0;
		}
	}
	if (error)
		grid_fini(ret);
	return error;
}

/* ---- elements ---------------------------------------------------------------------------------- */

static struct cudasim_error *element_value(const struct grid *grid, uint64_t i, struct value *ret)
{
	return value_of_bytes(grid->element, grid->bytes + i * grid->element->size, ret);
}

long double grid_number(const struct grid *grid, uint64_t i)
{
	const struct type *type = grid->element;
	const unsigned char *bytes = grid->bytes + i * type->size;
	if (type->float_format)
		return float_read(type->float_format, bytes);
	unsigned_wide number = 0;
	bool is_signed = type->kind == TYPE_ENUM && type->target
				 ? type_strip(type->target)->is_signed
				 : type->is_signed;
	memcpy(&number, bytes, type->size);
	if (is_signed && type->size < sizeof number && number >> (8 * type->size - 1) & 1)
		number |= ~(unsigned_wide)0 << 8 * type->size;
	return is_signed ? (long double)(wide)number : (long double)number;
}

char *grid_text(const struct grid *grid, uint64_t i, char format)
{
	char *text = NULL;
	size_t size;
	struct value value;
	if (grid_is_unset(grid, i))
		return strdup("?");
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	if (!format && grid->element->kind == TYPE_CHAR)
		format = grid->element->is_signed ? 'd' : 'u';
	struct cudasim_error *error = element_value(grid, i, &value);
	if (!error)
		value_print(out, &value, format, 0, false);
	value_fini(&value);
	cudasim_error_free(error);
	fclose(out);
	return text;
}

void grid_print_index(FILE *out, const struct grid *grid, uint64_t i)
{
	uint64_t below = grid->n;
	for (uint32_t d = 0; d < grid->rank; d++) {
		below /= grid->axes[d].n;
		fprintf(out, "[%" PRId64 "]", axis_index(&grid->axes[d], i / below));
		i %= below;
	}
}

void grid_print_type(FILE *out, const struct grid *grid)
{
	fputs(type_text(grid->element), out);
	for (uint32_t d = 0; d < grid->rank; d++)
		fprintf(out, "%s[%" PRIu64 "]", d ? "" : " ", grid->axes[d].n);
}

struct cudasim_error *grid_check_numbers(const struct grid *grid, const char *what)
{
	const struct type *type = grid->element;
	if (type->kind != TYPE_POINTER && type->size <= 16 &&
	    (type_is_scalar(type) || type->float_format))
		return NULL;
	return cudasim_error_new(
		CUDASIM_E_UNSUPPORTED,
		"%s needs numbers, and the elements are of type %s: name a member, as p[0:8].x.",
		what, type_text(type));
}

/* ---- all of them together ------------------------------------------------------------------------ */

struct range_of_grid grid_range(const struct grid *grid)
{
	struct range_of_grid r = {.n = 0};
	for (uint64_t i = 0; i < grid->n; i++) {
		if (grid_is_unset(grid, i)) {
			r.n_unset++;
			continue;
		}
		long double number = grid_number(grid, i);
		r.n_nan += isnan(number);
		r.n_infinite += isinf(number);
		if (!isfinite(number))
			continue;
		if (!r.n || number < r.least) {
			r.least = number;
			r.least_at = i;
		}
		if (!r.n || number > r.greatest) {
			r.greatest = number;
			r.greatest_at = i;
		}
		r.sum += number;
		r.n++;
	}
	return r;
}

long double range_part(const struct range_of_grid *range, long double number)
{
	long double width = range->greatest - range->least;
	return width > 0 ? (number - range->least) / width : 0;
}

void range_print_others(FILE *out, const struct range_of_grid *range)
{
	if (range->n_nan)
		fprintf(out, ", %" PRIu64 " NaN%s", range->n_nan, range->n_nan == 1 ? "" : "s");
	if (range->n_infinite)
		fprintf(out, ", %" PRIu64 " infinite", range->n_infinite);
	if (range->n_unset)
		fprintf(out, ", %" PRIu64 " without a value", range->n_unset);
}
