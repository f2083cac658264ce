/* SPDX-License-Identifier: Apache-2.0 */
/* warp_loop.h - loops for kernels whose threads meet in warps. */
#ifndef CUDASIM_COMPILER_WARP_LOOP_H
#define CUDASIM_COMPILER_WARP_LOOP_H

#include "llvm_functions.h"
#include "loop.h"
#include "loop_passes.h"

/* What a module's kernels have cost so far, in instructions; zeros at first. */
struct warp_loop_spent {
	size_t in_vain; /* of continuations from which no loop was made */
	size_t large;   /* of loops larger than any kernel may have */
};

/* Make the kernel's loop over warps, and in them of regions between the places where
 * lanes meet. Sets kernel->large_loop. Returns NULL, or why that is not possible
 * (malloc()ed): nothing but *spent has changed then. */
char *loop_warp(struct device_module *dm, struct layout_kernel *kernel,
		const struct callgraph *graph, struct loop_runner *runner,
		struct warp_loop_spent *spent);

#endif
