/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_warps.c - shared memory by which the lanes of one warp exchange values, and not a whole
 * block.
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
#include "synchrony_analysis.h"

#include "cudasim/abi.h"

#include <string.h>

enum { LANES = CUDASIM_WARP_SIZE };

static bool is_constant(LLVMValueRef value, uint64_t n)
{
	return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == n;
}

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

/* Does it compute the number of a warp, or of a lane? */
static bool is_of_warp(LLVMValueRef i)
{
	uint64_t which;
	if (LLVMIsALoadInst(i) || LLVMIsACallInst(i))
		return synchrony_word_of(i, &which) == SYNCHRONY_NUMBER;
	if (LLVMGetNumOperands(i) != 2 || !is_thread(LLVMGetOperand(i, 0), 0))
		return false;
	LLVMValueRef by = LLVMGetOperand(i, 1);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAnd:
		return LLVMIsAConstantInt(by) && (LLVMConstIntGetZExtValue(by) == LANES - 1 ||
						  LLVMConstIntGetZExtValue(by) % LANES == 0);
	case LLVMLShr:
	case LLVMAShr:
		return is_constant(by, 5);
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
		return is_constant(by, LANES);
	case LLVMXor:
		return LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) < LANES;
	default:
		return false;
	}
}

void synchrony_find_warps_own(struct analysis *a)
{
	const objects all = ~(objects)0;
	for (unsigned k = 0; k < a->n_events; k++)
		if (a->events[k].is_volatile)
			a->exchanged |= a->events[k].load | a->events[k].store;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(a->function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsAFenceInst(i) || is_of_warp(i) ||
			    (LLVMIsACallInst(i) &&
			     strstr(synchrony_callee_name(i), "__cudasim_syncwarp")))
				a->exchanged = all;
}
