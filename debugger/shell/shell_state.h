/* SPDX-License-Identifier: Apache-2.0 */
/* shell_state.h - what the command line keeps, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_SHELL_STATE_H
#define CUDASIM_DEBUGGER_SHELL_STATE_H

#include "command.h"

struct shell_state {
	/* All arrays of commands; ends with NULL. Set once, before the first command is looked
	 * for. */
	const struct command *const *tables;
	bool is_batch; /* nobody is asked */
	/* Settings of the REPL's own. */
	bool confirm, pagination, stops_scripts;
	uint32_t width, height;
	char *prompt;
};
#define SHELL_STATE_INITIAL {.confirm = true, .pagination = true}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct shell_state *shell_state(void);

#endif
