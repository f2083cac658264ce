/* SPDX-License-Identifier: Apache-2.0 */
/* rank.h - how deep a value is computed, as LLVM's Reassociate pass counts it, which
 * nvcc's optimiser runs: of the two operands of a commutative operation the one of lower
 * rank comes to stand on the left. */
#ifndef CUDASIM_COMPILER_RANK_H
#define CUDASIM_COMPILER_RANK_H

#include <llvm-c/Core.h>
#include <stdbool.h>

struct rank;

/* NULL when there is no memory. */
struct rank *rank_new(LLVMValueRef function);
void rank_free(struct rank *);

/* Whether the right operand of an addition would come to stand on the left. */
bool rank_swaps(const struct rank *, LLVMValueRef addition);

#endif
