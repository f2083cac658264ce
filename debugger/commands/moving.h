/* SPDX-License-Identifier: Apache-2.0 */
/* moving.h - how commands move the program, forward and back. */
#ifndef CUDASIM_DEBUGGER_MOVING_H
#define CUDASIM_DEBUGGER_MOVING_H

#include "baton.h"

/* Move, and tell the stop. */
struct cudasim_error *program_move_and_tell(const struct resume *how);
/* step N and its like; finish. */
struct cudasim_error *program_step(enum resume_kind kind, const char *argument, bool backward);
struct cudasim_error *program_finish(const char *argument, bool backward);
/* The number that a command takes, 1 where none is given. */
struct cudasim_error *program_count(const char *argument, int64_t *ret);

#endif
