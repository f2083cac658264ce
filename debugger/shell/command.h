/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - commands: the table, how they are read, where they write.
 *
 * Each file of commands (command_*.c) exports one array of struct command; the
 * table in command.c names the arrays. A command runs on the REPL's pthread and
 * holds the baton: the program stands still. */
#ifndef CUDASIM_DEBUGGER_COMMAND_H
#define CUDASIM_DEBUGGER_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cudasim/error.h"

enum completer {
	COMPLETE_NONE,
	COMPLETE_EXPRESSION,
	COMPLETE_LOCATION,
	COMPLETE_FILE,
	COMPLETE_COMMAND,
	COMPLETE_TYPE
};

struct command {
	const char *name;      /* one or more words: "break", "info cuda threads", "set var" */
	const char *aliases;   /* further names, comma between; may be NULL: "b,br,brea" */
	/* argument: the rest of the line without blanks around, never NULL. An error is
	 * printed as it is, and ends a command file unless told otherwise. */
	struct cudasim_error *(*run)(const char *argument);
	bool repeats;          /* an empty line runs it again (step, next, x, list, ...) */
	bool takes_format;     /* "/x" stays at the start of argument: print/x, x/4xw */
	enum completer completer;
	const char *usage;     /* "break [LOCATION] [thread (x,y,z)] [if EXPR]" */
	const char *summary;   /* one line, for `help` */
	const char *text;      /* what it does, in a few lines; may be NULL */
	const char *example;   /* "break tour.cu:28 if i == 77" */
};
/* Run one line as if typed. */
struct cudasim_error *command_execute(const char *line);
/* Command lines after another: a breakpoint's commands, a definition. */
struct cudasim_error *commands_execute(const char *const *lines, size_t n);
/* Read lines up to "end" from the current input (for commands, define, document):
 * *ret is an array of *n strings, owned by the caller. */
struct cudasim_error *command_read_block(const char *prompt, char ***ret, size_t *n);
/* Ask y or n; true at once where `set confirm off`, in batch mode, or the input is no terminal. */
bool command_confirm(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for questions whose answer is no where nobody can be asked. */
bool command_ask(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
