/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_operand.c - the values of operands: types, registers, immediates, addresses. */
#include "ptx_emit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "ptx_register.h"

/* ---- types and constants ------------------------------------------------- */

LLVMTypeRef ptx_int_type(const struct ptx_emit *emit, unsigned bits)
{
	return LLVMIntTypeInContext(emit->context, bits);
}

LLVMTypeRef ptx_llvm_type(const struct ptx_emit *emit, enum ptx_type type)
{
	switch (type) {
	case PTX_F16:
		return LLVMHalfTypeInContext(emit->context);
	case PTX_BF16:
		return LLVMBFloatTypeInContext(emit->context);
	case PTX_F32:
		return LLVMFloatTypeInContext(emit->context);
	case PTX_F64:
		return LLVMDoubleTypeInContext(emit->context);
	case PTX_F16X2:
		return LLVMVectorType(LLVMHalfTypeInContext(emit->context), 2);
	case PTX_BF16X2:
		return LLVMVectorType(LLVMBFloatTypeInContext(emit->context), 2);
	case PTX_U16X2:
	case PTX_S16X2:
		return LLVMVectorType(ptx_int_type(emit, 16), 2);
	default:
		return ptx_int_type(emit, ptx_bits(type));
	}
}

LLVMValueRef ptx_int(const struct ptx_emit *emit, unsigned bits, uint64_t value)
{
	return LLVMConstInt(ptx_int_type(emit, bits), value, true);
}

/* There and back is where it came from: who looks for products and sums that
 * may be fused must see them side by side. */
static LLVMValueRef bitcast(struct ptx_emit *emit, LLVMValueRef value, LLVMTypeRef type)
{
	if (LLVMIsABitCastInst(value) && LLVMTypeOf(LLVMGetOperand(value, 0)) == type)
		return LLVMGetOperand(value, 0);
	return LLVMBuildBitCast(emit->builder, value, type, "");
}

LLVMValueRef ptx_to_bits(struct ptx_emit *emit, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned bits;

	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return value;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		bits = 16;
		break;
	case LLVMFloatTypeKind:
	case LLVMVectorTypeKind:
		bits = 32;
		break; /* of pairs of 16 bits */
	case LLVMDoubleTypeKind:
		bits = 64;
		break;
	case LLVMPointerTypeKind:
		return LLVMBuildPtrToInt(emit->builder, value, ptx_int_type(emit, 64), "");
	default:
		assert(!"a value that does not fit a PTX register");
		return value;
	}
	return bitcast(emit, value, ptx_int_type(emit, bits));
}

/* An integer as one of another width. */
static LLVMValueRef resize(struct ptx_emit *emit, LLVMValueRef value, unsigned bits, bool is_signed)
{
	unsigned has = LLVMGetIntTypeWidth(LLVMTypeOf(value));
	LLVMTypeRef type = ptx_int_type(emit, bits);

	if (has == bits)
		return value;
	if (bits == 1)
		return LLVMBuildICmp(emit->builder, LLVMIntNE, value,
				     LLVMConstNull(LLVMTypeOf(value)), "");
	if (has > bits)
		return LLVMBuildTrunc(emit->builder, value, type, "");
	return is_signed ? LLVMBuildSExt(emit->builder, value, type, "")
			 : LLVMBuildZExt(emit->builder, value, type, "");
}

LLVMValueRef ptx_from_bits(struct ptx_emit *emit, enum ptx_type type, LLVMValueRef bits)
{
	LLVMTypeRef wanted = ptx_llvm_type(emit, type);

	bits = resize(emit, bits, ptx_bits(type), ptx_is_signed(type));
	return LLVMGetTypeKind(wanted) == LLVMIntegerTypeKind ? bits : bitcast(emit, bits, wanted);
}

/* ---- operands ------------------------------------------------------------ */

static LLVMValueRef zero(struct ptx_emit *emit, enum ptx_type type)
{
	return LLVMConstNull(ptx_llvm_type(emit, type));
}

LLVMValueRef ptx_carry_read(struct ptx_emit *emit)
{
	return ptx_register_get(emit, &emit->registers[0]);
}

void ptx_carry_write(struct ptx_emit *emit, LLVMValueRef value)
{
	ptx_register_set(emit, &emit->registers[0], value);
}

