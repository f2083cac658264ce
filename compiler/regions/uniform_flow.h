/* SPDX-License-Identifier: Apache-2.0 */
/* uniform_flow.h - the part of a kernel with barriers that is the same for all threads of
 * a block: which way they go from barrier to barrier, and by which values.
 *
 * C++, and only for region_builder.h. */
#ifndef CUDASIM_COMPILER_UNIFORM_FLOW_H
#define CUDASIM_COMPILER_UNIFORM_FLOW_H

#include <set>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace regions
{

struct UniformFlow {
	/* Branches that decide at which cut threads come out: all go the same way. */
	std::vector<llvm::BasicBlock *> deciding;
	/* Blocks at whose end threads part, to meet again before the next cut. */
	std::set<llvm::BasicBlock *> parting;
	/* Blocks at whose end some threads go to their end, and the others on. The index of
	 * the successor of those that go on. */
	std::vector<std::pair<llvm::BasicBlock *, unsigned>> losing;
	/* Values that need be kept but once for a block: the same in all threads that are
	 * there, and made on the way that all go. */
	std::set<const llvm::Instruction *> uniform;
};

/* Find it in a function of which each block of `ends` is followed by a cut, the only
 * successor; the arguments of `own` differ from thread to thread. What is loaded is the
 * same for all only where `known` says so of the load.
 *
 * False where threads may come to different cuts for all that is known. */
bool find_uniform_flow(llvm::Function &f, llvm::ArrayRef<llvm::BasicBlock *> ends,
		       llvm::ArrayRef<llvm::Argument *> own, bool (*known)(const llvm::LoadInst &),
		       UniformFlow &ret);

/* Of the cut function: leave nothing but what decides which region follows and the
 * stores to `kept`. False where that depends on a thread, which is our mistake. */
bool strip_to_uniform_flow(llvm::Function &f, const std::set<llvm::BasicBlock *> &parting,
			   const std::vector<std::pair<llvm::BasicBlock *, unsigned>> &losing,
			   llvm::Argument *kept);

} // namespace regions
#endif
