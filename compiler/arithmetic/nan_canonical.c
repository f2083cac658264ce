/* SPDX-License-Identifier: Apache-2.0 */
/* nan_canonical.c - a single precision operation that makes a NaN makes the GPU's,
 * 0x7fffffff, whatever NaN came in; x86 makes 0xffc00000 or passes one on.
 *
 * Which NaN a value is shows only where it leaves arithmetic: in memory, in
 * integers, in calls. So the results of arithmetic, and the phis, selects and
 * shuffles that hold nothing else, are replaced by canonical ones only there. Loads,
 * arguments and casts from integers keep their bits: on the GPU, too, moving a
 * NaN does not change it. Runs last, on optimised code.
 *
 * In double precision x86 answers what the GPU does, but for a negation, which
 * leaves a NaN alone there and turns its sign over here; sums and fused products
 * take the negation in and leave the NaN alone on both. */
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "hash.h"

static bool is_single(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMFloatTypeKind;
}

/* Intrinsics that compute, as the GPU's own instructions do. */
static bool computes_call(LLVMValueRef call)
{
	static const char *const names[] = {"llvm.fma.",
					    "llvm.sqrt.",
					    "llvm.floor.",
					    "llvm.ceil.",
					    "llvm.trunc.",
					    "llvm.rint.",
					    "llvm.nearbyint.",
					    "llvm.roundeven.",
					    "llvm.fabs.",
					    "llvm.convert.from.fp16.",
					    NULL};
	return device_calls(call, names);
}

/* Makes a NaN of its own. */
static bool computes(LLVMValueRef i)
{
	if (!LLVMIsAInstruction(i) || !is_single(i))
		return false;
	switch (LLVMGetInstructionOpcode(i)) {
	/* Not FPTrunc: from double precision a NaN keeps its payload. */
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFRem:
	case LLVMFNeg:
		return true;
	case LLVMFPExt: /* from half; from double a NaN is passed on */
		return true;
	case LLVMCall:
		return computes_call(i);
	default:
		return false;
	}
}

/* Holds one of its operands, or lanes of them. */
static bool is_choice(LLVMValueRef i)
{
	if (!LLVMIsAInstruction(i) || !is_single(i))
		return false;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMPHI:
	case LLVMSelect:
	case LLVMFreeze:
	case LLVMShuffleVector:
	case LLVMExtractElement:
	case LLVMInsertElement:
		return true;
	default:
		return false;
	}
}

/* ---- a set of instructions ------------------------------------------------------------ */

static bool is_in(const struct hash *set, LLVMValueRef value)
{
	return hash_get(set, value) != NULL;
}

/* ---- which values are nothing but results of arithmetic --------------------------------- */

static const uint64_t canonical_bits = 0x7fffffffe0000000; /* the NaN as a double */

static bool is_canonical(double v)
{
	return !memcmp(&v, &canonical_bits, sizeof(v));
}

static bool is_number_or_canonical(double v)
{
	return v == v || is_canonical(v);
}

/* A constant of which each number is such a one. */
static bool is_constant_of(LLVMValueRef value, bool (*is)(double))
{
	LLVMBool loses;
	if (LLVMIsAConstantDataVector(value) || LLVMIsAConstantVector(value)) {
		unsigned n = LLVMGetVectorSize(LLVMTypeOf(value));
		for (unsigned k = 0; k < n; k++)
			if (!is_constant_of(LLVMGetAggregateElement(value, k), is))
				return false;
		return true;
	}
	return LLVMIsAConstantFP(value) && is(LLVMConstRealGetDouble(value, &loses));
}

/* A constant without NaNs but the GPU's; poison is none, either. */
static bool is_number(LLVMValueRef value)
{
	return LLVMIsUndef(value) || (LLVMIsConstant(value) && LLVMIsNull(value)) ||
	       is_constant_of(value, is_number_or_canonical);
}

static bool is_arithmetic(const struct hash *choices, LLVMValueRef value)
{
	return computes(value) || is_number(value) || (is_choice(value) && is_in(choices, value));
}

static bool holds_arithmetic(const struct hash *choices, LLVMValueRef choice)
{
	unsigned first = 0, end = 0;
	switch (LLVMGetInstructionOpcode(choice)) {
	case LLVMPHI:
		for (unsigned k = 0; k < LLVMCountIncoming(choice); k++)
			if (!is_arithmetic(choices, LLVMGetIncomingValue(choice, k)))
				return false;
		return true;
	case LLVMSelect:
		first = 1, end = 3;
		break;
	case LLVMShuffleVector:
	case LLVMInsertElement:
		end = 2;
		break;
	default:
		end = 1;
	}
	for (unsigned k = first; k < end; k++)
		if (!is_arithmetic(choices, LLVMGetOperand(choice, k)))
			return false;
	return true;
}

/* The choices that hold arithmetic alone: all at first, then those are taken
 * out that do not, until nothing changes. */
static void keep_arithmetic(LLVMValueRef function, struct hash *choices)
{
	bool again = true;
	while (again) {
		again = false;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
		     b = LLVMGetNextBasicBlock(b)) {
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i)) {
				if (!is_choice(i) || !is_in(choices, i) ||
				    holds_arithmetic(choices, i))
					continue;
				hash_remove(choices, i);
				again = true;
			}
		}
	}
}

/* ---- what has been guarded already ------------------------------------------------------------ */

static bool is_canonical_nan(LLVMValueRef value)
{
	return is_constant_of(value, is_canonical);
}

