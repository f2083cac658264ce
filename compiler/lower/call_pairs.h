/* SPDX-License-Identifier: Apache-2.0 */
/* call_pairs.h - a sine and a cosine of one argument. */
#ifndef CUDASIM_COMPILER_CALL_PAIRS_H
#define CUDASIM_COMPILER_CALL_PAIRS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls of `one` and `other`, functions of one number, with the same argument, of which the
 * first is always followed by the second, become one call of `both(argument, &one, &other)`.
 * False where there were none. */
bool calls_pair(LLVMValueRef function, LLVMValueRef one, LLVMValueRef other, LLVMValueRef both);

/* The function touches no memory that anybody else can see, and comes back. */
void function_mark_pure(LLVMValueRef function);

/* The function stays in the module though nobody uses it, until it is let go. */
void function_mark_used(LLVMValueRef function);
void function_mark_unused(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
