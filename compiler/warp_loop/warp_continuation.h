/* SPDX-License-Identifier: Apache-2.0 */
/* warp_continuation.h - the continuation of a kernel whose threads meet in warps. */
#ifndef CUDASIM_COMPILER_WARP_CONTINUATION_H
#define CUDASIM_COMPILER_WARP_CONTINUATION_H

#include "loop.h"
#include "loop_nest.h"
#include "loop_passes.h"
#include "region_formation.h"

/* Build it (step_build()), and form its regions at barriers and warp operations. most: the instructions
 * that it may have; *size: those that it has, where they are known. False with a reason, or with none
 * but a size that is too large; the function is there in any case. */
bool warp_continuation_build(struct loop_nest *nest, struct layout_kernel *kernel,
			     const struct callgraph *graph, struct loop_runner *runner, size_t most,
			     struct region_plan *cut, const char **why, size_t *size);

/* A warp: its part of the frame, and where its first lane is. */
struct warp_place {
	LLVMValueRef frame, x, y, z, linear;
};

/* Call the continuation for a lane of the warp and a region, at the builder's place. */
LLVMValueRef warp_continuation_call(struct loop_nest *nest, LLVMValueRef continuation,
				    const struct warp_place *place, LLVMValueRef lane,
				    unsigned region);

#endif
