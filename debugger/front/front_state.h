/* SPDX-License-Identifier: Apache-2.0 */
/* front_state.h - what the front end is reached by, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_FRONT_STATE_H
#define CUDASIM_DEBUGGER_FRONT_STATE_H

#include <stdbool.h>
#include <stdio.h>

#include "front.h"

/* setting.c */
struct front_settings {
	struct entry *entries;
	size_t n_entries;
	/* What says again after a restart what has been set. */
	void (*saves[16])(FILE *out);
	size_t n_saves;
	void (*search)(FILE *out); /* of these what a search needs (recording.h) */
	bool same_run;
};

struct front_state {
	struct front_end end;
	struct front_settings settings;
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct front_state *front_state(void);

#endif
