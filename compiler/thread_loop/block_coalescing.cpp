/* SPDX-License-Identifier: Apache-2.0 */
/* block_coalescing.cpp - see block_coalescing.h.
 *
 * With t the counter of the loop over x, which ends at e = blockDim.x, and c the block's
 * index, each value is classified as t + invariant, c * f + invariant with a factor f, or
 * their sum c * f + t + invariant. Where no other use of t and c is left, and each f is e,
 * the values are the same if c stays the row's first block and t counts to n * e. Where f
 * is a constant (a block size known to the source), that is decided when the loop begins.
 * So nothing but the loops' ends changes. */
#include "block_coalescing.h"

#include <cstddef>
#include <map>
#include <vector>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "loop_marks.h"
#include "cudasim/abi.h"

using namespace llvm;
using namespace PatternMatch;

namespace
{

/* A loop over phi = 0, 1, ... that ends where next == limit. */
struct Counter {
	Loop *loop = nullptr;
	PHINode *phi = nullptr;
	Instruction *next = nullptr;
	ICmpInst *compare = nullptr;
	unsigned limit = 0; /* the operand of compare */
	explicit operator bool() const
	{
		return compare;
	}
	Value *end() const
	{
		return compare->getOperand(limit);
	}
	/* Nobody looks at it. */
	bool only_counts() const
	{
		return phi->hasOneUse() && next->hasNUses(2);
	}
};

Counter counter_of(Loop *loop)
{
	Counter ret;
	BasicBlock *latch = loop ? loop->getLoopLatch() : nullptr;
	BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
	auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
	if (!before || !branch || !branch->isConditional())
		return ret;
	auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
	for (PHINode &phi : loop->getHeader()->phis()) {
		Value *next = phi.getIncomingValueForBlock(latch);
		if (!compare || !match(next, m_Add(m_Specific(&phi), m_One())) ||
		    !match(phi.getIncomingValueForBlock(before), m_Zero()))
			continue;
		unsigned limit = compare->getOperand(0) == next ? 1 : 0;
		if (compare->getOperand(1 - limit) != next || !compare->hasOneUse() ||
		    !loop->isLoopInvariant(compare->getOperand(limit)))
			continue;
		ret.loop = loop;
		ret.phi = &phi;
		ret.next = cast<Instruction>(next);
		ret.compare = compare;
		ret.limit = limit;
	}
	return ret;
}

/* ---- what all blocks of a row share ------------------------------------------------- */

/* Of the block, nothing is read but what its neighbours in x have, too. */
bool reads_shared_fields(Value &pointer, uint64_t at, const DataLayout &layout)
{
	for (User *user : pointer.users()) {
		if (auto *gep = dyn_cast<GetElementPtrInst>(user)) {
			APInt offset(64, at);
			if (!gep->accumulateConstantOffset(layout, offset) ||
			    !reads_shared_fields(*gep, offset.getZExtValue(), layout))
				return false;
			continue;
		}
		auto *load = dyn_cast<LoadInst>(user);
		if (!load)
			return false;
		uint64_t end = at + layout.getTypeStoreSize(load->getType()).getFixedValue();
		auto touches = [&](uint64_t from, uint64_t to) { return at < to && from < end; };
		if (touches(offsetof(cudasim_block, shared),
			    offsetof(cudasim_block, shared_bytes)) ||
		    touches(offsetof(cudasim_block, smid), offsetof(cudasim_block, gridid)) ||
		    end > offsetof(cudasim_block, launch))
			return false;
	}
	return true;
}

/* False where a thread may do what needs its block by itself. */
bool is_free(Function &f, bool &in_order)
{
	for (Instruction &i : instructions(f)) {
		auto *call = dyn_cast<CallBase>(&i);
		if (call && !isa<IntrinsicInst>(call))
			return false;
		if (isa<AllocaInst>(i) && !cast<AllocaInst>(i).isStaticAlloca())
			return false;
		in_order |= i.isAtomic() || i.isVolatile();
	}
	return true;
}

/* ---- sums of both indices ------------------------------------------------------------ */

class Sums
{
public:
	Sums(const Counter &x, Value &block) : x(x), block(block)
	{
	}
	/* Whether all uses of both are sums; those with other factors than x's end must be. */
	bool match_all();
	std::vector<ConstantInt *> factors; /* that x's end has to be */
	std::vector<Instruction *> changed; /* whose ranges grow */

private:
	enum Kind { OTHER, THREAD, BLOCK, SCALED, SUM };
	struct Form {
		Kind kind = OTHER;
		bool pure = false; /* nothing added: it does not wrap */
	};
	const Counter &x;
	Value &block;
	std::map<const Value *, Form> forms;

