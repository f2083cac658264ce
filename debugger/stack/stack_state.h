/* SPDX-License-Identifier: Apache-2.0 */
/* stack_state.h - what is looked at, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_STACK_STATE_H
#define CUDASIM_DEBUGGER_STACK_STATE_H

#include "stack.h"

struct stack_state {
	struct thread_view view;
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct stack_state *stack_state(void);

#endif
