/* SPDX-License-Identifier: Apache-2.0 */
/* alignment.h - misaligned accesses of plain bodies fault. */
#ifndef CUDASIM_COMPILER_ALIGNMENT_H
#define CUDASIM_COMPILER_ALIGNMENT_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
#include <llvm/Passes/PassBuilder.h>

/* Let the pipelines that the builder makes do what alignment_spoil_misaligned() does for each
 * function: for accesses that are parts of larger ones at once when variables are in registers
 * (in a pipeline's text: cudasim-align-parts), for all behind inlining and before vectorisation
 * (cudasim-align). */
void alignment_register(llvm::PassBuilder &builder);

extern "C" {
#endif

/* Give each access whose address may lack the alignment that a GPU needs an address that is
 * not canonical where it does: the processor refuses it, and fault.c reports a misaligned
 * address (abi.h, CUDASIM_MISALIGNED_SHIFT). Nothing else changes, and what has been done once
 * is not done again. */
void alignment_spoil_misaligned(LLVMValueRef function);

/* Take back what clang promised of the alignment of addresses, as opposed to accesses: that of
 * references and of `this`, which LLVM would believe. */
void alignment_doubt(LLVMModuleRef module);

/* The parameter points to a structure of the simulator's own. */
void alignment_mark_own(LLVMValueRef function, unsigned param);

#ifdef __cplusplus
}
#endif
#endif
