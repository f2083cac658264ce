/* SPDX-License-Identifier: Apache-2.0 */
#include "own_atomics.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "function_analyses.h"
#include "thread_loop.h"

using namespace llvm;

/* Volatile, since lanes of a vector might well meet at one address. */
static LoadInst *load_now(IRBuilder<> &b, Type *type, Value *address, Align align)
{
	return b.CreateAlignedLoad(type, address, align, true);
}

static void lower_change(AtomicRMWInst *i)
{
	IRBuilder<> b(i);
	Value *address = i->getPointerOperand();
	Value *old = load_now(b, i->getType(), address, i->getAlign());
	Value *now = buildAtomicRMWValue(i->getOperation(), b, old, i->getValOperand());
	b.CreateAlignedStore(now, address, i->getAlign(), true);
	i->replaceAllUsesWith(old);
	i->eraseFromParent();
}

static void lower_exchange(AtomicCmpXchgInst *i)
{
	IRBuilder<> b(i);
	Value *address = i->getPointerOperand(), *expected = i->getCompareOperand();
	Value *old = load_now(b, expected->getType(), address, i->getAlign());
	Value *same = b.CreateICmpEQ(old, expected);
	b.CreateAlignedStore(b.CreateSelect(same, i->getNewValOperand(), old), address,
			     i->getAlign(), true);
	Value *both = b.CreateInsertValue(PoisonValue::get(i->getType()), old, 0);
	i->replaceAllUsesWith(b.CreateInsertValue(both, same, 1));
	i->eraseFromParent();
}

void own_atomics_lower(LLVMModuleRef module)
{
	for (Function &f : *unwrap(module))
		for (Instruction &i : make_early_inc_range(instructions(f))) {
			auto *change = dyn_cast<AtomicRMWInst>(&i);
			auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i);
			if (change && change->getSyncScopeID() == SyncScope::SingleThread)
				lower_change(change);
			else if (exchange && exchange->getSyncScopeID() == SyncScope::SingleThread)
				lower_exchange(exchange);
		}
}

/* ---- neighbours' additions ------------------------------------------------------------ */

