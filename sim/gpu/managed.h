/* SPDX-License-Identifier: Apache-2.0 */
/* managed.h - __managed__ variables of programs built with cudasim cc --gpu, on a GPU.
 *
 * As in the simulator the storage is the host's own variable. Device code finds it through a
 * slot: the module's symbol is a pointer. So the variable's pages are registered with CUDA
 * (managed_pages.c) and the slot is written on each device that is used. */
#ifndef CUDASIM_SIM_GPU_MANAGED_H
#define CUDASIM_SIM_GPU_MANAGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the variable with this host address a managed one? It is remembered as owner's. */
bool managed_add(const void *owner, const void *host, size_t *size);

/* All that were added are registered with the real library: make them usable, and let the
 * calls that name symbols know them. Called when the GPU is chosen, and after each library
 * that is opened later. */
void managed_start(void);

/* The owner's variables go, with their library. */
void managed_remove(const void *owner);

/* ---- managed_pages.c ------------------------------------------------------------------- */

/* Share the pages of [from, from + size) with all GPUs; some may be shared already, because
 * variables share pages. Not safe from two threads at once. */
void managed_pages_share(const void *from, size_t size);
/* Pages where `used` finds nothing any more are the host's alone again. */
void managed_pages_release(bool (*used)(uintptr_t from, uintptr_t end));

#endif
