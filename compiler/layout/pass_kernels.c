/* SPDX-License-Identifier: Apache-2.0 */
/* pass_kernels.c - an entry `void entry(const void *params)` for each kernel,
 * which loads its parameters from the packed buffer. Structures are copied to
 * the thread's stack, as a kernel may write to its parameters. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "layout.h"
#include "kernel_params.h"
#include "names.h"

static LLVMValueRef add_entry(struct device_module *dm, const struct layout_kernel *kernel)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(dm->context, 0);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(dm->context), &ptr, 1, 0);
	char *name = name_shared(dm->program, "entry", kernel->name);
	LLVMValueRef entry = LLVMAddFunction(dm->module, name, type);
	free(name);
	LLVMSetVisibility(entry, LLVMHiddenVisibility);
	kernel_params_promise(entry, kernel);
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
	LLVMValueRef params = LLVMGetParam(entry, 0);
	for (unsigned i = 0; i < row->n_params; i++)
		args[i] = kernel_param_load(dm, builder, kernel, i, params, &row->params[i]);
	for (unsigned i = 0; i < row->n_params; i++)
		if (kernel_param_is_copied(kernel, i))
			kernel_param_copy(dm, builder, args[i], params, &row->params[i]);
	LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(kernel), kernel, args,
					   (unsigned)row->n_params, "");
	attribute_add(kernel, WHOLE_FUNCTION, "nounwind", 0);
	unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
	LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(dm->context, convergent, 0));
	kernel_params_settle(kernel, row);
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
