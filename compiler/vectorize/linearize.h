/* SPDX-License-Identifier: Apache-2.0 */
/* linearize.h - consecutive threads of a block as the lanes of vectors. */
#ifndef CUDASIM_COMPILER_LINEARIZE_H
#define CUDASIM_COMPILER_LINEARIZE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Give each loop over threads (thread_loop_mark) that LLVM would not vectorise, since it
 * has inner loops or much control flow, a form that runs several threads at
 * once, with a mask of active lanes. A vector of floats has `bits` bits.
 *
 * Returns whether there was one; then the function has variables that want to become
 * registers. */
bool loops_linearize(LLVMValueRef function, unsigned bits);

#ifdef __cplusplus
}
#endif
#endif
