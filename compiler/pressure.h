/* SPDX-License-Identifier: Apache-2.0 */
/* pressure.h - how many registers a GPU would give a function. */
#ifndef CUDASIM_COMPILER_PRESSURE_H
#define CUDASIM_COMPILER_PRESSURE_H

#include <stdint.h>

#include <llvm-c/Core.h>

/* An estimate for cudaFuncAttributes.numRegs: the largest number of 32-bit
 * values that live at one place of the optimised function, and what a kernel
 * always needs, in 16..255 as the hardware allows. Callees are not counted. */
uint32_t pressure_registers(LLVMValueRef function);

#endif
