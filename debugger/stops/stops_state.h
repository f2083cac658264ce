/* SPDX-License-Identifier: Apache-2.0 */
/* stops_state.h - the breakpoints, watchpoints and catchpoints, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_STOPS_STATE_H
#define CUDASIM_DEBUGGER_STOPS_STATE_H

#include "breakpoint.h"

/* breakpoint.c */
struct stops_counted {
	/* Stops are numbered so that a breakpoint with several locations counts one once. */
	uint64_t stop_number;
	bool any_spent;
};

/* catchpoint.c */
struct stops_asked {
	/* The checker that EVENT_FINDING is asked for. */
	const char *tool;
};

struct stops_state {
	struct breakpoint *breakpoints; /* by ascending number */
	/* Number of the next new one; for taking up numbers after a restart. */
	int next_number;
	struct stops_counted counted;
	struct stops_asked asked;
};
#define STOPS_STATE_INITIAL {.next_number = 1, .counted = {.stop_number = 1}}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct stops_state *stops_state(void);

#endif