	Form form(const Value *value) const
	{
		auto found = forms.find(value);
		return found == forms.end() ? Form() : found->second;
	}
	bool is_end(Value *value) const
	{
		while (isa<ZExtInst, SExtInst>(value))
			value = cast<CastInst>(value)->getOperand(0);
		return value == x.end();
	}
	Form classify(Instruction &i);
	bool add_factor(Value *value);
};

bool Sums::add_factor(Value *value)
{
	if (is_end(value))
		return true;
	if (auto *c = dyn_cast<ConstantInt>(value))
		if (c->getValue().isIntN(31)) {
			factors.push_back(c);
			return true;
		}
	return false;
}

Sums::Form Sums::classify(Instruction &i)
{
	Value *a = i.getNumOperands() > 0 ? i.getOperand(0) : nullptr;
	Value *b = i.getNumOperands() > 1 ? i.getOperand(1) : nullptr;
	Form fa = a ? form(a) : Form(), fb = b ? form(b) : Form();
	switch (i.getOpcode()) {
	case Instruction::ZExt:
	case Instruction::SExt:
		return fa.pure ? fa : Form();
	case Instruction::Trunc:
	case Instruction::Freeze:
		return fa;
	case Instruction::Mul:
		if (fb.kind == BLOCK) {
			std::swap(a, b);
			std::swap(fa, fb);
		}
		return fa.kind == BLOCK && !fb.kind && add_factor(b) ? Form{SCALED, false} : Form();
	case Instruction::Shl:
		if (auto *c = dyn_cast<ConstantInt>(b))
			if (fa.kind == BLOCK && c->getValue().ult(31)) {
				factors.push_back(ConstantInt::get(Type::getInt32Ty(i.getContext()),
								   1u << c->getZExtValue()));
				return {SCALED, false};
			}
		return {};
	case Instruction::Sub:
		return fb.kind || fa.kind == SUM ? Form() : Form{fa.kind, false};
	case Instruction::Add:
		if ((fa.kind == THREAD && fb.kind == SCALED) ||
		    (fa.kind == SCALED && fb.kind == THREAD))
			return {SUM, false};
		if (fa.kind && fb.kind)
			return {};
		return {fa.kind ? fa.kind : fb.kind, false};
	default:
		return {};
	}
}

bool Sums::match_all()
{
	forms[x.phi] = {THREAD, true};
	forms[x.next] = {THREAD, false}; /* the kernel's own sum may be the same instruction */
	forms[&block] = {BLOCK, true};
	ReversePostOrderTraversal<Function *> order(x.phi->getFunction());
	for (BasicBlock *where : order) {
		for (Instruction &i : *where) {
			if (&i == x.phi || &i == &block || &i == x.next || &i == x.compare)
				continue;
			bool uses = false;
			for (const Value *operand : i.operands())
				uses |= form(operand).kind && form(operand).kind != SUM;
			if (!uses)
				continue;
			Form f = classify(i);
			if (!f.kind)
				return false;
			forms[&i] = f;
			changed.push_back(&i);
		}
	}
	/* A phi may stand before what comes to it. */
	for (auto &[value, f] : forms)
		for (const User *user : value->users())
			if (f.kind != SUM && !forms.count(user) && user != x.compare)
				return false;
	return true;
}

/* ---- forming ------------------------------------------------------------------------- */

/* x counts through all blocks, where the constants in the source are what x ends at. */
bool join(const Counter &x, const Counter &row, Instruction &block, Argument &n)
{
	Sums sums(x, block);
	if (!sums.match_all())
		return false;
	for (Instruction *i : sums.changed)
		i->dropPoisonGeneratingFlags();
	IRBuilder<> b(&*x.phi->getFunction()->getEntryBlock().getTerminator()->getIterator());
	if (auto *end = dyn_cast<Instruction>(x.end()))
		b.SetInsertPoint(end->getParent(), std::next(end->getIterator()));
	Value *joined = b.getTrue(), *one = b.getInt32(1), *end = x.end();
	for (ConstantInt *factor : sums.factors)
		joined = b.CreateAnd(
			joined, b.CreateICmpEQ(end, b.getInt32((uint32_t)factor->getZExtValue())));
	Value *blocks = b.CreateSelect(joined, &n, one);
	x.compare->setOperand(x.limit, b.CreateMul(end, blocks, "row", true, true));
	row.compare->setOperand(row.limit, b.CreateSelect(joined, one, &n));
	return true;
}

/* The thread's index does not matter: blocks in the inner loop, threads in the outer. */
bool swap(const Counter &x, const Counter &row, Instruction &block, Argument &n)
{
	if (!x.only_counts())
		return false;
	for (const User *user : block.users())
		if (!x.loop->contains(cast<Instruction>(user)))
			return false;
	if (block.use_empty())
		return false;
	Value *end = x.end(), *base = block.getOperand(block.getOperand(0) == row.phi);
	IRBuilder<> b(x.loop->getHeader(), x.loop->getHeader()->getFirstInsertionPt());
	Value *inner = b.CreateAdd(base, x.phi, "ctaid", true, true);
	block.replaceAllUsesWith(inner);
	block.eraseFromParent();
	x.compare->setOperand(x.limit, &n);
	row.compare->setOperand(row.limit, end);
	return true;
}

/* first + row.phi, all that the counter is used for. */
Instruction *block_index(const Counter &row)
{
	Instruction *ret = nullptr;
	if (!row.next->hasNUses(2)) /* by the phi and the comparison */
		return nullptr;
	for (User *user : row.phi->users()) {
		if (user == row.next)
			continue;
		auto *add = dyn_cast<BinaryOperator>(user);
		if (ret || !add || add->getOpcode() != Instruction::Add ||
		    !row.loop->isLoopInvariant(add->getOperand(add->getOperand(0) == row.phi)))
			return nullptr;
		ret = add;
	}
	return ret;
}

} // namespace

