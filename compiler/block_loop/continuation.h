/* SPDX-License-Identifier: Apache-2.0 */
/* continuation.h - a kernel's continuation function (region_formation.h), before it is cut. */
#ifndef CUDASIM_COMPILER_CONTINUATION_H
#define CUDASIM_COMPILER_CONTINUATION_H

#include "loop_nest.h"

/* Add the function with the kernel and what it calls inlined; sets function and
 * values. The caller lowers it (loop_lower()), has it simplified and cut. False, with
 * why, where that cannot be; the function is there in any case. */
bool step_build(struct loop_nest *nest, const struct layout_kernel *kernel,
		const struct callgraph *graph, bool warps, const char **why);

/* The loops have the continuation inlined; what calls it beside them does so seldom. */
void continuation_is_seldom_called(LLVMValueRef continuation);

#endif
