/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_state.h - what has been read of debug information, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_SYMBOLS_STATE_H
#define CUDASIM_DEBUGGER_SYMBOLS_STATE_H

#include <stddef.h>

struct symbols_state {
	/* All files, in the order in which they are mapped (the executable first). */
	struct file **files;
	size_t n_files;
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct symbols_state *symbols_state(void);

#endif
