/* SPDX-License-Identifier: Apache-2.0 */
/* induction_widening.h - indices that count on from thread to thread. */
#ifndef CUDASIM_COMPILER_INDUCTION_WIDENING_H
#define CUDASIM_COMPILER_INDUCTION_WIDENING_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In each short loop over threads (thread_loop_mark()) make 32-bit sums of the thread's
 * number that are widened, as indices of memory are, wide from the beginning, where no
 * thread's sum overflows; elsewhere a copy of the loop runs. */
void loops_widen_induction(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
