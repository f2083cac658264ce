/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDASIM_COMPILER_PTX_POINTERS_H
#define CUDASIM_COMPILER_PTX_POINTERS_H

#include <llvm-c/Core.h>

/* Makes pointers of the numbers that a module of PTX, in SSA form, uses as addresses. */
void ptx_pointers(LLVMModuleRef module);

#endif
