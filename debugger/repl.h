/* SPDX-License-Identifier: Apache-2.0 */
/* repl.h - the loop that reads commands, on a pthread of its own, and the ends. */
#ifndef CUDASIM_DEBUGGER_REPL_H
#define CUDASIM_DEBUGGER_REPL_H

#include <stdbool.h>
#include <stdio.h>

#include "cudasim/error.h"

/* Start the REPL's pthread (from cudasim_observer_init()). It waits for STOP_START,
 * runs .cudasimrc, -x and -ex commands, then reads. */
struct cudasim_error *repl_start(void);

/* run and kill: start the program anew, or leave it standing before main(), by
 * executing it again with this session's breakpoints, displays, settings, definitions
 * and history. arguments NULL: as before. Does not return on success. */
struct cudasim_error *program_restart(const char *arguments, bool run);
/* Go on from before main() without a word. */
struct cudasim_error *program_go(void);
/* The program calls exec...(): do so in its place, so that the session goes on there. Another
 * program than one of cudasim's runs in a child instead, for nothing of the debugger would
 * be left: true when that has ended, with its exit status or signal. False: it could not be
 * executed. */
struct exec_call;
bool program_follow(const struct exec_call *exec, int *ret_status, int *ret_signal);
/* The program's arguments as the user writes them: of this process, or for the next run. */
void program_arguments_are(const char *text);
const char *program_arguments(void);

/* What has to be said again after a restart: each part registers a function that writes
 * commands (break ..., display ..., set ...). */
void restart_saves(void (*save)(FILE *out));

/* The standard streams that runs have: the session's first ones, which are kept, or the
 * terminal of `set inferior-tty`. */
void restart_streams_keep(void);
/* Take what started the debugger out of the program's environment: what it starts is not
 * debugged. */
void restart_variables_take(void);
/* Is the file linked with libcudasim, so that a debugger is there from its beginning? */
bool program_is_ours(const char *path);
void restart_stream_is(unsigned number, int fd);
void restart_terminal_is(const char *path); /* of this process */
bool restart_terminal_changed(void);        /* since this process was started */

/* Lines of the session file (session.h) for options and -ex commands that are left. */
void session_options(FILE *out);

/* Shown after each stop: display (command_data.c). */
void displays_show(FILE *out);

#endif
