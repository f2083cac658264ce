/* SPDX-License-Identifier: Apache-2.0 */
#include "thread_range.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "shape.h"
#include "thread_loop.h"

using namespace llvm;
using namespace PatternMatch;
using uniformity::Shape;

bool is_reducible_loop(const Loop &loop)
{
	DominatorTree tree(*loop.getHeader()->getParent());
	LoopInfo loops(tree);
	LoopBlocksRPO order(loops.getLoopFor(loop.getHeader()));
	order.perform(&loops);
	return !containsIrreducibleCFG<const BasicBlock *>(order, loops);
}

bool thread_range_find(ThreadRange &ret)
{
	Loop &loop = ret.loop;
	BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
	if (!latch || !before || loop.getExitingBlock() != latch || !loop.getExitBlock())
		return false;
	auto *branch = dyn_cast<BranchInst>(latch->getTerminator());
	auto *again = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition())
							: nullptr;
	auto *out = loop.getExitBlock();
	if (!again || again->getPredicate() != CmpInst::ICMP_ULT || !again->hasOneUse() ||
	    branch->getSuccessor(0) != loop.getHeader() || isa<PHINode>(out->front()) ||
	    !loop.isLoopInvariant(again->getOperand(1)))
		return false;
	ret.thread = nullptr;
	for (PHINode &phi : loop.getHeader()->phis())
		if (!match(again->getOperand(0), m_Add(m_Specific(&phi), m_One())))
			return false; /* the only one */
		else
			ret.thread = &phi;
	for (BasicBlock *block : loop.blocks())
		for (Instruction &i : *block)
			for (User *user : i.users())
				if (!loop.contains(cast<Instruction>(user)))
					return false;
	ret.again = again;
	ret.end = again->getOperand(1);
	return ret.thread != nullptr;
}

void thread_range_hoist(Loop &loop)
{
	bool changed = false;
	for (BasicBlock *block : loop.blocks())
		for (Instruction &i : make_early_inc_range(*block))
			if (!i.isTerminator() && !isa<PHINode>(i) && !i.mayReadOrWriteMemory())
				loop.makeLoopInvariant(&i, changed);
}

/* Only of what thread_range_value() can compute for another thread, and of sums that grow no
 * faster than the thread's number on their way, so that they wrap at its ends or nowhere. */
static Shape shape_in(const ThreadRange &range, const Value *v)
{
	if (v == range.thread)
		return Shape::strided(1);
	auto *i = dyn_cast<Instruction>(v);
	if (!i || !range.loop.contains(i))
		return Shape::uniform();
	if (!isa<ZExtInst, SExtInst>(i) && i->getOpcode() != Instruction::Add &&
	    i->getOpcode() != Instruction::Sub)
		return Shape::varying();
	Shape ret = uniformity::shape_of(
		*i, [&](const Value *operand) { return shape_in(range, operand); },
		i->getDataLayout());
	return ret.kind == Shape::STRIDED && ret.stride != 1 ? Shape::varying() : ret;
}

bool thread_range_counts(const ThreadRange &range, const Value *v)
{
	return shape_in(range, v) == Shape::strided(1);
}

Value *thread_range_value(IRBuilder<> &build, const ThreadRange &range, Value *v, Value *thread)
{
	if (v == range.thread)
		return thread;
	auto *i = dyn_cast<Instruction>(v);
	if (!i || !range.loop.contains(i))
		return v;
	Value *a = thread_range_value(build, range, i->getOperand(0), thread);
	if (auto *cast = dyn_cast<CastInst>(i))
		return build.CreateCast(cast->getOpcode(), a, cast->getType());
	return build.CreateBinOp(cast<BinaryOperator>(i)->getOpcode(), a,
				 thread_range_value(build, range, i->getOperand(1), thread));
}

static const char no_vectors[] = "llvm.loop.vectorize.enable";

bool is_seldom_loop(const Loop &loop)
{
	MDNode *id = loop.getLoopID();
	for (unsigned i = 1; id && i < id->getNumOperands(); i++) {
		auto *member = dyn_cast<MDNode>(id->getOperand(i));
		auto *name = member && member->getNumOperands() == 2
				     ? dyn_cast<MDString>(member->getOperand(0))
				     : nullptr;
		if (name && name->getString() == no_vectors)
			return true;
	}
	return false;
}

void thread_range_rename(Instruction &back_edge, bool seldom)
{
	LLVMContext &c = back_edge.getContext();
	MDNode *id = back_edge.getMetadata(LLVMContext::MD_loop);
	SmallVector<Metadata *, 6> members(id->op_begin(), id->op_end());
	if (seldom) {
		Metadata *off = ConstantAsMetadata::get(ConstantInt::getFalse(c));
		Metadata *words[] = {MDString::get(c, no_vectors), off};
		members.push_back(MDNode::get(c, words));
		members.push_back(MDNode::get(c, MDString::get(c, "llvm.loop.unroll.disable")));
	}
	MDNode *own = MDNode::getDistinct(c, members);
	own->replaceOperandWith(0, own);
	back_edge.setMetadata(LLVMContext::MD_loop, own);
}

void thread_range_split(Loop &loop, Value *holds)
{
	BasicBlock *before = loop.getLoopPreheader(), *header = loop.getHeader();
	Function *f = header->getParent();
	auto *own = BasicBlock::Create(f->getContext(), "often", f, header),
	     *other = BasicBlock::Create(f->getContext(), "seldom", f, header);
	ValueToValueMapTy map;
	SmallVector<BasicBlock *, 16> copies;
	for (BasicBlock *block : loop.blocks()) {
		copies.push_back(CloneBasicBlock(block, map, ".seldom", f));
		map[block] = copies.back();
	}
	header->replacePhiUsesWith(before, own);
	map[own] = other;
	for (PHINode &phi : header->phis())
		cast<PHINode>(map[&phi])->replaceIncomingBlockWith(before, own);
	remapInstructionsInBlocks(copies, map);
	BranchInst::Create(header, own);
	BranchInst::Create(cast<BasicBlock>(map[header]), other);
	before->getTerminator()->eraseFromParent();
	BranchInst::Create(own, other, holds, before);
	thread_range_rename(*cast<BasicBlock>(map[loop.getLoopLatch()])->getTerminator(), true);
}

void thread_range_each(Function &f, function_ref<bool(const Loop &)> wanted,
		       function_ref<void(Loop &)> change)
{
	SmallVector<BasicBlock *, 8> headers;
	{
		DominatorTree tree(f);
		LoopInfo loops(tree);
		for (Loop *loop : loops.getLoopsInPreorder())
			if (is_thread_loop(*loop) && !is_seldom_loop(*loop) && wanted(*loop))
				headers.push_back(loop->getHeader());
	}
	for (BasicBlock *header : headers) {
		DominatorTree tree(f);
		LoopInfo loops(tree);
		AssumptionCache assumptions(f);
		Loop *loop = loops.getLoopFor(header);
		simplifyLoop(loop, &tree, &loops, nullptr, &assumptions, nullptr, false);
		change(*loop);
	}
}
