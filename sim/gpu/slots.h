/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h - one table between the functions that libcudasim exports under CUDA's names and
 * those that do the work: the simulator's (sim_NAME, see names/rename.h), or those of the real
 * libcudart and libcuda.
 *
 * A slot is bound at its first call and never again. What registers device code is neither's:
 * see registration.h. */
#ifndef CUDASIM_SIM_GPU_SLOTS_H
#define CUDASIM_SIM_GPU_SLOTS_H

/* The function that a call through this slot goes to; stored there. Called by the trampolines
 * only. Ends the process where the program wants a GPU that it cannot have (choice.h). */
void *slot_bind(void **slot) __attribute__((visibility("hidden")));

/* Let calls of this function go to another one in the place of the real library's. Before its
 * first call. */
void slot_set(const char *name, void *function);

#endif
