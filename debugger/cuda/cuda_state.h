/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_state.h - what the tables of info cuda keep, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_CUDA_STATE_H
#define CUDASIM_DEBUGGER_CUDA_STATE_H

#include <stdbool.h>

struct cuda_state {
	bool coalescing; /* set cuda coalescing */
};
#define CUDA_STATE_INITIAL {.coalescing = true}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct cuda_state *cuda_state(void);

#endif
