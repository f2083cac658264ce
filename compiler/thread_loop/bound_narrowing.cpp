/* SPDX-License-Identifier: Apache-2.0 */
/* bound_narrowing.cpp - see bound_narrowing.h.
 *
 * A block that branches to the work or to the loop's latch by a comparison of the thread's
 * number with what is the same for all is a bound of the loop: the range is narrowed, the
 * comparison becomes true, and the loop is jumped over where nobody is left. So a tree of
 * 256 threads takes 255 steps in all and no masks, as in plain C. A condition that is the same for
 * all threads, `y < height` in the loop over a row, is asked before the loop.
 *
 * Rejected: LLVM's loop-bound-split, which leaves a second loop behind for LLVM to find
 * empty, and knows no lower bounds. */
#include "bound_narrowing.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "thread_loop.h"
#include "thread_range.h"

using namespace llvm;
using namespace PatternMatch;

namespace
{

using Range = ThreadRange;

/* Does the block do nothing but branch? */
bool is_idle(const BasicBlock &block)
{
	for (const Instruction &i : block)
		if (i.mayHaveSideEffects() && !isa<AssumeInst, NoAliasScopeDeclInst>(i))
			return false;
	return true;
}

/* The thread's number, in its own type or a wider one, by which more than the counter it is at
 * most: v is first + thread. It counts on in that order, signed or not. */
bool is_number(const Range &range, Value *v, Value *&first, bool is_signed)
{
	auto is_thread = [&](Value *one) {
		return one == range.thread || match(one, m_ZExt(m_Specific(range.thread)));
	};
	first = nullptr;
	if (is_thread(v))
		return true;
	Value *other;
	if (!match(v, m_NUWAdd(m_Value(first), m_Value(other))) ||
	    (is_signed && !cast<BinaryOperator>(v)->hasNoSignedWrap()))
		return false;
	if (is_thread(first))
		std::swap(first, other);
	return is_thread(other) && range.loop.isLoopInvariant(first);
}

/* Narrow the range by a comparison that holds for whoever works; false: that says nothing. */
bool narrow(Range &range, CmpInst::Predicate predicate, Value *a, Value *b)
{
	Value *first, *limit = b;
	bool is_signed = CmpInst::isSigned(predicate);
	if (!is_number(range, a, first, is_signed)) {
		limit = a;
		predicate = CmpInst::getSwappedPredicate(predicate);
		if (!is_number(range, b, first, is_signed))
			return false;
	}
	if (!range.loop.isLoopInvariant(limit) || predicate == CmpInst::ICMP_NE)
		return false;
	BasicBlock *before = range.loop.getLoopPreheader(), *header = range.loop.getHeader(),
		   *out = range.loop.getExitBlock();
	IRBuilder<> build(before->getTerminator());
	Type *type = limit->getType(), *own = range.thread->getType();
	Value *least = first ? first : ConstantInt::get(type, 0);
	Value *end = build.CreateZExt(range.end, type);
	Value *most = first ? build.CreateAdd(first, end, "", true) : end;
	Value *start = build.CreateZExt(range.thread->getIncomingValueForBlock(before), type);
	Value *from = first ? build.CreateAdd(first, start, "", true) : start, *to = most;
	limit = build.CreateFreeze(limit);
	Intrinsic::ID min = is_signed ? Intrinsic::smin : Intrinsic::umin,
		      max = is_signed ? Intrinsic::smax : Intrinsic::umax;
	auto clamp = [&](Value *v) {
		return build.CreateBinaryIntrinsic(min, build.CreateBinaryIntrinsic(max, v, from),
						   to);
	};
	/* One more, of what is no more than the range's end. */
	auto after = [&](Value *v) {
		Value *inside = build.CreateICmp(is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT,
						 v, to);
		return clamp(build.CreateSelect(inside,
						build.CreateAdd(v, ConstantInt::get(type, 1)), to));
	};
	switch (predicate) {
	case CmpInst::ICMP_ULT:
	case CmpInst::ICMP_SLT:
		to = clamp(limit);
		break;
	case CmpInst::ICMP_ULE:
	case CmpInst::ICMP_SLE:
		to = after(limit);
		break;
	case CmpInst::ICMP_UGE:
	case CmpInst::ICMP_SGE:
		from = clamp(limit);
		break;
	case CmpInst::ICMP_UGT:
	case CmpInst::ICMP_SGT:
		from = after(limit);
		break;
	case CmpInst::ICMP_EQ: {
		Value *one = clamp(limit);
		to = after(limit);
		from = one;
		break;
	}
	default:
		return false;
	}
	if (first) {
		from = build.CreateSub(from, least);
		to = build.CreateSub(to, least);
	}
	from = build.CreateTrunc(from, own);
	to = build.CreateTrunc(to, own);
	auto *entry = BasicBlock::Create(header->getContext(), "some", header->getParent(), header);
	BranchInst::Create(header, entry);
	before->getTerminator()->eraseFromParent();
	build.SetInsertPoint(before);
	build.CreateCondBr(build.CreateICmpULT(from, to), entry, out);
	range.thread->setIncomingValue((unsigned)range.thread->getBasicBlockIndex(before), from);
	range.thread->replaceIncomingBlockWith(before, entry);
	range.again->setOperand(1, to);
	range.end = to;
	return true;
}

/* The loop is jumped over unless a condition that is the same for all threads is `want`. */
void guard(Range &range, Value *condition, bool want)
{
	BasicBlock *before = range.loop.getLoopPreheader(), *header = range.loop.getHeader();
	auto *entry = BasicBlock::Create(header->getContext(), "some", header->getParent(), header);
	BranchInst::Create(header, entry);
	IRBuilder<> build(before->getTerminator());
	BasicBlock *out = range.loop.getExitBlock();
	build.CreateCondBr(build.CreateFreeze(condition), want ? entry : out, want ? out : entry);
	before->getTerminator()->eraseFromParent();
	header->replacePhiUsesWith(before, entry);
}

/* Narrow by one of the comparisons that must all be `want` for a thread to work. The one
 * that is used becomes known. */
bool narrow_by(Range &range, Use &condition, bool want)
{
	Value *v = condition.get();
	if (!isa<Constant>(v) && range.loop.isLoopInvariant(v)) {
		guard(range, v, want);
		condition.set(ConstantInt::getBool(v->getContext(), want));
		return true;
	}
	if (auto *compare = dyn_cast<ICmpInst>(v)) {
		CmpInst::Predicate p = want ? compare->getPredicate()
					    : compare->getInversePredicate();
		if (!narrow(range, p, compare->getOperand(0), compare->getOperand(1)))
			return false;
		condition.set(ConstantInt::getBool(v->getContext(), want));
		return true;
	}
	auto *i = dyn_cast<Instruction>(v);
	if (!i || !i->hasOneUse() || !(want ? match(i, m_LogicalAnd()) : match(i, m_LogicalOr())))
		return false;
	/* A select's first operand is its condition, which decides alone. */
	Use &second = isa<SelectInst>(i) ? i->getOperandUse(want ? 1 : 2) : i->getOperandUse(1);
	return narrow_by(range, i->getOperandUse(0), want) || narrow_by(range, second, want);
}

/* One bound; false if there is none. */
bool bound(Loop &loop)
{
	Range range = {loop, nullptr, nullptr, nullptr};
	if (!loop.isInnermost() || !thread_range_find(range))
		return false;
	BasicBlock *block = loop.getHeader(), *latch = loop.getLoopLatch();
	while (block != latch && is_idle(*block)) {
		auto *branch = dyn_cast<BranchInst>(block->getTerminator());
		if (!branch)
			return false;
		if (!branch->isConditional()) {
			block = branch->getSuccessor(0);
			continue;
		}
		unsigned idle = branch->getSuccessor(0) == latch ? 0 : 1;
		if (branch->getSuccessor(idle) != latch || !is_idle(*latch) ||
		    isa<PHINode>(latch->front()))
			return false;
		if (narrow_by(range, branch->getOperandUse(0), idle == 1))
			return true;
		block = branch->getSuccessor(!idle);
		if (!block->getSinglePredecessor())
			return false;
	}
	return false;
}

} // namespace

void loops_narrow_bounds(LLVMValueRef value)
{
	auto &f = *unwrap<Function>(value);
	bool again = true;
	for (unsigned round = 0; again && round < 4; round++) {
		again = false;
		DominatorTree tree(f);
		LoopInfo loops(tree);
		/* A loop's own blocks stay the same: the others' analyses hold. */
		for (Loop *loop : loops.getLoopsInPreorder())
			if (is_thread_loop(*loop))
				again |= bound(*loop);
	}
}
