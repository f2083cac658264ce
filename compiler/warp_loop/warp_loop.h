/* SPDX-License-Identifier: Apache-2.0 */
/* warp_loop.h - loops for kernels whose threads meet in warps. */
#ifndef CUDASIM_COMPILER_WARP_LOOP_H
#define CUDASIM_COMPILER_WARP_LOOP_H

#include "llvm_functions.h"
#include "loop.h"
#include "loop_passes.h"

/* Make the kernel's loop over warps, and in them of regions between the places where
 * lanes meet. budget:
 * instructions that were made in vain for the module's kernels, 0 at first; above a limit
 * no more are tried. Returns NULL, or
 * why that is not possible (malloc()ed): nothing has changed then. */
char *loop_warp(struct device_module *dm, struct layout_kernel *kernel,
		const struct callgraph *graph, struct loop_runner *runner, size_t *budget);

#endif
