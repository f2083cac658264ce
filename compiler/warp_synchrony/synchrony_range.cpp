/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_range.cpp - see synchrony_range.h.
 *
 * A loop's counter that its header compares has the bound among its values, as behind the loop
 * it has it: so a range is tried with its ends cut off, by the conditions that hold at the
 * access. */
#include "synchrony_range.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>

#include "function_analyses.h"

using namespace llvm;

struct synchrony_ranges : function_analyses {
	using function_analyses::function_analyses;

	/* NULL where nothing can be said. */
	const SCEV *beyond(LLVMValueRef value, LLVMValueRef start, const Instruction &at);
	/* The least and the largest value of s where `at` runs. */
	std::pair<APInt, APInt> ends(const SCEV *s, bool is_signed, const Instruction &at);
	bool holds(CmpInst::Predicate predicate, const SCEV *a, const SCEV *b,
		   const Instruction &at)
	{
		return evolution.isKnownPredicateAt(predicate, a, b, &at);
	}
};

const SCEV *synchrony_ranges::beyond(LLVMValueRef value, LLVMValueRef start, const Instruction &at)
{
	Value *v = unwrap(value), *from = start ? unwrap(start) : nullptr;
	if (!v->getType()->isIntegerTy() || !tree.isReachableFromEntry(at.getParent()))
		return nullptr;
	const SCEV *all = evolution.getSCEV(v);
	/* Conditions are about the value itself. */
	auto *known = dyn_cast_or_null<ConstantInt>(from);
	if (from && !(known && known->isZero()))
		all = evolution.getMinusSCEV(all, evolution.getSCEV(from));
	return isa<SCEVCouldNotCompute>(all) ? nullptr : all;
}

std::pair<APInt, APInt> synchrony_ranges::ends(const SCEV *s, bool is_signed, const Instruction &at)
{
	ConstantRange range = is_signed ? evolution.getSignedRange(s)
					: evolution.getUnsignedRange(s);
	APInt least = is_signed ? range.getSignedMin() : range.getUnsignedMin();
	APInt most = is_signed ? range.getSignedMax() : range.getUnsignedMax();
	if (least != most && holds(is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, s,
				   evolution.getConstant(most), at))
		--most;
	if (least != most && holds(is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT, s,
				   evolution.getConstant(least), at))
		++least;
	return {least, most};
}

struct synchrony_ranges *synchrony_ranges_new(LLVMValueRef function)
{
	return new synchrony_ranges(*unwrap<Function>(function));
}

void synchrony_ranges_free(struct synchrony_ranges *ranges)
{
	delete ranges;
}

int64_t synchrony_range_spread(struct synchrony_ranges *ranges, LLVMValueRef value,
			       LLVMValueRef start, LLVMValueRef at)
{
	const Instruction &where = *unwrap<Instruction>(at);
	/* A constant start changes no difference. */
	if (start && isa<ConstantInt>(unwrap(start)))
		start = nullptr;
	const SCEV *s = ranges->beyond(value, start, where);
	if (!s)
		return -1;
	APInt spread = APInt::getMaxValue(s->getType()->getIntegerBitWidth());
	for (bool is_signed : {true, false}) {
		auto [least, most] = ranges->ends(s, is_signed, where);
		APInt width = most - least;
		if (width.ult(spread))
			spread = width;
	}
	return spread.getActiveBits() > 31 ? -1 : (int64_t)spread.getZExtValue();
}

bool synchrony_range_is_below(struct synchrony_ranges *ranges, LLVMValueRef value,
			      LLVMValueRef start, LLVMValueRef bound, LLVMValueRef at)
{
	const Instruction &where = *unwrap<Instruction>(at);
	const SCEV *s = ranges->beyond(value, start, where);
	if (!s || !unwrap(bound)->getType()->isIntegerTy())
		return false;
	ScalarEvolution &evolution = ranges->evolution;
	const SCEV *b = evolution.getSCEV(unwrap(bound));
	Type *wide = evolution.getWiderType(s->getType(), b->getType());
	const SCEV *s_signed = evolution.getNoopOrSignExtend(s, wide),
		   *b_signed = evolution.getNoopOrSignExtend(b, wide);
	if (ranges->holds(CmpInst::ICMP_SGE, s_signed, evolution.getZero(wide), where) &&
	    ranges->holds(CmpInst::ICMP_SLT, s_signed, b_signed, where))
		return true;
	return ranges->holds(CmpInst::ICMP_ULT, evolution.getNoopOrZeroExtend(s, wide),
			     evolution.getNoopOrZeroExtend(b, wide), where);
}

/* The values of an index. */
static bool find_index(struct synchrony_ranges &ranges, Value *index, const Instruction &at,
		       int64_t &least, int64_t &most)
{
	if (auto *constant = dyn_cast<ConstantInt>(index)) {
		if (constant->getValue().getSignificantBits() > 32)
			return false;
		least = most = constant->getSExtValue();
		return true;
	}
	const SCEV *s = ranges.beyond(wrap(index), nullptr, at);
	if (!s)
		return false;
	auto [low, high] = ranges.ends(s, true, at);
	if (low.getSignificantBits() > 32 || high.getSignificantBits() > 32)
		return false;
	least = low.getSExtValue();
	most = high.getSExtValue();
	return true;
}

bool synchrony_range_offset(struct synchrony_ranges *ranges, LLVMValueRef gep, int64_t *least,
			    int64_t *most)
{
	auto &i = *unwrap<GetElementPtrInst>(gep);
	const DataLayout &layout = i.getModule()->getDataLayout();
	*least = *most = 0;
	if (!i.getType()->isPointerTy())
		return false;
	/* What the index before chose: an array, for one that stays within it. */
	Type *whole = nullptr;
	for (auto part = gep_type_begin(i), end = gep_type_end(i); part != end; ++part) {
		auto *array = dyn_cast_or_null<ArrayType>(whole);
		whole = part.getIndexedType();
		if (StructType *structure = part.getStructTypeOrNull()) {
			auto field = cast<ConstantInt>(part.getOperand())->getZExtValue();
			uint64_t at = layout.getStructLayout(structure)->getElementOffset(field);
			*least += (int64_t)at;
			*most += (int64_t)at;
			continue;
		}
		uint64_t size = part.getSequentialElementStride(layout).getFixedValue();
		int64_t low = 0, high = 0;
		bool known = find_index(*ranges, part.getOperand(), i, low, high);
		if (array && array->getNumElements() && !isa<Constant>(part.getOperand())) {
			auto last = (int64_t)array->getNumElements() - 1;
			low = known ? std::max<int64_t>(low, 0) : 0;
			high = known ? std::min(high, last) : last;
			known = low <= high;
		}
		if (!known || size > 1u << 24 || std::abs(low) > 1 << 24 ||
		    std::abs(high) > 1 << 24)
			return false;
		*least += low * (int64_t)size;
		*most += high * (int64_t)size;
	}
	return true;
}
