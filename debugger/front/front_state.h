/* SPDX-License-Identifier: Apache-2.0 */
/* front_state.h - what the front end is reached by, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_FRONT_STATE_H
#define CUDASIM_DEBUGGER_FRONT_STATE_H

#include <stdio.h>

struct front_state {
	FILE *console;
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct front_state *front_state(void);

#endif
