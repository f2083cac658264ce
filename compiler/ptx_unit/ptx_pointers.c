/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_pointers.c - addresses that registers hold become pointers.
 *
 * PTX computes addresses as numbers, and LLVM's passes see little through an inttoptr: which
 * accesses are neighbours, which loops walk through memory, which variable is meant. So each
 * inttoptr is taken apart: of a sum one term is chosen as the pointer that it goes on from, the
 * others are steps of a GEP; a phi or select of addresses becomes one of pointers, so that a
 * loop's own address counts as a pointer. GEPs say nothing of bounds and wrap as the sums do, so
 * the accesses are the same ones bit for bit whichever term was chosen.
 *
 * Shared addresses are numbers of 32 bits, extended. They are taken apart only from a
 * variable's own address, which is small: base + step then is in the window only where the
 * extended step added to it is the same. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "ptx_pointers.h"
#include "hash.h"
#include "must.h"

/* Deeper sums stay numbers. */
enum { MAX_DEPTH = 64, RANK_DEPTH = 7 };

struct pass {
	LLVMContextRef context;
	LLVMBuilderRef builder;
	struct hash made; /* numbers to the pointers made of them, in one address space */
	unsigned space;
};

static void remember(struct pass *pass, LLVMValueRef number, LLVMValueRef pointer)
{
	if (!hash_put(&pass->made, number, pointer))
		must_fail();
}

static LLVMTypeRef pointer_type(const struct pass *pass)
{
	return LLVMPointerTypeInContext(pass->context, pass->space);
}

/* Where a value can be used from on: behind it, and behind all phis. */
static void position_behind(struct pass *pass, LLVMValueRef value)
{
	LLVMBasicBlockRef block;
	LLVMValueRef at;

	if (LLVMIsAInstruction(value)) {
		block = LLVMGetInstructionParent(value);
		at = LLVMGetNextInstruction(value);
	} else {
		block = LLVMGetEntryBasicBlock(LLVMGetParamParent(value));
		at = LLVMGetFirstInstruction(block);
	}
	while (at && LLVMIsAPHINode(at))
		at = LLVMGetNextInstruction(at);
	if (at)
		LLVMPositionBuilderBefore(pass->builder, at);
	else
		LLVMPositionBuilderAtEnd(pass->builder, block);
	/* The debug location is that of where the builder stands; a line of its own is none. */
	if (LLVMIsAInstruction(value))
		LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(value));
	else
		LLVMSetCurrentDebugLocation2(pass->builder, NULL);
}

/* How well a term of a sum would do as its pointer: 0 not at all. */
static unsigned rank(LLVMValueRef value, unsigned depth)
{
	if (LLVMIsAConstant(value))
		return LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMPtrToInt ? 4
											       : 0;
	if (LLVMIsAArgument(value))
		return 3;
	if (!LLVMIsAInstruction(value) || !depth)
		return 0;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMPtrToInt:
		return 4;
	case LLVMLoad:
	case LLVMCall:
	case LLVMExtractElement:
	case LLVMExtractValue:
		return 2;
	case LLVMAdd: {
		unsigned a = rank(LLVMGetOperand(value, 0), depth - 1);
		unsigned b = rank(LLVMGetOperand(value, 1), depth - 1);

		return a > b ? a : b;
	}
	case LLVMSub:
		return rank(LLVMGetOperand(value, 0), depth - 1);
	case LLVMPHI:
		/* One that goes on from an address is one; a counter is not. */
		for (unsigned i = 0; i < LLVMCountIncoming(value) && i < 4; i++)
			if (rank(LLVMGetIncomingValue(value, i), depth - 1) > 1)
				return 2;
		return 1;
	case LLVMSelect:
		return 1;
	default:
		return 0;
	}
}

static LLVMValueRef pointer_of(struct pass *pass, LLVMValueRef number, unsigned depth);

static LLVMValueRef cast(struct pass *pass, LLVMValueRef number)
{
	if (!LLVMIsAConstant(number))
		position_behind(pass, number);
	return LLVMBuildIntToPtr(pass->builder, number, pointer_type(pass), "");
}

