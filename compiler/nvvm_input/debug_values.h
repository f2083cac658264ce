/* SPDX-License-Identifier: Apache-2.0 */
/* debug_values.h - variables that debug information knows as values. */
#ifndef CUDASIM_COMPILER_DEBUG_VALUES_H
#define CUDASIM_COMPILER_DEBUG_VALUES_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gives each variable of the function's that is known by values alone (llvm.dbg.value, as Numba has
 * it) a place in memory, to which its values are stored, as clang does: a value is gone after its
 * last use, and the debugger shows variables up to the end of their scope. */
void debug_store_values(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