/* The x of `x != x ? 0x7fffffff : x`, NULL for anything else. */
static LLVMValueRef guarded(LLVMValueRef i)
{
	if (!LLVMIsASelectInst(i))
		return NULL;
	LLVMValueRef test = LLVMGetOperand(i, 0), x = LLVMGetOperand(i, 2);
	if (!LLVMIsAFCmpInst(test) || LLVMGetFCmpPredicate(test) != LLVMRealUNO ||
	    !is_canonical_nan(LLVMGetOperand(i, 1)) || LLVMGetOperand(test, 0) != x)
		return NULL;
	LLVMValueRef other = LLVMGetOperand(test, 1);
	return other == x || (LLVMIsConstant(other) && LLVMIsNull(other)) ? x : NULL;
}

/* Builtins guard their own results. Of arithmetic, that is done anew where it shows. */
static void drop_guards(const struct hash *choices, LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef x = is_choice(i) && is_in(choices, i) ? guarded(i) : NULL;
			if (x)
				LLVMReplaceAllUsesWith(i, x);
		}
	}
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* Whether a use tells one NaN from another. */
static bool shows(const struct hash *choices, LLVMValueRef user)
{
	if (LLVMIsAFCmpInst(user) || LLVMIsAFPExtInst(user) || LLVMIsAFPToSIInst(user) ||
	    LLVMIsAFPToUIInst(user))
		return LLVMIsAFPExtInst(user); /* a double keeps a NaN's sign */
	return !computes(user) && !(is_choice(user) && is_in(choices, user));
}

static LLVMValueRef splat(LLVMTypeRef like, LLVMValueRef one)
{
	if (LLVMGetTypeKind(like) != LLVMVectorTypeKind)
		return one;
	unsigned n = LLVMGetVectorSize(like);
	LLVMValueRef *lanes = calloc(n, sizeof(*lanes)), r;
	if (!lanes)
		return NULL;
	for (unsigned i = 0; i < n; i++)
		lanes[i] = one;
	r = LLVMConstVector(lanes, n);
	free(lanes);
	return r;
}

static void canonicalize(LLVMContextRef context, LLVMBuilderRef b, const struct hash *choices,
			 LLVMValueRef value)
{
	bool found = false;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use && !found; use = LLVMGetNextUse(use))
		found = shows(choices, LLVMGetUser(use));
	if (!found)
		return;
	LLVMValueRef after = LLVMGetNextInstruction(value);
	while (LLVMIsAPHINode(after))
		after = LLVMGetNextInstruction(after);
	LLVMValueRef word = LLVMConstInt(LLVMInt32TypeInContext(context), 0x7fffffff, 0);
	LLVMValueRef nan = LLVMConstBitCast(word, LLVMFloatTypeInContext(context));
	nan = splat(LLVMTypeOf(value), nan);
	if (!nan)
		return;
	LLVMPositionBuilderBefore(b, after);
	LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, value, value, "");
	LLVMValueRef canonical = LLVMBuildSelect(b, is_nan, nan, value, "");
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (user == is_nan || user == canonical || !shows(choices, user))
			continue;
		/* Changing one operand may take several uses from the list. */
		for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++) {
			if (LLVMGetOperand(user, k) == value)
				LLVMSetOperand(user, k, canonical);
		}
		next = LLVMGetFirstUse(value);
		while (next && (LLVMGetUser(next) == is_nan || LLVMGetUser(next) == canonical ||
				!shows(choices, LLVMGetUser(next))))
			next = LLVMGetNextUse(next);
	}
}

/* ---- negations in double precision ----------------------------------------------------------- */

static bool is_double_negation(LLVMValueRef i)
{
	if (LLVMGetInstructionOpcode(i) != LLVMFNeg)
		return false;
	LLVMTypeRef type = LLVMTypeOf(i);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* Users that become one instruction with the negation, or see no sign. */
static bool takes_negation(LLVMValueRef user)
{
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFCmp:
		return true;
	case LLVMCall:
		return computes_call(user);
	default:
		return false;
	}
}

static void guard_negation(LLVMBuilderRef b, LLVMValueRef negation)
{
	LLVMValueRef x = LLVMGetOperand(negation, 0), guarded = NULL, is_nan = NULL;
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(negation); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (user == guarded || takes_negation(user))
			continue;
		if (!guarded) {
			LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(negation));
			is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
			guarded = LLVMBuildSelect(b, is_nan, x, negation, "");
		}
		for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++) {
			if (LLVMGetOperand(user, k) == negation)
				LLVMSetOperand(user, k, guarded);
		}
		next = LLVMGetFirstUse(negation); /* the list has changed */
		while (next && (LLVMGetUser(next) == guarded || takes_negation(LLVMGetUser(next))))
			next = LLVMGetNextUse(next);
	}
}

static void guard_negations(LLVMBuilderRef b, LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef next;
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (is_double_negation(i))
				guard_negation(b, i);
		}
	}
}

/* ---- single precision -------------------------------------------------------------------------- */

static bool canonicalize_in(LLVMContextRef context, LLVMBuilderRef b, LLVMValueRef function)
{
	struct hash choices = {0};
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
		     i = LLVMGetNextInstruction(i)) {
			if (is_choice(i) && !hash_put(&choices, i, i)) {
				hash_fini(&choices);
				return false;
			}
		}
	}
	keep_arithmetic(function, &choices);
	drop_guards(&choices, function);
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef next;
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (computes(i) || (is_choice(i) && is_in(&choices, i)))
				canonicalize(context, b, &choices, i);
		}
	}
	hash_fini(&choices);
	return true;
}

struct cudasim_error *canonical_nans(struct device_module *dm)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(dm->context);
	bool done = true;
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f && done;
	     f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		guard_negations(b, f);
		done = canonicalize_in(dm->context, b, f);
	}
	LLVMDisposeBuilder(b);
	return done ? NULL : &cudasim_error_nomem;
}
