/* SPDX-License-Identifier: Apache-2.0 */
/* spin.h - does a loaded value decide whether a loop goes on? */
#ifndef CUDASIM_COMPILER_SPIN_H
#define CUDASIM_COMPILER_SPIN_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* The value reaches a branch that leaves a loop around the instruction, through variables,
 * arithmetic and returned values. */
bool spin_decides(LLVMValueRef instruction);

#endif
