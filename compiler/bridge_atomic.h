/* SPDX-License-Identifier: Apache-2.0 */
/* bridge_atomic.h - atomics on what one worker has for itself. */
#ifndef CUDASIM_COMPILER_BRIDGE_ATOMIC_H
#define CUDASIM_COMPILER_BRIDGE_ATOMIC_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Make loads and stores of the module's atomics of a single thread's scope, as those on
 * shared memory are in loops over a block's threads (bridge_cut.h): only one worker
 * touches a block's shared memory, and it runs one thread after the other, so no bus
 * need be locked. Not before lanes are made of threads: each lane's load and store
 * belong together. */
void bridge_lower_own_atomics(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