namespace
{

const char *const last_mark = "cudasim.last"; /* nothing of the thread's region follows it */
enum { TOGETHER = 4, WORD = 4 };

/* Whether b is of the word behind a's. */
bool follows(function_analyses &analyses, AtomicRMWInst &a, AtomicRMWInst &b)
{
	ScalarEvolution &evolution = analyses.evolution;
	auto *step = dyn_cast<SCEVConstant>(
		evolution.getMinusSCEV(evolution.getSCEV(b.getPointerOperand()),
				       evolution.getSCEV(a.getPointerOperand())));
	return step && step->getAPInt() == WORD;
}

bool is_addition(const Instruction &i)
{
	auto *change = dyn_cast<AtomicRMWInst>(&i);
	return change && change->getOperation() == AtomicRMWInst::Add && change->use_empty() &&
	       change->getType()->isIntegerTy(8 * WORD) && !change->isVolatile() &&
	       change->getSyncScopeID() == SyncScope::System;
}

/* Neither writes nor has to stand where it stands. */
bool is_quiet(const Instruction &i)
{
	if (auto *load = dyn_cast<LoadInst>(&i))
		return load->isSimple();
	return !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects();
}

bool is_last(const AtomicRMWInst &change, const Loop &loop)
{
	const BasicBlock *block = change.getParent();
	if (block != loop.getLoopLatch())
		return false;
	for (const Instruction *i = change.getNextNode(); i; i = i->getNextNode())
		if (i->mayReadOrWriteMemory() || i->mayHaveSideEffects())
			return false;
	return true;
}

using Group = std::array<AtomicRMWInst *, TOGETHER>;

/* Marked additions to words side by side, which nothing but quiet instructions part. */
std::vector<Group> find_groups(BasicBlock &block, function_analyses &analyses)
{
	std::vector<Group> ret;
	std::vector<AtomicRMWInst *> run;
	for (Instruction &i : block) {
		if (is_addition(i) && i.getMetadata(last_mark)) {
			auto &change = cast<AtomicRMWInst>(i);
			if (!run.empty() && !follows(analyses, *run.back(), change))
				run.clear();
			run.push_back(&change);
		} else if (!is_quiet(i)) {
			run.clear();
		}
		if (run.size() == TOGETHER) {
			Group group;
			std::copy(run.begin(), run.end(), group.begin());
			ret.push_back(group);
			run.clear();
		}
	}
	return ret;
}

/* Compare and exchange the four words until nobody has come between. */
void add_together(IRBuilder<> &b, Value *address, Value *sum, BasicBlock *after)
{
	BasicBlock *from = b.GetInsertBlock();
	BasicBlock *again = BasicBlock::Create(b.getContext(), "again", from->getParent(), after);
	Type *whole = b.getInt128Ty();
	Align align(TOGETHER * WORD);
	Value *first = b.CreateAlignedLoad(whole, address, align);
	b.CreateBr(again);
	b.SetInsertPoint(again);
	PHINode *old = b.CreatePHI(whole, 2);
	Value *now = b.CreateAdd(b.CreateBitCast(old, sum->getType()), sum);
	Value *done = b.CreateAtomicCmpXchg(address, old, b.CreateBitCast(now, whole), align,
					    AtomicOrdering::SequentiallyConsistent,
					    AtomicOrdering::SequentiallyConsistent);
	old->addIncoming(first, from);
	old->addIncoming(b.CreateExtractValue(done, 0), again);
	b.CreateCondBr(b.CreateExtractValue(done, 1), after, again);
}

void merge(const Group &group)
{
	AtomicRMWInst *first = group.front(), *last = group.back();
	IRBuilder<> b(last);
	Value *address = first->getPointerOperand(),
	      *sum = PoisonValue::get(FixedVectorType::get(first->getType(), TOGETHER));
	for (unsigned i = 0; i < TOGETHER; i++)
		sum = b.CreateInsertElement(sum, group[i]->getValOperand(), i);
	Value *place = b.CreatePtrToInt(address, b.getInt64Ty());
	Value *fits = b.CreateICmpEQ(b.CreateAnd(place, TOGETHER * WORD - 1), b.getInt64(0));
	Instruction *wide, *narrow;
	SplitBlockAndInsertIfThenElse(fits, last->getIterator(), &wide, &narrow);
	for (AtomicRMWInst *change : group)
		change->moveBefore(*narrow->getParent(), narrow->getIterator());
	BasicBlock *after = wide->getSuccessor(0);
	b.SetInsertPoint(wide);
	b.SetCurrentDebugLocation(last->getDebugLoc());
	add_together(b, address, sum, after);
	wide->eraseFromParent();
}

} // namespace

void own_atomics_mark_last(LLVMValueRef function)
{
	auto &f = *unwrap<Function>(function);
	if (none_of(instructions(f), is_addition))
		return;
	function_analyses analyses(f);
	for (Loop *loop : analyses.loops.getLoopsInPreorder()) {
		if (!loop->isInnermost() || !loop->getLoopLatch() || !is_thread_loop(*loop))
			continue;
		for (Instruction &i : *loop->getLoopLatch()) {
			if (!is_addition(i) || !is_last(cast<AtomicRMWInst>(i), *loop))
				continue;
			i.setMetadata(last_mark, MDNode::get(f.getContext(), {}));
		}
	}
}

void own_atomics_merge(LLVMModuleRef module)
{
	for (Function &f : *unwrap(module)) {
		auto is_marked = [](const Instruction &i) {
			return i.getMetadata(last_mark) != nullptr;
		};
		if (none_of(instructions(f), is_marked))
			continue;
		std::vector<Group> groups;
		{
			function_analyses analyses(f);
			for (BasicBlock &block : f)
				for (const Group &group : find_groups(block, analyses))
					groups.push_back(group);
		}
		for (const Group &group : groups)
			merge(group);
	}
}
