/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_private.c - does a thread have a loop's accesses to itself?
 *
 * An address is a sum: a multiple of threadIdx.x, what does not change, and what changes from
 * round to round. Two lanes of a warp never come to one address where what changes is a
 * multiple of 32 lanes' distance (or of blockDim.x of them), or stays within an inner array
 * that is no longer than one lane's distance (a[threadIdx.x][i]). */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "lockstep.h"

enum { MAX_DEPTH = 24, LANES = 32 };

struct sum {
	bool known;
	int64_t lane;   /* bytes from lane to lane */
	int64_t unit;   /* what changes is a multiple of it; 0: nothing does */
	int64_t block;  /* likewise, times blockDim.x */
	int64_t within; /* and besides less than this */
};

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

static struct sum plus(struct sum a, struct sum b)
{
	a.known &= b.known;
	a.lane += b.lane;
	a.unit = gcd(a.unit, b.unit);
	a.block = gcd(a.block, b.block);
	a.within += b.within;
	return a;
}

static struct sum times(struct sum a, int64_t factor)
{
	a.lane *= factor;
	a.unit = llabs(a.unit * factor);
	a.block = llabs(a.block * factor);
	a.within = llabs(a.within * factor);
	return a;
}

static struct sum of(LLVMValueRef value, unsigned depth);

/* What a thread knows: its number, or what its block holds. */
static struct sum of_context(LLVMValueRef value)
{
	struct sum fixed = { .known = true };
	if (LLVMIsACallInst(value)) {
		size_t n;
		const char *name = LLVMGetValueName2(LLVMGetCalledValue(value), &n);
		fixed.lane = strstr(name, "tid_x") != NULL && !strstr(name, "ctaid");
		fixed.known = fixed.lane || strstr(name, "cta");
		return fixed;
	}
	LLVMValueRef from = LLVMGetOperand(value, 0);
	if (LLVMIsACallInst(from)) /* the context's first word is threadIdx.x */
		fixed.lane = 1;
	while (LLVMIsAGetElementPtrInst(from))
		from = LLVMGetOperand(from, 0);
	fixed.known = fixed.lane || LLVMIsALoadInst(from);
	return fixed;
}

static bool is_constant(LLVMValueRef value, int64_t *ret)
{
	if (!LLVMIsAConstantInt(value))
		return false;
	*ret = LLVMConstIntGetSExtValue(value);
	return true;
}

static struct sum of_phi(LLVMValueRef phi, unsigned depth)
{
	struct sum none = { .known = false }, step = { .known = true };
	if (LLVMCountIncoming(phi) != 2)
		return none;
	for (unsigned k = 0; k < 2; k++) {
		LLVMValueRef next = LLVMGetIncomingValue(phi, k);
		if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd)
			continue;
		bool first = LLVMGetOperand(next, 0) == phi;
		if (!first && LLVMGetOperand(next, 1) != phi)
			continue;
		LLVMValueRef by = LLVMGetOperand(next, first ? 1 : 0);
		if (!is_constant(by, &step.unit)) {
			/* blockDim.x, as nothing else of the block is a sensible step. */
			if (!LLVMIsALoadInst(by) || !lockstep_is_context(by) ||
			    of_context(by).lane || !of_context(by).known)
				return none;
			step.block = 1;
		}
		step.unit = llabs(step.unit);
		return plus(of(LLVMGetIncomingValue(phi, 1 - k), depth + 1), step);
	}
	return none;
}

static struct sum of_address(LLVMValueRef gep, unsigned depth)
{
	LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(
		LLVMGetInstructionParent(gep)));
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
	struct sum all = of(LLVMGetOperand(gep, 0), depth + 1), none = { .known = false };
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	for (unsigned k = 1, n = (unsigned)LLVMGetNumOperands(gep); k < n && all.known; k++) {
		LLVMValueRef index = LLVMGetOperand(gep, k);
		int64_t room = 0;
		if (k > 1 && LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
			room = (int64_t)LLVMABISizeOfType(layout, type);
			type = LLVMGetElementType(type);
		} else if (k > 1 && LLVMIsAConstantInt(index)) {
			type = LLVMGetTypeKind(type) == LLVMStructTypeKind ?
				LLVMStructGetTypeAtIndex(type,
					(unsigned)LLVMConstIntGetZExtValue(index)) : type;
			continue;
		} else if (k > 1) {
			return none;
		}
		struct sum part = of(index, depth + 1);
		if (room && (!part.known || (!part.lane && part.unit)))
			part = (struct sum){ .known = true, .within = room };
		else
			part = times(part, (int64_t)LLVMABISizeOfType(layout, type));
		all = plus(all, part);
	}
	return all;
}

static struct sum of(LLVMValueRef value, unsigned depth)
{
	struct sum none = { .known = false }, fixed = { .known = true };
	int64_t factor;
	if (depth > MAX_DEPTH)
		return none;
	/* What a function is called with may differ from lane to lane. */
	if (LLVMIsAArgument(value) && LLVMGetFirstUse(LLVMGetParamParent(value)))
		return none;
	if (!LLVMIsAInstruction(value))
		return fixed;
	if (lockstep_is_context(value))
		return of_context(value);
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMAdd:
		return plus(of(LLVMGetOperand(value, 0), depth + 1),
			    of(LLVMGetOperand(value, 1), depth + 1));
	case LLVMSub:
		return plus(of(LLVMGetOperand(value, 0), depth + 1),
			    times(of(LLVMGetOperand(value, 1), depth + 1), -1));
	case LLVMMul:
		if (is_constant(LLVMGetOperand(value, 1), &factor))
			return times(of(LLVMGetOperand(value, 0), depth + 1), factor);
		if (is_constant(LLVMGetOperand(value, 0), &factor))
			return times(of(LLVMGetOperand(value, 1), depth + 1), factor);
		return none;
	case LLVMShl:
		if (is_constant(LLVMGetOperand(value, 1), &factor) && factor >= 0 && factor < 32)
			return times(of(LLVMGetOperand(value, 0), depth + 1), (int64_t)1 << factor);
		return none;
	case LLVMSExt: case LLVMZExt: case LLVMTrunc: case LLVMAddrSpaceCast: case LLVMBitCast:
		return of(LLVMGetOperand(value, 0), depth + 1);
	case LLVMGetElementPtr:
		return of_address(value, depth);
	case LLVMPHI:
		return of_phi(value, depth);
	default:
		return none;
	}
}

bool lockstep_is_private(LLVMValueRef address)
{
	struct sum s = of(address, 0);
	int64_t lane = llabs(s.lane);
	return s.known && lane && s.within <= lane &&
	       (!s.unit || s.unit % (LANES * lane) == 0) && s.block % lane == 0 &&
	       (!s.within || (!s.unit && !s.block));
}
