/* SPDX-License-Identifier: Apache-2.0 */
/* pass_shared_values.c - no nameless constant holds the address of a __shared__ variable.
 *
 * clang makes a constant of a local variable's initial value, T *halves[2] = {upper,
 * lower}, and copies it. Where those are __shared__ the values are a block's own: each
 * function that reads the constant gets a local variable for it, with the values stored
 * where the function begins. */
#include <assert.h>
#include <stdlib.h>

#include "lower.h"
#include "llvm_functions.h"

static bool holds_shared(LLVMValueRef constant)
{
	if (LLVMIsAGlobalVariable(constant))
		return LLVMGetPointerAddressSpace(LLVMTypeOf(constant)) == 3;
	if (!LLVMIsAConstantExpr(constant) && !LLVMIsAConstantStruct(constant) &&
	    !LLVMIsAConstantArray(constant) && !LLVMIsAConstantVector(constant))
		return false;
	for (int i = 0; i < LLVMGetNumOperands(constant); i++)
		if (holds_shared(LLVMGetOperand(constant, (unsigned)i)))
			return true;
	return false;
}

/* Stores the parts of a structure or array one by one, as code of the user's would. */
static void store_parts(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef address)
{
	LLVMTypeRef type = LLVMTypeOf(value),
		    index = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
	bool is_array = LLVMGetTypeKind(type) == LLVMArrayTypeKind;
	if (!is_array && LLVMGetTypeKind(type) != LLVMStructTypeKind) {
		if (!LLVMIsUndef(value))
			LLVMBuildStore(builder, value, address);
		return;
	}
	unsigned n = is_array ? (unsigned)LLVMGetArrayLength2(type)
			      : LLVMCountStructElementTypes(type);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef at[] = {LLVMConstInt(index, 0, 0), LLVMConstInt(index, i, 0)};
		LLVMValueRef part = is_array ? LLVMBuildInBoundsGEP2(builder, type, address, at, 2,
								     "")
					     : LLVMBuildStructGEP2(builder, type, address, i, "");
		store_parts(builder, LLVMGetAggregateElement(value, i), part);
	}
}

static LLVMValueRef make_local(struct device_module *dm, LLVMBuilderRef builder,
			       LLVMValueRef global, void *arg)
{
	LLVMValueRef local = LLVMBuildAlloca(builder, LLVMGlobalGetValueType(global), "");
	(void)dm;
	(void)arg;
	LLVMSetAlignment(local, LLVMGetAlignment(global));
	store_parts(builder, LLVMGetInitializer(global), local);
	return local;
}

struct cudasim_error *pass_shared_values(struct device_module *dm)
{
	LLVMValueRef next;
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = next) {
		next = LLVMGetNextGlobal(g);
		if (LLVMIsDeclaration(g) || !LLVMIsGlobalConstant(g) ||
		    LLVMGetUnnamedAddress(g) != LLVMGlobalUnnamedAddr ||
		    !holds_shared(LLVMGetInitializer(g)))
			continue;
		constants_expand(&g, 1);
		device_replace_global(dm, g, make_local, NULL);
		if (!LLVMGetFirstUse(g))
			LLVMDeleteGlobal(g);
	}
	return NULL;
}
