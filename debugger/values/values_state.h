/* SPDX-License-Identifier: Apache-2.0 */
/* values_state.h - what is kept of values, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_VALUES_STATE_H
#define CUDASIM_DEBUGGER_VALUES_STATE_H

#include <pthread.h>

#include "container.h"

enum { N_NOTED = 64 };
struct noted {
	uint64_t address, size, states;
	uint32_t scalar; /* bytes that a state stands for; 0: an entry that is free */
};
/* unwritten.c */
struct values_unwritten {
	pthread_mutex_t lock;
	struct noted noted[N_NOTED];
	unsigned n_noted;
};

/* history.c */
struct values_history {
	struct value *values;
	uint32_t n_values, capacity;
	struct convenience *first, **last; /* last NULL: there is none */
};

/* value.c */
struct values_focus {
	const struct cudasim_block *block;
};

struct values_state {
	bool is_read_only; /* the past is shown (recording.h) */
	struct print_settings print;
	struct values_unwritten unwritten;
	struct values_history history;
	struct values_focus focus;
	container_open_fn *container_open; /* container.c; NULL: no container is known */
};
#define VALUES_STATE_INITIAL                                                                       \
	{                                                                                          \
		.print = {.symbol = true,                                                          \
			  .address = true,                                                         \
			  .unions = true,                                                          \
			  .static_members = true,                                                  \
			  .elements = 200,                                                         \
			  .repeats = 10,                                                           \
			  .max_depth = 20},                                                        \
		.unwritten = {                                                                     \
			.lock = PTHREAD_MUTEX_INITIALIZER                                          \
		}                                                                                  \
	}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct values_state *values_state(void);

#endif
