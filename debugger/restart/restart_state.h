/* SPDX-License-Identifier: Apache-2.0 */
/* restart_state.h - what a restart needs, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_RESTART_STATE_H
#define CUDASIM_DEBUGGER_RESTART_STATE_H

#include <stdio.h>

struct restart_state {
	/* Writes lines of the session file (session.h) for options and -ex commands that are
	 * left; NULL: there are none. */
	void (*write_options)(FILE *out);
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct restart_state *restart_state(void);

#endif
