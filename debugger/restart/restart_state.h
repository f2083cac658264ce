/* SPDX-License-Identifier: Apache-2.0 */
/* restart_state.h - what a restart needs, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_RESTART_STATE_H
#define CUDASIM_DEBUGGER_RESTART_STATE_H

#include <stdio.h>

/* arguments.c */
struct restart_arguments {
	char *arguments;     /* set args; never NULL once start() has run */
	char *arguments_now; /* of this process */
};

/* restart.c */
struct restart_streams {
	/* The standard streams that the session began with: what a run has that is not redirected. */
	int streams[3];
	char *terminal, *terminal_now; /* set inferior-tty; that of this process */
	/* libcudasim.so where the loader had to be asked for it, else NULL. */
	char *preloaded;
};

struct restart_state {
	/* Writes lines of the session file (session.h) for options and -ex commands that are
	 * left; NULL: there are none. */
	void (*write_options)(FILE *out);
	struct restart_arguments arguments;
	struct restart_streams streams;
};
#define RESTART_STATE_INITIAL                                                                      \
	{                                                                                          \
		.streams = {.streams = {-1, -1, -1} }                                              \
	}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct restart_state *restart_state(void);

#endif
