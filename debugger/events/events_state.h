/* SPDX-License-Identifier: Apache-2.0 */
/* events_state.h - what is told of kernels and API calls, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_EVENTS_STATE_H
#define CUDASIM_DEBUGGER_EVENTS_STATE_H

#include <stdint.h>

/* api_failure.c */
struct event_failures {
	int api_failures; /* set cuda api_failures, at first hide */
};

/* kernel_event.c */
struct event_kernels {
	int kernel_events; /* set cuda kernel_events, at first none */
	uint32_t depth;    /* set cuda kernel_events_depth; 0: no limit */
};

struct events_state {
	struct event_failures failures;
	struct event_kernels kernels;
};
#define EVENTS_STATE_INITIAL {.kernels = {.depth = 1}}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct events_state *events_state(void);

#endif
