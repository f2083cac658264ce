/* SPDX-License-Identifier: Apache-2.0 */
/* division.cpp - what quotients and remainders by zero are on a GPU.
 *
 * The questions are asked of a copy of the module whose variables are in registers;
 * the base, of which all bodies are made, keeps them in memory. The rules are LLVM's, of which
 * nvcc's optimiser is made: InstCombine (constant dividends, x / y * y, powers of two,
 * narrow operands), the back end's selection (a remainder beside a quotient in one block) and
 * BypassSlowDivision (64 bits the short way, unless an operand looks like a hash).
 *
 * Rejected: to let those passes run before divisions are guarded. They would run on the
 * plain bodies only, and the watched one would answer something else. */
#include "division.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

struct division_answers {
	std::map<const Value *, division_answer> by_division;
};

namespace
{

bool is_division(const Instruction &i)
{
	switch (i.getOpcode()) {
	case Instruction::UDiv:
	case Instruction::SDiv:
	case Instruction::URem:
	case Instruction::SRem:
		return true;
	default:
		return false;
	}
}

bool is_remainder(const Instruction &i)
{
	return i.getOpcode() == Instruction::URem || i.getOpcode() == Instruction::SRem;
}

bool is_signed(const Instruction &i)
{
	return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}

/* One that may be by zero. */
bool is_open(const Instruction &i)
{
	if (!is_division(i) || !i.getType()->isIntegerTy())
		return false;
	auto *divisor = dyn_cast<ConstantInt>(i.getOperand(1));
	return !divisor || divisor->isZero();
}

/* Whether two values of a function are the same computation, as far as is looked. */
bool is_same(const Value *a, const Value *b, unsigned depth = 4)
{
	if (a == b)
		return true;
	auto *i = dyn_cast<Instruction>(a), *j = dyn_cast<Instruction>(b);
	if (!depth || !i || !j || !i->isSameOperationAs(j) || i->mayReadOrWriteMemory() ||
	    i->isTerminator() || isa<PHINode>(i) || isa<AllocaInst>(i))
		return false;
	for (unsigned k = 0; k < i->getNumOperands(); k++) {
		if (!is_same(i->getOperand(k), j->getOperand(k), depth - 1))
			return false;
	}
	return true;
}

/* A module's copy with variables in registers; who is who. */
struct promoted {
	std::unique_ptr<Module> module;
	std::vector<std::pair<Instruction *, WeakVH>> copies; /* of the base, of the copy */

