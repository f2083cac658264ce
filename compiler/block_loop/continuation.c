/* SPDX-License-Identifier: Apache-2.0 */
#include "continuation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alignment.h"
#include "assumed_block.h"
#include "attributes.h"
#include "region_formation.h"
#include "debug_metadata.h"
#include "kernel_params.h"
#include "llvm_functions.h"
#include "names.h"

static void declare(struct loop_nest *m, const struct layout_kernel *kernel, bool warps)
{
	LLVMTypeRef types[N_CONTINUATION_PARAMS];
	unsigned n = warps ? N_WARP_CONTINUATION_PARAMS : N_CONTINUATION_PARAMS;
	for (unsigned i = 0; i < n; i++)
		types[i] = i <= CONTINUATION_FRAME || i == CONTINUATION_KEPT ? m->ptr : m->i32;
	LLVMTypeRef type = LLVMFunctionType(m->i32, types, n, 0);
	char *name = name_shared(m->dm->program, "continuation", kernel->name);
	m->function = LLVMAddFunction(m->dm->module, name, type);
	free(name);
	LLVMSetLinkage(m->function, LLVMInternalLinkage);
	attribute_add(m->function, WHOLE_FUNCTION, "nounwind", 0);
	for (unsigned i = CONTINUATION_PARAMS; i < n; i++) {
		if (types[i] != m->ptr)
			continue;
		attribute_add(m->function, i + 1, "noalias", 0);
		attribute_add(m->function, i + 1, "noundef", 0);
	}
	LLVMContextRef context = LLVMGetTypeContext(m->ptr);
	LLVMAddAttributeAtIndex(
		m->function, CONTINUATION_PARAMS + 1,
		LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("align", 5), 16));
	alignment_mark_own(m->function, CONTINUATION_BLOCK);
	alignment_mark_own(m->function, CONTINUATION_FRAME);
	if (!warps)
		alignment_mark_own(m->function, CONTINUATION_KEPT);
	attribute_add(m->function, CONTINUATION_PARAMS + 1, "readonly", 0);
	attribute_add(m->function, CONTINUATION_BLOCK + 1, "readonly", 0);
}

/* False where LLVM cannot inline the kernel. */
static bool fill(struct loop_nest *m, const struct layout_kernel *kernel)
{
	LLVMValueRef body = LLVMGetNamedFunction(m->dm->module, kernel->name);
	LLVMValueRef *args = calloc(kernel->n_params + 1, sizeof(*args));
	LLVMValueRef params = LLVMGetParam(m->function, CONTINUATION_PARAMS);
	assert(body && args);
	LLVMPositionBuilderAtEnd(m->builder, nest_block(m, "entry"));
	nest_add_context(m);
	m->values.real_block = m->values.block = LLVMGetParam(m->function, CONTINUATION_BLOCK);
	m->values.linear = LLVMGetParam(m->function, CONTINUATION_LINEAR);
	for (unsigned i = 0; i < 3; i++)
		m->index[i] = LLVMGetParam(m->function, CONTINUATION_X + i);
	nest_fill_context(m, m->values.block);
	for (unsigned i = 0; i < kernel->n_params; i++)
		args[i] = kernel_param_load(m->dm, m->builder, body, i, params, &kernel->params[i]);
	for (unsigned i = 0; i < kernel->n_params; i++)
		if (kernel_param_is_copied(body, i))
			kernel_param_copy(m->dm, m->builder, args[i], params, &kernel->params[i]);
	LLVMValueRef call = LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(body), body, args,
					   (unsigned)kernel->n_params, "");
	m->values.end = nest_block(m, "ended");
	LLVMBuildBr(m->builder, m->values.end);
	LLVMPositionBuilderAtEnd(m->builder, m->values.end);
	LLVMBuildRet(m->builder, nest_number(m, CONTINUATION_EXIT));
	free(args);
	debug_lend_location(call);
	return call_try_inline(call);
}

bool step_build(struct loop_nest *m, const struct layout_kernel *kernel,
		const struct callgraph *graph, bool warps, const char **why)
{
	declare(m, kernel, warps);
	if (!fill(m, kernel)) {
		*why = "contains code that LLVM cannot inline";
		return false;
	}
	loop_inline(m->dm, graph, m->function);
	if (kernel->in_assumed_block)
		assumed_block_apply(m->function);
	return true;
}

void continuation_is_seldom_called(LLVMValueRef continuation)
{
	attribute_add(continuation, WHOLE_FUNCTION, "noinline", 0);
	attribute_add(continuation, WHOLE_FUNCTION, "optsize", 0);
}
