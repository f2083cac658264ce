/* SPDX-License-Identifier: Apache-2.0 */
/* report_state.h - what the reports keep, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_REPORT_STATE_H
#define CUDASIM_DEBUGGER_REPORT_STATE_H

#include "frame_print.h"

/* stop_report.c */
struct report_place {
	const struct function *function;
	const char *name;
	size_t n_frames;
	bool is_device;
};

struct report_state {
	int frame_arguments; /* set print frame-arguments: FRAME_ARGUMENTS_... */
	bool short_names;    /* set print short-names */
	struct report_place place;
};
#define REPORT_STATE_INITIAL {.frame_arguments = FRAME_ARGUMENTS_SCALARS, .short_names = true}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct report_state *report_state(void);

#endif
