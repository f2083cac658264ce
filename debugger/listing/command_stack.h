/* SPDX-License-Identifier: Apache-2.0 */
/* command_stack.h - the commands of the table commands_stack, by file. Each takes
 * what command.h says. */
#ifndef CUDASIM_DEBUGGER_COMMAND_STACK_H
#define CUDASIM_DEBUGGER_COMMAND_STACK_H

#include "command.h"

extern const struct command commands_stack[]; /* bt, frame, up, info locals, list, ... */

/* command_stack.c */
struct cudasim_error *no_frame(void); /* "No frame selected." */
/* command_frame.c: info frame, args, locals */
struct frame;
struct cudasim_error *command_info_frame(const char *argument);
struct cudasim_error *command_info_args(const char *argument);
struct cudasim_error *command_info_locals(const char *argument);
/* The locals of a frame, one a line, indent blanks before each. */
void frame_print_locals(FILE *out, const struct frame *frame, int indent);
/* command_list.c */
struct cudasim_error *command_list(const char *argument);
struct cudasim_error *command_info_line(const char *argument);
struct cudasim_error *command_info_source(const char *argument);
struct cudasim_error *command_info_sources(const char *argument);
struct cudasim_error *command_directory(const char *argument);
/* command_search.c */
struct cudasim_error *command_search(const char *argument);
struct cudasim_error *command_reverse_search(const char *argument);
struct cudasim_error *command_demangle(const char *argument);
/* command_vtbl.c */
struct cudasim_error *command_info_vtbl(const char *argument);
/* command_symbols.c */
struct cudasim_error *command_info_symbol(const char *argument);
struct cudasim_error *command_info_address(const char *argument);
struct cudasim_error *command_info_scope(const char *argument);
struct cudasim_error *command_info_functions(const char *argument);
struct cudasim_error *command_info_variables(const char *argument);
struct cudasim_error *command_info_types(const char *argument);

#endif
