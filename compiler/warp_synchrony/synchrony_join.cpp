// SPDX-License-Identifier: Apache-2.0
/* synchrony_join.cpp - where lanes that part at a branch come together: on hardware at its immediate
 * post-dominator. */
#include <llvm/Analysis/PostDominators.h>

#include "synchrony_sum.h"
#include "warp_synchrony.h"

using namespace llvm;

struct synchrony_joins {
	PostDominatorTree tree;
	synchrony_sums sums;

	synchrony_joins(Function &f, bool is_called) : tree(f), sums(f, is_called)
	{
	}
};

struct synchrony_joins *synchrony_joins_new(LLVMValueRef function, bool is_called)
{
	return new synchrony_joins(*unwrap<Function>(function), is_called);
}

void synchrony_joins_free(struct synchrony_joins *joins)
{
	delete joins;
}

LLVMBasicBlockRef synchrony_join_of(struct synchrony_joins *joins, LLVMBasicBlockRef block)
{
	Instruction *end = unwrap(block)->getTerminator();
	Value *condition = nullptr;
	if (auto *branch = dyn_cast<BranchInst>(end))
		condition = branch->isConditional() ? branch->getCondition() : nullptr;
	else if (auto *choice = dyn_cast<SwitchInst>(end))
		condition = choice->getCondition();
	if (!condition)
		return nullptr;
	joins->sums.failed = false;
	if (joins->sums.is_same(joins->sums.of(condition, *end)) && !joins->sums.failed)
		return nullptr;
	DomTreeNode *node = joins->tree.getNode(unwrap(block));
	node = node ? node->getIDom() : nullptr;
	return node && node->getBlock() ? wrap(node->getBlock()) : nullptr;
}
