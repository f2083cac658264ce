/* SPDX-License-Identifier: Apache-2.0 */
/* geometry.h - may this kernel be launched so, and how many of its blocks fit?
 * Rules of the device profile, without any state. */
#ifndef CUDASIM_SIM_GEOMETRY_H
#define CUDASIM_SIM_GEOMETRY_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "device.h"

/* What a launch asks of the device. */
struct geometry {
	uint32_t grid[3], block[3]; /* block is in threads */
	uint32_t cluster[3];        /* blocks; 0,0,0 or 1,1,1 without clusters */
	uint64_t dynamic_shared;    /* bytes */
	bool cooperative;
	bool non_portable_cluster;
	/* Of the kernel. */
	uint32_t static_shared;      /* bytes */
	uint64_t max_dynamic_shared; /* bytes, as cudaFuncSetAttribute left it */
	uint32_t max_threads;        /* a block, by __launch_bounds__ */
	uint32_t n_registers;        /* a thread */
};

/* cudaSuccess, or what the launch on a real device answers. */
cudaError_t geometry_check(const struct profile *profile, const struct geometry *geometry);

/* Why geometry_check() has refused it, for people: one line without an end. Empty where the
 * reason is not one of the limits of grids, blocks and shared memory. */
void geometry_reason(const struct profile *profile, const struct geometry *geometry, char *text,
		     size_t size);

/* Blocks of n_threads threads, with these needs, that one multiprocessor holds at
 * once: what cudaOccupancyMaxActiveBlocksPerMultiprocessor answers. shared is
 * static and dynamic together, in bytes. */
uint32_t geometry_blocks_per_sm(const struct profile *profile, uint32_t n_threads,
				uint32_t n_registers, uint64_t shared);

/* Dynamic shared memory in bytes that each block may have so that n_blocks fit;
 * 0 where they do not fit at all. */
uint64_t geometry_dynamic_shared(const struct profile *profile, uint32_t n_blocks,
				 uint32_t static_shared);

#endif
