/* SPDX-License-Identifier: Apache-2.0 */
/* geometry.h - may this kernel be launched so, and how many of its blocks fit?
 * Rules of the device profile, without any state. */
#ifndef CUDASIM_SIM_GEOMETRY_H
#define CUDASIM_SIM_GEOMETRY_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "cudasim/observer.h"
#include "device.h"

/* What else decides about a launch: set for its function by the host. */
struct geometry_limits {
	uint64_t max_dynamic_shared; /* bytes, as cudaFuncSetAttribute left it */
	bool non_portable_cluster;
};

/* cudaSuccess, or what the launch on a real device answers. The launch's kernel must be known;
 * a cluster of 0,0,0 is none. */
cudaError_t geometry_check(const struct profile *profile, const struct cudasim_launch *launch,
			   const struct geometry_limits *limits);

/* The same of its cluster alone, for which no kernel need be known. */
cudaError_t geometry_check_cluster(const struct profile *profile,
				   const struct cudasim_launch *launch,
				   const struct geometry_limits *limits);

/* Why geometry_check() has refused it, for people: one line without an end. Empty where the
 * reason is not one of the limits of grids, blocks and shared memory. */
void geometry_reason(const struct profile *profile, const struct cudasim_launch *launch,
		     const struct geometry_limits *limits, char *text, size_t size);

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
