/* SPDX-License-Identifier: Apache-2.0 */
/* loop_interchange.cpp - see loop_interchange.h.
 *
 * The threads of a row begin side by side and all take the same stride. So of the steps
 * j = first, first + stride, ... each is taken by the threads from 0 to
 * min(threads, n - j), whose i is j + thread: a loop without masks. A thread's own steps stay in
 * their order, and what threads do between barriers has none among them. What comes
 * before a thread's loop is done again in each step, so it has to be a few instructions
 * that touch no memory.
 *
 * This needs that no i wraps, that the stride is positive and that there are threads
 * enough; where that does not hold the loop stays as it is (thread_range.h).
 *
 * Loops that carry more than their counter are left alone: a sum for each thread would
 * have to lie in memory. Source: loop interchange (Allen, Kennedy: Optimizing compilers
 * for modern architectures, 5.2); the independence of threads takes the place of the
 * test of dependences. */
#include "loop_interchange.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "flow_check.h"
#include "thread_loop.h"
#include "thread_range.h"

using namespace llvm;

namespace
{

enum {
	FEWEST = 16,       /* threads that are worth it */
	MOST_BEFORE = 40,  /* instructions that are done again in each step */
	MOST_INSIDE = 200, /* longer loops do not wait for memory */
};

struct Stride {
	ThreadRange range;
	Loop *inner = nullptr;
	PHINode *i = nullptr;
	Value *first = nullptr;  /* i of a thread's first step; holds the thread's number once */
	Value *stride = nullptr, *n = nullptr;
	BasicBlock *body = nullptr;  /* where the inner header goes on to */
	bool is_signed = false;
};

bool touches_nothing(const Instruction &i)
{
	return !i.mayReadOrWriteMemory() || isa<AssumeInst, NoAliasScopeDeclInst>(i);
}

/* An access that may change places with other threads' ones. */
bool may_move(const Instruction &i)
{
	const Value *address = getLoadStorePointerOperand(&i);
	if (auto *atomic = dyn_cast<AtomicRMWInst>(&i)) {
		if (!atomic->use_empty() || atomic->isVolatile() ||
		    !atomic->getType()->isIntegerTy() ||
		    atomic->getOperation() == AtomicRMWInst::Xchg ||
		    atomic->getOperation() == AtomicRMWInst::UIncWrap ||
		    atomic->getOperation() == AtomicRMWInst::UDecWrap ||
		    atomic->getOperation() == AtomicRMWInst::Nand)
			return false;
		address = atomic->getPointerOperand();
	} else if (auto *load = dyn_cast<LoadInst>(&i)) {
		if (!load->isSimple())
			return false;
	} else if (auto *store = dyn_cast<StoreInst>(&i)) {
		if (!store->isSimple())
			return false;
	} else {
		return touches_nothing(i) && (!isa<CallBase>(i) || isa<IntrinsicInst>(i));
	}
	return !isa<AllocaInst>(getUnderlyingObject(address));
}

bool find_test(Stride &s)
{
	BasicBlock *header = s.inner->getHeader();
	auto *branch = dyn_cast<BranchInst>(header->getTerminator());
	auto *test = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition())
						       : nullptr;
	if (!test)
		return false;
	CmpInst::Predicate predicate = test->getPredicate();
	Value *a = test->getOperand(0), *b = test->getOperand(1);
	if (b == s.i) {
		std::swap(a, b);
		predicate = CmpInst::getSwappedPredicate(predicate);
	}
	bool stays = s.inner->contains(branch->getSuccessor(0));
	if (!stays)
		predicate = CmpInst::getInversePredicate(predicate);
	if (a != s.i || !s.range.loop.isLoopInvariant(b) ||
	    (predicate != CmpInst::ICMP_SLT && predicate != CmpInst::ICMP_ULT))
		return false;
	s.n = b;
	s.body = branch->getSuccessor(!stays);
	s.is_signed = predicate == CmpInst::ICMP_SLT;
	return s.inner->contains(s.body) && s.body != header;
}

/* The inner loop over i, which is left at its header alone. */
bool find_inner(Stride &s)
{
	Loop &inner = *s.inner;
	BasicBlock *header = inner.getHeader(), *latch = inner.getLoopLatch();
	if (!inner.isInnermost() || !latch || !inner.getLoopPreheader() ||
	    inner.getExitingBlock() != header || latch == header)
		return false;
	for (PHINode &phi : header->phis()) {
		if (s.i)
			return false;
		s.i = &phi;
	}
	auto *next = s.i ? dyn_cast<BinaryOperator>(s.i->getIncomingValueForBlock(latch)) : nullptr;
	if (!next || next->getOpcode() != Instruction::Add || !s.i->getType()->isIntegerTy() ||
	    s.i->getType()->getIntegerBitWidth() < s.range.thread->getType()->getIntegerBitWidth())
		return false;
	s.stride = next->getOperand(next->getOperand(0) == s.i);
	s.first = s.i->getIncomingValueForBlock(inner.getLoopPreheader());
	return (next->getOperand(0) == s.i || next->getOperand(1) == s.i) &&
	       s.range.loop.isLoopInvariant(s.stride) && thread_range_counts(s.range, s.first) &&
	       find_test(s);
}

