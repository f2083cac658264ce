/* SPDX-License-Identifier: Apache-2.0 */
/* pass_retarget.c - from NVPTX to x86-64.
 *
 * The data layouts agree for everything that CUDA allows, so it is enough to
 * exchange triple and layout and to take away what binds functions to NVPTX.
 * Everything but kernels and variables that the host may name becomes internal,
 * and what nobody uses goes. Kernels and launch bounds are noted here, before
 * their annotations go. `alwaysinline` of the user's functions becomes the
 * string attribute "cudasim-inline": plain bodies turn it back, the watched body
 * keeps such functions as functions, and builtins can be inlined alone. */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>
#include <llvm-c/Target.h>

#include "lower.h"
#include "annotations.h"
#include "layout.h"
#include "machine.h"
#include "names.h"
#include "pairs.h"
#include "retarget.h"

void retarget_strip(LLVMValueRef function)
{
	static const char *const gone[] = {"target-cpu", "target-features", "tune-cpu",
					   "uniform-work-group-size"};
	LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		LLVMRemoveStringAttributeAtIndex(function, whole, gone[i],
						 (unsigned)strlen(gone[i]));
}

static void retarget_function(LLVMValueRef function)
{
	LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	retarget_strip(function);
	if (!LLVMGetEnumAttributeAtIndex(function, whole, always))
		return;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
	LLVMRemoveEnumAttributeAtIndex(function, whole, always);
	LLVMAddAttributeAtIndex(function, whole,
				LLVMCreateStringAttribute(context, "cudasim-inline", 14, "", 0));
}

static void mark_managed(LLVMValueRef global, const char *text, const uint64_t *values,
			 size_t n_values, void *arg)
{
	struct device_module *dm = arg;
	(void)values, (void)n_values;
	if (strcmp(text, "cudasim_managed") || !LLVMIsAGlobalVariable(global))
		return;
	unsigned kind = LLVMGetMDKindIDInContext(dm->context, "cudasim.managed", 15);
	LLVMGlobalSetMetadata(global, kind, LLVMMDNodeInContext2(dm->context, NULL, 0));
}

void retarget_delete_list(struct device_module *dm, const char *name)
{
	LLVMValueRef list = LLVMGetNamedGlobal(dm->module, name);
	if (list)
		LLVMDeleteGlobal(list);
}

void retarget_resolve_weak(struct device_module *dm)
{
	LLVMValueRef next;
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = next) {
		next = LLVMGetNextGlobal(g);
		if (LLVMGetLinkage(g) != LLVMExternalWeakLinkage)
			continue;
		LLVMReplaceAllUsesWith(g, LLVMConstNull(LLVMTypeOf(g)));
		LLVMDeleteGlobal(g);
	}
}

static void internalize(struct device_module *dm, const struct device_layout *layout)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		LLVMSetComdat(f, NULL);
		retarget_function(f);
		if (LLVMIsDeclaration(f))
			continue;
		LLVMSetVisibility(f, LLVMDefaultVisibility);
		LLVMSetLinkage(f, layout_find_kernel(layout, name_of(f)) ? LLVMExternalLinkage
									 : LLVMInternalLinkage);
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		LLVMSetComdat(g, NULL);
		if (LLVMIsDeclaration(g))
			continue;
		LLVMSetVisibility(g, LLVMDefaultVisibility);
		if (!LLVMIsExternallyInitialized(g))
			LLVMSetLinkage(g, LLVMInternalLinkage);
	}
}

struct cudasim_error *pass_retarget(struct device_module *dm)
{
	struct device_layout *layout = layout_new(dm);
	annotations_visit(dm, mark_managed, dm);
	retarget_delete_list(dm, "llvm.global.annotations");
	retarget_delete_list(dm, "llvm.compiler.used");
	retarget_delete_list(dm, "llvm.used");
	retarget_resolve_weak(dm);
	internalize(dm, layout);
	pairs_keep(dm);
	LLVMSetTarget(dm->module, machine_triple);
	LLVMSetDataLayout(dm->module, machine_data_layout);
	return device_run_passes(dm, "globaldce");
}
