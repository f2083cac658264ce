/* SPDX-License-Identifier: Apache-2.0 */
/* frame_print.c - a frame's variables as values, and its line in a backtrace. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "frame_print.h"
#include "report_state.h"
#include "source_list.h"
#include "unwritten.h"

/* ---- variables ------------------------------------------------------------------ */

struct cudasim_error *frame_variable(const struct frame *frame, const struct variable *variable,
				     struct value *ret)
{
	struct location location;
	uint64_t address, size = type_strip(variable->type)->size;
	struct cudasim_error *error;
	if (variable->is_static) {
		uint32_t device = frame->thread ? frame->thread->block->device : 0;
		error = symbols_global_address(variable, device, &address);
		if (!error)
			*ret = value_at(variable->type, variable->storage, address);
		return error;
	}
	error = symbols_location(variable, frame->lookup, &location);
	if (error)
		return error;
	if (location.kind == LOCATION_NONE) {
		*ret = value_at(variable->type, variable->storage, 0);
		ret->is_optimized_out = true;
		return NULL;
	}
	error = location_address(&location, &frame->registers, &address);
	if (!error) {
		*ret = value_at(variable->type, variable->storage, address);
		unwritten_note(variable, &location, frame->lookup, address);
		return NULL;
	}
	unsigned char bytes[256];
	if (location.kind == LOCATION_FRAME || location.kind == LOCATION_FRAME_DEREF ||
	    location.kind == LOCATION_ADDRESS || size > sizeof bytes)
		return error;
	cudasim_error_free(error);
	error = location_bytes(&location, &frame->registers, bytes, size);
	return error ? error : value_of_bytes(variable->type, bytes, ret);
}

/* Of containers what they are, of other structs nothing. */
static void print_summary(FILE *out, const struct frame *frame, const struct variable *variable)
{
	struct value value, object;
	bool is_printed = false;
	struct cudasim_thread *before = value_thread_swap(frame->thread);
	struct cudasim_error *error = frame_variable(frame, variable, &value);
	if (!error && !value.is_optimized_out && type_target(variable->type)->kind == TYPE_STRUCT &&
	    !(error = value_object(&value, &object))) {
		is_printed = value_print_summary(out, &object);
		value_fini(&object);
	}
	if (!is_printed)
		fputs("...", out);
	cudasim_error_free(error);
	value_thread_swap(before);
}

void frame_variable_print(FILE *out, const struct frame *frame, const struct variable *variable)
{
	struct value value;
	struct cudasim_thread *before = value_thread_swap(frame->thread);
	struct cudasim_error *error = frame_variable(frame, variable, &value);
	if (!error) {
		error = value.is_optimized_out ? NULL : value_fetch(&value);
		if (!error)
			value_print(out, &value, 0, 0, false);
		value_fini(&value);
	}
	if (error)
		fprintf(out, "<error reading variable: %s>", error->message);
	cudasim_error_free(error);
	value_thread_swap(before);
}

/* ---- arguments -------------------------------------------------------------------- */

static bool is_scalar_argument(const struct variable *variable)
{
	const struct type *type = type_target(variable->type);
	return (type->kind != TYPE_STRUCT || type->float_format) && type->kind != TYPE_ARRAY;
}

void frame_print_arguments(FILE *out, const struct frame *frame)
{
	const struct scope *scope = frame->n_scopes ? &frame->scopes[frame->n_scopes - 1] : NULL;
	bool first = true;
	for (size_t i = 0; scope && i < scope->n_variables; i++) {
		const struct variable *variable = &scope->variables[i];
		if (!variable->is_argument)
			continue;
		if (report_state()->frame_arguments == FRAME_ARGUMENTS_PRESENCE) {
			fputs("...", out);
			return;
		}
		fprintf(out, "%s%s=", first ? "" : ", ", variable->name);
		first = false;
		if (report_state()->frame_arguments == FRAME_ARGUMENTS_ALL ||
		    (report_state()->frame_arguments == FRAME_ARGUMENTS_SCALARS &&
		     is_scalar_argument(variable)))
			frame_variable_print(out, frame, variable);
		else
			print_summary(out, frame, variable);
	}
}

/* ---- the frame's line ---------------------------------------------------------------- */

static void print_shape(FILE *out, const struct cudasim_launch *launch)
{
	fprintf(out, "<<<(%u,%u,%u),(%u,%u,%u)>>>", launch->grid[0], launch->grid[1],
		launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
}

enum { SHORT_NAME = 48 };

/* Libraries have the version in the names of their functions, and template arguments without end. */
void frame_name_print(FILE *out, const char *name)
{
	static const char *const spaces[] = {
		"cub::",    "thrust::", "cuda::",     "cute::", "cutlass::", "cooperative_groups::",
		"nvcuda::", "std::",    "__gnu_cxx::"};
	char text[512] = "";
	for (size_t i = 0; report_state()->short_names && i < sizeof spaces / sizeof *spaces; i++)
		if (!strncmp(name, spaces[i], strlen(spaces[i])))
			symbols_plain_name(name, true, text, sizeof text);
	if (strlen(text) > SHORT_NAME)
		symbols_plain_name(name, false, text, sizeof text);
	fputs(*text ? text : name, out);
}

void frame_print(FILE *out, const struct frame *frame, bool numbered, bool with_address)
{
	if (numbered)
		fprintf(out, "#%-2u ", frame->level);
	if ((with_address && !frame->at_line_start) || !frame->file)
		fprintf(out, "0x%016" PRIx64 " in ", frame->pc);
	frame_name_print(out, frame->name);
	if (frame->is_kernel && frame->launch)
		print_shape(out, frame->launch);
	fputs(" (", out);
	frame_print_arguments(out, frame);
	fputc(')', out);
	if (frame->file)
		fprintf(out, " at %s:%u", frame->file, frame->line);
	else if (!frame->is_device)
		frame_print_library(out, frame);
	fputc('\n', out);
}

void frame_print_library(FILE *out, const struct frame *frame)
{
	const char *name, *mangled, *file = NULL;
	uint64_t offset;
	static char executable[PATH_MAX];
	if (!*executable && readlink("/proc/self/exe", executable, sizeof executable - 1) < 0)
		return;
	if (symbols_symbol_at(frame->lookup, &name, &mangled, &offset, &file) && file &&
	    strcmp(file, executable))
		fprintf(out, " from %s", file);
}

void frame_print_source(FILE *out, const struct frame *frame)
{
	if (!frame->file || !frame->line)
		return;
	source_print(out, frame->file, frame->line, frame->line);
	source_place_set(frame->file, frame->line);
}

void frame_print_place(FILE *out, const struct frame *frame)
{
	if (!frame->file || !frame->line) {
		frame_print(out, frame, false, true);
		return;
	}
	if (!frame->at_line_start)
		fprintf(out, "0x%016" PRIx64 "\t", frame->pc);
	frame_print_source(out, frame);
}
