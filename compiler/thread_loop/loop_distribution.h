/* SPDX-License-Identifier: Apache-2.0 */
/* loop_distribution.h - what few threads do besides has loops of its own. */
#ifndef CUDASIM_COMPILER_LOOP_DISTRIBUTION_H
#define CUDASIM_COMPILER_LOOP_DISTRIBUTION_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In each innermost loop over a region's threads (thread_loop_mark_region()) let what stands
 * behind a comparison for equality, `if (threadIdx.x == 0)` or `if (threadIdx.y == 0)`, run
 * after the loop over all that comes before it, and before a loop over all that follows: for the
 * one thread whose number it is, or for no thread of the row. What all threads do is left without
 * these conditions, as whole vectors. Invariant values are expected to be outside the loops. */
void loops_distribute(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
