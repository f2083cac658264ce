/* SPDX-License-Identifier: Apache-2.0 */
/* uniform_flow.cpp - see uniform_flow.h.
 *
 * With each cut taken for an end, a branch whose ways do not meet again decides at which
 * cut threads come out. If all such branches are the same for all threads, so is the way
 * of the whole block from cut to cut, and one thread can go it for all: where others part
 * it goes straight to where they meet again, and it does nothing but what decides the
 * way. Threads that end early do not matter to it: the others go on without them.
 *
 * Sources: uniformity.h; what is left by dead code elimination with control dependences
 * (Cytron et al. 1991). */
#include "uniform_flow.h"

#include <map>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>

#include "uniformity.h"

using namespace llvm;

namespace regions
{

/* What differs from thread to thread to begin with. */
struct Origin {
	ArrayRef<Argument *> own;
	bool (*known)(const LoadInst &);
};

static enum uniformity_source source_of(LLVMValueRef value, void *arg)
{
	auto *origin = (const Origin *)arg;
	const Value *v = unwrap(value);
	bool differs;
	if (isa<Argument>(v))
		differs = is_contained(origin->own, v);
	else if (auto *load = dyn_cast<LoadInst>(v))
		differs = !origin->known(*load);
	else
		differs = cast<Instruction>(v)->mayReadOrWriteMemory();
	return differs ? UNIFORMITY_DIFFERS : UNIFORMITY_FOLLOWS;
}

/* Other ends of blocks, for as long as this lives. */
class Changes
{
public:
	void end_with(BasicBlock *block, Instruction *end)
	{
		Instruction *old = block->getTerminator();
		old->removeFromParent();
		end->insertInto(block, block->end());
		saved.push_back({block, old});
	}
	~Changes()
	{
		for (auto &[block, old] : saved) {
			block->getTerminator()->eraseFromParent();
			old->insertInto(block, block->end());
		}
	}

private:
	std::vector<std::pair<BasicBlock *, Instruction *>> saved;
};

using Blocks = std::set<BasicBlock *>;

static void reach(BasicBlock *from, const BasicBlock *until, Blocks &ret)
{
	std::vector<BasicBlock *> open = {from};
	while (!open.empty()) {
		BasicBlock *block = open.back();
		open.pop_back();
		if (block == until || !ret.insert(block).second)
			continue;
		for (BasicBlock *next : successors(block))
			open.push_back(next);
	}
}

/* Blocks from which threads come to their end, and to no cut. */
static Blocks find_tail(Function &f, ArrayRef<BasicBlock *> ends)
{
	Blocks ret, others;
	std::vector<BasicBlock *> open(ends.begin(), ends.end());
	while (!open.empty()) {
		BasicBlock *block = open.back();
		open.pop_back();
		if (others.insert(block).second)
			open.insert(open.end(), pred_begin(block), pred_end(block));
	}
	for (BasicBlock &block : f)
		if (!others.count(&block))
			ret.insert(&block);
	return ret;
}

/* Where all ways from a block meet again; nullptr: not before they end. */
static BasicBlock *meeting_of(const PostDominatorTree &after, BasicBlock *block)
{
	auto *node = after.getNode(block);
	return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
}

static bool all_end(const PostDominatorTree &after)
{
	for (BasicBlock *root : after.roots())
		if (succ_size(root))
			return false;
	return true;
}

/* Where threads part, and what is the same for all of them. */
static void find_divergence(Function &f, Origin origin, Blocks &divergent,
			    std::set<const Instruction *> &uniform)
{
	struct uniformity *u = uniformity_new(wrap(&f), source_of, &origin);
	divergent.clear();
	uniform.clear();
	for (BasicBlock &block : f) {
		if (uniformity_diverges(u, wrap(&block)))
			divergent.insert(&block);
		for (Instruction &i : block)
			if (!i.getType()->isVoidTy() && uniformity_is_uniform(u, wrap(&i)))
				uniform.insert(&i);
	}
	uniformity_free(u);
}

bool find_uniform_flow(Function &f, ArrayRef<BasicBlock *> ends, ArrayRef<Argument *> own,
		       bool (*known)(const LoadInst &), UniformFlow &ret)
{
	Blocks divergent, apart, tail = find_tail(f, ends);
	Changes changes;
	find_divergence(f, {own, known}, divergent, ret.uniform);
	for (BasicBlock *block : divergent) {
		auto *branch = dyn_cast<BranchInst>(block->getTerminator());
		if (!branch || tail.count(block))
			continue;
		bool first = tail.count(branch->getSuccessor(0)),
		     second = tail.count(branch->getSuccessor(1));
		if (first != second)
			ret.losing.push_back({block, first});
	}
	for (auto &[block, goes_on] : ret.losing)
		changes.end_with(block,
				 BranchInst::Create(block->getTerminator()->getSuccessor(goes_on)));
	if (!ret.losing.empty()) /* where those that go on part */
		find_divergence(f, {own, known}, divergent, ret.uniform);
	for (BasicBlock *block : ends)
		changes.end_with(block, ReturnInst::Create(f.getContext(),
							   PoisonValue::get(f.getReturnType())));
	PostDominatorTree after(f);
	if (!all_end(after))
		return false;
	for (BasicBlock *block : divergent) {
		BasicBlock *meeting = meeting_of(after, block);
		if (!meeting)
			return false;
		for (BasicBlock *next : successors(block))
			reach(next, meeting, apart);
		ret.parting.insert(block);
	}
	for (BasicBlock &block : f)
		if (succ_size(&block) > 1 && !divergent.count(&block) && !tail.count(&block) &&
		    !meeting_of(after, &block))
			ret.deciding.push_back(&block);
	for (BasicBlock *block : ret.deciding)
		if (apart.count(block))
			return false;
	for (auto at = ret.uniform.begin(); at != ret.uniform.end();)
		at = apart.count(const_cast<BasicBlock *>((*at)->getParent()))
			     ? ret.uniform.erase(at)
			     : std::next(at);
	return true;
}

/* ---- stripping ---------------------------------------------------------------------- */

class Stripper
{
public:
	Stripper(Function &f, const Blocks &parting, Argument *kept)
	    : f(f), parting(parting), kept(kept), after(f)
	{
	}
	bool run();

private:
	Function &f;
	const Blocks &parting;
	Argument *kept;
	PostDominatorTree after;
	std::map<BasicBlock *, std::vector<BasicBlock *>> deciders; /* control dependences */
	std::set<Instruction *> wanted;
	std::vector<Instruction *> open;

