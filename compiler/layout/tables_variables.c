/* SPDX-License-Identifier: Apache-2.0 */
/* tables_variables.c - all variables of a module in one page-aligned image.
 *
 * Each variable keeps a symbol of its own, an alias into the image, for
 * debuggers. Pointers among the initial values point into the image, which is
 * device 0's instance; their offsets are listed for the other devices. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "layout.h"
#include "names.h"
#include "tables.h"

enum { PAGE = 4096 };

/* What one variable puts into the image: padding bytes, then its value. */
static LLVMTypeRef padding_type(struct device_module *dm, uint64_t n)
{
	return LLVMArrayType2(LLVMInt8TypeInContext(dm->context), n);
}

static LLVMTypeRef held_type(struct device_module *dm, const struct layout_variable *v,
			     LLVMValueRef global)
{
	if (v->flags & CUDASIM_VARIABLE_MANAGED)
		return LLVMPointerTypeInContext(dm->context, 0);
	return LLVMGlobalGetValueType(global);
}

static LLVMValueRef find_global(struct device_module *dm, const struct layout_variable *v)
{
	LLVMValueRef global = LLVMGetNamedGlobal(dm->module, v->name);
	assert(global);
	return global;
}

/* The image's type: <{ padding, variable, padding, variable, ... padding }>. */
static LLVMTypeRef image_type(struct device_module *dm, const struct device_layout *layout)
{
	LLVMTargetDataRef data = LLVMGetModuleDataLayout(dm->module);
	LLVMTypeRef *types = calloc(2 * layout->n_variables + 1, sizeof(*types));
	assert(types);
	uint64_t end = 0;
	unsigned n = 0;
	for (size_t i = 0; i < layout->n_variables; i++) {
		const struct layout_variable *v = &layout->variables[i];
		types[n++] = padding_type(dm, v->offset - end);
		types[n] = held_type(dm, v, find_global(dm, v));
		end = v->offset + LLVMABISizeOfType(data, types[n++]);
	}
	types[n++] = padding_type(dm, (PAGE - end % PAGE) % PAGE);
	LLVMTypeRef type = LLVMStructTypeInContext(dm->context, types, n, 1);
	free(types);
	return type;
}

/* Every mention of a variable in constants becomes an address in the image. */
static void redirect(struct device_module *dm, const struct layout_variable *v, LLVMValueRef image)
{
	LLVMValueRef global = find_global(dm, v);
	if (LLVMGetFirstUse(global) && v->flags & CUDASIM_VARIABLE_MANAGED)
		device_diagnose(dm, global,
				"the address of the __managed__ variable '%s' is used "
				"in an initialiser",
				v->name);
	LLVMValueRef offset = tables_i64(dm, v->offset);
	LLVMValueRef address = LLVMConstInBoundsGEP2(LLVMInt8TypeInContext(dm->context), image,
						     &offset, 1);
	LLVMTypeRef type = LLVMTypeOf(global);
	if (LLVMGetPointerAddressSpace(type))
		address = LLVMConstAddrSpaceCast(address, type);
	LLVMReplaceAllUsesWith(global, address);
}

/* What the slot of a managed variable holds at first: where its initial value is.
 * libcudasim copies that to the host's variable when it is registered. */
static LLVMValueRef initial_value(struct device_module *dm, const struct layout_variable *v)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(dm->context, 0);
	LLVMValueRef value = LLVMGetInitializer(find_global(dm, v));
	if (!value || LLVMIsNull(value) || LLVMIsUndef(value))
		return LLVMConstNull(pointer);
	LLVMValueRef constant = LLVMAddGlobal(dm->module, LLVMTypeOf(value), "");
	LLVMSetInitializer(constant, value);
	LLVMSetGlobalConstant(constant, 1);
	LLVMSetLinkage(constant, LLVMPrivateLinkage);
	LLVMSetAlignment(constant, v->align);
	return constant;
}

