/* SPDX-License-Identifier: Apache-2.0 */
/* loop_distribution.cpp - see loop_distribution.h.
 *
 * A kernel that loads a tile with its halo copies an element a thread, and then asks whether the
 * thread is the first or the last of its row or column, to copy one more. As lanes of a vector
 * all would ask, and a mask would say that one of them goes on. Between two barriers the
 * threads of a block may run in any order as long as each keeps its own. So the loop is cut
 * before and behind what stands behind such a condition, as at a barrier, and the pieces are
 * loops one after the other, each with that part of the control flow that it depends on.
 *
 * What pieces need of each other is computed again; nothing is kept. So a value that was loaded
 * in one piece must not be used in another one, since memory may have changed, and pieces between
 * which it would be are not parted.
 *
 * Source: loop distribution (Allen, Kennedy: Optimizing compilers for modern architectures, 6.2);
 * the independence of threads takes the place of the test of dependences. Rejected: LLVM's
 * loop-distribute, which parts loops of one block at their dependences, and
 * simple-loop-unswitch, which would make a copy of the whole loop for each such condition of the
 * row. */
#include "loop_distribution.h"

#include <map>
#include <set>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "thread_loop.h"
#include "thread_range.h"

using namespace llvm;
using namespace PatternMatch;

namespace
{

enum {
	MOST_INSTRUCTIONS = 300, /* of a loop, which is copied for each piece */
	MOST_PARTS = 8,
};

/* What stands behind a condition: the blocks that one successor of the branch dominates. */
struct Part {
	BranchInst *branch;
	unsigned index; /* of that successor */
	std::set<BasicBlock *> blocks;
};

/* Loops in the order of the source; of a piece that is a part, what its condition says. */
struct Piece {
	const Part *part = nullptr;
	bool acts = false;
	std::set<Instruction *> needed; /* of the loop's instructions */
};

class Distributor
{
public:
	Distributor(Loop &loop, LoopInfo &loops, DominatorTree &tree, PostDominatorTree &behind)
	    : loop(loop), range{loop, nullptr, nullptr, nullptr}, loops(loops), tree(tree),
	      behind(behind)
	{
	}
	void run();

private:
	Loop &loop;
	ThreadRange range;
	LoopInfo &loops;
	DominatorTree &tree;
	PostDominatorTree &behind;
	std::vector<BasicBlock *> order; /* reverse post-order */
	BasicBlock *before = nullptr, *out = nullptr; /* preheader and exit */
	std::vector<Part> parts;
	std::vector<Piece> pieces;
	std::map<BasicBlock *, size_t> piece_of;

