/* SPDX-License-Identifier: Apache-2.0 */
/* induction_widening.cpp - see induction_widening.h.
 *
 * An int index of device code may wrap (overflow has a GPU's meaning here), so each of a
 * stencil's five is computed in 32 bits and widened anew for each vector. LLVM's
 * vectoriser asks before the loop whether one wraps and goes on with scalars where it
 * does, but does not use the answer for the addresses. Here the loop is split by that
 * question first (thread_range.h): what remains is one base for each access, before the
 * loop, and the counter.
 *
 * Rejected: narrowing the loop by its comparisons, `if (x > 0 && x < side - 1)`. Vectors
 * need no masks then, but rows of 126 threads are left with scalar ones at their ends:
 * 1.4 times slower than masks, which cost next to nothing. */
#include "induction_widening.h"

#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>

#include "thread_loop.h"
#include "thread_range.h"

using namespace llvm;

namespace
{

enum { SHORT = 100 /* instructions: it can be had twice, and addresses are a good part */ };

/* LLVM may vectorise it, and it is short. */
bool is_worth_it(const Loop &loop)
{
	size_t n = 0;
	for (const BasicBlock *block : loop.blocks())
		for (const Instruction &i : *block)
			if (i.isAtomic() || i.isVolatile() ||
			    (isa<CallBase>(i) && !isa<IntrinsicInst>(i)) || ++n > SHORT)
				return false;
	return true;
}

std::vector<CastInst *> find_indices(const ThreadRange &range)
{
	std::vector<CastInst *> ret;
	for (BasicBlock *block : range.loop.blocks())
		for (Instruction &i : *block) {
			if (!isa<ZExtInst, SExtInst>(i))
				continue;
			auto *sum = dyn_cast<BinaryOperator>(i.getOperand(0));
			if (!sum || sum->getType() != range.thread->getType() ||
			    (isa<SExtInst>(i) ? sum->hasNoSignedWrap()
					      : sum->hasNoUnsignedWrap()) ||
			    !thread_range_counts(range, sum))
				continue;
			ret.push_back(cast<CastInst>(&i));
		}
	return ret;
}

/* Whether the threads' values of v, as many, are in the order of numbers. */
Value *count_on(IRBuilder<> &build, const ThreadRange &range, Value *v, bool is_signed)
{
	Type *type = range.thread->getType();
	Value *last = build.CreateSub(range.end, ConstantInt::get(type, 1));
	return build.CreateICmp(is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE,
				thread_range_value(build, range, v, ConstantInt::get(type, 0)),
				thread_range_value(build, range, v, last));
}

void count(Loop &loop)
{
	ThreadRange range = {loop, nullptr, nullptr, nullptr};
	if (!is_worth_it(loop) || !thread_range_find(range))
		return;
	thread_range_hoist(loop);
	std::vector<CastInst *> indices = find_indices(range);
	if (indices.empty())
		return;
	IRBuilder<> build(loop.getLoopPreheader()->getTerminator());
	Value *holds = build.getTrue();
	for (CastInst *index : indices)
		holds = build.CreateAnd(
			holds, count_on(build, range, index->getOperand(0), isa<SExtInst>(index)));
	thread_range_split(loop, build.CreateFreeze(holds));
	build.SetInsertPoint(loop.getLoopPreheader()->getTerminator());
	for (CastInst *index : indices) {
		bool is_signed = isa<SExtInst>(index);
		Value *zero = ConstantInt::get(range.thread->getType(), 0);
		Value *first = build.CreateCast(
			index->getOpcode(),
			thread_range_value(build, range, index->getOperand(0), zero),
			index->getType());
		IRBuilder<> inside(index);
		Value *thread = inside.CreateZExt(range.thread, index->getType());
		index->replaceAllUsesWith(inside.CreateAdd(first, thread, "", !is_signed, true));
		index->eraseFromParent();
	}
}

} // namespace

void loops_widen_induction(LLVMValueRef value)
{
	thread_range_each(
		*unwrap<Function>(value), [](const Loop &loop) { return loop.isInnermost(); },
		[](Loop &loop) { count(loop); });
}
