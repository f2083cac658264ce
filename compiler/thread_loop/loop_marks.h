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
void block_truncate(LLVMValueRef instruction);

/* LLVM's inliner leaves this call alone. */
void call_forbid_inlining(LLVMValueRef call);

/* Loads of the function's own variables are no longer said to be invariant. */
void loads_clear_invariant(LLVMValueRef function);

/* Mark a loop, by its back-edge, as one whose iterations may run in any order where
 * their accesses are marked, too. */
void thread_loop_mark(LLVMValueRef back_edge);

/* True for the back-edge of a loop that is named so; false for NULL. */
bool thread_loop_is_marked(LLVMValueRef back_edge);

/* A named loop is a region between barriers; with rows, of blocks that are likely to have
 * short rows, so that LLVM's vectors would mostly not fit. */
void thread_loop_mark_region(LLVMValueRef back_edge, bool rows);

/* A named loop goes through the 32 lanes of a warp. */
void thread_loop_mark_lanes(LLVMValueRef back_edge);

/* Mark the accesses of each loop named so, if it has none but to memory that the
 * iterations share: no variables of the function's own, no calls. */
void thread_loops_mark_accesses(LLVMValueRef function);

/* The front end, which runs no passes, says of every loop that it is not to be unrolled.
 * Here inner loops of a known length should be: only innermost loops are vectorised. */
void loops_allow_unrolling(LLVMValueRef function);

/* Named loops are vectorised but not unrolled. */
void thread_loops_forbid_unrolling(LLVMValueRef function);

/* No first iterations of named loops are taken out of them, as LLVM does for a condition like
 * `threadIdx.x == 0`: a row of 16 threads would be one and 15, which are no whole vectors. */
void thread_loops_forbid_peeling(LLVMValueRef function);

/* True where LLVM has vectorised a loop of the function. */
bool function_is_vectorized(LLVMValueRef function);

/* True where a value of the function is a vector. */
bool function_has_vectors(LLVMValueRef function);

/* True where the function has no loops but those over threads, calls nobody and is not
 * long: what it does for a thread is bounded, and a few microseconds at most. */
bool function_is_short(LLVMValueRef function);

/* True where it calls nobody, but for memory of its worker's and functions that call
 * nobody themselves: its threads run to their end without a wait. */
bool function_calls_nobody(LLVMValueRef function);

/* True for a function that does nothing but return. */
bool function_only_returns(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
