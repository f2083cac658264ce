/* SPDX-License-Identifier: Apache-2.0 */
/* pass_debuginfo.c - debug information that a debugger for x86-64 understands.
 *
 * On the watched body, after pass_shared and pass_variables: a shared variable
 * becomes a local of each function that names it, found through a slot on the
 * stack that holds its address, for its place differs from block to block.
 * Device and constant variables are found at their symbols in device 0's
 * instance, managed ones through the pointer that stands there, structures
 * passed by value through a copy of the parameter. Address spaces go. Plain bodies keep lines and functions only (pass_optimize). */
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "debug_metadata.h"
#include "watch.h"
#include "layout.h"
#include "llvm_functions.h"
#include "names.h"

enum { SHARED_SPACE = 3 };

/* A slot on the function's stack that holds address. */
static LLVMValueRef make_slot(struct device_module *dm, const struct device_shared_use *use)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(dm->context, 0);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMPositionBuilderBefore(builder,
				  LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(use->function)));
	LLVMValueRef slot = LLVMBuildAlloca(builder, pointer, "");
	LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(use->address));
	LLVMBuildStore(builder, use->address, slot);
	LLVMDisposeBuilder(builder);
	return slot;
}

static void localize(struct device_module *dm, struct debug_types *types,
		     const struct device_shared_use *use)
{
	if (!LLVMGetSubprogram(use->function))
		return;
	LLVMValueRef slot = make_slot(dm, use);
	LLVMValueRef before = LLVMGetNextInstruction(LLVMGetNextInstruction(use->address));
	if (!LLVMIsDeclaration(use->global)) {
		debug_variable_localize(use->global, use->function, slot, before);
		return;
	}
	char *name = name_demangle(name_of(use->global), true);
	debug_variable_localize_array(types, use->global, name, use->function, slot, before);
	free(name);
}

static void globals(struct device_module *dm)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == SHARED_SPACE)
			debug_variable_forget(g);
	}
	/* Variables' globals carry the names of their symbols by now. */
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; layout && i < layout->n_variables; i++) {
		if (!(layout->variables[i].flags & CUDASIM_VARIABLE_MANAGED))
			continue;
		char *symbol = name_shared(dm->program, "var", layout->variables[i].name);
		LLVMValueRef g = LLVMGetNamedGlobal(dm->module, symbol);
		if (g)
			debug_variable_deref(g);
		free(symbol);
	}
}

struct cudasim_error *pass_debuginfo(struct device_module *dm)
{
	struct debug_types *types = debug_types_new();
	for (size_t i = 0; i < dm->n_shared_uses; i++)
		localize(dm, types, &dm->shared_uses[i]);
	debug_types_free(types);
	globals(dm);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			debug_keep_parameters(f);
	debug_strip_address_spaces(dm->module);
	return NULL;
}