/* Everything that is done, is done in the inner loop. */
bool works_inside(const Stride &s)
{
	size_t n_before = 0, n_inside = 0;
	for (BasicBlock *block : s.range.loop.blocks())
		for (Instruction &i : *block) {
			bool inside = s.inner->contains(block);
			++(inside ? n_inside : n_before);
			if (inside ? !may_move(i) : !touches_nothing(i) || isa<CallBase>(i))
				if (!isa<DbgInfoIntrinsic, AssumeInst, NoAliasScopeDeclInst>(i))
					return false;
		}
	return n_before <= MOST_BEFORE && n_inside <= MOST_INSIDE;
}

/* Whether the steps are as they are expected to be. */
Value *expectations(IRBuilder<> &b, const Stride &s, Value *first)
{
	Type *type = s.i->getType();
	unsigned bits = type->getIntegerBitWidth();
	Value *end = s.range.end, *zero = ConstantInt::get(type, 0);
	Value *most = b.CreateSub(end, ConstantInt::get(end->getType(), 1));
	Value *last = thread_range_value(b, s.range, s.first, most);
	Value *greatest = ConstantInt::get(type, s.is_signed ? APInt::getSignedMaxValue(bits)
							     : APInt::getMaxValue(bits));
	CmpInst::Predicate above = s.is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT,
			   most_is = s.is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
	Value *checks[] = {
		b.CreateICmpUGE(end, ConstantInt::get(end->getType(), FEWEST)),
		b.CreateICmpEQ(b.CreateSub(last, first), b.CreateZExt(most, type)),
		b.CreateICmp(most_is, first, last),
		b.CreateICmp(above, s.stride, zero),
		b.CreateICmp(most_is, s.n, b.CreateSub(greatest, s.stride)),
	};
	Value *ret = b.getTrue();
	for (Value *check : checks)
		ret = b.CreateAnd(ret, check);
	return b.CreateFreeze(ret);
}

/* Each thread's step holds all that an iteration did but the inner loop's back-edge and exit. */
void verify(const Stride &s, const ValueToValueMapTy &map)
{
	Loop &loop = s.range.loop;
	const BasicBlock *inner = s.inner->getHeader();
	std::map<const BasicBlock *, const BasicBlock *> copies;
	for (const BasicBlock *block : loop.blocks())
		copies[block] = cast<BasicBlock>(map.lookup(block));
	auto is_left_out = [&](const BasicBlock *from, const BasicBlock *to) {
		return !loop.contains(to) || to == loop.getHeader() ||
		       (from == inner && to != s.body) ||
		       (from == s.inner->getLoopLatch() && to == inner);
	};
	flow::Graph before = flow::graph_from(*loop.getHeader(), is_left_out);
	flow::Graph now = flow::graph_from(*copies[loop.getHeader()]);
	flow::expect_kept(before, now, "loop interchange", copies,
			  [](const BasicBlock *, const BasicBlock *) { return false; });
	/* What comes behind the inner loop does nothing, and leads to the iteration's end alone. */
	for (const BasicBlock *exit : successors(inner))
		if (exit != s.body)
			for (const BasicBlock *block :
			     flow::graph_from(*exit, [&](const BasicBlock *, const BasicBlock *to) {
				     return !loop.contains(to) || to == loop.getHeader();
			     }).blocks)
				flow::expect(!s.inner->contains(block), *block, "loop interchange",
					     "the inner loop is entered again");
}

/* A copy of the loop over threads in which each takes one step, its inner loop's body. */
struct Step {
	BasicBlock *header, *latch;
	PHINode *thread;
	ICmpInst *again;
	Instruction *branch;
};

