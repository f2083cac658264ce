/* SPDX-License-Identifier: Apache-2.0 */
/* loop_warp.h - loops for kernels whose threads meet in warps. */
#ifndef CUDASIM_COMPILER_LOOP_WARP_H
#define CUDASIM_COMPILER_LOOP_WARP_H

#include "llvm_bridge.h"
#include "loop.h"

/* Make the kernel's loop over warps, and in them of regions between the places where
 * lanes meet. unroll: passes that also unroll loops of a known length. effort:
 * instructions that were made in vain for the module's kernels, 0 at first; above a limit
 * no more are tried. Returns NULL, or
 * why that is not possible (malloc()ed): nothing has changed then. */
char *loop_warp(struct device_module *dm, const struct layout_kernel *kernel,
		const struct callgraph *graph, struct bridge_passes *passes,
		struct bridge_passes *unroll, size_t *effort);

#endif
