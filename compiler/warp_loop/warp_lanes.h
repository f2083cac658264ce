/* SPDX-License-Identifier: Apache-2.0 */
/* warp_lanes.h - the regions of a kernel for some lanes of a warp. */
#ifndef CUDASIM_COMPILER_WARP_LANES_H
#define CUDASIM_COMPILER_WARP_LANES_H

#include "loop_nest.h"
#include "loop_passes.h"
#include "region_formation.h"

/* Add the function `lanes` of struct cudasim_loop (cudasim/abi.h), without code. */
LLVMValueRef warp_lanes_declare(struct device_module *dm, const struct layout_kernel *kernel);

/* Give it its code: each region as a loop over the 32 lanes of a warp, of which those in a mask run
 * the continuation. Calls of the continuation are inlined; the function is simplified like
 * the loop over warps. */
void warp_lanes_define(struct device_module *dm, struct layout_kernel *kernel, LLVMValueRef lanes,
		       LLVMValueRef continuation, const struct region_plan *cut,
		       struct loop_runner *runner);

#endif
