/* SPDX-License-Identifier: Apache-2.0 */
/* frames_state.h - what is kept of frames and of memory, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_FRAMES_STATE_H
#define CUDASIM_DEBUGGER_FRAMES_STATE_H

#include <pthread.h>

#include "hash.h"

/* host_unwind.c */
struct frames_unwind {
	struct Dwfl *dwfl;
	struct walk *walking;
	struct launch_stack *stacks;
	pthread_mutex_t stacks_lock;
};

/* memory_made.c */
struct frames_memory {
	struct hash made; /* an allocation's number to its struct made */
	pthread_mutex_t lock;
};

struct frames_state {
	struct frames_unwind unwind;
	struct frames_memory memory;
};
#define FRAMES_STATE_INITIAL                                                                       \
	{                                                                                          \
		.unwind = {.stacks_lock = PTHREAD_MUTEX_INITIALIZER}, .memory = {                  \
			.lock = PTHREAD_MUTEX_INITIALIZER                                          \
		}                                                                                  \
	}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct frames_state *frames_state(void);

#endif
