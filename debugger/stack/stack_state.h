/* SPDX-License-Identifier: Apache-2.0 */
/* stack_state.h - what is looked at, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_STACK_STATE_H
#define CUDASIM_DEBUGGER_STACK_STATE_H

#include "focus.h"
#include "stack.h"

/* focus.c */
struct focus_kept {
	struct focus current;
};

/* stack.c */
struct stack_frames {
	bool is_known;
	struct cudasim_thread *thread; /* whose they are; NULL: the host's */
	struct frame *frames;
	size_t n;
	uint32_t selected;
};

struct stack_state {
	struct thread_view view;
	struct focus_kept focus;
	struct stack_frames frames;
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct stack_state *stack_state(void);

#endif
