/* SPDX-License-Identifier: Apache-2.0 */
/* stops_state.h - the breakpoints, watchpoints and catchpoints, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_STOPS_STATE_H
#define CUDASIM_DEBUGGER_STOPS_STATE_H

#include "breakpoint.h"

struct stops_state {
	struct breakpoint *breakpoints; /* by ascending number */
	/* Number of the next new one; for taking up numbers after a restart. */
	int next_number;
};
#define STOPS_STATE_INITIAL {.next_number = 1}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct stops_state *stops_state(void);

#endif
