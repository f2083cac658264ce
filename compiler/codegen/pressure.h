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

/* How many of n_registers are left once min_blocks blocks (0: one) of max_threads
 * threads must fit on a multiprocessor, as __launch_bounds__ asks: ptxas spills
 * the others. max_threads 0: any block, all of them. */
uint32_t pressure_bounded(uint32_t n_registers, uint32_t max_threads, uint32_t min_blocks);

#endif
