/* SPDX-License-Identifier: Apache-2.0 */
/* pass_promises.c - takes back what clang promised LLVM of the program, where
 * the program works on a GPU without keeping it:
 *
 * - control never reaches the end of a function that returns a value, nor
 *   __builtin_unreachable(): on a GPU the function returns, its value is
 *   whatever the register held. LLVM would run on into the next function.
 * - address 0 is never read or written: it is an illegal address and must end
 *   the launch, not vanish.
 * - memory is only read as the type that was written (TBAA): reinterpret_cast
 *   between float4, int4 and the like is everywhere, and nvcc lets it pass.
 * - references, `this` and __builtin_assume_aligned() are aligned: that is seen at each
 *   access (alignment.cpp). */
#include <string.h>

#include "alignment.h"
#include "lower.h"

static bool is_noreturn(LLVMValueRef instruction)
{
	if (!instruction || !LLVMIsACallInst(instruction))
		return false;
	unsigned kind = LLVMGetEnumAttributeKindForName("noreturn", 8);
	LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	return LLVMGetCallSiteEnumAttribute(instruction, whole, kind) ||
	       (LLVMIsAFunction(callee) && LLVMGetEnumAttributeAtIndex(callee, whole, kind));
}

static void return_instead(struct device_module *dm, LLVMValueRef unreachable)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(unreachable));
	LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMPositionBuilderBefore(builder, unreachable);
	if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(builder);
	else
		LLVMBuildRet(builder, LLVMConstNull(type));
	LLVMDisposeBuilder(builder);
	LLVMInstructionEraseFromParent(unreachable);
}

static void visit(struct device_module *dm, LLVMValueRef instruction, void *arg)
{
	const unsigned *kinds = arg;
	if (LLVMHasMetadata(instruction)) {
		LLVMSetMetadata(instruction, kinds[0], NULL);
		LLVMSetMetadata(instruction, kinds[1], NULL);
	}
	if (LLVMIsAUnreachableInst(instruction) &&
	    !is_noreturn(LLVMGetPreviousInstruction(instruction)))
		return_instead(dm, instruction);
}

struct cudasim_error *pass_promises(struct device_module *dm)
{
	alignment_doubt(dm->module);
	unsigned kinds[] = {LLVMGetMDKindIDInContext(dm->context, "tbaa", 4),
			    LLVMGetMDKindIDInContext(dm->context, "tbaa.struct", 11)};
	unsigned null_is_valid = LLVMGetEnumAttributeKindForName("null_pointer_is_valid", 21);
	device_visit(dm, visit, kinds);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMIsDeclaration(f))
			LLVMAddAttributeAtIndex(
				f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(dm->context, null_is_valid, 0));
	}
	return NULL;
}
