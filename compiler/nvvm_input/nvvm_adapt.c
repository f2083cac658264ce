/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_adapt.c - what clang marks in CUDA code, and NVVM IR means without a mark.
 *
 * - Every function may do what threads of a warp do together ("convergent").
 * - Products and sums may be fused, where the options allow it ("contract").
 * - The host may name variables in global and constant memory that other modules may name
 *   ("externally_initialized"); those in the generic address space lie in global memory.
 * - A function of the calling convention ptx_kernel is a kernel, annotated or not.
 * - Local variables of constant size come first in a function: what splits its first block later
 *   would turn the others into memory whose place is known at run time only.
 * - What is taken out of an aggregate is what was put in (inserted_values.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "annotations.h"
#include "attributes.h"
#include "debug_metadata.h"
#include "debug_values.h"
#include "inserted_values.h"
#include "names.h"
#include "nvvm_parts.h"

enum { PTX_KERNEL = 71, GLOBAL = 1, SHARED = 3, CONSTANT = 4 };

static void allow_contraction(LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	if (op == LLVMFMul || op == LLVMFAdd || op == LLVMFSub)
		LLVMSetFastMathFlags(i, LLVMGetFastMathFlags(i) | LLVMFastMathAllowContract);
}

static void mark_convergent(LLVMContextRef context, LLVMValueRef call)
{
	LLVMAddCallSiteAttribute(call, WHOLE_FUNCTION,
				 LLVMCreateEnumAttribute(context, attribute_kind("convergent"), 0));
}

static void mark_code(struct device_module *dm, LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (dm->program->options->fmad)
				allow_contraction(i);
			if (LLVMIsACallInst(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
				mark_convergent(dm->context, i);
		}
	}
}

static void gather_locals(LLVMBuilderRef builder, LLVMValueRef function)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMValueRef first = LLVMGetFirstInstruction(entry), next;
	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(builder, first);
	for (LLVMValueRef i = first; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (!LLVMIsAAllocaInst(i) || !LLVMIsConstant(LLVMGetOperand(i, 0)))
			continue;
		char *name = strdup(name_of(i));
		LLVMInstructionRemoveFromParent(i);
		LLVMInsertIntoBuilderWithName(builder, i, name ? name : "");
		free(name);
	}
}

static void mark_functions(struct device_module *dm)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMGetIntrinsicID(f))
			continue;
		attribute_add(f, WHOLE_FUNCTION, "convergent", 0);
		attribute_remove(f, WHOLE_FUNCTION, "optnone"); /* the passes are needed */
		if (LLVMIsDeclaration(f))
			continue;
		gather_locals(builder, f);
		debug_store_values(f);
		values_forward(f);
		mark_code(dm, f);
	}
	LLVMDisposeBuilder(builder);
}

/* ---- kernels --------------------------------------------------------------------------------- */

struct search {
	LLVMValueRef function;
	bool found;
};

/* As libNVVM says it; nothing calls a kernel. */
static void allow_inlining(LLVMValueRef kernel)
{
	if (!attribute_has(kernel, "noinline"))
		return;
	attribute_remove(kernel, WHOLE_FUNCTION, "noinline");
	fprintf(stderr,
		"(): Warning: Function %s is a kernel, so overriding noinline attribute. The "
		"function may be inlined when called.\n",
		name_of(kernel));
}

static void find_kernel(LLVMValueRef global, const char *property, uint64_t value, void *arg)
{
	(void)arg;
	if (LLVMIsAFunction(global) && value && !strcmp(property, "kernel"))
		allow_inlining(global);
}

static void note_kernel(LLVMValueRef global, const char *property, uint64_t value, void *arg)
{
	struct search *search = arg;
	if (global == search->function && value && !strcmp(property, "kernel"))
		search->found = true;
}

static void annotate(struct device_module *dm, LLVMValueRef function, const char *property,
		     uint64_t value)
{
	LLVMMetadataRef parts[] = {
		LLVMValueAsMetadata(function),
		LLVMMDStringInContext2(dm->context, property, strlen(property)),
		LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(dm->context), value, 0)),
	};
	LLVMAddNamedMetadataOperand(
		dm->module, "nvvm.annotations",
		LLVMMetadataAsValue(dm->context, LLVMMDNodeInContext2(dm->context, parts, 3)));
}

struct limit {
	LLVMValueRef function;
	uint64_t blocks; /* 0: none */
};

static void note_limit(LLVMValueRef global, const char *property, uint64_t value, void *arg)
{
	struct limit *limit = arg;
	if (global == limit->function && !strcmp(property, "cluster_max_blocks"))
		limit->blocks = value;
}

/* What NVVM IR calls cluster_max_blocks is maxclusterrank for LLVM. */
static void name_limits(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		struct limit limit = {f, 0};
		annotations_visit_nvvm(dm, note_limit, &limit);
		if (limit.blocks)
			annotate(dm, f, "maxclusterrank", limit.blocks);
	}
}

static void annotate_kernels(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		struct search search = {f, false};
		if (LLVMIsDeclaration(f) || LLVMGetFunctionCallConv(f) != PTX_KERNEL)
			continue;
		LLVMSetFunctionCallConv(f, LLVMCCallConv);
		annotations_visit_nvvm(dm, note_kernel, &search);
		if (!search.found)
			annotate(dm, f, "kernel", 1);
	}
	name_limits(dm);
}

/* ---- variables ------------------------------------------------------------------------------- */

static bool is_local(LLVMValueRef global)
{
	LLVMLinkage linkage = LLVMGetLinkage(global);
	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* The same variable in global memory. */
static LLVMValueRef move_to_global(struct device_module *dm, LLVMValueRef generic)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(generic);
	LLVMValueRef moved = LLVMAddGlobalInAddressSpace(dm->module, type, "", GLOBAL);
	char *name = strdup(name_of(generic));
	if (LLVMGetInitializer(generic))
		LLVMSetInitializer(moved, LLVMGetInitializer(generic));
	LLVMSetLinkage(moved, LLVMGetLinkage(generic));
	LLVMSetGlobalConstant(moved, LLVMIsGlobalConstant(generic));
	LLVMSetAlignment(moved, LLVMGetAlignment(generic));
	LLVMReplaceAllUsesWith(generic, LLVMConstAddrSpaceCast(moved, LLVMTypeOf(generic)));
	LLVMDeleteGlobal(generic);
	if (name)
		LLVMSetValueName2(moved, name, strlen(name));
	free(name);
	return moved;
}

static void mark_variable(struct device_module *dm, LLVMValueRef global)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(global));
	if (!strncmp(name_of(global), "llvm.", 5))
		return;
	if (space == SHARED && LLVMGetInitializer(global))
		LLVMSetInitializer(global, LLVMGetUndef(LLVMGlobalGetValueType(global)));
	if (!space && !(is_local(global) && LLVMIsGlobalConstant(global))) {
		global = move_to_global(dm, global);
		space = GLOBAL;
	}
	if ((space == GLOBAL || space == CONSTANT) && !is_local(global) &&
	    !LLVMIsDeclaration(global))
		LLVMSetExternallyInitialized(global, 1);
}

static void mark_variables(struct device_module *dm)
{
	LLVMValueRef next;
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = next) {
		next = LLVMGetNextGlobal(g);
		mark_variable(dm, g);
	}
}

void nvvm_adapt(struct device_module *dm)
{
	mark_functions(dm);
	annotate_kernels(dm);
	annotations_visit_nvvm(dm, find_kernel, NULL);
	mark_variables(dm);
	debug_set_form(dm->module);
	nvvm_add_places(dm);
}
