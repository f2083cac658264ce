/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_state.h - what the tables of info cuda keep, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_CUDA_STATE_H
#define CUDASIM_DEBUGGER_CUDA_STATE_H

#include <stdbool.h>

/* command_cuda.c */
struct cuda_settings {
	bool launch_blocking;
};

struct cuda_state {
	bool coalescing; /* set cuda coalescing */
	struct cuda_settings settings;
};
#define CUDA_STATE_INITIAL                                                                         \
	{                                                                                          \
		.coalescing = true, .settings = {.launch_blocking = true }                         \
	}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct cuda_state *cuda_state(void);

#endif
