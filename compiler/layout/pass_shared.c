/* SPDX-License-Identifier: Apache-2.0 */
/* pass_shared.c - shared memory is the block's window.
 *
 * A pointer to shared memory is an ordinary address; as an integer
 * (__cvta_generic_to_shared) it counts from the window's start, as programs and
 * PTX expect of 32-bit shared addresses. */
#include <assert.h>
#include <stdlib.h>

#include <llvm-c/DebugInfo.h>

#include "layout.h"
#include "names.h"

static void remember(struct device_module *dm, LLVMValueRef global, LLVMValueRef address)
{
	size_t n = dm->n_shared_uses;
	if (!(n & (n - 1))) {
		dm->shared_uses = realloc(dm->shared_uses,
					  (n ? 2 * n : 1) * sizeof(*dm->shared_uses));
		assert(dm->shared_uses);
	}
	LLVMBasicBlockRef block = LLVMGetInstructionParent(address);
	dm->shared_uses[dm->n_shared_uses++] = (struct device_shared_use){
		.global = global, .function = LLVMGetBasicBlockParent(block), .address = address};
}

static LLVMValueRef make_address(struct device_module *dm, LLVMBuilderRef builder,
				 LLVMValueRef global, void *arg)
{
	(void)arg;
	const struct layout_shared *s = layout_find_shared(dm->program->layout, name_of(global));
	assert(s);
	LLVMValueRef address;
	if (s->dynamic) {
		address = device_call_runtime(dm, builder, "__cudasim_dynamic", NULL, 0, NULL, 0);
	} else {
		LLVMValueRef window = device_call_runtime(dm, builder, "__cudasim_window", NULL, 0,
							  NULL, 0);
		LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(dm->context), s->offset,
						   0);
		address = LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(dm->context), window,
						&offset, 1, "");
	}
	remember(dm, global, address);
	return address;
}

static LLVMValueRef window_number(struct device_module *dm, LLVMBuilderRef builder,
				  LLVMTypeRef type)
{
	LLVMValueRef window = device_call_runtime(dm, builder, "__cudasim_window", NULL, 0, NULL,
						  0);
	LLVMValueRef number = LLVMBuildPtrToInt(builder, window,
						LLVMInt64TypeInContext(dm->context), "");
	return LLVMBuildIntCast2(builder, number, type, 0, "");
}

static bool is_shared_pointer(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(type) == 3;
}

static void visit(struct device_module *dm, LLVMValueRef instruction, void *arg)
{
	(void)arg;
	bool to_int = LLVMIsAPtrToIntInst(instruction) &&
		      is_shared_pointer(LLVMGetOperand(instruction, 0));
	bool from_int = LLVMIsAIntToPtrInst(instruction) && is_shared_pointer(instruction);
	if (!to_int && !from_int)
		return;
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction));
	LLVMValueRef value = LLVMGetOperand(instruction, 0), made;
	LLVMPositionBuilderBefore(builder, instruction);
	if (to_int) {
		LLVMTypeRef type = LLVMTypeOf(instruction);
		LLVMValueRef number = LLVMBuildPtrToInt(builder, value, type, "");
		made = LLVMBuildSub(builder, number, window_number(dm, builder, type), "");
	} else {
		LLVMTypeRef i64 = LLVMInt64TypeInContext(dm->context);
		LLVMValueRef offset = LLVMBuildIntCast2(builder, value, i64, 0, "");
		LLVMValueRef window = device_call_runtime(dm, builder, "__cudasim_window", NULL, 0,
							  NULL, 0);
		LLVMValueRef address = LLVMBuildGEP2(builder, LLVMInt8TypeInContext(dm->context),
						     window, &offset, 1, "");
		made = LLVMBuildAddrSpaceCast(builder, address, LLVMTypeOf(instruction), "");
	}
	LLVMReplaceAllUsesWith(instruction, made);
	LLVMInstructionEraseFromParent(instruction);
	LLVMDisposeBuilder(builder);
}

struct cudasim_error *pass_shared(struct device_module *dm)
{
	layout_expand_constants(dm); /* hooks may have brought new ones */
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3)
			device_replace_global(dm, g, make_address, NULL);
	}
	device_visit(dm, visit, NULL);
	return NULL;
}

void shared_delete(LLVMModuleRef module)
{
	LLVMValueRef next;
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = next) {
		next = LLVMGetNextGlobal(g);
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3)
			LLVMDeleteGlobal(g);
	}
}

struct cudasim_error *pass_shared_end(struct device_module *dm)
{
	shared_delete(dm->module);
	free(dm->shared_uses);
	dm->shared_uses = NULL;
	dm->n_shared_uses = 0;
	return NULL;
}
