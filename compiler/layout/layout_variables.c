/* SPDX-License-Identifier: Apache-2.0 */
/* layout_variables.c - which globals are variables, and where they lie.
 *
 * A variable is what somebody may write, the host included, and what holds the
 * address of a variable (which differs from device to device). So is a string literal whose
 * address code keeps: it lies in global memory on a GPU, from where the host may copy it. The
 * rest are constant tables: all bodies share one copy in the module of tables, but see
 * its contents. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "layout.h"
#include "names.h"

static bool is_own(LLVMValueRef global)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(global)) != 3 &&
	       strncmp(name_of(global), "llvm.", 5);
}

/* Whether anything but a load, a copy or the runtime (as printf's format) has the address. */
static bool is_kept(LLVMValueRef address)
{
	for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsALoadInst(user))
			continue;
		if (LLVMIsACallInst(user)) {
			LLVMValueRef callee = LLVMGetCalledValue(user);
			if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
				return true;
		} else if (LLVMIsAConstantExpr(user) || LLVMIsAGetElementPtrInst(user) ||
			   LLVMIsAAddrSpaceCastInst(user)) {
			if (is_kept(user))
				return true;
		} else {
			return true;
		}
	}
	return false;
}

static bool is_literal(LLVMValueRef global)
{
	return LLVMGetUnnamedAddress(global) == LLVMGlobalUnnamedAddr &&
	       !strncmp(name_of(global), ".str", 4) &&
	       LLVMIsAConstantDataSequential(LLVMGetInitializer(global));
}

static bool is_written(LLVMValueRef global)
{
	return !LLVMIsGlobalConstant(global) || LLVMIsExternallyInitialized(global) ||
	       (is_literal(global) && is_kept(global));
}

/* Whether a constant rests on a variable's address. Global constants are
 * followed; their own cycles end at depth. */
static bool holds_variable(LLVMValueRef value, unsigned depth)
{
	if (!depth || LLVMIsAFunction(value))
		return false;
	if (LLVMIsAGlobalVariable(value)) {
		if (!is_own(value) || LLVMIsDeclaration(value))
			return false;
		return is_written(value) || holds_variable(LLVMGetInitializer(value), depth - 1);
	}
	int n = LLVMGetNumOperands(value);
	for (int i = 0; i < n; i++) {
		if (holds_variable(LLVMGetOperand(value, (unsigned)i), depth - 1))
			return true;
	}
	return false;
}

bool layout_is_variable(LLVMValueRef global)
{
	return !LLVMIsDeclaration(global) && is_own(global) && holds_variable(global, 32);
}

static bool is_managed(LLVMValueRef global)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(global));
	unsigned kind = LLVMGetMDKindIDInContext(context, "cudasim.managed", 15);
	size_t n;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);
	bool found = false;
	for (unsigned i = 0; i < n; i++)
		found |= LLVMValueMetadataEntriesGetKind(entries, i) == kind;
	LLVMDisposeValueMetadataEntries(entries);
	return found;
}

static void add_variable(struct device_module *dm, struct device_layout *layout,
			 LLVMValueRef global)
{
	LLVMTargetDataRef data = LLVMGetModuleDataLayout(dm->module);
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	layout->variables = realloc(layout->variables,
				    (layout->n_variables + 1) * sizeof(*layout->variables));
	assert(layout->variables);
	struct layout_variable *v = &layout->variables[layout->n_variables++];
	unsigned align = LLVMGetAlignment(global);
	*v = (struct layout_variable){
		.name = strdup(name_of(global)),
		.size = LLVMABISizeOfType(data, type),
		.align = align ? align : LLVMABIAlignmentOfType(data, type),
	};
	assert(v->name);
	if (LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == 4)
		v->flags |= CUDASIM_VARIABLE_CONSTANT;
	uint64_t held = v->size, aligned = v->align;
	if (is_managed(global)) {
		v->flags |= CUDASIM_VARIABLE_MANAGED;
		held = aligned = sizeof(void *);
	}
	v->offset = (layout->variables_size + aligned - 1) / aligned * aligned;
	layout->variables_size = v->offset + held;
}

/* The name that a constant table has in all modules. Debuggers know an object's
 * class by the symbol of its virtual table. */
static void share_constant(struct device_module *dm, LLVMValueRef global, unsigned number)
{
	char text[16];
	snprintf(text, sizeof(text), "%u", number);
	char *name = strncmp(name_of(global), "_ZTV", 4)
			     ? name_shared(dm->program, "constant", text)
			     : name_shared(dm->program, "vtable", name_of(global));
	LLVMSetValueName2(global, name, strlen(name));
	LLVMSetLinkage(global, LLVMExternalLinkage);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
	free(name);
}

bool layout_is_undefined(LLVMValueRef g)
{
	return LLVMIsDeclaration(g) && is_own(g) && LLVMGetFirstUse(g) &&
	       strncmp(name_of(g), "__cudasim_", 10);
}

struct cudasim_error *layout_variables(struct device_module *dm, struct device_layout *layout)
{
	unsigned n_constants = 0;
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		if (layout_is_variable(g))
			add_variable(dm, layout, g);
		else if (!LLVMIsDeclaration(g) && is_own(g))
			share_constant(dm, g, n_constants++);
		else if (layout_is_undefined(g))
			device_diagnose(dm, g, "undefined device variable '%s'", name_of(g));
	}
	return NULL;
}

const struct layout_variable *layout_find_variable(const struct device_layout *layout,
						   const char *name)
{
	for (size_t i = 0; i < layout->n_variables; i++) {
		if (!strcmp(layout->variables[i].name, name))
			return &layout->variables[i];
	}
	return NULL;
}
