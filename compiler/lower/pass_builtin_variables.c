/* SPDX-License-Identifier: Apache-2.0 */
/* pass_builtin_variables.c - the built-in variables that clang only declares are
 * constants of the module: afterwards warpSize is 32. threadIdx and its kin hold
 * nothing, for their parts are read as registers; only their addresses can be in
 * use, where one was bound to a reference. */
#include <string.h>

#include "lower.h"
#include "names.h"

static const struct {
	const char *name;
	unsigned value;
} variables[] = {
	{"warpSize", 32}, {"threadIdx", 0}, {"blockIdx", 0}, {"blockDim", 0}, {"gridDim", 0},
};

/* Reading it is no access to memory, for tools neither. `address` is the variable's, maybe
 * cast to another address space. */
static void replace_loads(LLVMValueRef address, LLVMValueRef value)
{
	for (LLVMUseRef u = LLVMGetFirstUse(address), next; u; u = next) {
		LLVMValueRef user = LLVMGetUser(u);
		next = LLVMGetNextUse(u);
		if (LLVMIsAConstantExpr(user) && LLVMGetConstOpcode(user) == LLVMAddrSpaceCast) {
			replace_loads(user, value);
		} else if (LLVMIsALoadInst(user) && LLVMTypeOf(user) == LLVMTypeOf(value)) {
			LLVMReplaceAllUsesWith(user, value);
			LLVMInstructionEraseFromParent(user);
		}
	}
}

struct cudasim_error *pass_builtin_variables(struct device_module *dm)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		LLVMValueRef g = LLVMGetNamedGlobal(dm->module, variables[i].name);
		if (!g || !LLVMIsDeclaration(g))
			continue;
		LLVMTypeRef type = LLVMGlobalGetValueType(g);
		LLVMSetInitializer(g, LLVMGetTypeKind(type) == LLVMIntegerTypeKind
					      ? LLVMConstInt(type, variables[i].value, 0)
					      : LLVMConstNull(type));
		LLVMSetGlobalConstant(g, 1);
		LLVMSetExternallyInitialized(g, 0);
		LLVMSetLinkage(g, LLVMInternalLinkage);
		replace_loads(g, LLVMGetInitializer(g));
	}
	return NULL;
}
