/* SPDX-License-Identifier: Apache-2.0 */
/* command_table.h - finding commands, settings and definitions: between command.c,
 * settings.c, script.c, command_support.c and complete.c. */
#ifndef CUDASIM_DEBUGGER_COMMAND_TABLE_H
#define CUDASIM_DEBUGGER_COMMAND_TABLE_H

#include "command.h"

/* The command that the line begins with, its words perhaps cut short; *argument is the
 * rest. Errors: `Undefined command: "x".  Try "help".`, `Ambiguous command "x": a, b.` */
struct cudasim_error *command_find(const char *line, const struct command **ret,
				   const char **argument);
/* Why a command of gdb's is not here, and what to use instead: of the one that line begins
 * with, its words not cut short. NULL: it is no such command. */
const char *command_absent(const char *line);
/* The same where its two first words are the name: `catch throw' beside the command catch. */
const char *command_absent_pair(const char *line);
/* The same for completion: NULL where the words do not name one. */
const struct command *command_find_typed(const char *text, const char **argument);
/* ---- settings_fixed.c: settings of gdb that cannot vary here ---- */
/* *found: there is such a setting, by its whole name. NULL where the value is how it is, or
 * changes nothing; else CUDASIM_E_UNSUPPORTED says why not. */
struct cudasim_error *setting_fixed_assign(const char *argument, bool *found);
/* False where there is none of that name. */
bool setting_fixed_show(const char *argument);

/* ---- script.c ---- */
/* Run a definition (define NAME) if the line begins with one's name. */
bool definition_run(const char *line, struct cudasim_error **ret);
void definition_each(void (*f)(void *user, const char *name), void *user);
void definitions_save(FILE *out);
/* The help of a definition; false where there is none of that name. */
bool definition_help(const char *name);
/* A definition of one line: command, with what stands behind name when it is used. */
struct cudasim_error *definition_alias(const char *name, const char *command);
/* loop_break or loop_continue: the lines of this input that are left are not for us. */
bool script_skips(void);
extern const struct command commands_script[];

/* ---- console.c ---- */
/* Open the console on a descriptor; copies go to the log. */
struct cudasim_error *console_start(int fd);
void console_new_command(void); /* pages are counted from here */
bool console_is_terminal(void);
int console_descriptor(void);
/* What is printed from now on goes to fd, and nowhere else; -1: to the console again. */
void console_to(int fd);
extern const struct command commands_logging[];

/* ---- inputs.c ---- */
/* End the process with this status. */
__attribute__((noreturn)) void repl_quit(int status);
/* Run one line; empty lines repeat what can be repeated. */
struct cudasim_error *repl_run_line(const char *line);
/* Read and run inputs until only `depth` are left. */
struct cudasim_error *repl_run_inputs(size_t depth);
/* Is this error the end of scripts that are being read? Prints it. */
void repl_report(struct cudasim_error *error);
/* Was what repl_report() was given last an error? */
bool repl_has_failed(void);
void repl_forget_failure(void);

#endif
