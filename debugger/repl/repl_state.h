/* SPDX-License-Identifier: Apache-2.0 */
/* repl_state.h - what the session asks for, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_REPL_STATE_H
#define CUDASIM_DEBUGGER_REPL_STATE_H

#include <stdbool.h>
#include <stddef.h>

/* repl.c */
struct repl_session {
	bool is_quiet, is_again, gives_result, runs_at_once, follows;
	bool reads_rc, reads_home_rc;
	bool has_read; /* any command */
	/* It speaks the Debug Adapter Protocol: on this socket (-1: it waits for one). */
	bool is_dap, dap_launched;
	int dap;
	char *dap_known; /* of the client, by the process before; may be NULL */
	/* What the session file asks for. */
	char **silent, **first, **pending;
	size_t n_silent, n_first, n_pending;
};

struct repl_state {
	struct repl_session session;
};
#define REPL_STATE_INITIAL {.session = {.reads_rc = true, .reads_home_rc = true, .dap = -1}}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct repl_state *repl_state(void);

#endif
