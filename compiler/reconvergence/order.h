/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - which of two places of a module its kernels come to first. */
#ifndef CUDASIM_COMPILER_ORDER_H
#define CUDASIM_COMPILER_ORDER_H

#include <stdint.h>

#include <llvm-c/Core.h>

/* Sets rank[i] for the places with wanted[i], from 1 on in the order in which the module's
 * functions come to them; 0 where none does. Place i, one of n, is where a call of
 * SYNCHRONY_MARKER has i as its argument; it may be in several functions, or several times in one. */
void order_places(LLVMModuleRef module, const unsigned char *wanted, uint32_t n, uint32_t *rank);

#endif
