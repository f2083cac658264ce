/* SPDX-License-Identifier: Apache-2.0 */
/* window.h - a block's shared memory.
 *
 * The window ends (rounded up to the 128 bytes in which the hardware gives
 * shared memory out) where nothing is mapped: going past it is a fault, as it
 * is on the device (an H200 answers 700 near the window, 715 beyond the 16 MiB
 * of its address range). Its contents are zero when a block begins; the
 * hardware leaves there what the last block left. */
#ifndef CUDASIM_SIM_WINDOW_H
#define CUDASIM_SIM_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WINDOW_RANGE (16u << 20) /* bytes of shared address space */

struct window {
	unsigned char *map;  /* unmapped guard, capacity bytes, guard; NULL at first */
	size_t capacity;     /* bytes between the guards */
	size_t guard;        /* bytes of the one behind */
	unsigned char *base; /* start of the window */
	uint32_t bytes;
};

/* Lay a window of `bytes`, its start aligned to align (a power of two, 16..).
 * False without memory. */
bool window_prepare(struct window *window, uint32_t bytes, uint32_t align);
/* Windows of a cluster's n blocks, prepared with that alignment: see to it that 32 bits tell the distance from each
 * to each other, as addresses of PTX's shared::cluster do. What they hold is lost. False without memory. */
bool window_gather(struct window *const windows[], uint32_t n, uint32_t align);
void window_fini(struct window *window);
void window_clear(struct window *window);
/* True if addr is in one of the guards. */
bool window_guards(const struct window *window, const void *addr);

#endif
