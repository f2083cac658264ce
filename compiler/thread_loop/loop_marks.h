/* SPDX-License-Identifier: Apache-2.0 */
/* loop_marks.h - the part of llvm_functions.h that the loops over a block's threads
 * need. */
#ifndef CUDASIM_COMPILER_LOOP_MARKS_H
#define CUDASIM_COMPILER_LOOP_MARKS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Delete an instruction and all behind it in its block, the terminator included. */
void bridge_cut_block(LLVMValueRef instruction);

/* LLVM's inliner leaves this call alone. */
void bridge_forbid_inlining(LLVMValueRef call);

/* Loads of the function's own variables are no longer said to be invariant. */
void bridge_local_loads_vary(LLVMValueRef function);

/* Mark a loop, by its back-edge, as one whose iterations may run in any order where
 * their accesses are marked, too. */
void bridge_name_loop(LLVMValueRef back_edge);

/* True for the back-edge of a loop that is named so; false for NULL. */
bool bridge_is_named(LLVMValueRef back_edge);

/* A named loop is a region between barriers; with rows, of blocks that are likely to have
 * short rows, so that LLVM's vectors would mostly not fit. */
void bridge_name_region(LLVMValueRef back_edge, bool rows);

/* A named loop goes through the 32 lanes of a warp. */
void bridge_name_lanes(LLVMValueRef back_edge);

/* Mark the accesses of each loop named so, if it has none but to memory that the
 * iterations share: no variables of the function's own, no calls. */
void bridge_mark_accesses(LLVMValueRef function);

/* The front end, which runs no passes, says of every loop that it is not to be unrolled.
 * Here inner loops of a known length should be: only innermost loops are vectorised. */
void bridge_allow_unrolling(LLVMValueRef function);

/* Named loops are vectorised but not unrolled. */
void bridge_keep_loops(LLVMValueRef function);

/* True where LLVM has vectorised a loop of the function. */
bool bridge_is_vectorized(LLVMValueRef function);

/* True where a value of the function is a vector. */
bool bridge_has_vectors(LLVMValueRef function);

/* True where the function has no loops but those over threads, calls nobody and is not
 * long: what it does for a thread is bounded, and a few microseconds at most. */
bool bridge_is_short(LLVMValueRef function);

/* True where it calls nobody, but for memory of its worker's and functions that call
 * nobody themselves: its threads run to their end without a wait. */
bool bridge_calls_nobody(LLVMValueRef function);

/* True for a function that does nothing but return. */
bool bridge_only_returns(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
