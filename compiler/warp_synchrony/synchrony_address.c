/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_address.c - keys of addresses, for warp_synchrony.c: equal ones are equal addresses. */
#include "synchrony_analysis.h"
#include "synchrony_range.h"

#include <string.h>

enum {
	MAX_DEPTH = 24, /* of address expressions followed */
	MAX_NODES = 256, /* of one address expression */
};

static int64_t mix(int64_t h, int64_t x)
{
	uint64_t m = ((uint64_t)h ^ (uint64_t)x) * 0x9e3779b97f4a7c15u;
	return (int64_t)(m ^ m >> 29);
}

static bool is_pure(LLVMOpcode op)
{
	switch (op) {
	case LLVMGetElementPtr:
	case LLVMAddrSpaceCast:
	case LLVMBitCast:
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMURem:
	case LLVMUDiv:
	case LLVMSRem:
	case LLVMSDiv:
	case LLVMIntToPtr:
	case LLVMPtrToInt:
		return true;
	default:
		return false;
	}
}

/* Is it the thread's context, or what lies in it or its block (threadIdx and its
 * kin)? Constant for a thread, whoever asks. */
static bool is_context(LLVMValueRef value, unsigned depth)
{
	if (depth > MAX_DEPTH)
		return false;
	if (LLVMIsAGetElementPtrInst(value) || LLVMIsALoadInst(value))
		return is_context(LLVMGetOperand(value, 0), depth + 1);
	return LLVMIsACallInst(value) && LLVMGetNumArgOperands(value) == 0 &&
	       (strstr(synchrony_callee_name(value), "sreg") ||
		strstr(synchrony_callee_name(value), "context"));
}

int synchrony_is_context(LLVMValueRef value)
{
	return is_context(value, 0);
}

/* A number that is equal for equal expressions; *stable is cleared where the
 * expression may have several values in one run. */
static int64_t key_of(struct analysis *a, LLVMValueRef value, unsigned depth, bool *stable)
{
	if (depth > MAX_DEPTH || a->nodes++ > MAX_NODES) {
		*stable = false;
		return mix(7, (intptr_t)value);
	}
	if (LLVMIsAConstantInt(value))
		return mix(1, (int64_t)LLVMConstIntGetZExtValue(value));
	bool constant = LLVMIsAConstantExpr(value);
	if (!constant && !LLVMIsAInstruction(value))
		return mix(6, (intptr_t)value);
	LLVMOpcode op = constant ? LLVMGetConstOpcode(value) : LLVMGetInstructionOpcode(value);
	if (!constant && op == LLVMCall && is_context(value, 0))
		return mix(2, (intptr_t)LLVMGetCalledValue(value));
	LLVMValueRef argument;
	uint64_t offset;
	if (!constant && op == LLVMLoad && synchrony_is_parameter(value, &argument, &offset))
		return mix(mix(8, (intptr_t)argument), (int64_t)offset);
	bool reads = !constant && op == LLVMLoad && is_context(value, 0);
	if (constant || reads || is_pure(op)) {
		int64_t h = mix(3, op);
		for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
			h = mix(h,
				key_of(a, LLVMGetOperand(value, (unsigned)i), depth + 1, stable));
		return h;
	}
	if (a->blocks[synchrony_block_number(a, LLVMGetInstructionParent(value))].cyclic)
		*stable = false;
	return mix(4, (intptr_t)value);
}

struct synchrony_ranges *synchrony_ranges_of(struct analysis *a)
{
	if (!a->ranges)
		a->ranges = synchrony_ranges_new(a->function);
	return a->ranges;
}

bool synchrony_is_lanes_own(struct analysis *a, LLVMValueRef address, LLVMValueRef access)
{
	return synchrony_is_private(synchrony_ranges_of(a), address, access);
}

int64_t synchrony_key(struct analysis *a, LLVMValueRef address, LLVMValueRef access,
		      bool is_volatile)
{
	bool stable = true;
	a->nodes = 0;
	int64_t h = key_of(a, address, 0, &stable) &
		    (((int64_t)1 << (UNIFORM_SHIFT - STORE_BITS)) - 1);
	bool is_uniform = stable && synchrony_is_uniform(synchrony_ranges_of(a), address);
	return (h ? h : 1) << STORE_BITS | (int64_t)is_uniform << UNIFORM_SHIFT |
	       (int64_t)(!stable && is_volatile) << UNSTABLE_SHIFT |
	       (int64_t)(!stable && !synchrony_is_lanes_own(a, address, access)) << ROUND_SHIFT;
}

bool synchrony_is_kept(struct analysis *a, LLVMValueRef value, unsigned depth)
{
	if (!LLVMIsAInstruction(value) || depth > MAX_DEPTH || a->nodes++ > MAX_NODES)
		return false;
	if (LLVMIsALoadInst(value)) {
		LLVMValueRef from = LLVMGetOperand(value, 0);
		while (LLVMIsAGetElementPtrInst(from))
			from = LLVMGetOperand(from, 0);
		return LLVMIsAAllocaInst(from) != NULL;
	}
	LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
	if (LLVMIsAPHINode(value)) {
		/* Not the counter of a loop, which only begins at such a place. */
		if (a->blocks[synchrony_block_number(a, block)].before)
			return false;
		for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
			if (synchrony_is_kept(a, LLVMGetIncomingValue(value, i), depth + 1))
				return true;
		return false;
	}
	if (!is_pure(LLVMGetInstructionOpcode(value)) && !LLVMIsASelectInst(value))
		return false;
	for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
		if (synchrony_is_kept(a, LLVMGetOperand(value, (unsigned)i), depth + 1))
			return true;
	return false;
}

bool synchrony_is_looked_up(struct analysis *a, LLVMValueRef value, unsigned depth)
{
	if (!LLVMIsAInstruction(value) || depth > MAX_DEPTH || a->nodes++ > MAX_NODES)
		return false;
	if (LLVMIsALoadInst(value))
		return !is_context(value, 0);
	if (!is_pure(LLVMGetInstructionOpcode(value)))
		return false;
	for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
		if (synchrony_is_looked_up(a, LLVMGetOperand(value, (unsigned)i), depth + 1))
			return true;
	return false;
}
