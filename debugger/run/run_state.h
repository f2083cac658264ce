/* SPDX-License-Identifier: Apache-2.0 */
/* run_state.h - what the run control keeps, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_RUN_STATE_H
#define CUDASIM_DEBUGGER_RUN_STATE_H

#include "control.h"

struct run_state {
	enum control_mode mode;
	struct run_settings settings;
	struct run_hooks hooks;
	struct catchers catchers;
	/* The one that was focused when the program went on; launch 0: none. */
	struct thread_id focused_before;
};
#define RUN_STATE_INITIAL {.settings = {.step_unit = STEP_WARP, .gather_threads = 4096}}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct run_state *run_state(void);

#endif
