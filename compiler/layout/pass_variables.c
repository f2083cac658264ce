/* SPDX-License-Identifier: Apache-2.0 */
/* pass_variables.c - code finds variables in the running device's instance.
 *
 * A variable's global stays as a declaration of its symbol in device 0's
 * instance, without uses in code, so that debug information has something to
 * name. Constant tables stay readable for LLVM, but live in the tables. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "names.h"

static LLVMValueRef make_address(struct device_module *dm, LLVMBuilderRef builder,
				 LLVMValueRef global, void *arg)
{
	const struct layout_variable *v = arg;
	(void)global;
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(dm->context), v->offset, 0);
	if (v->flags & CUDASIM_VARIABLE_MANAGED)
		return device_call_runtime(dm, builder, "__cudasim_managed", &offset, 1, NULL, 0);
	LLVMValueRef base = device_call_runtime(dm, builder, "__cudasim_variables", NULL, 0, NULL,
						0);
	return LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(dm->context), base, &offset, 1,
				     "");
}

/* Kernels only read constant memory, and the host changes it between launches: a load leaves loops
 * in which something is stored, and is made again behind a barrier instead of kept. */
static void mark_loads_invariant(struct device_module *dm, LLVMValueRef address)
{
	unsigned kind = LLVMGetMDKindIDInContext(dm->context, "invariant.load", 14);
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		LLVMOpcode opcode = LLVMIsAConstantExpr(user)  ? LLVMGetConstOpcode(user)
				    : LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user)
							       : LLVMUnreachable;
		if (opcode == LLVMGetElementPtr || opcode == LLVMAddrSpaceCast)
			mark_loads_invariant(dm, user);
		else if (opcode == LLVMLoad && !LLVMGetVolatile(user) &&
			 LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic)
			LLVMSetMetadata(
				user, kind,
				LLVMMetadataAsValue(dm->context,
						    LLVMMDNodeInContext2(dm->context, NULL, 0)));
	}
}

static void declare(struct device_module *dm, LLVMValueRef global)
{
	char *symbol = name_shared(dm->program, "var", name_of(global));
	LLVMSetInitializer(global, NULL);
	LLVMSetLinkage(global, LLVMExternalLinkage);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
	LLVMSetExternallyInitialized(global, 0);
	LLVMSetGlobalConstant(global, 0);
	LLVMSetValueName2(global, symbol, strlen(symbol));
	free(symbol);
}

struct cudasim_error *pass_variables(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		/* Strings that a pass of this body has made are its own. */
		if (LLVMIsDeclaration(g) || !strncmp(name_of(g), "llvm.", 5) ||
		    !strncmp(name_of(g), OWN_STRING, strlen(OWN_STRING)))
			continue;
		const struct layout_variable *v = layout_find_variable(layout, name_of(g));
		if (v) {
			if (v->flags & CUDASIM_VARIABLE_CONSTANT && dm->stage != DEVICE_WATCHED)
				mark_loads_invariant(dm, g);
			device_replace_global(dm, g, make_address, (void *)v);
			declare(dm, g);
		} else if (LLVMIsGlobalConstant(g)) {
			LLVMSetLinkage(g, LLVMAvailableExternallyLinkage);
		}
	}
	return NULL;
}