enum block_coalescing blocks_coalesce(LLVMValueRef value, int *in_order)
{
	auto &f = *unwrap<Function>(value);
	const DataLayout &layout = f.getParent()->getDataLayout();
	DominatorTree tree(f);
	LoopInfo loops(tree);
	Argument &n = *f.getArg(2);
	bool ordered = false;
	Counter x, row;
	for (Loop *loop : loops.getLoopsInPreorder())
		if (thread_loop_is_marked(wrap(loop->getLoopLatch()
						       ? loop->getLoopLatch()->getTerminator()
						       : nullptr))) {
			x = counter_of(loop);
			row = counter_of(loop->getParentLoop());
		}
	*in_order = 0;
	enum block_coalescing ret = COALESCING_NONE;
	if (x && row && row.end() == &n && is_free(f, ordered) &&
	    reads_shared_fields(*f.getArg(1), 0, layout)) {
		*in_order = ordered;
		Instruction *block = block_index(row);
		ret = COALESCING_BLOCKS;
		if (block && (join(x, row, *block, n) || (!ordered && swap(x, row, *block, n))))
			ret = COALESCING_JOINED;
	}
	if (ret == COALESCING_NONE)
		n.replaceAllUsesWith(ConstantInt::get(n.getType(), 1));
	return ret;
}
