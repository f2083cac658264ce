/* SPDX-License-Identifier: Apache-2.0 */
/* block_coalescing.h - blocks side by side in x, run by one call.
 *
 * The loop function of a kernel that meets nobody is loops over z, y, the blocks of a row
 * and x. Where the kernel uses blockIdx.x and threadIdx.x in their sum
 * blockIdx.x * blockDim.x + threadIdx.x only, x counts on through all blocks of the row,
 * and where it does not use threadIdx.x at all, the loop over blocks is the innermost: so
 * rows of few threads, and blocks of one, become vectors as long ones do. */
#ifndef CUDASIM_COMPILER_BLOCK_COALESCING_H
#define CUDASIM_COMPILER_BLOCK_COALESCING_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

enum block_coalescing {
	COALESCING_NONE,    /* each block by itself */
	COALESCING_BLOCKS,  /* several blocks a call */
	COALESCING_JOINED,  /* and the innermost loop goes through all of them */
};

/* What the loops in a loop function may do, after the variables of pass_loop.c have become
 * registers; changes them so. function: (params, block, i32 blocks of the row). Its
 * innermost loop has thread_loop_mark()'s name, the loop around that is the one over
 * blocks. *in_order: it accesses memory so that the threads' order can be told (atomics),
 * so blocks of several rows of threads need a call each. */
enum block_coalescing blocks_coalesce(LLVMValueRef function, int *in_order);

#ifdef __cplusplus
}
#endif
#endif
