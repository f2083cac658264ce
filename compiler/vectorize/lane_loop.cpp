/* SPDX-License-Identifier: Apache-2.0 */
/* lane_loop.cpp - see lane_loop.h. */
#include "lane_loop.h"

#include <cmath>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/PatternMatch.h>

#include "llvm_versions.h"
#include "cudasim/abi.h"
#include "loop_events.h"
#include "own_atomics.h"
#include "thread_loop.h"

using namespace llvm;
using namespace vectorize;

enum {
	MANY_BLOCKS = 12,       /* LLVM makes selects of fewer */
	MOST_INSTRUCTIONS = 6000,
	/* With events a vector is as many registers as its lanes fill: up to here 32 lanes, up to
	 * twice that 16, then those of one. Compiling takes time as instructions times registers. */
	FEW_WATCHED = 100,
	MOST_WATCHED = 4000,
	MOST_OF_WARP = 30, /* instructions that 32 lanes at once do not run out of registers */
	GATHER = 2, /* what one costs in arithmetic of all lanes */
	OWN_SCATTER = 4, /* what one costs in gathers, where scalar code has a plain store */
};

/* Some threads store where each has a place of its own: LLVM would ask each for itself. */
static bool scatters(const Loop &loop, const DominatorTree &tree, const Plan *plan)
{
	for (BasicBlock *block : loop.blocks())
		for (Instruction &i : *block)
			if (auto *store = dyn_cast<StoreInst>(&i))
				if (!tree.dominates(block, loop.getLoopLatch()) &&
				    (!plan || plan->shape(store->getPointerOperand()).kind ==
						      Shape::VARYING))
					return true;
	return false;
}

static bool has_event(const Loop &loop)
{
	for (const BasicBlock *block : loop.blocks())
		for (const Instruction &i : *block)
			if (loop_event_is(wrap(&i)))
				return true;
	return false;
}

bool vectorize::is_lane_candidate(const Loop &loop, const DominatorTree &tree, const Plan *plan)
{
	size_t n = 0;
	for (const BasicBlock *block : loop.blocks())
		n += block->size();
	if (has_event(loop))
		return n <= MOST_WATCHED;
	if (is_lane_loop(loop) && loop.isInnermost() && n <= MOST_OF_WARP)
		return true;
	return n <= MOST_INSTRUCTIONS &&
	       (!loop.getSubLoops().empty() || loop.getNumBlocks() > MANY_BLOCKS ||
		is_row_loop(loop) || (is_region_loop(loop) && scatters(loop, tree, plan)));
}

/* A store into an array of the thread's own at a place that differs from lane to lane. What scalar code
 * stores it loads again at once; scatters are as many stores, which AVX2 does not have, and nothing is forwarded. */
static bool scatters_own(const Instruction &i, const Plan &plan)
{
	auto *store = dyn_cast<StoreInst>(&i);
	return store && plan.shape(store->getPointerOperand()).kind == Shape::VARYING &&
	       isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand(), 0));
}

bool vectorize::lanes_gain(const Loop &threads, const LoopInfo &loops, Plan &plan)
{
	double gain = 0, loss = 0;
	if (has_event(threads))
		return true;
	for (BasicBlock *block : threads.blocks()) {
		unsigned depth = loops.getLoopDepth(block) - threads.getLoopDepth();
		double weight = std::pow(8, std::min(depth, 3u));
		for (const Instruction &i : *block) {
			Shape::Kind kind = plan.shape(&i).kind;
			const Value *address = getLoadStorePointerOperand(&i);
			if (scatters_own(i, plan))
				loss += OWN_SCATTER * weight;
			else if (i.isAtomic() || i.isVolatile() || own_atomics_is_call(wrap(&i)))
				loss += 2 * weight;
			else if (address && plan.shape(address).kind == Shape::VARYING)
				loss += weight;
			else if (address || (kind == Shape::VARYING && !isa<CastInst>(i) &&
					     !isa<GetElementPtrInst>(i) && !isa<PHINode>(i)))
				gain += weight;
		}
	}
	return gain >= GATHER * loss;
}

unsigned vectorize::lane_number(const Loop &loop, unsigned bits)
{
	size_t wide = 0, narrow = 0;
	for (const BasicBlock *block : loop.blocks())
		for (const Instruction &i : *block)
			if (i.getType()->isDoubleTy())
				wide++;
			else if (i.getType()->isFloatTy())
				narrow++;
	size_t n = 0;
	for (const BasicBlock *block : loop.blocks())
		n += block->size();
	if (has_event(loop) && n <= FEW_WATCHED)
		return CUDASIM_WARP_SIZE;
	if (has_event(loop) && n <= 2 * FEW_WATCHED)
		return CUDASIM_WARP_SIZE / 2;
	return bits / (wide > narrow ? 64 : 32);
}

PHINode *vectorize::lane_counter(const Loop &loop, Value *&extent)
{
	using namespace PatternMatch;
	BasicBlock *latch = loop.getLoopLatch();
	auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
	if (!branch || !branch->isConditional())
		return nullptr;
	llvm_versions::IcmpPredicate compared;
	Value *next, *limit;
	if (!match(branch->getCondition(), m_ICmp(compared, m_Value(next), m_Value(limit))))
		return nullptr;
	CmpInst::Predicate predicate = compared;
	if (branch->getSuccessor(0) != loop.getHeader())
		predicate = CmpInst::getInversePredicate(predicate);
	PHINode *phi = dyn_cast<PHINode>(&loop.getHeader()->front());
	auto *last = dyn_cast<ConstantInt>(limit);
	if (phi && next == phi && last && predicate == CmpInst::ICMP_ULT) {
		/* LLVM's form of a known number of iterations. */
		limit = ConstantInt::get(last->getType(), last->getZExtValue() + 1);
	} else if (!phi || !match(next, m_Add(m_Specific(phi), m_One()))) {
		return nullptr;
	}
	if (!loop.isLoopInvariant(limit) ||
	    (predicate != CmpInst::ICMP_ULT && predicate != CmpInst::ICMP_SLT &&
	     predicate != CmpInst::ICMP_NE) ||
	    !match(phi->getIncomingValueForBlock(loop.getLoopPreheader()), m_Zero()))
		return nullptr;
	extent = limit;
	return phi;
}
