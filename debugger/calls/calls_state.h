/* SPDX-License-Identifier: Apache-2.0 */
/* calls_state.h - what calls of the program's functions keep, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_CALLS_STATE_H
#define CUDASIM_DEBUGGER_CALLS_STATE_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { N_GUARDED = 7 }; /* signals */

/* call_guard.c */
struct call_guards {
	/* One call at a time: the REPL's pthread has the baton. */
	struct sigaction before[N_GUARDED];
	sigjmp_buf way_back;
	pthread_t caller;
	volatile sig_atomic_t caught, ticks;
	const void *volatile caught_address;
	/* Odd while a call runs; made by the worker, seen by its signal handlers and the REPL. */
	atomic_uint_fast64_t quick;
	_Atomic pid_t quick_tid;
};

/* library.c */
struct call_library {
	const struct cudasim_function *const *table;
};

struct calls_state {
	struct call_guards guards;
	struct call_library library;
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct calls_state *calls_state(void);

#endif
