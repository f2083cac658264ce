/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_apart.h - does what lanes load lie apart from what other lanes of their warp store? */
#ifndef CUDASIM_COMPILER_SYNCHRONY_APART_H
#define CUDASIM_COMPILER_SYNCHRONY_APART_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "warp_synchrony.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One function, which must not change while this lives. is_called: by others. block: the largest
 * in which it runs. */
struct synchrony_apart;
struct synchrony_apart *synchrony_apart_new(LLVMValueRef function, bool is_called,
					    struct synchrony_block block);
void synchrony_apart_free(struct synchrony_apart *apart);

/* Which round of its loops a thread is in at a store, seen from that of the access before. */
enum synchrony_round { SYNCHRONY_THIS_ROUND, SYNCHRONY_NEXT_ROUND, SYNCHRONY_ANY_ROUND };

/* True where it is proven that no byte that one lane accesses first is stored by another lane.
 *   first, store     instructions that access memory; they may be one memcpy
 *   stores           first is what it stores, too; else what it loads
 *   header           SYNCHRONY_NEXT_ROUND: of the loop that has gone round once between them */
bool synchrony_are_apart(struct synchrony_apart *apart, LLVMValueRef first, bool stores,
			 LLVMValueRef store, enum synchrony_round round, LLVMBasicBlockRef header);

/* Do conditions let one warp of the block alone come to i? */
bool synchrony_is_of_one_warp(struct synchrony_apart *apart, LLVMValueRef i);

/* Does instruction i lie in the loop of this header? Also true where it has none. */
bool synchrony_is_in_loop(const struct synchrony_apart *apart, LLVMBasicBlockRef header,
			  LLVMValueRef i);

#ifdef __cplusplus
}
#endif
#endif
