/* SPDX-License-Identifier: Apache-2.0 */
/* frame_value.h - what stands in a frame, as values and as text. */
#ifndef CUDASIM_DEBUGGER_FRAME_VALUE_H
#define CUDASIM_DEBUGGER_FRAME_VALUE_H

#include "value.h"

/* A variable of one of the frame's scopes, as a lazy object, or as a value where
 * it has no address; is_optimized_out where it is not there at the frame's pc. */
struct cudasim_error *frame_variable(const struct frame *frame, const struct variable *variable,
				     struct value *ret);
/* Its value as info locals writes it, errors in the text. */
void frame_variable_print(FILE *out, const struct frame *frame, const struct variable *variable);

/* What a frame's line says of the arguments: set print frame-arguments. */
enum { FRAME_ARGUMENTS_ALL, FRAME_ARGUMENTS_SCALARS, FRAME_ARGUMENTS_NONE,
       FRAME_ARGUMENTS_PRESENCE };
extern int frame_arguments;
/* "a=1, b=...", without parentheses. */
void frame_print_arguments(FILE *out, const struct frame *frame);
/* " from /lib/libc.so.6", or nothing for the program's own code. */
void frame_print_library(FILE *out, const struct frame *frame);

#endif
