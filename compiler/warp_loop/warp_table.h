/* SPDX-License-Identifier: Apache-2.0 */
/* warp_table.h - what libcudasim is told of a loop over warps, to step lanes one by one. */
#ifndef CUDASIM_COMPILER_WARP_TABLE_H
#define CUDASIM_COMPILER_WARP_TABLE_H

#include "loop_nest.h"
#include "region_formation.h"

/* A constant struct cudasim_loop (cudasim/abi.h) of the continuation, of the function
 * from warp_lanes_declare(), and of the operations between regions. */
LLVMValueRef warp_table_build(struct loop_nest *nest, const struct region_plan *cut,
			      LLVMValueRef continuation, LLVMValueRef lanes);

#endif