Step copy_step(const Stride &s, BasicBlock *from, BasicBlock *out, Value *base)
{
	Loop &loop = s.range.loop;
	Function *f = from->getParent();
	BasicBlock *inner_header = s.inner->getHeader(), *inner_latch = s.inner->getLoopLatch(),
		   *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
	ValueToValueMapTy map;
	SmallVector<BasicBlock *, 16> copies;
	for (BasicBlock *block : loop.blocks()) {
		copies.push_back(CloneBasicBlock(block, map, ".step", f));
		map[block] = copies.back();
	}
	map[before] = from;
	map[loop.getExitBlock()] = out;
	remapInstructionsInBlocks(copies, map);
	auto copy = [&](auto *v) { return cast<std::remove_pointer_t<decltype(v)>>(map[v]); };
	Step ret = {copy(loop.getHeader()), copy(latch), copy(s.range.thread), copy(s.range.again),
		    copy(latch)->getTerminator()};
	/* The step's i, and no way round. */
	IRBuilder<> b(copy(inner_header), copy(inner_header)->getFirstInsertionPt());
	PHINode *i = copy(s.i);
	i->replaceAllUsesWith(b.CreateAdd(base, b.CreateZExt(ret.thread, i->getType()), "i",
					  !s.is_signed, s.is_signed));
	i->eraseFromParent();
	BasicBlock *exit = nullptr;
	for (BasicBlock *next : successors(copy(inner_header)))
		if (next != copy(s.body))
			exit = next;
	exit->removePredecessor(copy(inner_header), true);
	copy(inner_header)->getTerminator()->eraseFromParent();
	BranchInst::Create(copy(s.body), copy(inner_header));
	copy(inner_latch)->getTerminator()->eraseFromParent();
	BranchInst::Create(ret.latch, copy(inner_latch));
	for (PHINode &phi : ret.latch->phis())
		phi.addIncoming(PoisonValue::get(phi.getType()), copy(inner_latch));
	if (flow_is_checked())
		verify(s, map);
	return ret;
}

bool turn(Loop &loop)
{
	Stride s = {{loop, nullptr, nullptr, nullptr}};
	if (loop.getSubLoops().size() != 1 || !thread_range_find(s.range))
		return false;
	BasicBlock *before = loop.getLoopPreheader(), *out = loop.getExitBlock();
	if (!PatternMatch::match(s.range.thread->getIncomingValueForBlock(before),
				 PatternMatch::m_Zero()))
		return false;
	thread_range_hoist(loop);
	s.inner = loop.getSubLoops()[0];
	/* A cycle around the inner loop that is no loop would be gone round once only. */
	if (!find_inner(s) || !works_inside(s) || !is_reducible_loop(loop))
		return false;
	Function *f = before->getParent();
	IRBuilder<> b(before->getTerminator());
	Type *type = s.i->getType();
	Value *first = thread_range_value(b, s.range, s.first,
					  ConstantInt::get(s.range.thread->getType(), 0));
	Value *holds = expectations(b, s, first);
	auto *start = BasicBlock::Create(f->getContext(), "steps.start", f, loop.getHeader()),
	     *head = BasicBlock::Create(f->getContext(), "steps", f, loop.getHeader()),
	     *next = BasicBlock::Create(f->getContext(), "steps.next", f, loop.getHeader());
	CmpInst::Predicate below = s.is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
	b.SetInsertPoint(start);
	b.CreateCondBr(b.CreateICmp(below, first, s.n), head, out);
	b.SetInsertPoint(head);
	PHINode *j = b.CreatePHI(type, 2, "step");
	Value *threads = b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateSub(s.n, j),
						 b.CreateZExt(s.range.end, type));
	threads = b.CreateTrunc(threads, s.range.end->getType());
	Step step = copy_step(s, head, next, j);
	b.CreateBr(step.header);
	step.again->setOperand(1, threads);
	thread_range_rename(*step.branch, false);
	b.SetInsertPoint(next);
	Value *then = b.CreateAdd(j, s.stride, "", !s.is_signed, s.is_signed);
	b.CreateCondBr(b.CreateICmp(below, then, s.n), head, out);
	j->addIncoming(first, start);
	j->addIncoming(then, next);
	before->getTerminator()->eraseFromParent();
	b.SetInsertPoint(before);
	/* What is left of the old loop is for few threads. */
	auto *seldom = BasicBlock::Create(f->getContext(), "seldom", f, loop.getHeader());
	b.CreateCondBr(holds, start, seldom);
	loop.getHeader()->replacePhiUsesWith(before, seldom);
	BranchInst::Create(loop.getHeader(), seldom);
	thread_range_rename(*loop.getLoopLatch()->getTerminator(), true);
	removeUnreachableBlocks(*f);
	return true;
}

} // namespace

void loops_interchange(LLVMValueRef value)
{
	thread_range_each(
		*unwrap<Function>(value),
		[](const Loop &loop) { return loop.getSubLoops().size() == 1; },
		[](Loop &loop) { turn(loop); });
}
