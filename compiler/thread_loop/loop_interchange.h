/* SPDX-License-Identifier: Apache-2.0 */
/* loop_interchange.h - grid-stride loops, turned inside out. */
#ifndef CUDASIM_COMPILER_LOOP_INTERCHANGE_H
#define CUDASIM_COMPILER_LOOP_INTERCHANGE_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In each loop over threads (thread_loop_mark()) whose work is a loop
 * `for (i = first + thread; i < n; i += stride)` let all threads take a step together:
 * the loop over threads becomes the inner one, so memory is passed in its order. */
void loops_interchange(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
