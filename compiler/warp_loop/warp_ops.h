/* SPDX-License-Identifier: Apache-2.0 */
/* warp_ops.h - warp operations of 32 lanes that have all come, as vector code. */
#ifndef CUDASIM_COMPILER_WARP_OPS_H
#define CUDASIM_COMPILER_WARP_OPS_H

#include "region_formation.h"
#include "loop_nest.h"

/* Whether the operation is one that warp_op_build() knows; others are libcudasim's. */
bool warp_op_is_known(const struct region_op *op);

/* An i1: the operation's masks are such that warp_op_build() can do it; NULL where that is
 * known. */
LLVMValueRef warp_op_fits(struct loop_nest *nest, LLVMValueRef frame, const struct region_op *op);

/* Tools hear, before they are done, that all lanes have met at the operations of the cut before region k;
 * frame is the block's. */
void warp_ops_tell(struct loop_nest *nest, const struct kernel_region *region, LLVMValueRef table,
		   LLVMValueRef frame, LLVMValueRef warp, unsigned k);

/* Do it: from the arrays of its arguments in the warp's frame to those of its result. */
void warp_op_build(struct loop_nest *nest, LLVMValueRef frame, const struct region_op *op);

/* Whether the operations of the region's cut are such that any lanes of a warp that have met there can do
 * them together, by warp_ops_build_partial(). */
bool warp_ops_may_be_partial(const struct kernel_region *region);

/* Do them for the lanes whose bits (an i32) are set, and which are those that have met. */
void warp_ops_build_partial(struct loop_nest *nest, LLVMValueRef frame,
			    const struct kernel_region *region, LLVMValueRef bits);

#endif
