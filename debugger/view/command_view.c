/* SPDX-License-Identifier: Apache-2.0 */
/* command_view.c - view: an expression's elements as a grid, and the ways to show it. */
#include "command_view.h"

#include <inttypes.h>

#include "command_data.h"
#include "error.h"
#include "expression.h"
#include "fragment.h"
#include "grid.h"
#include "texels.h"
#include "options.h"

/* ---- the shape that is asked for ---------------------------------------------------------- */

static struct cudasim_error *parse_list(const char *text, const char *option, uint32_t most,
					int64_t *ret, uint32_t *ret_n)
{
	*ret_n = 0;
	while (*text) {
		if (*ret_n == most)
			return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						 "--%s of more than %u dimensions.", option, most);
		struct cudasim_error *error = list_number(&text, &ret[(*ret_n)++]);
		if (error)
			return error;
	}
	return NULL;
}

static struct cudasim_error *ask_shape(const struct view_options *options, struct shape *shape)
{
	int64_t sizes[MAX_RANK], strides[MAX_RANK];
	uint64_t wanted[MAX_RANK];
	uint32_t n, n_strides = 0;
	struct cudasim_error *error = parse_list(options->shape, "shape", MAX_RANK, sizes, &n);
	if (!error && options->stride)
		error = parse_list(options->stride, "stride", MAX_RANK, strides, &n_strides);
	if (!error && options->stride && n_strides != n)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "--shape has %u numbers and --stride %u.", n, n_strides);
	for (uint32_t d = 0; d < n && !error; d++) {
		wanted[d] = (uint64_t)sizes[d];
		if (sizes[d] < 1)
			error = cudasim_error_new(CUDASIM_E_ARGUMENT,
						  "A dimension of %" PRId64 " elements.", sizes[d]);
	}
	return error ? error : shape_set(shape, n, wanted, options->stride ? strides : NULL);
}

static struct cudasim_error *arrange(const struct view_options *options, bool is_pointer,
				     struct shape *shape)
{
	struct cudasim_error *error = NULL;
	if (options->layout)
		error = shape_set_layout(shape, options->layout);
	else if (options->shape)
		error = ask_shape(options, shape);
	else if (is_pointer)
		error = cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"How many elements there are is not known: say it by --shape, --layout, or as "
			"*p@16.");
	if (!error && options->transpose)
		shape_transpose(shape);
	if (!error && options->slice)
		error = shape_slice(shape, options->slice);
	return error;
}

/* ---- reading -------------------------------------------------------------------------------- */

static struct cudasim_error *read_value(const struct view_options *options,
					const struct value *value, struct grid *ret)
{
	struct shape shape;
	bool is_image;
	struct cudasim_error *error = texels_shape(value, options->level, &is_image, &shape);
	if (!error && !is_image)
		error = shape_of_value(value, &shape);
	if (error)
		return error;
	const struct type *type = type_target(value->type);
	/* An array of unknown bound, as extern __shared__ ones are, is no better than a pointer. */
	bool is_pointer = !is_image && ((type->kind == TYPE_POINTER && !shape.rank) ||
					(type->kind == TYPE_ARRAY && !type->n));
	error = arrange(options, is_pointer, &shape);
	if (!error)
		error = grid_read(&shape, ret);
	shape_fini(&shape);
	return error;
}

/* A slice of a matrix that was gathered: as of any array that is nowhere in memory. */
static struct cudasim_error *slice_grid(const struct view_options *options, struct grid *grid)
{
	struct grid part;
	uint64_t step = grid->element->size;
	struct shape shape = {.element = grid->element,
			      .rank = grid->rank,
			      .bytes = grid->bytes,
			      .n_bytes = grid->n * grid->element->size};
	struct shape marks = {.element = type_base("unsigned char"),
			      .rank = grid->rank,
			      .bytes = grid->unset,
			      .n_bytes = grid->n};
	struct grid part_marks = {.n = 0};
	for (uint32_t d = grid->rank; d-- > 0;) {
		shape.axes[d] = marks.axes[d] = grid->axes[d];
		shape.axes[d].step = (int64_t)step;
		marks.axes[d].step = (int64_t)(step / grid->element->size);
		step *= grid->axes[d].n;
	}
	struct cudasim_error *error = arrange(options, false, &shape);
	if (!error)
		error = arrange(options, false, &marks);
	if (!error)
		error = grid_read(&marks, &part_marks);
	if (!error && !(error = grid_read(&shape, &part))) {
		grid_fini(grid);
		part.unset = part_marks.bytes;
		part_marks.bytes = NULL;
		*grid = part;
	}
	grid_fini(&part_marks);
	return error;
}

static struct cudasim_error *read_grid(const struct view_options *options, const char *text,
				       struct grid *ret)
{
	struct fragment fragment;
	struct value value;
	struct cudasim_error *error;
	bool is_fragment = options->fragment != NULL;
	if (is_fragment && (error = fragment_parse(options->fragment, &fragment)))
		return error;
	if (!is_fragment) {
		if ((error = evaluate_text(text, &value)))
			return error;
		is_fragment = value.type && !value.is_void &&
			      fragment_of_type(type_target(value.type), &fragment);
		if (!is_fragment)
			error = read_value(options, &value, ret);
		value_fini(&value);
	}
	if (error || !is_fragment)
		return error;
	error = fragment_read(&fragment, text, ret);
	if (!error && (options->slice || options->transpose) && (error = slice_grid(options, ret)))
		grid_fini(ret);
	return error;
}

