/* SPDX-License-Identifier: Apache-2.0 */
/* pass_arithmetic.c - gives every operation that C++ leaves undefined the GPU's meaning.
 *
 * What an H200 answers (recorded on one; tests/data/h200-operations.txt):
 *  - a / 0 and a % 0 are what division.h says, mostly all ones. INT_MIN / -1 is
 *    INT_MIN, the remainder 0.
 *  - a shift past the width gives 0, to the right of a signed number its sign.
 *  - a conversion to an integer saturates; NaN gives 0 from and to 32 bits, else
 *    the top bit alone. Results of 8 and 16 bits are cut from 32.
 *  - x * 1 and its like are x, whatever it is.
 *  - overflow wraps: nsw, nuw and exact go. `inbounds` stays, since it makes
 *    nothing of values that the GPU defines, only of addresses.
 *
 * Contraction has come before (contract.c), so that all bodies fuse the same pairs of
 * a function. The flag that allows it stays: LLVM fuses what inlining brings
 * together in plain bodies, as nvcc does. With --ftz=1 single precision operations
 * flush what goes in and out (flush.c). */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "device.h"
#include "division.h"

/* A constant of an integer type or a vector of them. */
static LLVMValueRef constant(LLVMTypeRef type, uint64_t value)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return LLVMConstInt(type, value, 0);
	enum { MAX_LANES = 64 };
	LLVMValueRef lanes[MAX_LANES], one = LLVMConstInt(LLVMGetElementType(type), value, 0);
	unsigned n = LLVMGetVectorSize(type);
	for (unsigned i = 0; i < n && i < MAX_LANES; i++)
		lanes[i] = one;
	return LLVMConstVector(lanes, n < MAX_LANES ? n : MAX_LANES);
}

static LLVMTypeRef scalar(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static unsigned width_of(LLVMTypeRef type)
{
	return LLVMGetIntTypeWidth(scalar(type));
}

static void replace(LLVMValueRef instruction, LLVMValueRef by)
{
	LLVMReplaceAllUsesWith(instruction, by);
	LLVMInstructionEraseFromParent(instruction);
}

/* ---- division --------------------------------------------------------------------- */

/* A divisor that needs no guard. */
static bool divides_safely(LLVMValueRef divisor, bool is_signed)
{
	if (!LLVMIsAConstantInt(divisor))
		return false;
	long long v = LLVMConstIntGetSExtValue(divisor);
	return v != 0 && (v != -1 || !is_signed);
}

/* What x / 0 and x % 0 are. */
static LLVMValueRef by_zero(LLVMBuilderRef b, LLVMValueRef dividend, enum division_answer answer)
{
	LLVMTypeRef type = LLVMTypeOf(dividend);
	LLVMValueRef ones = LLVMConstAllOnes(type), limit;
	switch (answer) {
	case DIVISION_DIVIDEND:
		return dividend;
	case DIVISION_ZERO:
		return LLVMConstNull(type);
	case DIVISION_ONE:
		return constant(type, 1);
	case DIVISION_ONES_16:
		return constant(type, 0xffff);
	case DIVISION_BY_SIZE:
		limit = constant(type, 0xffffffffull);
		return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULE, dividend, limit, ""), limit,
				       ones, "");
	default:
		return ones;
	}
}

static void guard_division(LLVMBuilderRef b, LLVMValueRef i, enum division_answer answer)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	bool is_signed = op == LLVMSDiv || op == LLVMSRem,
	     is_remainder = op == LLVMSRem || op == LLVMURem;
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	LLVMTypeRef type = LLVMTypeOf(i);
	if (divides_safely(y, is_signed)) {
		if (!is_remainder)
			LLVMSetExact(i, 0);
		return;
	}
	LLVMValueRef zero = LLVMConstNull(type), one = constant(type, 1),
		     minus = LLVMConstAllOnes(type);
	LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, y, zero, "");
	LLVMValueRef is_minus = is_signed ? LLVMBuildICmp(b, LLVMIntEQ, y, minus, "") : NULL;
	LLVMValueRef special = is_signed ? LLVMBuildOr(b, is_zero, is_minus, "") : is_zero;
	LLVMValueRef safe = LLVMBuildSelect(b, special, one, y, "");
	LLVMValueRef r = LLVMBuildBinOp(b, op, x, safe, "");
	if (is_signed && !is_remainder) /* x % 1 is x % -1 already */
		r = LLVMBuildSelect(b, is_minus, LLVMBuildNeg(b, x, ""), r, "");
	replace(i, LLVMBuildSelect(b, is_zero, by_zero(b, x, answer), r, ""));
}

/* ---- shifts ------------------------------------------------------------------------- */

static void guard_shift(LLVMBuilderRef b, LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	LLVMValueRef x = LLVMGetOperand(i, 0), n = LLVMGetOperand(i, 1);
	LLVMTypeRef type = LLVMTypeOf(i);
	unsigned width = width_of(type);
	if (op == LLVMShl) {
		LLVMSetNSW(i, 0);
		LLVMSetNUW(i, 0);
	} else {
		LLVMSetExact(i, 0);
	}
	if (LLVMIsAConstantInt(n) && width <= 64 && LLVMConstIntGetZExtValue(n) < width)
		return;
	if (width == 64) { /* amounts are 32 bits wide there */
		n = LLVMBuildAnd(b, n, constant(type, 0xffffffffull), "");
		LLVMSetOperand(i, 1, n);
	}
	LLVMValueRef in_range = LLVMBuildICmp(b, LLVMIntULT, n, constant(type, width), "");
	if (op == LLVMAShr) {
		LLVMValueRef most = constant(type, width - 1);
		LLVMSetOperand(i, 1, LLVMBuildSelect(b, in_range, n, most, ""));
		return;
	}
	LLVMValueRef zero = constant(type, 0);
	LLVMValueRef amount = LLVMBuildSelect(b, in_range, n, zero, "");
	LLVMValueRef r = LLVMBuildBinOp(b, op, x, amount, "");
	replace(i, LLVMBuildSelect(b, in_range, r, zero, ""));
}

