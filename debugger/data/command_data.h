/* SPDX-License-Identifier: Apache-2.0 */
/* command_data.h - the commands of the table commands_data, by file. Each takes what
 * command.h says. */
#ifndef CUDASIM_DEBUGGER_COMMAND_DATA_H
#define CUDASIM_DEBUGGER_COMMAND_DATA_H

#include "command.h"

extern const struct command commands_data[]; /* print, ptype, x, display, ... */
/* Shown after each stop (command_display.c). */
void displays_show(FILE *out);

/* command_print.c */
struct cudasim_error *command_print(const char *argument);
struct cudasim_error *command_output(const char *argument);
struct cudasim_error *command_call(const char *argument);
struct cudasim_error *command_set_variable(const char *argument);
struct cudasim_error *command_init(const char *argument);
/* "/x" at the start: a format, no count and no size; for print and its kin. what names
 * the command in the error. */
struct cudasim_error *format_of_value(const char **argument, const char *what, char *ret);
/* Carries out what stands between options and values. Each -option at the start of *argument
 * is taken; values of print settings hold until print_options_end(). "--" ends them. */
struct print_options {
	bool each_thread, each_lane, each_block;
	void *saved; /* command_print_options.c's own */
};
struct cudasim_error *print_options_begin(const char **argument, struct print_options *ret);
void print_options_end(struct print_options *options);
/* command_type.c */
struct cudasim_error *command_ptype(const char *argument);
struct cudasim_error *command_whatis(const char *argument);
/* command_memory.c */
struct cudasim_error *command_x(const char *argument);
struct cudasim_error *command_find_memory(const char *argument); /* command_find.c */
/* n units from address on as x writes them, @shared addresses as offsets from window.
 * Returns the address behind the last in *ret. */
struct cudasim_error *memory_dump(FILE *out, uint64_t address, uint64_t window, int64_t n,
				  char format, char size, uint64_t *ret);
/* command_display.c */
struct cudasim_error *command_display(const char *argument);
struct cudasim_error *command_undisplay(const char *argument);
struct cudasim_error *command_info_display(const char *argument);
struct cudasim_error *command_enable_display(const char *argument);
struct cudasim_error *command_disable_display(const char *argument);
struct cudasim_error *command_redisplay(const char *argument); /* what a restart writes */
/* command_printf.c */
struct cudasim_error *command_printf(const char *argument);
struct cudasim_error *command_echo(const char *argument);
struct cudasim_error *command_eval(const char *argument);
/* command_each.c: print -each-thread and its kin */
enum each { EACH_THREAD, EACH_LANE, EACH_BLOCK };
struct cudasim_error *print_each(enum each each, const char *expression, char format);
/* command_heat.c */
struct cudasim_error *command_heat(const char *argument);
/* command_where.c */
struct cudasim_error *command_where_is(const char *argument);

#endif
