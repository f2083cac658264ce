/* SPDX-License-Identifier: Apache-2.0 */
/* command_view.h - view, dump and restore. */
#ifndef CUDASIM_DEBUGGER_COMMAND_VIEW_H
#define CUDASIM_DEBUGGER_COMMAND_VIEW_H

#include "command.h"

extern const struct command commands_view[];

/* command_dump.c */
struct cudasim_error *command_dump_memory(const char *argument);
struct cudasim_error *command_dump_value(const char *argument);
struct cudasim_error *command_dump_other(const char *argument);
struct cudasim_error *command_append_memory(const char *argument);
struct cudasim_error *command_append_value(const char *argument);
struct cudasim_error *command_restore(const char *argument);

#endif