/* ---- float to integer --------------------------------------------------------------- */

static LLVMValueRef saturate(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef x,
			     LLVMTypeRef to, bool is_signed)
{
	const char *name = is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMTypeRef types[] = {to, LLVMTypeOf(x)};
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(dm->module, id, types, 2);
	LLVMValueRef r = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, &x, 1, "");
	LLVMTypeKind from = LLVMGetTypeKind(scalar(LLVMTypeOf(x)));
	unsigned width = width_of(to);
	if (from != LLVMDoubleTypeKind && width == 32)
		return r; /* the intrinsic makes 0 of NaN, too */
	LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
	return LLVMBuildSelect(b, is_nan, constant(to, 1ull << (width - 1)), r, "");
}

static void guard_conversion(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef i)
{
	bool is_signed = LLVMGetInstructionOpcode(i) == LLVMFPToSI;
	LLVMValueRef x = LLVMGetOperand(i, 0);
	LLVMTypeRef to = LLVMTypeOf(i);
	unsigned width = width_of(to);
	if (width > 64 || LLVMGetTypeKind(scalar(LLVMTypeOf(x))) == LLVMFP128TypeKind)
		return;
	if (width == 32 || width == 64) {
		replace(i, saturate(dm, b, x, to, is_signed));
		return;
	}
	LLVMTypeRef wide = LLVMInt32TypeInContext(dm->context);
	if (width > 32)
		wide = LLVMInt64TypeInContext(dm->context);
	if (LLVMGetTypeKind(to) == LLVMVectorTypeKind)
		wide = LLVMVectorType(wide, LLVMGetVectorSize(to));
	LLVMValueRef r = saturate(dm, b, x, wide, is_signed);
	replace(i, LLVMBuildTrunc(b, r, to, ""));
}

/* ---- intrinsics with a poison switch -------------------------------------------------- */

/* clang says "is poison" of ctlz(0), cttz(0) and abs(INT_MIN). */
static void define_poison(struct device_module *dm, LLVMValueRef call)
{
	static const char *const names[] = {"llvm.ctlz.", "llvm.cttz.", "llvm.abs."};
	size_t n;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strncmp(name, names[i], strlen(names[i])))
			LLVMSetOperand(call, 1,
				       LLVMConstInt(LLVMInt1TypeInContext(dm->context), 0, 0));
	}
}

/* ---- operations that are copies ---------------------------------------------------------- */

/* x of x * 1, x - 0, x + -0 and (float)(double)x, for which nvcc takes x, NaN or subnormal, and
 * of x / 1 where nothing is flushed; else NULL. */
static LLVMValueRef copied(LLVMValueRef i, bool ftz)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	if (op == LLVMFPTrunc) {
		LLVMValueRef from = LLVMGetOperand(i, 0);
		bool back = LLVMIsAFPExtInst(from) &&
			    LLVMTypeOf(LLVMGetOperand(from, 0)) == LLVMTypeOf(i);
		return back ? LLVMGetOperand(from, 0) : NULL;
	}
	if (op != LLVMFMul && op != LLVMFAdd && op != LLVMFSub && (ftz || op != LLVMFDiv))
		return NULL;
	for (unsigned k = op == LLVMFSub || op == LLVMFDiv; k < 2; k++) {
		LLVMValueRef x = LLVMGetOperand(i, k);
		LLVMBool loses;
		if (!LLVMIsAConstantFP(x))
			continue;
		double v = LLVMConstRealGetDouble(x, &loses);
		if (op == LLVMFMul || op == LLVMFDiv ? v == 1
						     : v == 0 && !signbit(v) == (op == LLVMFSub))
			return LLVMGetOperand(i, !k);
	}
	return NULL;
}

static void fold_copy(struct device_module *dm, LLVMValueRef i, void *arg)
{
	(void)arg;
	LLVMValueRef x = copied(i, dm->program->options->ftz);
	if (x)
		LLVMReplaceAllUsesWith(i, x);
}

/* ---- the passes ----------------------------------------------------------------------- */

struct cudasim_error *pass_copies(struct device_module *dm)
{
	device_visit(dm, fold_copy, NULL);
	return NULL;
}

static void guard(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef i,
		  const struct division_answers *answers)
{
	LLVMPositionBuilderBefore(b, i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
		LLVMSetNSW(i, 0);
		LLVMSetNUW(i, 0);
		break;
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
		guard_division(b, i, division_by_zero(answers, i));
		break;
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
		guard_shift(b, i);
		break;
	case LLVMFPToSI:
	case LLVMFPToUI:
		guard_conversion(dm, b, i);
		break;
	case LLVMCall:
		define_poison(dm, i);
		break;
	default:
		break;
	}
}

bool arithmetic_is_ours(LLVMValueRef function)
{
	size_t n;
	return !strncmp(LLVMGetValueName2(function, &n), "__cudasim_", 10);
}

struct cudasim_error *pass_arithmetic(struct device_module *dm)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(dm->context);
	struct division_answers *answers = NULL;
	struct cudasim_error *error = division_answers_new(dm, &answers);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f && !error;
	     f = LLVMGetNextFunction(f)) {
		if (arithmetic_is_ours(f))
			continue;
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef next;
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (dm->program->options->ftz)
					flush_subnormals(dm, b, i);
				guard(dm, b, i, answers);
			}
		}
	}
	LLVMDisposeBuilder(b);
	if (!error)
		division_answers_free(answers);
	return error;
}
