/* SPDX-License-Identifier: Apache-2.0 */
/* data_state.h - what the commands about values keep, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_DATA_STATE_H
#define CUDASIM_DEBUGGER_DATA_STATE_H

#include <stdint.h>

/* command_display.c */
struct data_displays {
	struct display *displays;
	uint32_t n_made;
};

/* command_each.c */
struct data_each {
	/* Rows of the table at most: set print each-rows; 0 is no limit. */
	uint32_t max_rows;
};

/* command_memory.c: What the last x had: the next without a format or an address goes on with it. */
struct data_examined {
	char format, size;
	uint64_t next, window;
};

struct data_state {
	struct data_displays displays;
	struct data_each each;
	struct data_examined examined;
};
#define DATA_STATE_INITIAL {.each = {.max_rows = 40}, .examined = {.format = 'x', .size = 'w'}}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct data_state *data_state(void);

#endif
