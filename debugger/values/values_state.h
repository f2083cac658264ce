/* SPDX-License-Identifier: Apache-2.0 */
/* values_state.h - what is kept of values, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_VALUES_STATE_H
#define CUDASIM_DEBUGGER_VALUES_STATE_H

#include "value.h"

struct values_state {
	struct print_settings print;
};
#define VALUES_STATE_INITIAL                                                                       \
	{.print = {.symbol = true,                                                                 \
		   .address = true,                                                                \
		   .unions = true,                                                                 \
		   .static_members = true,                                                         \
		   .elements = 200,                                                                \
		   .repeats = 10,                                                                  \
		   .max_depth = 20}}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct values_state *values_state(void);

#endif
