/* SPDX-License-Identifier: Apache-2.0 */
/* managed.h - __managed__ variables of programs built with cudasim cc --gpu, on a GPU.
 *
 * As in the simulator the storage is the host's own variable. Device code finds it through a
 * slot: the module's symbol is a pointer. So the variable's pages are registered with CUDA and
 * the slot is written on each device that is used. */
#ifndef CUDASIM_SIM_GPU_MANAGED_H
#define CUDASIM_SIM_GPU_MANAGED_H

#include <stdbool.h>
#include <stddef.h>

/* Is the variable with this host address a managed one? It is remembered. */
bool managed_add(const void *host, size_t *size);

/* All are registered with the real library: make them usable, and let the calls that name
 * symbols know them. */
void managed_start(void);

#endif
