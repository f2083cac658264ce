/* SPDX-License-Identifier: Apache-2.0 */
/* idle_yields.h - loops that wait for an mbarrier need not give way besides. */
#ifndef CUDASIM_COMPILER_IDLE_YIELDS_H
#define CUDASIM_COMPILER_IDLE_YIELDS_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the code of a kernel that will be cut where its threads wait: a loop that comes round only when
 * __cudasim_mbarrier_wait() has answered that a phase is not over, and so has given way, neither gives way at its
 * back edge nor sleeps. Each of these would be a cut. */
void idle_yields_remove(LLVMValueRef function);

/* Readings of clocks that nobody uses go: LLVM takes them for effects. */
void unused_clocks_remove(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
