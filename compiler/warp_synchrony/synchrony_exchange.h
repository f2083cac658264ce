/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_exchange.h - global memory in which the lanes of a warp exchange elements in step. */
#ifndef CUDASIM_COMPILER_SYNCHRONY_EXCHANGE_H
#define CUDASIM_COMPILER_SYNCHRONY_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "synchrony_analysis.h"

/* Fills in a->exchanges: the arrays in global memory, by the parameters that point to them, in which
 * elements trade places. None where the function does not look like one of single warps. */
void synchrony_find_exchanges(struct analysis *a);

/* The one of a->exchanges that address points into, as an object; 0 for other memory. */
objects synchrony_exchange_of(const struct analysis *a, LLVMValueRef address);

#endif
