/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_commands.h - breakpoints as the user makes, lists and saves them. */
#ifndef CUDASIM_DEBUGGER_BREAKPOINT_COMMANDS_H
#define CUDASIM_DEBUGGER_BREAKPOINT_COMMANDS_H

#include "breakpoint.h"
#include "command.h"

extern const struct command commands_breakpoints[]; /* break, watch, catch, ... */
extern const struct command commands_skip[];

/* Of set breakpoint pending: what becomes of a location that is not there. */
extern const char *const breakpoint_pending_choices[];

struct cudasim_error *command_dprintf(const char *argument);
/* format: of a dprintf, else NULL. */
struct cudasim_error *breakpoint_set(const char *text, bool temporary, const char *format);
/* "Breakpoint 1 at 0x8d11: file tour.cu, line 7." */
void breakpoint_mention(const struct breakpoint *breakpoint);
/* Print the warning that it has, if any. */
void breakpoint_warn(struct breakpoint *breakpoint);
/* Breakpoint numbers: "1 3-5 2.1". Calls f for each; location 0 where none is named. */
struct cudasim_error *breakpoint_numbers(const char *text,
					 struct cudasim_error *(*f)(void *user, struct breakpoint *,
								    int location),
					 void *user);
/* watch, rwatch, awatch, catch, tcatch */
struct cudasim_error *command_watch(const char *argument);
struct cudasim_error *command_rwatch(const char *argument);
struct cudasim_error *command_awatch(const char *argument);
struct cudasim_error *command_catch(const char *argument);
struct cudasim_error *command_tcatch(const char *argument);
struct cudasim_error *command_info_breakpoints(const char *argument); /* breakpoint_table.c */
struct cudasim_error *command_info_watchpoints(const char *argument);
struct cudasim_error *command_save_breakpoints(const char *argument); /* breakpoint_save.c */
void breakpoints_save(FILE *out, bool for_restart);
void breakpoints_save_for_restart(FILE *out);
/* ---- after a stop (breakpoint_actions.c) ------------------------------------------- */

/* The first command of what the program has stopped at is "silent". */
bool actions_silent(const struct stop *stop);
/* Remember the commands of what has been hit; they replace those that were waiting. */
void actions_queue(const struct stop *stop);
/* Run what waits, and what becomes so meanwhile; nothing where commands already run. */
struct cudasim_error *actions_run(void);
bool actions_are_running(void); /* a breakpoint's command is being carried out */

#endif
