/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - the tables of this room. */
#ifndef CUDASIM_DEBUGGER_COMMANDS_H
#define CUDASIM_DEBUGGER_COMMANDS_H

#include "command.h"

/* Each ends with a command without a name. */
extern const struct command commands_running[]; /* run, continue, step, ... */
extern const struct command commands_reverse[]; /* reverse-step, ... */
extern const struct command commands_host[]; /* disassemble, info registers, stepi, ... */
extern const struct command commands_support[]; /* help, source, define, set, show, echo, ... */
extern const struct command commands_environment[];
extern const struct command commands_wrap[];

/* command_help.c */
struct command_class {
	const char *name, *what;
	const struct command *commands;
};
/* Ends with a class without a name. */
extern const struct command_class command_classes[];
struct cudasim_error *command_help(const char *argument);
struct cudasim_error *command_apropos(const char *argument);
/* Go on from before main() without a word. */
struct cudasim_error *program_go(void);
/* This copy has come to a moment that is recorded: tell it. */
struct motion_view;
void program_arrived(const struct motion_view *view);

#endif
