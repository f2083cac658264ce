/* SPDX-License-Identifier: Apache-2.0 */
/* bound_narrowing.h - loops over threads of which only some do something. */
#ifndef CUDASIM_COMPILER_BOUND_NARROWING_H
#define CUDASIM_COMPILER_BOUND_NARROWING_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Let each loop over threads (thread_loop_mark()) whose body runs only for those from
 * one number to another run for these alone: `if (threadIdx.x < half)` becomes the
 * loop's bound. Invariant values are expected to be outside the loops, and no value
 * of a loop to be used behind it. */
void loops_narrow_bounds(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
