/* SPDX-License-Identifier: Apache-2.0 */
/* grid_npy.c - elements as a file of NumPy's.
 *
 * Source: NumPy's documentation, "numpy.lib.format", version 1.0: a magic string, the length of the
 * header, the header as a literal of Python's padded to a multiple of 64 bytes, the elements. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "error.h"
#include "file_writer.h"
#include "grid.h"

/* What NumPy calls the type; as_float: it has none of that kind, and float32 holds all its numbers. */
static struct cudasim_error *name_type(const struct type *type, char *to, size_t size,
				       bool *as_float)
{
	char kind = 0;
	*as_float = false;
	switch (type->float_format) {
	case FLOAT_NONE:
		break;
	case FLOAT_HALF:
	case FLOAT_SINGLE:
	case FLOAT_DOUBLE:
		kind = 'f';
		break;
	case FLOAT_X87:
		kind = 0;
		break;
	default:
		*as_float = true;
		snprintf(to, size, "<f4");
		return NULL;
	}
	if (type->is_complex && type->size <= 16)
		kind = 'c';
	else if (type->kind == TYPE_BOOL)
		kind = 'b';
	else if (type->kind == TYPE_POINTER)
		kind = 'u';
	else if (type->kind == TYPE_ENUM)
		kind = type->target && type_strip(type->target)->is_signed ? 'i' : 'u';
	else if (!kind && (type->kind == TYPE_INTEGER || type->kind == TYPE_CHAR) &&
		 type->size <= 8)
		kind = type->is_signed ? 'i' : 'u';
	if (!kind)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "NumPy has no type for elements of type %s.",
					 type_text(type));
	snprintf(to, size, "%c%c%" PRIu64, type->size > 1 ? '<' : '|', kind, type->size);
	return NULL;
}

static struct cudasim_error *write_header(struct file_writer *file, const struct grid *grid,
					  const char *type)
{
	char shape[MAX_RANK * 24] = "", header[512];
	size_t n = 0;
	for (uint32_t d = 0; d < grid->rank; d++)
		n += (size_t)snprintf(shape + n, sizeof shape - n, "%" PRIu64 ", ",
				      grid->axes[d].n);
	/* The blanks are NumPy's own: "(2, 3)", but "(3,)". */
	if (grid->rank > 1)
		shape[n - 2] = 0;
	else if (grid->rank)
		shape[n - 1] = 0;
	int length = snprintf(header, sizeof header,
			      "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type,
			      shape);
	/* 10 bytes before the header, a newline at its end. */
	size_t padded = ((size_t)length + 11 + 63) / 64 * 64 - 10;
	memset(header + length, ' ', padded - (size_t)length);
	header[padded - 1] = '\n';
	unsigned char start[10] = {0x93,
				   'N',
				   'U',
				   'M',
				   'P',
				   'Y',
				   1,
				   0,
				   (unsigned char)padded,
				   (unsigned char)(padded >> 8)};
	struct cudasim_error *error = file_write(file, start, sizeof start);
	return error ? error : file_write(file, header, padded);
}

static struct cudasim_error *write_floats(struct file_writer *file, const struct grid *grid)
{
	struct cudasim_error *error = NULL;
	for (uint64_t i = 0; i < grid->n && !error; i++) {
		float number = (float)grid_number(grid, i);
		error = file_write(file, &number, sizeof number);
	}
	return error;
}

struct cudasim_error *grid_write_npy(const struct grid *grid, const char *path)
{
	char type[16];
	bool as_float;
	struct file_writer file;
	struct cudasim_error *error = name_type(grid->element, type, sizeof type, &as_float);
	if (!error)
		error = file_open(path, &file);
	if (error)
		return error;
	error = write_header(&file, grid, type);
	if (!error && as_float)
		error = write_floats(&file, grid);
	else if (!error)
		error = file_write(&file, grid->bytes, grid->n * grid->element->size);
	error = file_close(&file, error);
	if (error)
		return error;
	fprintf(console(), "Wrote ");
	grid_print_type(console(), grid);
	fprintf(console(), "%s to %s.\n", as_float ? " as float32" : "", path);
	struct range_of_grid r = {.n = 0};
	for (uint64_t i = 0; i < grid->n; i++)
		r.n_unset += grid_is_unset(grid, i);
	if (r.n_unset)
		fprintf(console(),
			"%" PRIu64
			" elements have no value; what their memory contains was written.\n",
			r.n_unset);
	return NULL;
}
