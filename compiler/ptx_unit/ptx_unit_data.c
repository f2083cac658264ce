/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_unit_data.c - a module's variables and their initial values.
 *
 * A variable is an array of its elements or, where addresses are among them, a packed
 * structure of the elements in their order, in which eight bytes that are one address's
 * (0xFF(name), 0xFF00(name), ...) are one element. */
#include "ptx_unit.h"

#include <stdlib.h>
#include <string.h>

static unsigned space_of(const struct ptx_global *global)
{
	switch (global->space[0]) {
	case 'g':
		return 1;
	case 's':
		return 3;
	default:
		return 4;
	}
}

static LLVMTypeRef element_type(struct ptx_unit *unit, const struct ptx_global *global)
{
	return LLVMIntTypeInContext(unit->context, 8 * ptx_unit_bytes(global->type));
}

static bool has_names(const struct ptx_global *global)
{
	for (uint32_t i = 0; i < global->n_values; i++)
		if (global->values[i].kind == PTX_V_NAME)
			return true;
	return false;
}

/* Are most elements those that no value is given for? Then they are not listed one by one. */
static bool is_long(const struct ptx_global *global)
{
	return global->is_initialized && global->n_elements - global->n_values > 4096;
}

/* The bytes of values[i] up to the element behind: 8 of an address, else one element's. */
static uint32_t n_taken(const struct ptx_global *global, uint32_t i)
{
	const struct ptx_value *value = &global->values[i];

	return value->kind == PTX_V_NAME && value->mask ? 8 / ptx_unit_bytes(global->type) : 1;
}

/* [n x T], or {T, ptr, ..., [rest x T]} */
static LLVMTypeRef value_type(struct ptx_unit *unit, const struct ptx_global *global)
{
	LLVMTypeRef element = element_type(unit, global), *parts, ret;
	uint32_t n = 0, i = 0;

	if (!has_names(global) && !is_long(global))
		return LLVMArrayType2(element, global->n_elements);
	if (!has_names(global)) {
		LLVMTypeRef two[2] = {
			LLVMArrayType2(element, global->n_values),
			LLVMArrayType2(element, global->n_elements - global->n_values)};

		return LLVMStructTypeInContext(unit->context, two, 2, true);
	}
	parts = calloc(global->n_values + 1, sizeof(LLVMTypeRef));
	if (!parts)
		return NULL;
	for (; i < global->n_values; i += n_taken(global, i))
		parts[n++] = global->values[i].kind == PTX_V_NAME
				     ? LLVMPointerTypeInContext(unit->context, 0)
				     : element;
	if (global->n_elements > i)
		parts[n++] = LLVMArrayType2(element, global->n_elements - i);
	ret = LLVMStructTypeInContext(unit->context, parts, n, true);
	free(parts);
	return ret;
}

LLVMValueRef ptx_unit_declare_global(struct ptx_unit *unit, const struct ptx_global *global)
{
	unsigned bytes = ptx_unit_bytes(global->type), space = space_of(global);
	LLVMTypeRef type;
	LLVMValueRef value;

	if (!bytes || global->space[0] == 'l') {
		ptx_unit_fail(unit, global->line, "variable '%s' of '.%s .%s' is not supported",
			      global->name, global->space, global->type);
		return NULL;
	}
	if (!global->n_elements && global->linkage != PTX_EXTERN) {
		ptx_unit_fail(unit, global->line, "variable '%s' has no size", global->name);
		return NULL;
	}
	for (uint32_t i = 0; i < global->n_values; i += n_taken(global, i))
		if (global->values[i].mask && (bytes != 1 || global->n_values - i < 8)) {
			ptx_unit_fail(
				unit, global->line,
				"parts of addresses in '%s' are not supported but as 8 bytes in a row",
				global->name);
			return NULL;
		}
	type = value_type(unit, global);
	if (!type) {
		ptx_unit_fail(unit, global->line, "out of memory");
		return NULL;
	}
	value = LLVMAddGlobalInAddressSpace(unit->module, type, global->name, space);
	bytes *= global->n_lanes;
	LLVMSetAlignment(value, global->alignment > bytes ? global->alignment : bytes);
	/* ptxas takes an array of shared memory that has a size for a definition. */
	if (global->linkage == PTX_EXTERN && (space != 3 || !global->n_elements))
		return value;
	if (space == 3) {
		if (global->is_initialized) {
			ptx_unit_fail(unit, global->line,
				      "shared variable '%s' has an initial value", global->name);
			return NULL;
		}
		LLVMSetInitializer(value, LLVMGetUndef(type));
		if (global->linkage == PTX_EXTERN)
			LLVMSetLinkage(value,
				       LLVMWeakAnyLinkage); /* another module may have it, too */
		return value;
	}
	LLVMSetInitializer(value, LLVMConstNull(type));
	LLVMSetExternallyInitialized(value, true);
	LLVMSetGlobalConstant(value, space == 4);
	if (global->is_managed)
		LLVMGlobalSetMetadata(
			value, LLVMGetMDKindIDInContext(unit->context, "cudasim.managed", 15),
			LLVMMDNodeInContext2(unit->context, NULL, 0));
	return value;
}

