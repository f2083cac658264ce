/* SPDX-License-Identifier: Apache-2.0 */
/* idle_yields.cpp - see idle_yields.h. */
#include "idle_yields.h"

#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;
using namespace PatternMatch;

namespace
{

StringRef callee_of(const Instruction &i)
{
	auto *call = dyn_cast<CallInst>(&i);
	Function *callee = call ? call->getCalledFunction() : nullptr;
	return callee ? callee->getName() : StringRef();
}

bool gives_way(const Instruction &i)
{
	StringRef name = callee_of(i);
	return name == "__cudasim_yield" || name == "__cudasim_nanosleep";
}

/* Where a branch by the answer leads when the phase is not over; NULL where it is no such branch. */
BasicBlock *way_on(const BranchInst &branch)
{
	auto *test = branch.isConditional() ? dyn_cast<ICmpInst>(branch.getCondition()) : nullptr;
	auto *answer = test ? dyn_cast<Instruction>(test->getOperand(0)) : nullptr;
	if (!answer || !test->isEquality() || !match(test->getOperand(1), m_Zero()) ||
	    callee_of(*answer) != "__cudasim_mbarrier_wait")
		return nullptr;
	return branch.getSuccessor(test->getPredicate() == CmpInst::ICMP_NE);
}

/* The branch comes between any two turns of the loop that holds the call. */
bool waits_before(const BranchInst &branch, const Instruction &call, const DominatorTree &tree,
		  const LoopInfo &loops)
{
	BasicBlock *on = way_on(branch);
	const Loop *loop = loops.getLoopFor(call.getParent());
	return on && loop && loop->contains(branch.getParent()) &&
	       tree.dominates(BasicBlockEdge(branch.getParent(), on), call.getParent());
}

} // namespace

void idle_yields_remove(LLVMValueRef function)
{
	Function &f = *unwrap<Function>(function);
	std::vector<Instruction *> calls, idle;
	std::vector<BranchInst *> branches;
	for (Instruction &i : instructions(f)) {
		if (gives_way(i))
			calls.push_back(&i);
		auto *branch = dyn_cast<BranchInst>(&i);
		if (branch && way_on(*branch))
			branches.push_back(branch);
	}
	if (calls.empty() || branches.empty())
		return;
	DominatorTree tree(f);
	LoopInfo loops(tree);
	for (Instruction *call : calls)
		for (BranchInst *branch : branches)
			if (waits_before(*branch, *call, tree, loops)) {
				idle.push_back(call);
				break;
			}
	for (Instruction *call : idle)
		call->eraseFromParent();
}

void unused_clocks_remove(LLVMValueRef function)
{
	bool again = true;
	while (again) {
		again = false;
		for (Instruction &i :
		     make_early_inc_range(instructions(*unwrap<Function>(function)))) {
			StringRef name = callee_of(i);
			bool clock = name == "__cudasim_clock64" || name == "__cudasim_globaltimer";
			if ((clock && i.use_empty()) || isInstructionTriviallyDead(&i)) {
				i.eraseFromParent();
				again = true;
			}
		}
	}
}