/* base + step, or base - step */
static LLVMValueRef step(struct pass *pass, LLVMValueRef sum, unsigned base, unsigned depth)
{
	bool minus = LLVMGetInstructionOpcode(sum) == LLVMSub;
	LLVMValueRef pointer = pointer_of(pass, LLVMGetOperand(sum, base), depth);
	LLVMValueRef by = LLVMGetOperand(sum, 1 - base);

	position_behind(pass, sum);
	if (minus)
		by = LLVMBuildNeg(pass->builder, by, "");
	return LLVMBuildGEP2(pass->builder, LLVMInt8TypeInContext(pass->context), pointer, &by, 1,
			     "");
}

static LLVMValueRef of_sum(struct pass *pass, LLVMValueRef sum, unsigned depth)
{
	unsigned a = rank(LLVMGetOperand(sum, 0), RANK_DEPTH);
	unsigned b = rank(LLVMGetOperand(sum, 1), RANK_DEPTH);

	if (LLVMGetInstructionOpcode(sum) == LLVMSub)
		b = 0;
	/* Where both do alike none is known to be the pointer. */
	if (a == b)
		return cast(pass, sum);
	return step(pass, sum, a > b ? 0 : 1, depth);
}

static LLVMValueRef of_phi(struct pass *pass, LLVMValueRef phi, unsigned depth)
{
	unsigned n = LLVMCountIncoming(phi);
	LLVMValueRef made;

	if (rank(phi, RANK_DEPTH) < 2)
		return cast(pass, phi);
	LLVMPositionBuilderBefore(pass->builder, phi);
	LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(phi));
	made = LLVMBuildPhi(pass->builder, pointer_type(pass), "");
	/* Known before its own steps are looked at. */
	remember(pass, phi, made);
	for (unsigned i = 0; i < n; i++) {
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
		LLVMValueRef number = LLVMGetIncomingValue(phi, i), pointer;

		if (LLVMIsAConstant(number))
			pointer = LLVMConstIntToPtr(number, pointer_type(pass));
		else
			pointer = pointer_of(pass, number, depth);
		LLVMAddIncoming(made, &pointer, &from, 1);
	}
	return made;
}

/* The pointer in a ptrtoint, if it is one of this space or of all memory. */
static LLVMValueRef of_cast(struct pass *pass, LLVMValueRef number)
{
	LLVMValueRef pointer = LLVMGetOperand(number, 0);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));

	if (space == pass->space)
		return pointer;
	/* Shared memory's numbers are not those of generic pointers. */
	if (space == 3 || pass->space == 3)
		return NULL;
	if (!LLVMIsAConstant(number))
		position_behind(pass, number);
	return LLVMIsAConstant(pointer)
		       ? LLVMConstAddrSpaceCast(pointer, pointer_type(pass))
		       : LLVMBuildAddrSpaceCast(pass->builder, pointer, pointer_type(pass), "");
}

static LLVMValueRef pointer_of(struct pass *pass, LLVMValueRef number, unsigned depth)
{
	LLVMValueRef made = hash_get(&pass->made, number);
	bool is_cast = LLVMIsAInstruction(number)
			       ? LLVMGetInstructionOpcode(number) == LLVMPtrToInt
			       : LLVMIsAConstantExpr(number) &&
					 LLVMGetConstOpcode(number) == LLVMPtrToInt;

	if (made)
		return made;
	if (is_cast)
		made = of_cast(pass, number);
	if (!made && LLVMIsAConstant(number))
		return LLVMConstIntToPtr(number, pointer_type(pass));
	if (!made && LLVMIsAInstruction(number) && depth) {
		LLVMOpcode opcode = LLVMGetInstructionOpcode(number);

		if (opcode == LLVMAdd || opcode == LLVMSub)
			made = of_sum(pass, number, depth - 1);
		else if (opcode == LLVMPHI)
			return of_phi(pass, number, depth - 1);
	}
	if (!made)
		made = cast(pass, number);
	remember(pass, number, made);
	return made;
}

/* ---- shared addresses of 32 bits ----------------------------------------- */

/* The variable whose address is number = trunc(ptrtoint(variable)); NULL for all else. */
static LLVMValueRef truncated_variable(LLVMValueRef number)
{
	LLVMValueRef wide, variable;

	if (LLVMIsAConstantExpr(number) && LLVMGetConstOpcode(number) == LLVMTrunc)
		wide = LLVMGetOperand(number, 0);
	else if (LLVMIsAConstantExpr(number) && LLVMGetConstOpcode(number) == LLVMPtrToInt)
		return LLVMIsAGlobalVariable(LLVMGetOperand(number, 0)) &&
				       LLVMGetPointerAddressSpace(
					       LLVMTypeOf(LLVMGetOperand(number, 0))) == 3
			       ? LLVMGetOperand(number, 0)
			       : NULL;
	else
		return NULL;
	if (!LLVMIsAConstantExpr(wide) || LLVMGetConstOpcode(wide) != LLVMPtrToInt)
		return NULL;
	variable = LLVMGetOperand(wide, 0);
	return LLVMIsAGlobalVariable(variable) &&
			       LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == 3
		       ? variable
		       : NULL;
}

