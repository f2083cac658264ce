/* SPDX-License-Identifier: Apache-2.0 */
/* own_atomics.h - atomics on what one worker has for itself. */
#ifndef CUDASIM_COMPILER_OWN_ATOMICS_H
#define CUDASIM_COMPILER_OWN_ATOMICS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A loop that computes what comes into the place of what it has read, and tries again where a comparison and
 * exchange finds something else there, becomes one call of a function of the module's own, which own_atomics_lower()
 * inlines; in between, loops over lanes call it for one lane after the other. As a loop of lanes it would have each
 * lane try again for each other one that has the same address. With a single thread's scope it never has to try
 * again, as nobody comes between: there the function loads, computes and stores. own: only loops of this scope. */
void own_atomics_join(LLVMValueRef function, bool own);

/* Is the instruction a call of such a function? */
bool own_atomics_is_call(LLVMValueRef instruction);

/* Make loads and stores of the module's atomics of a single thread's scope, as those on
 * shared memory are in loops over a block's threads (region_formation.h): only one worker
 * touches a block's shared memory, and it runs one thread after the other, so no bus
 * need be locked. Not before lanes are made of threads: each lane's load and store
 * belong together. */
void own_atomics_lower(LLVMModuleRef module);

/* Mark the additions that each thread of a loop over threads ends with, to words side by
 * side in the end, as a histogram's blocks add to the sums of all. In any order with what
 * other threads read: threads between two barriers have none. */
void own_atomics_mark_last(LLVMValueRef function);

/* Where LLVM has unrolled such a loop, make one comparison and exchange of 16 bytes of four
 * additions, where these lie on a boundary of 16: a locked instruction costs what 20 others
 * do, with several workers 50, whatever its width. Behind all passes of LLVM's. */
void own_atomics_merge(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
