/* SPDX-License-Identifier: Apache-2.0 */
/* listing_state.h - what the commands about sources keep, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_LISTING_STATE_H
#define CUDASIM_DEBUGGER_LISTING_STATE_H

/* command_stack.c */
struct listing_directories {
	char *directories_shown;
};

struct listing_state {
	struct listing_directories directories;
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct listing_state *listing_state(void);

#endif