	bool is_simple();
	bool is_equality(Value *condition, bool want);
	bool is_own_number(const Value *v);
	void find_parts();
	bool add_part(BasicBlock *block, unsigned index);
	bool form_pieces();
	bool is_access(const Instruction &i) const;
	bool decides(BasicBlock *block, const std::set<BasicBlock *> &places);
	void find_needed(size_t number);
	const Instruction *find_foreign(size_t number) const;
	bool solve(IRBuilder<> &b, Value *v, Value *wanted, Value *&thread, Value *&holds);
	Value *rest_of(IRBuilder<> &b, IRBuilder<> &inside, Value *condition, bool want,
		       const ValueToValueMapTy &map, Value *&thread, Value *&holds);
	BasicBlock *emit(size_t number, BasicBlock *from);
	void strip(size_t number, const ValueToValueMapTy &map);
};

/* A load or a store whose place among the others counts. */
bool Distributor::is_access(const Instruction &i) const
{
	return i.mayReadOrWriteMemory() && !isa<AssumeInst, NoAliasScopeDeclInst>(i) &&
	       !i.hasMetadata(LLVMContext::MD_invariant_load);
}

/* Plain accesses, no inner cycles, branches alone, and not too much of it. */
bool Distributor::is_simple()
{
	size_t n = 0;
	if (!loop.isInnermost() || !is_region_loop(loop) || !is_reducible_loop(loop) ||
	    !thread_range_find(range))
		return false;
	thread_range_hoist(loop);
	for (BasicBlock *block : loop.blocks()) {
		if (!isa<BranchInst>(block->getTerminator()))
			return false;
		for (Instruction &i : *block) {
			auto *load = dyn_cast<LoadInst>(&i);
			auto *store = dyn_cast<StoreInst>(&i);
			bool plain = load ? load->isSimple() : store && store->isSimple();
			if (++n > MOST_INSTRUCTIONS || (is_access(i) && !plain) ||
			    isa<AllocaInst>(i))
				return false;
		}
	}
	return true;
}

/* The thread's number, in any width, and what is the same for all. */
bool Distributor::is_own_number(const Value *v)
{
	Value *a, *b;
	if (v == range.thread)
		return true;
	if (match(v, m_ZExtOrSExt(m_Value(a))))
		return is_own_number(a);
	if (match(v, m_Add(m_Value(a), m_Value(b))))
		return (loop.isLoopInvariant(b) && is_own_number(a)) ||
		       (loop.isLoopInvariant(a) && is_own_number(b));
	return match(v, m_Sub(m_Value(a), m_Value(b))) && loop.isLoopInvariant(b) &&
	       is_own_number(a);
}

/* Whether an equality of that kind is among what must hold for the condition to be `want`. */
bool Distributor::is_equality(Value *condition, bool want)
{
	Value *a, *b;
	if (want ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
		 : match(condition, m_LogicalOr(m_Value(a), m_Value(b))))
		return is_equality(a, want) || is_equality(b, want);
	auto *compare = dyn_cast<ICmpInst>(condition);
	if (!compare || !compare->getOperand(0)->getType()->isIntegerTy() ||
	    compare->getPredicate() != (want ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE))
		return false;
	a = compare->getOperand(0);
	b = compare->getOperand(1);
	return loop.isLoopInvariant(b) ? loop.isLoopInvariant(a) || is_own_number(a)
				       : loop.isLoopInvariant(a) && is_own_number(b);
}

bool Distributor::add_part(BasicBlock *block, unsigned index)
{
	auto *branch = cast<BranchInst>(block->getTerminator());
	BasicBlock *start = branch->getSuccessor(index);
	if (!loop.contains(start) || start->getSinglePredecessor() != block ||
	    tree.dominates(start, loop.getLoopLatch()) ||
	    !is_equality(branch->getCondition(), index == 0))
		return false;
	Part part = {branch, index, {}};
	for (BasicBlock *other : loop.blocks())
		if (tree.dominates(start, other))
			part.blocks.insert(other);
	bool acts = false;
	for (BasicBlock *other : part.blocks)
		for (Instruction &i : *other)
			acts |= is_access(i);
	if (acts)
		parts.push_back(part);
	return acts;
}

/* The outermost ones. */
void Distributor::find_parts()
{
	std::set<BasicBlock *> taken;
	for (BasicBlock *block : order) {
		auto *branch = cast<BranchInst>(block->getTerminator());
		if (taken.count(block) || !branch->isConditional() || block == loop.getLoopLatch())
			continue;
		for (unsigned index = 0; index < 2; index++)
			if (add_part(block, index)) {
				taken.insert(parts.back().blocks.begin(),
					     parts.back().blocks.end());
				break;
			}
	}
}

/* Whether the way that a branch takes counts for what is done or joined at some places. */
bool Distributor::decides(BasicBlock *block, const std::set<BasicBlock *> &places)
{
	BasicBlock *join = nullptr;
	if (auto *node = behind.getNode(block); node && node->getIDom())
		join = node->getIDom()->getBlock();
	std::set<BasicBlock *> seen;
	std::vector<BasicBlock *> open(succ_begin(block), succ_end(block));
	while (!open.empty()) {
		BasicBlock *b = open.back();
		open.pop_back();
		if (b == join || !loop.contains(b) || b == loop.getHeader() ||
		    !seen.insert(b).second)
			continue;
		if (places.count(b))
			return true;
		open.insert(open.end(), succ_begin(b), succ_end(b));
	}
	return false;
}

/* What a piece consists of: its accesses, what they are computed from, and the branches that
 * lead to them. */
void Distributor::find_needed(size_t number)
{
	Piece &piece = pieces[number];
	std::set<BasicBlock *> places, forks;
	std::vector<Instruction *> open;
	piece.needed.clear();
	auto need = [&](Value *v) {
		auto *i = dyn_cast<Instruction>(v);
		if (i && loop.contains(i) && piece.needed.insert(i).second)
			open.push_back(i);
	};
	for (BasicBlock *block : order)
		for (Instruction &i : *block)
			if (piece_of[block] == number && is_access(i) && i.mayWriteToMemory()) {
				need(&i);
				places.insert(block);
			}
	piece.acts = !places.empty();
	need(loop.getLoopLatch()->getTerminator());
	for (bool again = true; again;) {
		while (!open.empty()) {
			Instruction *i = open.back();
			open.pop_back();
			for (Value *operand : i->operands())
				need(operand);
			auto *phi = dyn_cast<PHINode>(i);
			if (!phi || phi == range.thread)
				continue;
			for (BasicBlock *from : phi->blocks()) {
				places.insert(from);
				forks.insert(from);
			}
		}
		again = false;
		for (BasicBlock *block : order) {
			auto *branch = cast<BranchInst>(block->getTerminator());
			if (!branch->isConditional() || piece.needed.count(branch) ||
			    (!forks.count(block) && !decides(block, places)))
				continue;
			need(branch);
			places.insert(block);
			again = true;
		}
	}
}

/* A load that the piece needs of another one; nullptr if there is none. */
const Instruction *Distributor::find_foreign(size_t number) const
{
	for (Instruction *i : pieces[number].needed)
		if (is_access(*i) && piece_of.at(i->getParent()) != number)
			return i;
	return nullptr;
}

/* The loop's blocks as pieces, without those parts that need what was loaded elsewhere. */
bool Distributor::form_pieces()
{
	pieces.assign(1, {});
	piece_of.clear();
	const Part *in = nullptr;
	for (BasicBlock *block : order) {
		const Part *part = nullptr;
		for (const Part &one : parts)
			if (one.blocks.count(block))
				part = &one;
		if (part != in)
			pieces.push_back({part, false, {}});
		in = part;
		piece_of[block] = pieces.size() - 1;
	}
	for (size_t k = 0; k < pieces.size(); k++) {
		find_needed(k);
		const Instruction *foreign = find_foreign(k);
		if (!foreign)
			continue;
		/* No cut between the two. */
		size_t other = piece_of[const_cast<BasicBlock *>(foreign->getParent())];
		std::set<const Part *> between;
		for (size_t p = std::min(k, other); p <= std::max(k, other); p++)
			if (pieces[p].part)
				between.insert(pieces[p].part);
		std::vector<Part> rest;
		for (const Part &one : parts)
			if (!between.count(&one))
				rest.push_back(one);
		parts = rest;
		return false;
	}
	return true;
}

/* The one thread for which v, its number in some form, is what is wanted. */
bool Distributor::solve(IRBuilder<> &b, Value *v, Value *wanted, Value *&thread, Value *&holds)
{
	Value *inner, *other;
	if (v == range.thread) {
		thread = wanted;
		return true;
	}
	if (match(v, m_ZExtOrSExt(m_Value(inner)))) {
		Value *narrow = b.CreateTrunc(wanted, inner->getType());
		Value *again = b.CreateCast(cast<CastInst>(v)->getOpcode(), narrow, v->getType());
		holds = b.CreateAnd(holds, b.CreateICmpEQ(again, wanted));
		return solve(b, inner, narrow, thread, holds);
	}
	if (match(v, m_Add(m_Value(inner), m_Value(other)))) {
		if (!loop.isLoopInvariant(other))
			std::swap(inner, other);
		return solve(b, inner, b.CreateSub(wanted, b.CreateFreeze(other)), thread, holds);
	}
	if (match(v, m_Sub(m_Value(inner), m_Value(other))))
		return solve(b, inner, b.CreateAdd(wanted, b.CreateFreeze(other)), thread, holds);
	return false;
}

/* What is left of the condition in the loop. What is the same for all threads is a part of
 * `holds`, before the loop, and an equality of a number says which thread that is. */
Value *Distributor::rest_of(IRBuilder<> &b, IRBuilder<> &inside, Value *condition, bool want,
			    const ValueToValueMapTy &map, Value *&thread, Value *&holds)
{
	Value *x, *y;
	if (loop.isLoopInvariant(condition)) {
		Value *frozen = b.CreateFreeze(condition);
		holds = b.CreateAnd(holds, want ? frozen : b.CreateNot(frozen));
		return b.getInt1(want);
	}
	if (want ? match(condition, m_LogicalAnd(m_Value(x), m_Value(y)))
		 : match(condition, m_LogicalOr(m_Value(x), m_Value(y)))) {
		Value *first = rest_of(b, inside, x, want, map, thread, holds);
		Value *second = rest_of(b, inside, y, want, map, thread, holds);
		return want ? inside.CreateLogicalAnd(first, second)
			    : inside.CreateLogicalOr(first, second);
	}
	if (!thread && is_equality(condition, want)) {
		auto *compare = cast<ICmpInst>(condition);
		Value *number = compare->getOperand(0), *wanted = compare->getOperand(1);
		if (loop.isLoopInvariant(number))
			std::swap(number, wanted);
		if (solve(b, number, b.CreateFreeze(wanted), thread, holds))
			return b.getInt1(want);
	}
	auto found = map.find(condition);
	return found == map.end() ? condition : (Value *)found->second;
}

/* A copy of the loop without what the piece does not need: what was behind a branch must not be
 * done without it. */
void Distributor::strip(size_t number, const ValueToValueMapTy &map)
{
	for (BasicBlock *block : order)
		for (Instruction &i : *block) {
			auto *copy = cast<Instruction>((Value *)map.lookup(&i));
			if (pieces[number].needed.count(&i) || isa<NoAliasScopeDeclInst>(i))
				continue;
			if (auto *branch = dyn_cast<BranchInst>(copy)) {
				if (branch->isConditional())
					branch->setCondition(
						ConstantInt::getTrue(branch->getContext()));
				continue;
			}
			copy->replaceAllUsesWith(PoisonValue::get(copy->getType()));
			copy->eraseFromParent();
		}
}

/* The piece's loop in the place of a jump at the end of `from`; where what follows begins. */
BasicBlock *Distributor::emit(size_t number, BasicBlock *from)
{
	BasicBlock *header = loop.getHeader();
	Function *f = header->getParent();
	auto *start = BasicBlock::Create(f->getContext(), "piece", f, header),
	     *next = BasicBlock::Create(f->getContext(), "pieces", f, header);
	ValueToValueMapTy map;
	SmallVector<BasicBlock *, 16> copies;
	for (BasicBlock *block : order) {
		copies.push_back(CloneBasicBlock(block, map, ".piece", f));
		map[block] = copies.back();
	}
	map[before] = start;
	map[out] = next;
	remapInstructionsInBlocks(copies, map);
	thread_range_rename(*cast<BasicBlock>(map[loop.getLoopLatch()])->getTerminator(), false);
	auto *thread_phi = cast<PHINode>(map[range.thread]);
	const Part *part = pieces[number].part;
	Value *thread = nullptr;
	IRBuilder<> b(from), inside(start);
	b.SetCurrentDebugLocation(DebugLoc());
	Value *holds = b.getTrue();
	if (part) {
		auto *branch = cast<BranchInst>((Value *)map[part->branch]);
		inside.SetInsertPoint(branch);
		Value *rest = rest_of(b, inside, part->branch->getCondition(), part->index == 0,
				      map, thread, holds);
		branch->setCondition(rest);
	}
	strip(number, map);
	if (thread) {
		Value *first = range.thread->getIncomingValueForBlock(before);
		holds = b.CreateAnd(holds, b.CreateICmpUGE(thread, first));
		holds = b.CreateAnd(holds, b.CreateICmpULT(thread, range.end));
		thread_phi->setIncomingValueForBlock(start, thread);
		auto *latch = cast<BasicBlock>(map[loop.getLoopLatch()]);
		cast<BranchInst>(latch->getTerminator())->setCondition(b.getFalse());
	}
	b.CreateCondBr(holds, start, next);
	BranchInst::Create(cast<BasicBlock>(map[header]), start);
	return next;
}

void Distributor::run()
{
	if (!is_simple())
		return;
	LoopBlocksRPO blocks(&loop);
	blocks.perform(&loops);
	order.assign(blocks.begin(), blocks.end());
	find_parts();
	do {
		if (parts.empty() || parts.size() > MOST_PARTS)
			return;
	} while (!form_pieces());
	if (count_if(pieces, [](const Piece &piece) { return piece.acts; }) < 2)
		return;
	before = loop.getLoopPreheader();
	out = loop.getExitBlock();
	before->getTerminator()->eraseFromParent();
	auto *first = BasicBlock::Create(before->getContext(), "pieces", before->getParent(),
					 loop.getHeader());
	BasicBlock *end = first;
	for (size_t k = 0; k < pieces.size(); k++)
		if (pieces[k].acts)
			end = emit(k, end);
	BranchInst::Create(out, end);
	BranchInst::Create(first, before);
	removeUnreachableBlocks(*before->getParent());
}

} // namespace

void loops_distribute(LLVMValueRef value)
{
	auto &f = *unwrap<Function>(value);
	thread_range_each(
		f, [](const Loop &loop) { return loop.isInnermost() && is_region_loop(loop); },
		[&](Loop &found) {
			DominatorTree tree(f);
			PostDominatorTree behind(f);
			LoopInfo loops(tree);
			Distributor(*loops.getLoopFor(found.getHeader()), loops, tree, behind)
				.run();
		});
}
