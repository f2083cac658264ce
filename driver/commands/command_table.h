/* SPDX-License-Identifier: Apache-2.0 */
/* command_table.h - the commands, in the order in which they are listed. */
#ifndef CUDASIM_DRIVER_COMMAND_TABLE_H
#define CUDASIM_DRIVER_COMMAND_TABLE_H

#include "error.h"
#include "manual.h"

struct command_row {
	const struct manual *manual;
	/* As the functions of commands.h. */
	struct cudasim_error *(*run)(int n, char **arguments, int *ret);
};

/* Ends with a row without a manual. */
extern const struct command_row command_table[];

/* The command of this name, or NULL. */
const struct command_row *command_named(const char *name);

/* What there is to say about cudasim as a whole; it has no name and no options. */
extern const struct manual cudasim_manual;

#endif
