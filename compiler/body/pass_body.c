/* SPDX-License-Identifier: Apache-2.0 */
/* pass_body.c - what sets one body apart from the others: the names of its
 * functions, and which entry of a descriptor its indirect calls take. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "body.h"
#include "layout.h"
#include "names.h"
#include "pass_functions.h"

static unsigned entry_number(enum device_stage stage)
{
	switch (stage) {
	case DEVICE_V3:
		return CUDASIM_BODY_V3;
	case DEVICE_V4:
		return CUDASIM_BODY_V4;
	default:
		assert(stage == DEVICE_WATCHED || stage == DEVICE_WATCHED_LOOPS);
		return CUDASIM_BODY_WATCHED;
	}
}

static void rename_to(LLVMValueRef global, char *name)
{
	LLVMSetValueName2(global, name, strlen(name));
	free(name);
}

/* The function gets its shared name, and its descriptor the entry that code of
 * this body may see. */
static void publish(struct device_module *dm, const char *name)
{
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, name);
	char *symbol = name_shared(dm->program, "function", name);
	LLVMValueRef descriptor = LLVMGetNamedGlobal(dm->module, symbol);
	free(symbol);
	assert(function && descriptor);
	LLVMTypeRef ptr = LLVMPointerTypeInContext(dm->context, 0);
	LLVMValueRef entries[CUDASIM_N_BODIES];
	for (unsigned i = 0; i < CUDASIM_N_BODIES; i++)
		entries[i] = i == entry_number(dm->stage) ? function : LLVMConstNull(ptr);
	LLVMValueRef fields[] = {LLVMConstArray2(ptr, entries, CUDASIM_N_BODIES),
				 LLVMConstNull(ptr)};
	LLVMSetInitializer(descriptor, LLVMConstStructInContext(dm->context, fields, 2, 0));
	LLVMSetLinkage(descriptor, LLVMAvailableExternallyLinkage);
	LLVMSetLinkage(function, LLVMExternalLinkage);
	LLVMSetVisibility(function, LLVMHiddenVisibility);
	rename_to(function, name_in_body(dm->program, "code", name, dm->stage));
}

static void visit(struct device_module *dm, LLVMValueRef instruction, void *arg)
{
	if (!LLVMIsACallInst(instruction))
		return;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	if (LLVMIsAFunction(callee) || LLVMIsAInlineAsm(callee))
		return;
	LLVMBuilderRef builder = arg;
	LLVMPositionBuilderBefore(builder, instruction);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction));
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(dm->context),
					   8 * entry_number(dm->stage), 0);
	LLVMValueRef slot = LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(dm->context),
						  callee, &offset, 1, "");
	LLVMValueRef code = LLVMBuildLoad2(builder, LLVMPointerTypeInContext(dm->context, 0), slot,
					   "");
	LLVMSetMetadata(code, LLVMGetMDKindIDInContext(dm->context, "invariant.load", 14),
			LLVMMDNodeInContext(dm->context, NULL, 0));
	LLVMSetOperand(instruction, (unsigned)LLVMGetNumOperands(instruction) - 1, code);
}

static void rename_rest(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		const char *name = name_of(f), *body = name_body(dm->stage);
		if (LLVMGetLinkage(f) == LLVMExternalLinkage && strstr(name, "_code_"))
			continue; /* published */
		size_t size = strlen(name) + strlen(body) + 2;
		char *renamed = malloc(size);
		assert(renamed);
		memcpy(renamed, name, strlen(name));
		renamed[strlen(name)] = '.';
		memcpy(renamed + strlen(name) + 1, body, strlen(body) + 1);
		rename_to(f, renamed);
	}
}

struct cudasim_error *pass_body(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	/* Watched loops are all that their module holds. */
	for (size_t i = 0; dm->stage != DEVICE_WATCHED_LOOPS && i < layout->n_functions; i++)
		publish(dm, layout->functions[i]);
	rename_rest(dm);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	device_visit(dm, visit, builder);
	LLVMDisposeBuilder(builder);
	return NULL;
}