bool ptx_is(const struct ptx_emit *emit, const char *modifier)
{
	return ptx_has(emit->at, modifier);
}

const struct ptx_operand *ptx_operand(const struct ptx_emit *emit, uint32_t i)
{
	return i < emit->at->n_operands ? &emit->at->operands[i] : NULL;
}

const struct ptx_operand *ptx_element(struct ptx_emit *emit, uint32_t index, unsigned i, unsigned n)
{
	const struct ptx_operand *whole = ptx_operand(emit, index);

	if (n == 1 && whole->kind != PTX_VECTOR)
		return whole;
	if (whole->kind == PTX_VECTOR && whole->n_parts == n)
		return &whole->parts[i];
	ptx_unsupported(emit);
	return NULL;
}

static struct ptx_register *operand_register(struct ptx_emit *emit,
					     const struct ptx_operand *operand)
{
	if (operand->kind == PTX_ASM)
		return operand->number < emit->n_operands && !operand->component
			       ? &emit->registers[1 + operand->number]
			       : NULL;
	return operand->kind == PTX_NAME ? ptx_register_slot(emit, operand) : NULL;
}

uint32_t ptx_vector_lanes(struct ptx_emit *emit, const struct ptx_operand *operand)
{
	const struct ptx_register *reg;

	if (operand->kind != PTX_NAME || operand->component || operand->second)
		return 0;
	reg = ptx_register_find(emit, operand->name);
	if (reg)
		return reg->n_lanes > 1 ? reg->n_lanes : 0;
	return ptx_special_is_vector(operand->name) ? 4 : 0;
}

enum ptx_type ptx_operand_type(struct ptx_emit *emit, const struct ptx_operand *operand)
{
	const struct ptx_register *reg = operand_register(emit, operand);

	return reg ? reg->type : PTX_NONE;
}

/* A variable or function outside of the body, by its name. */
static LLVMValueRef find_global(struct ptx_emit *emit, const struct ptx_operand *operand)
{
	if (operand->kind != PTX_NAME || operand->component)
		return NULL;
	return emit->unit ? ptx_unit_find(emit->unit, operand->name)
			  : LLVMGetNamedGlobal(emit->module, operand->name);
}

/* The address of a device variable that the string names, as an integer. */
static LLVMValueRef variable_address(struct ptx_emit *emit, const struct ptx_operand *operand)
{
	LLVMValueRef global = find_global(emit, operand);

	return global ? LLVMBuildPtrToInt(emit->builder, global, ptx_int_type(emit, 64), "") : NULL;
}

/* An immediate real as bits of the type. An f32 pattern was widened exactly. */
static LLVMValueRef real_bits(struct ptx_emit *emit, double real, enum ptx_type type)
{
	if (ptx_bits(type) == 64) {
		uint64_t bits;

		memcpy(&bits, &real, sizeof(bits));
		return ptx_int(emit, 64, bits);
	}
	if (ptx_bits(type) == 32) {
		float single = (float)real;
		uint32_t bits;

		memcpy(&bits, &single, sizeof(bits));
		return ptx_int(emit, 32, bits);
	}
	ptx_fail(emit, "has a real number where its type has none");
	return ptx_int(emit, ptx_bits(type), 0);
}

static LLVMValueRef negate(struct ptx_emit *emit, enum ptx_type type, LLVMValueRef value)
{
	if (type == PTX_PRED)
		return LLVMBuildNot(emit->builder, value, "");
	return ptx_is_float(type) ? LLVMBuildFNeg(emit->builder, value, "")
				  : LLVMBuildNeg(emit->builder, value, "");
}

/* name+8: only variables' addresses are written so. */
static LLVMValueRef add_offset(struct ptx_emit *emit, LLVMValueRef value,
			       const struct ptx_operand *operand)
{
	return operand->kind == PTX_NAME && operand->value
		       ? LLVMBuildAdd(
				 emit->builder, value,
				 LLVMConstInt(LLVMTypeOf(value), (uint64_t)operand->value, true),
				 "")
		       : value;
}

