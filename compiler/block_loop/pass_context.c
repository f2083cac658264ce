/* SPDX-License-Identifier: Apache-2.0 */
/* pass_context.c - the device compiler's own functions become loads: where the
 * thread's state, the block's shared memory and the device's variables are.
 *
 * Until here they were memory(none) calls, which LLVM could merge and move as
 * it liked; a load of a thread-local variable would not have allowed that. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "context.h"
#include "names.h"
#include "tensor.h"

/* Bytes; an instance of the variables begins at a page. */
enum { VARIABLES_ALIGN = 4096 };

struct lowering {
	struct device_module *dm;
	LLVMBuilderRef builder;
	LLVMTypeRef ptr, i8, i32, i64;
	LLVMValueRef empty; /* metadata !{} */
	const struct context_values *values; /* NULL: through __cudasim_self */
};

static LLVMValueRef load_at(struct lowering *l, LLVMTypeRef type, LLVMValueRef base,
			    uint64_t offset)
{
	LLVMValueRef index = LLVMConstInt(l->i64, offset, 0);
	LLVMValueRef address =
		offset ? LLVMBuildInBoundsGEP2(l->builder, l->i8, base, &index, 1, "") : base;
	LLVMValueRef value = LLVMBuildLoad2(l->builder, type, address, "");
	/* A loop's own variables are written once an iteration. */
	unsigned kind = LLVMGetMDKindIDInContext(l->dm->context, "invariant.load", 14);
	if (!l->values || !LLVMIsAAllocaInst(base))
		LLVMSetMetadata(value, kind, l->empty);
	return value;
}

static LLVMValueRef global(struct lowering *l, const char *name, LLVMTypeRef type)
{
	LLVMValueRef g = LLVMGetNamedGlobal(l->dm->module, name);
	return g ? g : LLVMAddGlobal(l->dm->module, type, name);
}

/* A pthread's variable by its distance from the thread pointer, which attach/ finds out: named
 * as a thread-local symbol, it would have the linker ask for libcudasim. */
LLVMValueRef context_self(struct device_module *dm, LLVMBuilderRef builder)
{
	enum { SEGMENT_FS = 257 };
	static const char name[] = "__cudasim_self_offset";
	LLVMTypeRef i64 = LLVMInt64TypeInContext(dm->context);
	LLVMValueRef offset = LLVMGetNamedGlobal(dm->module, name);
	if (!offset) {
		offset = LLVMAddGlobal(dm->module, i64, name);
		LLVMSetVisibility(offset, LLVMHiddenVisibility);
	}
	LLVMValueRef value = LLVMBuildLoad2(builder, i64, offset, "");
	LLVMSetMetadata(value, LLVMGetMDKindIDInContext(dm->context, "invariant.load", 14),
			LLVMMDNodeInContext(dm->context, NULL, 0));
	return LLVMBuildIntToPtr(builder, value, LLVMPointerTypeInContext(dm->context, SEGMENT_FS),
				 "");
}

static LLVMValueRef context(struct lowering *l)
{
	if (l->values)
		return l->values->thread;
	return load_at(l, l->ptr, context_self(l->dm, l->builder), 0);
}

static LLVMValueRef block(struct lowering *l)
{
	if (l->values)
		return l->values->block;
	return load_at(l, l->ptr, context(l), offsetof(struct cudasim_thread, block));
}

static LLVMValueRef window(struct lowering *l)
{
	return load_at(l, l->ptr, block(l), offsetof(struct cudasim_block, shared));
}

static LLVMValueRef window_bytes(struct lowering *l)
{
	LLVMValueRef n = load_at(l, l->i32, block(l), offsetof(struct cudasim_block, shared_bytes));
	return LLVMBuildZExt(l->builder, n, l->i64, "");
}

static LLVMValueRef dynamic(struct lowering *l)
{
	LLVMValueRef b = block(l);
	LLVMValueRef start = load_at(l, l->ptr, b, offsetof(struct cudasim_block, shared));
	LLVMValueRef offset = load_at(l, l->i32, b,
				      offsetof(struct cudasim_block, dynamic_shared_offset));
	offset = LLVMBuildZExt(l->builder, offset, l->i64, "");
	return LLVMBuildInBoundsGEP2(l->builder, l->i8, start, &offset, 1, "");
}

