/* SPDX-License-Identifier: Apache-2.0 */
/* barrier_loop.h - loops for kernels whose threads meet at block barriers. */
#ifndef CUDASIM_COMPILER_BARRIER_LOOP_H
#define CUDASIM_COMPILER_BARRIER_LOOP_H

#include "llvm_functions.h"
#include "loop.h"
#include "loop_passes.h"

/* Make the kernel's loop of regions between its barriers. Returns NULL, or why that
 * is not possible (malloc()ed): nothing has changed then. */
char *loop_cut(struct device_module *dm, struct layout_kernel *kernel,
	       const struct callgraph *graph, struct loop_runner *runner);

#endif
