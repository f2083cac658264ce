/* SPDX-License-Identifier: Apache-2.0 */
#include "low_bits.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "cudasim/abi.h"

using namespace llvm;

namespace low_bits
{

enum {
	DEEPEST = 24,      /* operations that an address is followed through */
	MOST_TERMS = 6,    /* of which low bits are added */
	MOST_STEPS = 300,  /* of the search for them */
	FIRST_SPOILT = 51, /* no index of a program is a multiple of 2^51 other than 0 */
};

bool Search::is_multiple(const Value *v, uint64_t factor, unsigned bits) const
{
	unsigned zeros = factor ? (unsigned)countr_zero(factor) : 64;
	if (v->getType()->isPointerTy()) {
		if (isa<AllocaInst, GlobalVariable, Argument, LoadInst, CallBase>(v))
			zeros += Log2(v->getPointerAlignment(layout));
		return zeros >= bits;
	}
	return zeros + computeKnownBits(v, layout, 3).countMinTrailingZeros() >= bits;
}

/* Pointers and numbers that the simulator itself makes aligned. */
static bool is_aligned_by_us(const Value *v)
{
	if (auto *call = dyn_cast<CallBase>(v)) {
		Function *callee = call->getCalledFunction();
		StringRef name = callee ? callee->getName() : "";
		return name == "__cudasim_window" || name == "__cudasim_dynamic" ||
		       name == "__cudasim_variables" || name == "__cudasim_malloc";
	}
	auto *load = dyn_cast<LoadInst>(v);
	if (!load)
		return false;
	const DataLayout &layout = load->getDataLayout();
	APInt offset(64, 0);
	const Value *base =
		load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
	auto *argument = dyn_cast<Argument>(base);
	if (argument && argument->getParent()
				->getAttributes()
				.getParamAttrs(argument->getArgNo())
				.hasAttribute(own_name))
		return offset == offsetof(struct cudasim_block, shared) ||
		       offset == offsetof(struct cudasim_block, dynamic_shared_offset);
	return false;
}

void Search::term(Value *v, uint64_t factor, unsigned bits, Sum &sum) const
{
	if (is_aligned_by_us(v) || is_multiple(v, factor, bits))
		return;
	sum.terms[v] += factor;
	if (sum.terms.size() > MOST_TERMS)
		sum.known = false;
}

void Search::collect_phi(PHINode &phi, uint64_t factor, unsigned bits, Sum &sum, unsigned depth)
{
	Value *from = nullptr;
	stops.push_back(&phi);
	for (Value *value : phi.incoming_values()) {
		if (value == from)
			continue;
		Sum own;
		collect(value, 1, bits, own, depth + 1);
		bool stays = own.known && !own.spoilt && own.terms.size() == 1 &&
			     own.terms.begin()->first == &phi && own.terms.begin()->second == 1 &&
			     !(own.constant & ((1ull << bits) - 1));
		if (stays)
			continue;
		if (from) { /* two ways in */
			stops.pop_back();
			term(&phi, factor, bits, sum);
			return;
		}
		from = value;
	}
	stops.pop_back();
	auto *made = from ? dyn_cast<Instruction>(from) : nullptr;
	if (from && (!made || tree.dominates(made, &phi)))
		collect(from, factor, bits, sum, depth + 1);
	else
		term(&phi, factor, bits, sum);
}

void Search::collect(Value *v, uint64_t factor, unsigned bits, Sum &sum, unsigned depth)
{
	using namespace PatternMatch;
	uint64_t mask = (1ull << bits) - 1;
	Value *a, *b;
	const APInt *c;
	if (!sum.known)
		return;
	if (factor && countr_zero(factor) >= FIRST_SPOILT)
		sum.spoilt = true;
	if (!(factor & mask))
		return;
	if (auto *number = dyn_cast<ConstantInt>(v)) {
		sum.constant += factor * number->getValue().sextOrTrunc(64).getZExtValue();
		return;
	}
	if (isa<ConstantPointerNull>(v))
		return;
	if (depth > DEEPEST || ++steps > MOST_STEPS)
		return term(v, factor, bits, sum);
	auto next = [&](Value *value, uint64_t times) {
		collect(value, factor * times, bits, sum, depth + 1);
	};
	auto wide = [&](Value *value) {
		return value->getType()->isPointerTy() ||
		       (value->getType()->isIntegerTy() &&
			value->getType()->getIntegerBitWidth() >= 8 &&
			value->getType()->getIntegerBitWidth() <= 64);
	};
	if (auto *gep = dyn_cast<GEPOperator>(v)) {
		if (gep->getType()->isVectorTy())
			return term(v, factor, bits, sum);
		next(gep->getPointerOperand(), 1);
		for (auto at = gep_type_begin(gep), end = gep_type_end(gep); at != end; ++at) {
			if (StructType *s = at.getStructTypeOrNull()) {
				unsigned field = (unsigned)cast<ConstantInt>(at.getOperand())
							 ->getZExtValue();
				sum.constant += factor *
						layout.getStructLayout(s)->getElementOffset(field);
			} else {
				next(at.getOperand(),
				     at.getSequentialElementStride(layout).getFixedValue());
			}
		}
		return;
	}
	if (auto *cast = dyn_cast<AddrSpaceCastOperator>(v))
		return next(cast->getPointerOperand(), 1);
	if (match(v, m_PtrToInt(m_Value(a))) || match(v, m_IntToPtr(m_Value(a)))) {
		if (wide(a) && wide(v))
			return next(a, 1);
	} else if (match(v, m_ZExtOrSExt(m_Value(a))) || match(v, m_Trunc(m_Value(a)))) {
		if (wide(a) && wide(v))
			return next(a, 1);
	} else if (match(v, m_Add(m_Value(a), m_Value(b))) ||
		   match(v, m_DisjointOr(m_Value(a), m_Value(b)))) {
		next(a, 1);
		return next(b, 1);
	} else if (match(v, m_Sub(m_Value(a), m_Value(b)))) {
		next(a, 1);
		return next(b, ~0ull);
	} else if (match(v, m_Mul(m_Value(a), m_APInt(c))) && c->getBitWidth() <= 64) {
		return next(a, c->sextOrTrunc(64).getZExtValue());
	} else if (match(v, m_Shl(m_Value(a), m_APInt(c))) && c->ult(64)) {
		return next(a, 1ull << c->getZExtValue());
	} else if (match(v, m_And(m_Value(a), m_APInt(c))) && wide(v)) {
		unsigned zeros = (unsigned)countr_zero(factor), left = bits - zeros;
		if (c->countr_zero() >= left) {
			sum.spoilt |= c->countr_zero() + zeros >= FIRST_SPOILT;
			return;
		}
		if (c->countr_one() >= left)
			return next(a, 1);
	} else if (auto *phi = dyn_cast<PHINode>(v)) {
		if (!is_contained(stops, phi))
			return collect_phi(*phi, factor, bits, sum, depth);
		sum.terms[v] += factor;
		return;
	}
	term(v, factor, bits, sum);
}

void Search::add(Value *value, uint64_t factor, unsigned bits, Sum &sum)
{
	steps = 0;
	collect(value, factor, bits, sum, 0);
}

} // namespace low_bits