/* sext(variable + step + ...): the sum without the variable, or NULL; *ret gets that. */
static LLVMValueRef without_variable(struct pass *pass, LLVMValueRef sum, LLVMValueRef *ret,
				     unsigned depth)
{
	LLVMValueRef rest;

	*ret = truncated_variable(sum);
	if (*ret)
		return LLVMConstNull(LLVMTypeOf(sum));
	if (!depth || !LLVMIsAInstruction(sum) || LLVMGetInstructionOpcode(sum) != LLVMAdd)
		return NULL;
	for (unsigned i = 0; i < 2; i++) {
		rest = without_variable(pass, LLVMGetOperand(sum, i), ret, depth - 1);
		if (!rest)
			continue;
		position_behind(pass, sum);
		return LLVMBuildAdd(pass->builder, rest, LLVMGetOperand(sum, 1 - i), "");
	}
	return NULL;
}

static LLVMValueRef of_shared(struct pass *pass, LLVMValueRef number)
{
	LLVMValueRef variable, rest, word, by;

	if (!LLVMIsAInstruction(number) || LLVMGetInstructionOpcode(number) != LLVMSExt ||
	    LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(number, 0))) != 32)
		return NULL;
	word = LLVMGetOperand(number, 0);
	if (LLVMIsAInstruction(word) && LLVMGetInstructionOpcode(word) == LLVMTrunc &&
	    LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(word, 0))) == 64)
		rest = without_variable(pass, LLVMGetOperand(word, 0), &variable, 8);
	else
		rest = without_variable(pass, word, &variable, 8);
	if (!rest)
		return NULL;
	position_behind(pass, number);
	if (LLVMTypeOf(rest) != LLVMTypeOf(word))
		rest = LLVMBuildTrunc(pass->builder, rest, LLVMTypeOf(word), "");
	by = LLVMBuildSExt(pass->builder, rest, LLVMInt64TypeInContext(pass->context), "");
	return LLVMBuildGEP2(pass->builder, LLVMInt8TypeInContext(pass->context), variable, &by, 1,
			     "");
}

/* ---- the whole ----------------------------------------------------------- */

static void run_function(struct pass *pass, LLVMValueRef function)
{
	LLVMValueRef next;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
			LLVMValueRef pointer = NULL, number;

			next = LLVMGetNextInstruction(i);
			if (!LLVMIsAIntToPtrInst(i) ||
			    LLVMGetPointerAddressSpace(LLVMTypeOf(i)) != pass->space)
				continue;
			number = LLVMGetOperand(i, 0);
			if (LLVMGetIntTypeWidth(LLVMTypeOf(number)) != 64)
				continue;
			if (pass->space == 3)
				pointer = of_shared(pass, number);
			if (!pointer && LLVMIsAInstruction(number) &&
			    (LLVMIsAPHINode(number) ||
			     LLVMGetInstructionOpcode(number) == LLVMAdd ||
			     LLVMGetInstructionOpcode(number) == LLVMSub ||
			     LLVMGetInstructionOpcode(number) == LLVMPtrToInt))
				pointer = pointer_of(pass, number, MAX_DEPTH);
			if (!pointer || pointer == i)
				continue;
			next = LLVMGetNextInstruction(i);
			LLVMReplaceAllUsesWith(i, pointer);
			LLVMInstructionEraseFromParent(i);
		}
}

void ptx_pointers(LLVMModuleRef module)
{
	static const unsigned spaces[] = {0, 1, 3, 4, 5};
	struct pass pass = {.context = LLVMGetModuleContext(module)};

	pass.builder = LLVMCreateBuilderInContext(pass.context);
	for (size_t s = 0; s < sizeof(spaces) / sizeof(*spaces); s++)
		for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
			if (LLVMIsDeclaration(f))
				continue;
			pass.space = spaces[s];
			run_function(&pass, f);
			hash_fini(&pass.made);
		}
	LLVMDisposeBuilder(pass.builder);
}
