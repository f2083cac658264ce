/* SPDX-License-Identifier: Apache-2.0 */
/* travel.h - motions through what is recorded. */
#ifndef CUDASIM_DEBUGGER_TRAVEL_H
#define CUDASIM_DEBUGGER_TRAVEL_H

#include "cudasim/error.h"
#include "record_state.h"

/* A motion of this kind from where the user is now: of the focused thread. */
void motion_make(enum motion_kind kind, bool backward, struct motion *ret);
/* The bytes of a value that lies in memory, and who may access them. */
struct value;
struct cudasim_error *motion_place(const struct value *value, struct motion *motion);
/* command_origin.c */
struct cudasim_error *command_origin(const char *argument);
/* Make a motion and show where it ends. In a copy it does not return where it succeeds; in the
 * process that was started it returns when the user is in the present again, which is
 * stop_current(). */
struct cudasim_error *travel(const struct motion *motion);
/* Search without going there. */
struct cudasim_error *travel_search(const struct motion *motion, struct motion_result *ret);
/* To the first line that is recorded. */
struct cudasim_error *travel_to_first(void);
struct cudasim_error *travel_to(struct moment to);
/* What the thread of this moment loads in the line that begins there, until it stores to
 * low..high. */
struct cudasim_error *travel_inputs(struct moment at, uint64_t low, uint64_t high,
				    struct motion_result *ret);
/* Put what the session could not bring along before the stop's report. */
void record_tell_lost(struct stop *stop);
/* run_hooks()->travels */
bool travel_resume(const struct resume *how, struct cudasim_error **ret);

/* In a copy: have the process that was started, back in the present, run this command with its
 * argument. *ret is false in that process itself. */
struct cudasim_error *travel_and_run(const char *command, const char *argument, bool *ret);

#endif