static void fill_image(struct device_module *dm, const struct device_layout *layout,
		       LLVMValueRef image)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(image);
	unsigned n = LLVMCountStructElementTypes(type);
	LLVMValueRef *values = calloc(n, sizeof(*values));
	assert(values);
	for (unsigned i = 0; i < n; i++) {
		LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, i);
		const struct layout_variable *v = i % 2 ? &layout->variables[i / 2] : NULL;
		if (v && !(v->flags & CUDASIM_VARIABLE_MANAGED))
			values[i] = LLVMGetInitializer(find_global(dm, v));
		else if (v)
			values[i] = initial_value(dm, v);
		else
			values[i] = LLVMConstNull(element);
	}
	LLVMSetInitializer(image, LLVMConstStructInContext(dm->context, values, n, 1));
	free(values);
}

struct relocations {
	LLVMTargetDataRef data;
	LLVMValueRef image;
	LLVMValueRef *offsets; /* constants of 64 bits */
	size_t n;
};

static bool points_into(LLVMValueRef value, LLVMValueRef image)
{
	if (value == image)
		return true;
	int n = LLVMIsAConstantExpr(value) ? LLVMGetNumOperands(value) : 0;
	for (int i = 0; i < n; i++) {
		if (points_into(LLVMGetOperand(value, (unsigned)i), image))
			return true;
	}
	return false;
}

/* Note the pointers into the image in a value that lies at this offset. */
static void relocate(struct device_module *dm, struct relocations *r, LLVMValueRef value,
		     uint64_t offset)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	if (LLVMIsAConstantExpr(value) || LLVMIsAGlobalValue(value)) {
		if (!points_into(value, r->image))
			return;
		r->offsets = realloc(r->offsets, (r->n + 1) * sizeof(*r->offsets));
		assert(r->offsets);
		r->offsets[r->n++] = tables_i64(dm, offset);
		return;
	}
	bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
	unsigned n = (unsigned)LLVMGetNumOperands(value);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef element = LLVMGetOperand(value, i);
		uint64_t at = is_struct ? LLVMOffsetOfElement(r->data, type, i)
					: i * LLVMABISizeOfType(r->data, LLVMTypeOf(element));
		relocate(dm, r, element, offset + at);
	}
}

static void add_symbol(struct device_module *dm, const struct layout_variable *v,
		       LLVMValueRef image)
{
	char *name = name_shared(dm->program, "var", v->name);
	LLVMValueRef offset = tables_i64(dm, v->offset);
	LLVMTypeRef i8 = LLVMInt8TypeInContext(dm->context);
	LLVMValueRef address = LLVMConstInBoundsGEP2(i8, image, &offset, 1);
	LLVMTypeRef type = held_type(dm, v, find_global(dm, v));
	LLVMValueRef alias = LLVMAddAlias2(dm->module, type, 0, address, name);
	LLVMSetVisibility(alias, LLVMHiddenVisibility);
	free(name);
}

struct cudasim_error *tables_variables(struct device_module *dm, struct tables_variables *ret)
{
	const struct device_layout *layout = dm->program->layout;
	char *name = name_shared(dm->program, "variables", NULL);
	LLVMValueRef image = LLVMAddGlobal(dm->module, image_type(dm, layout), name);
	free(name);
	LLVMSetVisibility(image, LLVMHiddenVisibility);
	LLVMSetAlignment(image, PAGE);
	for (size_t i = 0; i < layout->n_variables; i++)
		redirect(dm, &layout->variables[i], image);
	fill_image(dm, layout, image);
	struct relocations r = {.data = LLVMGetModuleDataLayout(dm->module), .image = image};
	relocate(dm, &r, LLVMGetInitializer(image), 0);
	for (size_t i = 0; i < layout->n_variables; i++)
		add_symbol(dm, &layout->variables[i], image);
	for (size_t i = 0; i < layout->n_variables; i++)
		LLVMDeleteGlobal(find_global(dm, &layout->variables[i]));
	ret->image = image;
	ret->n_relocations = r.n;
	ret->relocations = tables_array(dm, LLVMInt64TypeInContext(dm->context), r.offsets, r.n);
	free(r.offsets);
	return NULL;
}
