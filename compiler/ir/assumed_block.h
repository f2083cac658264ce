/* SPDX-License-Identifier: Apache-2.0 */
/* assumed_block.h - what holds of a kernel in the blocks alone that its source assumes: of several
 * warps, and of a size.
 *
 * A kernel has these as an attribute; calls that it needs in other blocks alone have a
 * mark. pass_reconverge writes them, pass_loop makes a loop of their own for such blocks. */
#ifndef CUDASIM_COMPILER_ASSUMED_BLOCK_H
#define CUDASIM_COMPILER_ASSUMED_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct assumed_block {
	uint32_t most[2]; /* threads in x and in y; 0: any number */
	bool has_warps;   /* several */
	bool has_whole_rows; /* threads in x are a multiple of 32 */
};

void assumed_block_set(LLVMValueRef kernel, const struct assumed_block *block);

/* False where the kernel assumes none. */
bool assumed_block_get(LLVMValueRef kernel, struct assumed_block *block);

/* The call is of no use in such blocks. */
void assumed_block_mark(LLVMValueRef call);

/* Deletes the calls with that mark. */
void assumed_block_apply(LLVMValueRef function);

#endif
