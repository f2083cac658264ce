// SPDX-License-Identifier: Apache-2.0
/* synchrony_block.cpp - the block size that a kernel's source assumes.
 *
 *	#define SIDE 16
 *	int row = blockIdx.y * SIDE + threadIdx.y;
 *	if (threadIdx.y == SIDE - 1)
 *		tile[SIDE + 1][threadIdx.x + 1] = ...;
 *
 * With it known the borders of a tile are apart; in a larger block they would not be. It is a
 * guess, and the launch decides whether it holds. */
#include <algorithm>
#include <cstddef>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "synchrony_proof.h"

using namespace llvm;
using namespace synchrony;
using namespace PatternMatch;

/* Of one axis. */
struct candidates {
	std::vector<int64_t> factors; /* of blockIdx */
	int64_t last = 0;             /* the most that threadIdx is compared with */

	/* The least factor that is above all that threadIdx equals: one may count bytes. */
	uint32_t size() const
	{
		int64_t least = MAX_THREADS + 1;
		for (int64_t n : factors)
			if (n > 1 && n > last)
				least = std::min(least, n);
		if (least > MAX_THREADS && last)
			least = last + 1;
		return least <= MAX_THREADS ? (uint32_t)least : 0;
	}
};

/* value is blockIdx.x (axis 0) or .y (1), of any width. */
static bool is_block_index(Value *value, unsigned axis)
{
	uint64_t which = 0;
	const uint64_t offset = offsetof(cudasim_block, ctaid) + axis * sizeof(uint32_t);
	while (isa<ZExtInst>(value) || isa<SExtInst>(value))
		value = cast<CastInst>(value)->getOperand(0);
	return isa<LoadInst>(value) && synchrony_word_of(wrap(value), &which) == SYNCHRONY_SAME &&
	       which == 2 * offset + 1;
}

/* What blockIdx is multiplied with; 0: it is not. */
static int64_t factor_of(Instruction &i, unsigned axis)
{
	Value *index;
	const APInt *n;
	if (match(&i, m_Mul(m_Value(index), m_APInt(n))) && is_block_index(index, axis))
		return n->getActiveBits() <= 31 ? n->getSExtValue() : 0;
	if (match(&i, m_Shl(m_Value(index), m_APInt(n))) && is_block_index(index, axis))
		return n->ult(31) ? (int64_t)1 << n->getZExtValue() : 0;
	return 0;
}

/* The one value of threadIdx.x or .y that fulfils the condition; -1: there is none. */
static int64_t only_thread(synchrony_sums &sums, ICmpInst &compare, synchrony_variable::kind lane)
{
	sums.failed = false;
	synchrony_sum s = sums.plus(sums.of(compare.getOperand(0), compare),
				    sums.of(compare.getOperand(1), compare), -1);
	int64_t factor = 0, rest = 0;
	for (auto &[product, n] : s)
		if (product.empty())
			rest = n;
		else if (product.size() == 1 && sums.variables[product[0]].what == lane)
			factor = n;
		else
			return -1;
	return sums.failed || (factor != 1 && factor != -1) ? -1 : -factor * rest;
}

synchrony_block synchrony_assumed_block(LLVMValueRef function)
{
	Function &f = *unwrap<Function>(function);
	synchrony_sums sums(f, false);
	candidates x, y;
	for (Instruction &i : instructions(f)) {
		x.factors.push_back(factor_of(i, 0));
		y.factors.push_back(factor_of(i, 1));
		auto *compare = dyn_cast<ICmpInst>(&i);
		if (!compare || !compare->isEquality() ||
		    !compare->getOperand(0)->getType()->isIntegerTy())
			continue;
		x.last = std::max(x.last, only_thread(sums, *compare, synchrony_variable::X));
		y.last = std::max(y.last, only_thread(sums, *compare, synchrony_variable::Y));
	}
	return {x.size(), y.size(), true};
}
