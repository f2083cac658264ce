/* SPDX-License-Identifier: Apache-2.0 */
/* pass_kernels.c - an entry `void entry(const void *params)` for each kernel,
 * which loads its parameters from the packed buffer. Structures are copied to
 * the thread's stack, as a kernel may write to its parameters. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "names.h"

static unsigned attribute_kind(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static void add_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name,
			  uint64_t value)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
	LLVMAddAttributeAtIndex(function, index,
				LLVMCreateEnumAttribute(context, attribute_kind(name), value));
}

static LLVMValueRef offset_pointer(struct device_module *dm, LLVMBuilderRef builder,
				   LLVMValueRef base, uint64_t offset)
{
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(dm->context), offset, 0);
	return LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(dm->context), base, &index, 1,
				     "");
}

/* The type of a `byval` structure; the attribute goes, as the entry makes the
 * copy. NULL for other parameters. */
static LLVMTypeRef take_byval(LLVMValueRef kernel, unsigned i)
{
	unsigned kind = attribute_kind("byval");
	LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(kernel, i + 1, kind);
	if (!byval)
		return NULL;
	LLVMTypeRef type = LLVMGetTypeAttributeValue(byval);
	LLVMRemoveEnumAttributeAtIndex(kernel, i + 1, kind);
	add_attribute(kernel, i + 1, "noalias", 0);
	return type;
}

/* What is known of an address in the buffer, which begins at a multiple of 16
 * however large a parameter's own alignment is. */
static unsigned known_align(const struct layout_param *param)
{
	return param->align < 16 ? param->align : 16;
}

static LLVMValueRef load_param(struct device_module *dm, LLVMBuilderRef builder,
			       LLVMValueRef kernel, unsigned i, LLVMValueRef params,
			       const struct layout_param *param)
{
	LLVMValueRef from = offset_pointer(dm, builder, params, param->offset);
	LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel, i));
	LLVMTypeRef held = take_byval(kernel, i);
	if (held) {
		LLVMValueRef copy = LLVMBuildAlloca(builder, held, "");
		LLVMSetAlignment(copy, param->align);
		LLVMBuildMemCpy(builder, copy, param->align, from, known_align(param),
				LLVMConstInt(LLVMInt64TypeInContext(dm->context), param->size, 0));
		return copy;
	}
	/* A bool is one byte there, a bit here. */
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) % 8) {
		LLVMTypeRef stored =
			LLVMIntTypeInContext(dm->context, (unsigned)param->size * 8);
		LLVMValueRef value = LLVMBuildLoad2(builder, stored, from, "");
		LLVMSetAlignment(value, known_align(param));
		return LLVMBuildTrunc(builder, value, type, "");
	}
	LLVMValueRef value = LLVMBuildLoad2(builder, type, from, "");
	LLVMSetAlignment(value, known_align(param));
	return value;
}

static LLVMValueRef add_entry(struct device_module *dm, const struct layout_kernel *kernel)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(dm->context, 0);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(dm->context), &ptr, 1, 0);
	char *name = name_shared(dm->program, "entry", kernel->name);
	LLVMValueRef entry = LLVMAddFunction(dm->module, name, type);
	free(name);
	LLVMSetVisibility(entry, LLVMHiddenVisibility);
	add_attribute(entry, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", 0);
	add_attribute(entry, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "convergent", 0);
	add_attribute(entry, 1, "noalias", 0);
	add_attribute(entry, 1, "readonly", 0);
	add_attribute(entry, 1, "noundef", 0);
	add_attribute(entry, 1, "align", 16);
	if (kernel->params_size)
		add_attribute(entry, 1, "dereferenceable", kernel->params_size);
	return entry;
}

static void fill_entry(struct device_module *dm, const struct layout_kernel *row,
		       LLVMValueRef entry)
{
	LLVMValueRef kernel = LLVMGetNamedFunction(dm->module, row->name);
	assert(kernel);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMPositionBuilderAtEnd(builder,
				 LLVMAppendBasicBlockInContext(dm->context, entry, "entry"));
	LLVMValueRef *args = calloc(row->n_params + 1, sizeof(*args));
	assert(args);
	for (unsigned i = 0; i < row->n_params; i++)
		args[i] = load_param(dm, builder, kernel, i, LLVMGetParam(entry, 0),
				     &row->params[i]);
	LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(kernel), kernel, args,
					   (unsigned)row->n_params, "");
	add_attribute(kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", 0);
	LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(dm->context,
							 attribute_kind("convergent"), 0));
	LLVMBuildRetVoid(builder);
	LLVMDisposeBuilder(builder);
	free(args);
	LLVMSetLinkage(kernel, LLVMInternalLinkage);
}

struct cudasim_error *pass_kernels(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_kernels; i++)
		fill_entry(dm, &layout->kernels[i], add_entry(dm, &layout->kernels[i]));
	return NULL;
}