	void want(Instruction *i)
	{
		if (wanted.insert(i).second)
			open.push_back(i);
	}
	void want_way_to(BasicBlock *block)
	{
		for (BasicBlock *decider : deciders[block])
			want(decider->getTerminator());
	}
	void find_deciders();
	void find_wanted();
	void go_straight(BasicBlock *block, BasicBlock *to);
};

void Stripper::find_deciders()
{
	for (BasicBlock &block : f) {
		if (succ_size(&block) < 2)
			continue;
		BasicBlock *meeting = meeting_of(after, &block);
		for (BasicBlock *next : successors(&block))
			for (BasicBlock *b = next; b && b != meeting; b = meeting_of(after, b))
				deciders[b].push_back(&block);
	}
}

void Stripper::find_wanted()
{
	for (Instruction &i : instructions(f)) {
		auto *store = dyn_cast<StoreInst>(&i);
		if (store && getUnderlyingObject(store->getPointerOperand()) == kept)
			want(store);
		if (i.isTerminator() && i.getNumSuccessors() > 1 &&
		    !meeting_of(after, i.getParent()))
			want(&i);
	}
	while (!open.empty()) {
		Instruction *i = open.back();
		open.pop_back();
		want_way_to(i->getParent());
		for (Value *operand : i->operands())
			if (auto *o = dyn_cast<Instruction>(operand))
				want(o);
		auto *phi = dyn_cast<PHINode>(i);
		for (unsigned k = 0; phi && k < phi->getNumIncomingValues(); k++) {
			BasicBlock *from = phi->getIncomingBlock(k);
			if (succ_size(from) > 1)
				want(from->getTerminator());
			want_way_to(from);
		}
	}
}

void Stripper::go_straight(BasicBlock *block, BasicBlock *to)
{
	bool known = false;
	for (BasicBlock *next : successors(block)) {
		if (next == to && !known)
			known = true;
		else
			next->removePredecessor(block, true);
	}
	for (PHINode &phi : to->phis())
		if (!known)
			phi.addIncoming(PoisonValue::get(phi.getType()), block);
	block->getTerminator()->eraseFromParent();
	BranchInst::Create(to, block);
}

bool Stripper::run()
{
	find_deciders();
	find_wanted();
	for (BasicBlock *block : parting)
		if (wanted.count(block->getTerminator()))
			return false;
	for (BasicBlock &block : f)
		for (Instruction &i : make_early_inc_range(block)) {
			if (i.isTerminator() || wanted.count(&i))
				continue;
			i.replaceAllUsesWith(PoisonValue::get(i.getType()));
			i.eraseFromParent();
		}
	for (BasicBlock &block : f) {
		BasicBlock *meeting = meeting_of(after, &block);
		Instruction *end = block.getTerminator();
		if (end->getNumSuccessors() > 1 && !wanted.count(end) && meeting)
			go_straight(&block, meeting);
	}
	removeUnreachableBlocks(f);
	return true;
}

bool strip_to_uniform_flow(Function &f, const Blocks &parting,
			   const std::vector<std::pair<BasicBlock *, unsigned>> &losing,
			   Argument *kept)
{
	for (auto &[block, goes_on] : losing) {
		auto *branch = cast<BranchInst>(block->getTerminator());
		BasicBlock *on = branch->getSuccessor(goes_on);
		branch->getSuccessor(!goes_on)->removePredecessor(block, true);
		branch->eraseFromParent();
		BranchInst::Create(on, block);
	}
	removeUnreachableBlocks(f);
	Blocks left;
	for (BasicBlock &block : f)
		if (parting.count(&block))
			left.insert(&block);
	return Stripper(f, left, kept).run();
}

} // namespace regions
