/* SPDX-License-Identifier: Apache-2.0 */
/* block_order.h - the blocks of a function in the order in which threads come to them. */
#ifndef CUDASIM_COMPILER_BLOCK_ORDER_H
#define CUDASIM_COMPILER_BLOCK_ORDER_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Puts the blocks of a function whose blocks all have terminators into topological order, back
 * edges aside, with the blocks of each natural loop together and in front of those behind the
 * loop. Blocks that cannot be reached come last. */
void block_order(LLVMValueRef function);

#ifdef __cplusplus
}
#endif

#endif
