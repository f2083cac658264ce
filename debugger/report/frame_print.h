/* SPDX-License-Identifier: Apache-2.0 */
/* frame_print.h - what stands in a frame, as values and as text. */
#ifndef CUDASIM_DEBUGGER_FRAME_PRINT_H
#define CUDASIM_DEBUGGER_FRAME_PRINT_H

#include "frame.h"
#include "value.h"

/* "#0  0x... in f (a=1, b=...) at x.cu:8": one line as cuda-gdb prints it; with
 * level where numbered is true. The address is never printed at_line_start, but always
 * where no line is known. */
void frame_print(FILE *out, const struct frame *frame, bool numbered, bool with_address);
/* The name of a function; that of a library's without versions, and where it is long without template
 * arguments (set print short-names). */
void frame_name_print(FILE *out, const char *name);
/* The source line below it: "8\t  float dx = ...". Makes it the place for list. */
void frame_print_source(FILE *out, const struct frame *frame);
/* The source line alone, as after a step or a switch of the focus: with the address
 * before it in the middle of a line ("0x...\t23\t  float3 f = ..."). */
void frame_print_place(FILE *out, const struct frame *frame);

/* A variable of one of the frame's scopes, as a lazy object, or as a value where
 * it has no address; is_optimized_out where it is not there at the frame's pc. */
struct cudasim_error *frame_variable(const struct frame *frame, const struct variable *variable,
				     struct value *ret);
/* Its value as info locals writes it, errors in the text. */
void frame_variable_print(FILE *out, const struct frame *frame, const struct variable *variable);

/* How a frame's line shows the arguments: set print frame-arguments. */
enum {
	FRAME_ARGUMENTS_ALL,
	FRAME_ARGUMENTS_SCALARS,
	FRAME_ARGUMENTS_NONE,
	FRAME_ARGUMENTS_PRESENCE
};
/* "a=1, b=...", without parentheses. */
void frame_print_arguments(FILE *out, const struct frame *frame);
/* " from /lib/libc.so.6", or nothing for the program's own code. */
void frame_print_library(FILE *out, const struct frame *frame);

#endif