/* On a GPU local addresses have 32 bits; here they are the host's. */
static void note_narrow(struct ptx_emit *emit, LLVMValueRef variable, enum ptx_type type)
{
	if (!variable || ptx_bits(type) != 32 ||
	    LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == 3)
		return;
	for (uint32_t i = 0; i < emit->n_narrow; i++)
		if (emit->narrow[i] == variable)
			return;
	if (!LLVMIsAAllocaInst(variable) || emit->n_narrow == PTX_MAX_NARROW) {
		ptx_fail(emit, "takes the address of this variable in 32 bits");
		return;
	}
	emit->narrow[emit->n_narrow++] = variable;
}

LLVMValueRef ptx_widen_local(struct ptx_emit *emit, LLVMValueRef address, bool always)
{
	LLVMTypeRef i32 = ptx_int_type(emit, 32), i64 = ptx_int_type(emit, 64);
	LLVMBuilderRef b = emit->builder;
	LLVMValueRef low = LLVMBuildTrunc(b, address, i32, ""), wide = address, is_wide;

	if (always && !emit->n_narrow) {
		ptx_fail(
			emit,
			"has an address of 32 bits that is of no .local variable of this function");
		return address;
	}
	for (uint32_t i = 0; i < emit->n_narrow; i++) {
		LLVMValueRef start = LLVMBuildPtrToInt(b, emit->narrow[i], i64, "");
		LLVMValueRef offset = LLVMBuildSub(b, low, LLVMBuildTrunc(b, start, i32, ""), "");
		uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(emit->module),
						  LLVMGetAllocatedType(emit->narrow[i]));
		LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULE, offset, ptx_int(emit, 32, size),
						    "");
		LLVMValueRef sum = LLVMBuildAdd(b, start, LLVMBuildSExt(b, offset, i64, ""), "");

		/* The first one is for addresses outside of all. */
		wide = i ? LLVMBuildSelect(b, inside, sum, wide, "") : sum;
	}
	if (always || !emit->n_narrow)
		return wide;
	is_wide = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildLShr(b, address, ptx_int(emit, 64, 32), ""),
				ptx_int(emit, 64, 0), "");
	return LLVMBuildSelect(b, is_wide, address, wide, "");
}

static LLVMValueRef read_plain(struct ptx_emit *emit, const struct ptx_operand *operand,
			       enum ptx_type type)
{
	struct ptx_register *reg;
	LLVMValueRef value;

	switch (operand->kind) {
	case PTX_INTEGER:
		if (ptx_is_float(type))
			ptx_fail(emit, "has an integer where its type needs a floating-point "
				       "number");
		return ptx_from_bits(emit, type,
				     ptx_int(emit, ptx_bits(type), (uint64_t)operand->value));
	case PTX_FLOAT:
		return ptx_from_bits(emit, type, real_bits(emit, operand->real, type));
	case PTX_NAME:
	case PTX_ASM:
		reg = operand_register(emit, operand);
		if (reg)
			note_narrow(emit, reg->variable, type);
		if (reg)
			return ptx_from_bits(
				emit, type, add_offset(emit, ptx_register_get(emit, reg), operand));
		value = operand->kind == PTX_NAME
				? ptx_special(emit, operand->name, operand->component)
				: NULL;
		if (!value)
			value = variable_address(emit, operand);
		if (value)
			return ptx_from_bits(emit, type, add_offset(emit, value, operand));
		ptx_fail_name(emit, operand, "names a register that is not declared here");
		return zero(emit, type);
	default:
		ptx_unsupported(emit);
		return zero(emit, type);
	}
}

LLVMValueRef ptx_read(struct ptx_emit *emit, const struct ptx_operand *operand, enum ptx_type type)
{
	LLVMValueRef value;

	if (!operand) {
		ptx_fail(emit, "has too few operands");
		return zero(emit, type);
	}
	if (operand->second) {
		ptx_unsupported(emit);
		return zero(emit, type);
	}
	value = read_plain(emit, operand, type);
	return operand->negated ? negate(emit, type, value) : value;
}

LLVMValueRef ptx_source(struct ptx_emit *emit, uint32_t i, enum ptx_type type)
{
	return ptx_read(emit, ptx_operand(emit, i), type);
}

