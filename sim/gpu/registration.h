/* SPDX-License-Identifier: Apache-2.0 */
/* registration.h - device code that makes itself known at start-up, for the simulator and
 * for a GPU.
 *
 * The simulator hears of everything at once, so that managed variables have their values
 * before main(). What holds GPU code is written down, too, until the choice is made
 * (choice.h), and then told to the real library; what comes later is told at once. */
#ifndef CUDASIM_SIM_GPU_REGISTRATION_H
#define CUDASIM_SIM_GPU_REGISTRATION_H

#include <stdbool.h>

#include "cudasim/error.h"

/* The function of this file that __cudaRegisterFatBinary and its kin are, NULL for others. */
void *registration_entry(const char *name);

/* NULL where all that has registered holds GPU code (or nothing has registered).
 * CUDASIM_E_NOTFOUND names a kernel without. */
struct cudasim_error *registration_has_gpu_code(void);
/* Does anything? */
bool registration_any_gpu_code(void);
/* Has nothing registered that nvcc built? */
bool registration_can_be_simulated(void);
/* CUDASIM_E_NOTFOUND: something registered holds no code for this compute capability. */
struct cudasim_error *registration_runs_on(int major, int minor);

/* The choice is made. With a GPU: tell the real library everything. */
void registration_settle(bool gpu);

#endif
