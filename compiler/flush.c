/* SPDX-License-Identifier: Apache-2.0 */
/* flush.c - --ftz=1: single precision operations take subnormal operands for
 * zeros of their sign, and answer such zeros for subnormal results, as PTX's
 * .ftz forms do. The mode register's bits would do so to doubles, too. */
#include <math.h>
#include <string.h>

#include "arithmetic.h"

static bool is_single(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMFloatTypeKind;
}

/* A constant that flushing leaves as it is. */
static bool is_normal(LLVMValueRef value)
{
	LLVMBool loses;
	if (!LLVMIsAConstantFP(value))
		return false;
	double v = fabs(LLVMConstRealGetDouble(value, &loses));
	return !(v > 0 && v < 0x1p-126);
}

static LLVMValueRef splat(LLVMTypeRef like, LLVMValueRef one)
{
	enum { MAX_LANES = 64 };
	LLVMValueRef lanes[MAX_LANES];
	if (LLVMGetTypeKind(like) != LLVMVectorTypeKind)
		return one;
	unsigned n = LLVMGetVectorSize(like);
	for (unsigned i = 0; i < n && i < MAX_LANES; i++)
		lanes[i] = one;
	return LLVMConstVector(lanes, n < MAX_LANES ? n : MAX_LANES);
}

LLVMValueRef flush_value(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef x)
{
	LLVMTypeRef type = LLVMTypeOf(x), i32 = LLVMInt32TypeInContext(dm->context);
	LLVMTypeRef word = LLVMGetTypeKind(type) == LLVMVectorTypeKind
				   ? LLVMVectorType(i32, LLVMGetVectorSize(type)) : i32;
	LLVMValueRef exponent = splat(type, LLVMConstInt(i32, 0x7f800000u, 0));
	LLVMValueRef sign = splat(type, LLVMConstInt(i32, 0x80000000u, 0));
	LLVMValueRef zero = splat(type, LLVMConstInt(i32, 0, 0));
	LLVMValueRef bits = LLVMBuildBitCast(b, x, word, "");
	LLVMValueRef e = LLVMBuildAnd(b, bits, exponent, "");
	LLVMValueRef tiny = LLVMBuildICmp(b, LLVMIntEQ, e, zero, "");
	LLVMValueRef s = LLVMBuildAnd(b, bits, sign, "");
	return LLVMBuildBitCast(b, LLVMBuildSelect(b, tiny, s, bits, ""), type, "");
}

static bool flushes_call(LLVMValueRef call)
{
	static const char *const names[] = {"llvm.fma.", "llvm.fmuladd.", "llvm.sqrt.",
					    "llvm.fabs.", "llvm.floor.", "llvm.ceil.",
					    "llvm.trunc.", "llvm.rint.", "llvm.nearbyint.", NULL};
	return device_calls(call, names);
}

static bool flushes(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFRem:
	case LLVMFNeg:
	case LLVMFCmp:
	case LLVMFPToSI:
	case LLVMFPToUI:
	case LLVMFPExt:
	case LLVMFPTrunc:
		return true;
	case LLVMCall:
		return flushes_call(i);
	default:
		return false;
	}
}

void flush_subnormals(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef i)
{
	if (!flushes(i))
		return;
	LLVMPositionBuilderBefore(b, i);
	unsigned n = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : (unsigned)LLVMGetNumOperands(i);
	for (unsigned k = 0; k < n; k++) {
		LLVMValueRef x = LLVMGetOperand(i, k);
		if (is_single(LLVMTypeOf(x)) && !is_normal(x))
			LLVMSetOperand(i, k, flush_value(dm, b, x));
	}
	LLVMValueRef next = LLVMGetNextInstruction(i);
	if (!is_single(LLVMTypeOf(i)) || !next)
		return;
	/* The users are handed over before the flushed value becomes one. */
	LLVMPositionBuilderBefore(b, next);
	LLVMValueRef placeholder = LLVMBuildFreeze(b, i, "");
	LLVMReplaceAllUsesWith(i, placeholder);
	LLVMSetOperand(placeholder, 0, i);
	LLVMPositionBuilderBefore(b, next);
	LLVMValueRef flushed = flush_value(dm, b, i);
	LLVMReplaceAllUsesWith(placeholder, flushed);
	LLVMInstructionEraseFromParent(placeholder);
}
