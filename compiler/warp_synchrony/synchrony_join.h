/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_join.h - where the lanes of a warp part, and where they come together again. */
#ifndef CUDASIM_COMPILER_SYNCHRONY_JOIN_H
#define CUDASIM_COMPILER_SYNCHRONY_JOIN_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One function, which must not change while this lives. is_called: by others. */
struct synchrony_joins;
struct synchrony_joins *synchrony_joins_new(LLVMValueRef function, bool is_called);
void synchrony_joins_free(struct synchrony_joins *joins);

/* The block at which the lanes that part at the end of `block` come together. NULL where they do
 * not part there, as all go one way, or not come together before the function's end. */
LLVMBasicBlockRef synchrony_join_of(struct synchrony_joins *joins, LLVMBasicBlockRef block);

#ifdef __cplusplus
}
#endif
#endif
