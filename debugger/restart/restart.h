/* SPDX-License-Identifier: Apache-2.0 */
/* restart.h - the program from its beginning: its file is executed again, and the session
 * goes on there. */
#ifndef CUDASIM_DEBUGGER_RESTART_H
#define CUDASIM_DEBUGGER_RESTART_H

#include <stdbool.h>
#include <stdio.h>

#include "cudasim/error.h"

/* run and kill: start the program anew, or leave it standing before main(), by
 * executing it again with this session's breakpoints, displays, settings, definitions
 * and history. arguments NULL: as before. Does not return on success. */
struct cudasim_error *program_restart(const char *arguments, bool run);
/* The program calls exec...(): do so in its place, so that the session goes on there. Another
 * program than one of cudasim's runs in a child instead, for nothing of the debugger would
 * be left: true when that has ended, with its exit status or signal. False: it could not be
 * executed. */
struct exec_call;
bool program_follow(const struct exec_call *exec, int *ret_status, int *ret_signal);
/* Path of the program's file. */
const char *program_path(void);
/* The program's arguments as the user writes them: of this process, or for the next run. */
void program_arguments_are(const char *text);
const char *program_arguments(void);
void program_arguments_next(char *text); /* for the next run alone; owned from here on */
const char *program_arguments_now(void); /* of this process */

/* The standard streams that runs have: the session's first ones, which are kept, or the
 * terminal of `set inferior-tty`. */
void restart_streams_keep(void);
/* Take what started the debugger out of the program's environment: what it starts is not
 * debugged. */
void restart_variables_take(void);
void restart_stream_is(unsigned number, int fd);
void restart_terminal_is(const char *path); /* of this process */
bool restart_terminal_changed(void);        /* since this process was started */

/* The session, for a copy of this process (recording.h): as session.h says, but what a search for
 * breakpoints needs are lines `search COMMAND`. */
void session_write(FILE *out);

#endif