static LLVMValueRef variables(struct lowering *l)
{
	char *name = name_shared(l->dm->program, "base", NULL);
	LLVMValueRef base = global(l, name, LLVMArrayType2(l->ptr, CUDASIM_MAX_DEVICES));
	free(name);
	LLVMSetVisibility(base, LLVMHiddenVisibility);
	LLVMValueRef device = load_at(l, l->i32, block(l), offsetof(struct cudasim_block, device));
	device = LLVMBuildZExt(l->builder, device, l->i64, "");
	LLVMValueRef slot = LLVMBuildInBoundsGEP2(l->builder, l->ptr, base, &device, 1, "");
	LLVMValueRef value = load_at(l, l->ptr, slot, 0);
	LLVMMetadataRef align = LLVMValueAsMetadata(LLVMConstInt(l->i64, VARIABLES_ALIGN, 0));
	LLVMSetMetadata(value, LLVMGetMDKindIDInContext(l->dm->context, "align", 5),
			LLVMMetadataAsValue(l->dm->context,
					    LLVMMDNodeInContext2(l->dm->context, &align, 1)));
	return value;
}

static LLVMValueRef managed(struct lowering *l, LLVMValueRef offset)
{
	LLVMValueRef base = variables(l);
	LLVMValueRef slot = LLVMBuildInBoundsGEP2(l->builder, l->i8, base, &offset, 1, "");
	return load_at(l, l->ptr, slot, 0);
}

/* The value of a call of one of our functions, NULL for other calls. */
static LLVMValueRef lower(struct lowering *l, LLVMValueRef call, const char *name)
{
	if (!strcmp(name, "__cudasim_context"))
		return context(l);
	if (!strcmp(name, "__cudasim_window"))
		return window(l);
	if (!strcmp(name, "__cudasim_window_bytes"))
		return window_bytes(l);
	if (!strcmp(name, "__cudasim_dynamic"))
		return dynamic(l);
	if (!strcmp(name, "__cudasim_variables"))
		return variables(l);
	if (!strcmp(name, "__cudasim_managed"))
		return managed(l, LLVMGetOperand(call, 0));
	return NULL;
}

static bool visit_call(struct lowering *l, LLVMValueRef instruction)
{
	if (!LLVMIsACallInst(instruction))
		return false;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	if (!l->values && tensor_lower(l->dm, instruction))
		return true;
	if (!LLVMIsAFunction(callee) || strncmp(name_of(callee), "__cudasim_", 10))
		return false;
	LLVMPositionBuilderBefore(l->builder, instruction);
	LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(instruction));
	LLVMValueRef value = lower(l, instruction, name_of(callee));
	if (!value)
		return false;
	LLVMReplaceAllUsesWith(instruction, value);
	LLVMInstructionEraseFromParent(instruction);
	return true;
}

static void visit(struct device_module *dm, LLVMValueRef instruction, void *arg)
{
	(void)dm;
	visit_call(arg, instruction);
}

static struct lowering begin(struct device_module *dm, const struct context_values *values)
{
	return (struct lowering){
		.dm = dm,
		.builder = LLVMCreateBuilderInContext(dm->context),
		.ptr = LLVMPointerTypeInContext(dm->context, 0),
		.i8 = LLVMInt8TypeInContext(dm->context),
		.i32 = LLVMInt32TypeInContext(dm->context),
		.i64 = LLVMInt64TypeInContext(dm->context),
		.empty = LLVMMDNodeInContext(dm->context, NULL, 0),
		.values = values,
	};
}

bool context_lower(struct device_module *dm, LLVMValueRef call, const struct context_values *values)
{
	struct lowering l = begin(dm, values);
	bool lowered = visit_call(&l, call);
	LLVMDisposeBuilder(l.builder);
	return lowered;
}

struct cudasim_error *pass_context(struct device_module *dm)
{
	struct lowering l = begin(dm, NULL);
	device_visit(dm, visit, &l);
	LLVMDisposeBuilder(l.builder);
	return NULL;
}
