// SPDX-License-Identifier: Apache-2.0
/* block_order.cpp - see block_order.h. Back ends lay blocks out for the processor: the end of a
 * loop's body may stand in front of the loop's header. Later passes take the order of blocks for
 * that of the source, as clang gives it (compiler/reconvergence/order.c). */
#include "block_order.h"

#include <set>
#include <vector>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

using namespace llvm;

namespace
{

struct ordering {
	const LoopInfo &loops;
	std::vector<BasicBlock *> order;
	std::set<BasicBlock *> done;

	/* The blocks of the loop among `blocks`, which are in reverse post-order; all where loop is
	 * NULL. A header is the first of its loop's blocks that this order comes to. */
	void put(const std::vector<BasicBlock *> &blocks, const Loop *loop)
	{
		for (BasicBlock *block : blocks) {
			if (done.count(block) || (loop && !loop->contains(block)))
				continue;
			Loop *inner = loops.getLoopFor(block);
			if (inner && inner != loop && inner->getHeader() == block) {
				put(blocks, inner);
				continue;
			}
			done.insert(block);
			order.push_back(block);
		}
	}
};

} // namespace

void block_order(LLVMValueRef function)
{
	Function &f = *unwrap<Function>(function);
	DominatorTree dominators(f);
	LoopInfo loops(dominators);
	ReversePostOrderTraversal<Function *> traversal(&f);
	std::vector<BasicBlock *> blocks(traversal.begin(), traversal.end());
	ordering o = {loops, {}, {}};
	o.put(blocks, nullptr);
	for (size_t i = 1; i < o.order.size(); i++)
		o.order[i]->moveAfter(o.order[i - 1]);
}