	template <typename Wanted> cudasim_error *make(device_module *dm, Wanted wanted)
	{
		ValueToValueMapTy map;
		module = CloneModule(*unwrap(dm->module), map);
		for (Function &f : *unwrap(dm->module)) {
			for (Instruction &i : instructions(f)) {
				if (wanted(i))
					copies.emplace_back(&i, WeakVH(map[&i]));
			}
		}
		device_module copy = *dm;
		copy.module = wrap(module.get());
		return device_run_passes(&copy, "function(sroa)");
	}
};

/* ---- x / y * y ------------------------------------------------------------------------ */

/* The quotient x / y of a product x / y * y that nothing else reads. */
Instruction *quotient_of(const Instruction &product)
{
	for (unsigned k = 0; k < 2; k++) {
		auto *q = dyn_cast<Instruction>(product.getOperand(k));
		/* Of 16 bits and less, with signs, nvcc makes narrower products first. */
		if (q && is_open(*q) && !is_remainder(*q) && q->hasOneUse() &&
		    !(is_signed(*q) && isa<SExtInst>(q->getOperand(1))) &&
		    is_same(q->getOperand(1), product.getOperand(!k)))
			return q;
	}
	return nullptr;
}

bool rewrite_products(const promoted &p)
{
	std::map<const Value *, Instruction *> base_of;
	for (auto &[base, copy] : p.copies) {
		if (copy)
			base_of[copy] = base;
	}
	bool changed = false;
	for (auto &[base, copy] : p.copies) {
		auto *product = dyn_cast_or_null<Instruction>((Value *)copy);
		if (!product || product->getOpcode() != Instruction::Mul)
			continue;
		Instruction *q = quotient_of(*product);
		if (!q || !base_of.count(q))
			continue;
		/* The quotient stands before the product, its operands before both. */
		Instruction *quotient = base_of[q];
		Value *x = quotient->getOperand(0), *y = quotient->getOperand(1);
		IRBuilder<> b(quotient);
		Value *rest = is_signed(*quotient) ? b.CreateSRem(x, y) : b.CreateURem(x, y);
		Value *rounded = b.CreateSub(x, rest);
		base->replaceAllUsesWith(rounded);
		base->eraseFromParent();
		changed = true;
	}
	return changed;
}

/* ---- the answers ------------------------------------------------------------------------- */

/* BypassSlowDivision's guess that a value of 64 bits is no short one. */
bool is_likely_long(const Value *v, const DataLayout &layout, std::set<const Value *> &seen)
{
	KnownBits known = computeKnownBits(v, layout);
	if (known.countMinLeadingZeros() >= 32)
		return false;
	if (known.countMaxLeadingZeros() < 32)
		return true;
	auto *i = dyn_cast<Instruction>(v);
	if (!i)
		return false;
	if (i->getOpcode() == Instruction::Xor)
		return true;
	if (i->getOpcode() == Instruction::Mul) {
		auto *c = dyn_cast<ConstantInt>(i->getOperand(1));
		return c && c->getValue().getSignificantBits() > 32;
	}
	auto *phi = dyn_cast<PHINode>(i);
	if (!phi || seen.size() >= 16)
		return false;
	if (!seen.insert(phi).second)
		return true;
	for (const Value *in : phi->incoming_values()) {
		if (!isa<UndefValue>(in) && !is_likely_long(in, layout, seen))
			return false;
	}
	return true;
}

bool likely_long(const Value *v, const DataLayout &layout)
{
	std::set<const Value *> seen;
	return is_likely_long(v, layout, seen);
}

/* Whether a quotient of a remainder's operands stands in its block. */
bool has_pair(const Instruction &rest, const std::vector<Instruction *> &divisions)
{
	for (Instruction *q : divisions) {
		if (!is_remainder(*q) && !q->use_empty() && is_signed(*q) == is_signed(rest) &&
		    is_same(q->getOperand(0), rest.getOperand(0)) &&
		    is_same(q->getOperand(1), rest.getOperand(1)) &&
		    q->getParent() == rest.getParent())
			return true;
	}
	return false;
}

division_answer answer_of(const Instruction &i, const std::vector<Instruction *> &divisions,
			  const DataLayout &layout)
{
	const Value *x = i.getOperand(0), *y = i.getOperand(1);
	bool rest = is_remainder(i);
	unsigned width = i.getType()->getIntegerBitWidth();
	if (isa<ConstantInt>(y))
		return DIVISION_ZERO;
	if (is_same(x, y))
		return rest ? DIVISION_ZERO : DIVISION_ONE;
	if (auto *dividend = dyn_cast<ConstantInt>(x)) {
		if (dividend->isZero() || (dividend->isOne() && !rest))
			return DIVISION_ZERO;
		if (dividend->isOne() && !is_signed(i))
			return DIVISION_ONE;
	}
	if (rest && has_pair(i, divisions))
		return DIVISION_DIVIDEND;
	KnownBits known_x = computeKnownBits(x, layout), known_y = computeKnownBits(y, layout);
	bool is_unsigned = !is_signed(i) || (known_x.isNonNegative() && known_y.isNonNegative());
	if (rest && is_unsigned && isKnownToBeAPowerOfTwo(y, layout, true))
		return DIVISION_DIVIDEND;
	if (is_unsigned && width > 16 && width <= 64 && known_x.countMaxActiveBits() <= 16 &&
	    known_y.countMaxActiveBits() <= 16)
		return DIVISION_ONES_16;
	if (width != 64 || likely_long(x, layout) || likely_long(y, layout))
		return DIVISION_ONES;
	return DIVISION_BY_SIZE;
}

void answer_function(Function &f, std::map<const Value *, Instruction *> &base_of,
		     division_answers &answers)
{
	std::vector<Instruction *> divisions;
	for (Instruction &i : instructions(f)) {
		if (is_open(i))
			divisions.push_back(&i);
	}
	if (divisions.empty())
		return;
	for (Instruction *i : divisions) {
		auto base = base_of.find(i);
		if (base != base_of.end())
			answers.by_division[base->second] = answer_of(*i, divisions,
								      f.getDataLayout());
	}
}

bool has_open_division(Module &module)
{
	for (Function &f : module) {
		for (Instruction &i : instructions(f)) {
			if (is_open(i))
				return true;
		}
	}
	return false;
}

} // namespace

cudasim_error *division_answers_new(device_module *dm, division_answers **ret)
{
	*ret = new division_answers;
	if (!has_open_division(*unwrap(dm->module)))
		return nullptr;
	for (bool changed = true; changed;) {
		promoted p;
		cudasim_error *error = p.make(dm, [](const Instruction &i) {
			return is_open(i) ||
			       (i.getOpcode() == Instruction::Mul && i.getType()->isIntegerTy());
		});
		if (error) {
			division_answers_free(*ret);
			return error;
		}
		changed = rewrite_products(p);
		std::map<const Value *, Instruction *> base_of;
		for (auto &[base, copy] : p.copies) {
			if (copy)
				base_of[copy] = base;
		}
		for (Function &f : *p.module) {
			if (!changed)
				answer_function(f, base_of, **ret);
		}
	}
	return nullptr;
}

division_answer division_by_zero(const division_answers *answers, LLVMValueRef division)
{
	auto found = answers->by_division.find(unwrap(division));
	if (found != answers->by_division.end())
		return found->second;
	return unwrap(division)->getType()->isIntegerTy(64) ? DIVISION_BY_SIZE : DIVISION_ONES;
}

void division_answers_free(division_answers *answers)
{
	delete answers;
}