/* ---- showing ----------------------------------------------------------------------------------- */

static struct cudasim_error *show(const struct view_options *options, const struct grid *grid,
				  char format)
{
	struct cudasim_error *error = NULL;
	if (options->ways & VIEW_TABLE)
		error = grid_print_table(grid, format);
	if (!error && options->ways & VIEW_HEAT)
		error = grid_print_heat(grid, format);
	if (!error && options->ways & VIEW_HISTOGRAM)
		error = grid_print_histogram(grid, format, options->bins);
	if (!error && options->png)
		error = grid_write_png(grid, options->png);
	if (!error && options->npy)
		error = grid_write_npy(grid, options->npy);
	return error;
}

static struct cudasim_error *command_view(const char *argument)
{
	struct view_options options;
	struct grid grid;
	char format = 0;
	struct cudasim_error *error = format_of_value(&argument, "view", &format);
	if (!error)
		error = view_options_parse(&argument, &options);
	if (error)
		return error;
	if (!*argument)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Argument required (expression to view).");
	if (!error)
		error = read_grid(&options, argument, &grid);
	if (!error) {
		error = show(&options, &grid, format);
		grid_fini(&grid);
	}
	view_options_fini(&options);
	return error;
}

const struct command commands_view[] = {
	{.name = "view",
	 .run = command_view,
	 .takes_format = true,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "view [/FMT] [--OPTION ...] [--] EXPR",
	 .summary = "Show the elements of an array as a table, a map, a histogram, or in a file",
	 .text = "EXPR is an array, a pointer with --shape, a container whose elements lie one behind\n"
		 "the other, a texture or surface object, a cudaArray_t, or a wmma::fragment.\n"
		 "  --table, --heat, --hist [--bins N]   how it is shown; a table without these\n"
		 "  --png FILE                           a picture: numbers as colours, bytes of 3 or\n"
		 "                                       4 channels as they are\n"
		 "  --npy FILE                           a file of NumPy's\n"
		 "  --shape N,M                          sizes, the last index the fastest\n"
		 "  --stride N,M                         elements from one index to the next\n"
		 "  --layout (2,4):(4,1)                 a layout of CuTe's\n"
		 "  --slice 1,2:8,::2                    parts, as in NumPy\n"
		 "  --transpose                          the dimensions in the opposite order\n"
		 "  --fragment m16n8k16,a,f16            the matrix that the warp's lanes hold in EXPR\n"
		 "  --level N                            of detail, of a texture\n"
		 "? is an element without a value: not written yet, or of a lane that is not there.",
	 .example = "view --heat --slice 0:16,0:16 tile"},
	{.name = "dump memory",
	 .aliases = "dump binary memory",
	 .run = command_dump_memory,
	 .completer = COMPLETE_FILE,
	 .usage = "dump [binary] memory FILE START STOP",
	 .summary = "Write memory from START up to STOP to a file",
	 .text = "START and STOP are expressions without blanks, or in parentheses.",
	 .example = "dump memory tile.bin &tile[0] &tile[64]"},
	{.name = "dump value",
	 .aliases = "dump binary value",
	 .run = command_dump_value,
	 .completer = COMPLETE_FILE,
	 .usage = "dump [binary] value FILE EXPR",
	 .summary = "Write the bytes of a value to a file",
	 .example = "dump value tile.bin tile"},
	{.name = "dump",
	 .run = command_dump_other,
	 .usage = "dump [binary] memory FILE START STOP, dump [binary] value FILE EXPR",
	 .summary = "Write memory or a value to a file, as bytes",
	 .text = "The formats ihex, srec, tekhex and verilog are not supported: they are for programmers\n"
		 "of memory chips.",
	 .example = "dump value tile.bin tile"},
	{.name = "append memory",
	 .aliases = "append binary memory",
	 .run = command_append_memory,
	 .completer = COMPLETE_FILE,
	 .usage = "append [binary] memory FILE START STOP",
	 .summary = "Write memory behind what is in a file",
	 .example = "append memory tiles.bin &tile[0] &tile[64]"},
	{.name = "append value",
	 .aliases = "append binary value",
	 .run = command_append_value,
	 .completer = COMPLETE_FILE,
	 .usage = "append [binary] value FILE EXPR",
	 .summary = "Write the bytes of a value behind what is in a file",
	 .example = "append value tiles.bin tile"},
	{.name = "append",
	 .run = command_dump_other,
	 .usage = "append [binary] memory FILE START STOP, append [binary] value FILE EXPR",
	 .summary = "Write memory or a value behind what is in a file",
	 .example = "append value tiles.bin tile"},
	{.name = "restore",
	 .run = command_restore,
	 .completer = COMPLETE_FILE,
	 .usage = "restore FILE binary OFFSET [START [STOP]]",
	 .summary = "Read a file into memory",
	 .text = "Byte n of the file goes to address OFFSET + n, from START up to STOP where these are\n"
		 "given.",
	 .example = "restore tile.bin binary &tile"},
	{0},
};