/* An address as a generic pointer. */
static LLVMValueRef address_of(struct ptx_unit *unit, const struct ptx_global *global,
			       const struct ptx_value *value)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(unit->context, 0);
	LLVMValueRef found = ptx_unit_find(unit, value->name), index;

	if (!found) {
		ptx_unit_fail(unit, global->line, "Unknown symbol '%s'", value->name);
		return LLVMConstNull(pointer);
	}
	if (LLVMIsAFunction(found))
		return found;
	if (LLVMGetPointerAddressSpace(LLVMTypeOf(found)) == 3) {
		ptx_unit_fail(unit, global->line,
			      "the address of shared variable '%s' is not a valid initial value",
			      value->name);
		return LLVMConstNull(pointer);
	}
	found = LLVMConstAddrSpaceCast(found, pointer);
	if (!value->integer)
		return found;
	index = LLVMConstInt(LLVMInt64TypeInContext(unit->context), (uint64_t)value->integer, true);
	return LLVMConstGEP2(LLVMInt8TypeInContext(unit->context), found, &index, 1);
}

/* Are the eight values from here on the bytes of one address, from the lowest up? */
static bool is_whole(const struct ptx_value *values)
{
	for (unsigned i = 0; i < 8; i++)
		if (values[i].kind != PTX_V_NAME || strcmp(values[i].name, values[0].name) ||
		    values[i].integer != values[0].integer || values[i].mask != 0xffull << 8 * i)
			return false;
	return true;
}

static LLVMValueRef constant_of(struct ptx_unit *unit, const struct ptx_global *global, uint32_t i)
{
	const struct ptx_value *value = &global->values[i];
	enum ptx_type type = ptx_type_find(global->type);
	LLVMTypeRef element = element_type(unit, global);
	double real = value->real;
	uint64_t bits;

	if (value->kind == PTX_V_NAME) {
		if (value->mask ? !is_whole(value) : ptx_bits(type) != 64)
			ptx_unit_fail(
				unit, global->line,
				"a part of the address of '%s' as an initial value is not supported",
				value->name);
		return address_of(unit, global, value);
	}
	if (value->kind == PTX_V_INTEGER && !ptx_is_float(type))
		return LLVMConstInt(element, (uint64_t)value->integer, true);
	if (value->kind == PTX_V_INTEGER) {
		ptx_unit_fail(unit, global->line,
			      "'%s' of '.%s' has a whole number as an initial value", global->name,
			      global->type);
		return LLVMConstNull(element);
	}
	if (ptx_bits(type) == 64) {
		memcpy(&bits, &real, sizeof(bits));
	} else if (ptx_bits(type) == 32) {
		float single = (float)real;
		uint32_t word;

		memcpy(&word, &single, sizeof(word));
		bits = word;
	} else {
		ptx_unit_fail(unit, global->line, "a real number in '%s' of '.%s' is not supported",
			      global->name, global->type);
		bits = 0;
	}
	return LLVMConstInt(element, bits, false);
}

void ptx_unit_initialize(struct ptx_unit *unit, const struct ptx_global *global)
{
	LLVMTypeRef element = element_type(unit, global);
	LLVMValueRef variable = ptx_unit_find(unit, global->name), *parts, value;
	bool mixed = has_names(global);
	uint32_t n = 0, i = 0, rest;

	if (!global->is_initialized || !variable || global->linkage == PTX_EXTERN)
		return;
	rest = global->n_elements - global->n_values;
	parts = calloc((size_t)global->n_values + (is_long(global) ? 0 : rest) + 2,
		       sizeof(LLVMValueRef));
	if (!parts) {
		ptx_unit_fail(unit, global->line, "out of memory");
		return;
	}
	for (; i < global->n_values; i += n_taken(global, i))
		parts[n++] = constant_of(unit, global, i);
	if (mixed && i < global->n_elements)
		parts[n++] = LLVMConstNull(LLVMArrayType2(element, global->n_elements - i));
	while (!mixed && !is_long(global) && n < global->n_elements)
		parts[n++] = LLVMConstNull(element);
	if (!mixed && is_long(global)) {
		parts[0] = LLVMConstArray2(element, parts, n);
		parts[1] = LLVMConstNull(LLVMArrayType2(element, rest));
		mixed = true;
		n = 2;
	}
	value = mixed ? LLVMConstStructInContext(unit->context, parts, n, true)
		      : LLVMConstArray2(element, parts, n);
	free(parts);
	if (!unit->n_errors)
		LLVMSetInitializer(variable, value);
}
