/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_commands_state.h - what the commands about breakpoints keep, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_BREAKPOINT_COMMANDS_STATE_H
#define CUDASIM_DEBUGGER_BREAKPOINT_COMMANDS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum breakpoint_pending { BREAKPOINT_PENDING_AUTO, BREAKPOINT_PENDING_ON, BREAKPOINT_PENDING_OFF };
/* breakpoint_actions.c */
struct waiting_commands {
	char **lines;
	size_t n, next;
	uint64_t generation; /* counts replacements */
	bool running;
};

/* breakpoint_table.c */
struct breakpoint_columns {
	/* Of the column of types: the longest that is shown. */
	int type_width;
};

struct breakpoint_commands_state {
	int pending; /* set breakpoint pending: enum breakpoint_pending */
	struct waiting_commands waiting;
	struct breakpoint_columns columns;
};
#define BREAKPOINT_COMMANDS_STATE_INITIAL {.pending = BREAKPOINT_PENDING_AUTO}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct breakpoint_commands_state *breakpoint_commands_state(void);

#endif
