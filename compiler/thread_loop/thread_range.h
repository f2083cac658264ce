/* SPDX-License-Identifier: Apache-2.0 */
/* thread_range.h - the range of a loop over threads, and a twin of such a loop for when
 * the better form may not run. For passes in C++, before LLVM changes the counters. */
#ifndef CUDASIM_COMPILER_THREAD_RANGE_H
#define CUDASIM_COMPILER_THREAD_RANGE_H

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

/* thread = start, start + 1, ... as long as `again` says that the next is below end. */
struct ThreadRange {
	llvm::Loop &loop;
	llvm::PHINode *thread; /* the only phi of the header */
	llvm::ICmpInst *again; /* next < end, unsigned */
	llvm::Value *end;      /* invariant; above start */
};

/* False where the loop is left elsewhere than at its latch, carries anything but the
 * counter, or what it makes is used behind it; then ret is not complete. */
bool thread_range_find(ThreadRange &ret);

/* Moves what is the same for all threads, and touches no memory, before the loop. */
void thread_range_hoist(llvm::Loop &loop);

/* Whether v is an invariant plus the thread's number, in any width: a step of one from
 * thread to thread, as long as nothing wraps. Expects thread_range_hoist(). */
bool thread_range_counts(const ThreadRange &range, const llvm::Value *v);

/* Such a value for the thread of a given number, outside of the loop. */
llvm::Value *thread_range_value(llvm::IRBuilder<> &build, const ThreadRange &range, llvm::Value *v,
				llvm::Value *thread);

/* The loop runs where `holds`, an i1 at the end of its preheader; elsewhere a copy of it
 * as it is now does, which is said to be seldom worth vectors. The loop's preheader is a
 * new block then. It has to have a range. */
void thread_range_split(llvm::Loop &loop, llvm::Value *holds);

/* Such a copy. */
bool is_seldom_loop(const llvm::Loop &loop);

/* Calls change(loop) for each loop over threads that is wanted and no such copy, one after
 * the other, in LLVM's simple form. A change may make loops, but not unmake them. */
void thread_range_each(llvm::Function &f, llvm::function_ref<bool(const llvm::Loop &)> wanted,
		       llvm::function_ref<void(llvm::Loop &)> change);

/* The loop whose back-edge this is, a copy of a named one, gets its names. */
void thread_range_rename(llvm::Instruction &back_edge, bool seldom);

#endif
