/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_params.h"

#include <assert.h>
#include <string.h>

#include "attributes.h"

static LLVMValueRef offset_pointer(struct device_module *dm, LLVMBuilderRef builder,
				   LLVMValueRef base, uint64_t offset)
{
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(dm->context), offset, 0);
	return LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(dm->context), base, &index, 1,
				     "");
}

static LLVMAttributeRef byval_of(LLVMValueRef body, unsigned i)
{
	return LLVMGetEnumAttributeAtIndex(body, i + 1, attribute_kind("byval"));
}

bool kernel_param_is_copied(LLVMValueRef body, unsigned i)
{
	return byval_of(body, i) != NULL;
}

/* What is known of an address in the buffer, which begins at a multiple of 16
 * however large a parameter's own alignment is. */
static unsigned known_align(const struct layout_param *param)
{
	return param->align < 16 ? param->align : 16;
}

LLVMValueRef kernel_param_load(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef body,
			       unsigned i, LLVMValueRef params, const struct layout_param *param)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(body, i));
	if (kernel_param_is_copied(body, i)) {
		LLVMTypeRef held = LLVMGetTypeAttributeValue(byval_of(body, i));
		LLVMValueRef copy = LLVMBuildAlloca(builder, held, "");
		LLVMSetAlignment(copy, param->align);
		return copy;
	}
	LLVMValueRef from = offset_pointer(dm, builder, params, param->offset);
	/* A bool is one byte there, a bit here. */
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) % 8) {
		LLVMTypeRef stored = LLVMIntTypeInContext(dm->context, (unsigned)param->size * 8);
		LLVMValueRef value = LLVMBuildLoad2(builder, stored, from, "");
		LLVMSetAlignment(value, known_align(param));
		return LLVMBuildTrunc(builder, value, type, "");
	}
	LLVMValueRef value = LLVMBuildLoad2(builder, type, from, "");
	LLVMSetAlignment(value, known_align(param));
	return value;
}

void kernel_param_copy(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef copy,
		       LLVMValueRef params, const struct layout_param *param)
{
	LLVMBuildMemCpy(builder, copy, param->align,
			offset_pointer(dm, builder, params, param->offset), known_align(param),
			LLVMConstInt(LLVMInt64TypeInContext(dm->context), param->size, 0));
}

void kernel_params_promise(LLVMValueRef function, const struct layout_kernel *kernel)
{
	attribute_add(function, WHOLE_FUNCTION, "nounwind", 0);
	attribute_add(function, WHOLE_FUNCTION, "convergent", 0);
	attribute_add(function, 1, "noalias", 0);
	attribute_add(function, 1, "readonly", 0);
	attribute_add(function, 1, "noundef", 0);
	attribute_add(function, 1, "align", 16);
	if (kernel->params_size)
		attribute_add(function, 1, "dereferenceable", kernel->params_size);
}

void kernel_params_settle(LLVMValueRef body, const struct layout_kernel *kernel)
{
	for (unsigned i = 0; i < kernel->n_params; i++) {
		if (!byval_of(body, i))
			continue;
		LLVMRemoveEnumAttributeAtIndex(body, i + 1, attribute_kind("byval"));
		attribute_add(body, i + 1, "noalias", 0);
	}
}