void ptx_write(struct ptx_emit *emit, const struct ptx_operand *operand, enum ptx_type type,
	       LLVMValueRef value)
{
	struct ptx_register *reg;

	if (!operand) {
		ptx_fail(emit, "has too few operands");
		return;
	}
	if (operand->kind == PTX_SINK)
		return;
	reg = operand->negated ? NULL : operand_register(emit, operand);
	if (!reg || reg->variable) {
		ptx_fail_name(emit, operand, "writes to something that is not a declared register");
		return;
	}
	ptx_register_set(
		emit, reg,
		resize(emit, ptx_to_bits(emit, value), ptx_bits(reg->type), ptx_is_signed(type)));
}

void ptx_dest(struct ptx_emit *emit, uint32_t i, enum ptx_type type, LLVMValueRef value)
{
	const struct ptx_operand *operand = ptx_operand(emit, i);

	if (operand && operand->second)
		ptx_unsupported(emit);
	ptx_write(emit, operand, type, value);
}

/* A variable that an address begins with, as a pointer into the space or, where that
 * is as good, another; NULL for all else. Passes see better through pointers than through
 * numbers. */
static LLVMValueRef variable_pointer(struct ptx_emit *emit, const struct ptx_operand *base,
				     unsigned space)
{
	const struct ptx_register *reg = operand_register(emit, base);
	LLVMValueRef variable = reg ? reg->variable : find_global(emit, base);
	unsigned has;

	if (!variable || base->negated || base->second || LLVMIsAFunction(variable))
		return NULL;
	has = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
	if (has == space || (has == 0 && space == 5))
		return variable;
	if (space == 0 && (has == 1 || has == 4))
		return LLVMBuildAddrSpaceCast(emit->builder, variable,
					      LLVMPointerTypeInContext(emit->context, 0), "");
	return NULL;
}

/* [name + constant + register]. */
static LLVMValueRef variable_part(struct ptx_emit *emit, LLVMValueRef variable,
				  const struct ptx_operand *operand)
{
	LLVMTypeRef byte = ptx_int_type(emit, 8);
	LLVMValueRef index;

	if (operand->value) {
		index = ptx_int(emit, 64, (uint64_t)operand->value);
		variable = LLVMBuildGEP2(emit->builder, byte, variable, &index, 1, "");
	}
	if (operand->n_parts == 2) {
		index = ptx_read(emit, &operand->parts[1], PTX_S64);
		variable = LLVMBuildGEP2(emit->builder, byte, variable, &index, 1, "");
	}
	return variable;
}

LLVMValueRef ptx_address(struct ptx_emit *emit, const struct ptx_operand *operand, unsigned space)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(emit->context, space);
	LLVMValueRef address = ptx_int(emit, 64, 0), variable;

	if (!operand || operand->kind != PTX_ADDRESS || operand->n_parts > 2 ||
	    (operand->n_parts == 2 && operand->parts[1].kind == PTX_VECTOR)) {
		ptx_unsupported(emit);
		return LLVMConstNull(pointer);
	}
	variable = operand->n_parts ? variable_pointer(emit, &operand->parts[0], space) : NULL;
	if (variable)
		return variable_part(emit, variable, operand);
	for (uint32_t i = 0; i < operand->n_parts; i++) {
		LLVMValueRef part;

		/* 32-bit offsets are signed. So are 32-bit shared addresses: those of
		 * other blocks of a cluster lie on both sides of our own window. */
		part = ptx_read(emit, &operand->parts[i], i || space == 3 ? PTX_S64 : PTX_U64);
		address = i ? LLVMBuildAdd(emit->builder, address, part, "") : part;
	}
	if (operand->value || !operand->n_parts)
		address = LLVMBuildAdd(emit->builder, address,
				       ptx_int(emit, 64, (uint64_t)operand->value), "");
	if (space == 5 && operand->n_parts)
		address = ptx_widen_local(
			emit, address, ptx_bits(ptx_operand_type(emit, &operand->parts[0])) == 32);
	/* Of a shared address the lower half counts. */
	if (space == 3)
		address = LLVMBuildSExt(
			emit->builder,
			LLVMBuildTrunc(emit->builder, address, ptx_int_type(emit, 32), ""),
			ptx_int_type(emit, 64), "");
	return LLVMBuildIntToPtr(emit->builder, address, pointer, "");
}
