/* SPDX-License-Identifier: Apache-2.0 */
/* stay_loop.h - does a thread stay in a loop for as long as memory stays as it is? */
#ifndef CUDASIM_COMPILER_STAY_LOOP_H
#define CUDASIM_COMPILER_STAY_LOOP_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Proves of the loop of these blocks, entered at the header alone, that whether it is left follows
 * from memory and from what was so before it, whatever it counts and whichever clock it reads,
 * and that it changes nothing but what atomics find to be as memory says. A thread that has
 * gone round a few times while memory stood still goes round for ever then. False: not proven. */
bool stay_loop(const LLVMBasicBlockRef *blocks, unsigned n, LLVMBasicBlockRef header);

#endif
