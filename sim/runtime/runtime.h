/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.h - the process's life as a CUDA program: start, fork, exit. */
#ifndef CUDASIM_SIM_RUNTIME_H
#define CUDASIM_SIM_RUNTIME_H

#include <stdbool.h>

enum runtime_state {
	RUNTIME_READY,    /* simulating */
	RUNTIME_FORKED,   /* in a child of a process that had used CUDA */
	RUNTIME_EXITING,  /* exit() is running its handlers */
};

extern enum runtime_state runtime_state;
/* CUDA_LAUNCH_BLOCKING=1. */
extern bool runtime_launch_blocking;

/* Read the environment; what is wrong with it is said in one line and ends the
 * process with status 1. Called before main() (but for CUDASIM=0), and by whatever may
 * come before that; later calls do nothing. */
void runtime_start(void);

/* The process, or a library with kernels, is about to go: wait for the work of
 * all devices and print what kernels have printed. Gives up after two seconds,
 * and at once where it has given up before: a kernel may wait for the host. */
void runtime_quiesce(void);

#endif
