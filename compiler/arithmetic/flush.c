/* SPDX-License-Identifier: Apache-2.0 */
/* flush.c - --ftz=1: single precision operations take subnormal operands for
 * zeros of their sign, and answer such zeros for results that are subnormal before
 * they are rounded, as PTX's .ftz forms do. The mode register's bits would do so to doubles, too. */
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

/* The integers of a single precision type's size. */
static LLVMTypeRef word_of(struct device_module *dm, LLVMTypeRef type)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(dm->context);
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind
		       ? LLVMVectorType(i32, LLVMGetVectorSize(type))
		       : i32;
}

LLVMValueRef flush_value(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef x)
{
	LLVMTypeRef type = LLVMTypeOf(x), i32 = LLVMInt32TypeInContext(dm->context);
	LLVMTypeRef word = word_of(dm, type);
	LLVMValueRef exponent = splat(type, LLVMConstInt(i32, 0x7f800000u, 0));
	LLVMValueRef sign = splat(type, LLVMConstInt(i32, 0x80000000u, 0));
	LLVMValueRef zero = splat(type, LLVMConstInt(i32, 0, 0));
	LLVMValueRef bits = LLVMBuildBitCast(b, x, word, "");
	LLVMValueRef e = LLVMBuildAnd(b, bits, exponent, "");
	LLVMValueRef tiny = LLVMBuildICmp(b, LLVMIntEQ, e, zero, "");
	LLVMValueRef s = LLVMBuildAnd(b, bits, sign, "");
	return LLVMBuildBitCast(b, LLVMBuildSelect(b, tiny, s, bits, ""), type, "");
}

/* Twice the result of an operation whose operands are flushed: of its first operand and
 * of what is added, doubled. What rounds to the smallest normal number has a result there that
 * is rounded to the same 24 bits whether it is normal or not. */
static LLVMValueRef build_double(LLVMBuilderRef b, LLVMValueRef i)
{
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	LLVMValueRef twice = LLVMBuildFAdd(b, x, x, "");
	if (!LLVMIsACallInst(i))
		return LLVMBuildBinOp(b, LLVMGetInstructionOpcode(i), twice, y, "");
	LLVMValueRef z = LLVMGetOperand(i, 2), f = LLVMGetCalledValue(i);
	LLVMValueRef args[] = {twice, y, LLVMBuildFAdd(b, z, z, "")};
	return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, 3, "");
}

/* The result of a product, quotient or fused sum, flushed where it is subnormal when it is
 * rounded to 24 bits without a smallest exponent; so an H200 flushes (add and sub round
 * nothing there). */
static LLVMValueRef flush_rounded(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i), i32 = LLVMInt32TypeInContext(dm->context);
	LLVMTypeRef word = word_of(dm, type);
	LLVMValueRef sign = splat(type, LLVMConstInt(i32, 0x80000000u, 0));
	LLVMValueRef magnitude = splat(type, LLVMConstInt(i32, 0x7fffffffu, 0));
	LLVMValueRef limit = splat(type, LLVMConstInt(i32, 0x01000000u, 0)); /* 2^-125 */
	LLVMValueRef bits = LLVMBuildBitCast(b, i, word, "");
	LLVMValueRef twice = LLVMBuildBitCast(b, build_double(b, i), word, "");
	LLVMValueRef tiny = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildAnd(b, twice, magnitude, ""),
					  limit, "");
	LLVMValueRef zero = LLVMBuildAnd(b, bits, sign, "");
	return LLVMBuildBitCast(b, LLVMBuildSelect(b, tiny, zero, bits, ""), type, "");
}

static bool flushes_call(LLVMValueRef call)
{
	static const char *const names[] = {
		"llvm.fma.",  "llvm.fmuladd.", "llvm.sqrt.", "llvm.fabs.",      "llvm.floor.",
		"llvm.ceil.", "llvm.trunc.",   "llvm.rint.", "llvm.nearbyint.", NULL};
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

/* The flushed value of an instruction, whose operands are flushed already. */
static LLVMValueRef flush_result(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef i)
{
	static const char *const fma[] = {"llvm.fma.", "llvm.fmuladd.", NULL};
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	bool rounds = op == LLVMFMul || op == LLVMFDiv || (op == LLVMCall && device_calls(i, fma));
	return rounds ? flush_rounded(dm, b, i) : flush_value(dm, b, i);
}

void flush_subnormals(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef i)
{
	if (!flushes(i))
		return;
	LLVMPositionBuilderBefore(b, i);
	unsigned n = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i)
					: (unsigned)LLVMGetNumOperands(i);
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
	LLVMValueRef flushed = flush_result(dm, b, i);
	LLVMReplaceAllUsesWith(placeholder, flushed);
	LLVMInstructionEraseFromParent(placeholder);
}
