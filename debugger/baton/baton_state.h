/* SPDX-License-Identifier: Apache-2.0 */
/* baton_state.h - what the hand-over keeps, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_BATON_STATE_H
#define CUDASIM_DEBUGGER_BATON_STATE_H

#include "baton.h"

struct baton_state {
	struct stop stop; /* that the REPL is at; kind STOP_START before the program runs */
	volatile bool interrupt_wanted; /* Ctrl-C is to stop the kernel that runs */
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct baton_state *baton_state(void);

#endif
