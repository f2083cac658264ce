/* SPDX-License-Identifier: Apache-2.0 */
/* baton_state.h - what the hand-over keeps, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_BATON_STATE_H
#define CUDASIM_DEBUGGER_BATON_STATE_H

#include <stdatomic.h>
#include <sys/types.h>

#include "baton.h"

/* baton.c */
struct baton_turns {
	atomic_int turn;
	atomic_int stopper; /* 1: a pthread of the program is stopped, or about to be */
	struct stop posted;
	/* Answers; a pthread has read its own before so many others have come. */
	struct resume answers[16];
	unsigned n_answers;
	int stops_fd, signals_fd;
	bool started, ended, detached;
	bool asked; /* Ctrl-C came while the program ran, and its stop was another */
	pid_t own_process;
	bool is_forking;
};

struct baton_state {
	struct stop stop; /* that the REPL is at; kind STOP_START before the program runs */
	volatile bool interrupt_wanted; /* Ctrl-C is to stop the kernel that runs */
	struct baton_turns turns;
	struct baton_hooks hooks;
	struct listener listener;
};
#define BATON_STATE_INITIAL {.turns = {.stops_fd = -1, .signals_fd = -1}, .listener = {.fd = -1}}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct baton_state *baton_state(void);

#endif
