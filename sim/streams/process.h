/* SPDX-License-Identifier: Apache-2.0 */
/* process.h - the process's life as a CUDA program, and the end of its work. */
#ifndef CUDASIM_SIM_PROCESS_H
#define CUDASIM_SIM_PROCESS_H

#include <stdbool.h>

enum process_state {
	PROCESS_READY,   /* simulating */
	PROCESS_FORKED,  /* in a child of a process that had used CUDA */
	PROCESS_EXITING, /* exit() is running its handlers */
};

extern enum process_state process_state;
/* The pthread makes a copy that goes on with its launch (cudasim_fork()). */
extern _Thread_local bool process_is_copying;

/* The process, or a library with kernels, is about to go: wait for the work of
 * all devices and print what kernels have printed. Gives up after two seconds,
 * and at once where it has given up before: a kernel may wait for the host. */
void process_quiesce(void);

#endif
