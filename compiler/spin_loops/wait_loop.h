/* SPDX-License-Identifier: Apache-2.0 */
/* wait_loop.h - does a loop do nothing but wait? */
#ifndef CUDASIM_COMPILER_WAIT_LOOP_H
#define CUDASIM_COMPILER_WAIT_LOOP_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Which way a thread goes in the loop of these blocks follows from memory and from what was so
 * before the loop: as long as memory stays as it is the thread stays, whatever it counts. */
bool wait_loop_is_pure(const LLVMBasicBlockRef *blocks, unsigned n);

#endif
