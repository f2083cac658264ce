// SPDX-License-Identifier: Apache-2.0
/* synchrony_block.cpp - what a kernel's source assumes of its block: its size, and whether lanes of a
 * warp exchange values in shared memory by themselves, or the whole block does.
 *
 *	#define SIDE 16
 *	int row = blockIdx.y * SIDE + threadIdx.y;
 *	if (threadIdx.y == SIDE - 1)
 *		tile[SIDE + 1][threadIdx.x + 1] = ...;
 *
 * With its size known the borders of a tile are apart; in a larger block they would not be. It is a
 * guess, and the launch decides whether it holds.
 *
 *	v = s[t ^ j]; s[t] = v + w; __syncthreads();
 *
 * Without a barrier between the two the lanes have to be in step. But with 256 threads and any j
 * other warps come to the same elements, and the program would be wrong on a GPU. It is taken for
 * one whose lanes are apart, if it has barriers before all loads of what other lanes have
 * stored, and does not look like one of warps: by volatile accesses, __syncwarp() or fences, or by
 * the number of a warp or of a lane in it (t / 32, t & 32, t % 32, t ^ 1), and if memory does not hold
 * the places.
 *
 * Rejected: keeping the order wherever it cannot be proven that lanes are apart. Scans, sorting
 * networks and eliminations with a barrier after each step take 10 to 100 times as long. */
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
	int64_t last = 0; /* the most that threadIdx is compared with */

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
	return {x.size(), y.size(), true, false};
}

bool synchrony_has_rows(LLVMValueRef function)
{
	for (Instruction &i : instructions(*unwrap<Function>(function))) {
		uint64_t which;
		auto word = synchrony_word_of(wrap(&i), &which);
		if (word == SYNCHRONY_Y || word == SYNCHRONY_Z)
			return true;
	}
	return false;
}

/* ---- code for single warps ---------------------------------------------------- */

/* Is it a thread's index, or what is computed of such alone? */
static bool is_thread(LLVMValueRef value, unsigned depth)
{
	uint64_t which;
	if (depth > 8 || !LLVMIsAInstruction(value))
		return false;
	enum synchrony_word word = synchrony_word_of(value, &which);
	if (word == SYNCHRONY_X || word == SYNCHRONY_Y || word == SYNCHRONY_NUMBER)
		return true;
	if (LLVMIsAPHINode(value) || LLVMIsALoadInst(value) || LLVMIsACallInst(value))
		return false;
	for (int i = 0; i < LLVMGetNumOperands(value); i++)
		if (is_thread(LLVMGetOperand(value, (unsigned)i), depth + 1))
			return true;
	return false;
}

/* Would it be the number of a warp, or of a lane, if it were computed of a thread's index? */
static bool divides_by_warp(LLVMValueRef i)
{
	LLVMValueRef by = LLVMGetNumOperands(i) == 2 ? LLVMGetOperand(i, 1) : nullptr;
	if (!by || !LLVMIsAConstantInt(by) || LLVMGetIntTypeWidth(LLVMTypeOf(by)) == 1)
		return false;
	uint64_t n = LLVMConstIntGetZExtValue(by);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAnd:
		return n == LANES - 1 || n % LANES == 0;
	case LLVMLShr:
	case LLVMAShr:
		return n == 5;
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
		return n == LANES;
	case LLVMXor:
		return n < LANES;
	default:
		return false;
	}
}

/* Does it read the thread's number, or hold for the threads of a warp alone? */
static bool is_for_warps(LLVMValueRef i)
{
	uint64_t which;
	bool reads = LLVMIsALoadInst(i) || LLVMIsACallInst(i);
	if (reads && synchrony_word_of(i, &which) == SYNCHRONY_NUMBER)
		return true;
	auto *call = dyn_cast<CallInst>(unwrap(i));
	Function *callee = call ? call->getCalledFunction() : nullptr;
	return LLVMIsAFenceInst(i) || (callee && callee->getName().contains("__cudasim_syncwarp"));
}

bool synchrony_may_be_of_warps(LLVMValueRef i)
{
	return is_for_warps(i) || divides_by_warp(i);
}

bool synchrony_is_of_warps(LLVMValueRef function)
{
	for (Instruction &i : instructions(*unwrap<Function>(function)))
		if (is_for_warps(wrap(&i)) ||
		    (divides_by_warp(wrap(&i)) && is_thread(wrap(i.getOperand(0)), 0)))
			return true;
	return false;
}
