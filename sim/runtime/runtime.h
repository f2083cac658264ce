/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.h - the process's life as a CUDA program: start and exit. */
#ifndef CUDASIM_SIM_RUNTIME_H
#define CUDASIM_SIM_RUNTIME_H

#include <stdbool.h>

/* CUDA_LAUNCH_BLOCKING=1. */
extern bool runtime_launch_blocking;

/* Read the environment; what is wrong with it is said in one line and ends the
 * process with status 1. Called before main() (but for CUDASIM=0), and by whatever may
 * come before that; later calls do nothing. */
void runtime_start(void);

#endif
