/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_operand.c - the values of operands: types, registers, immediates, addresses. */
#include "ptx_emit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_register.h"

/* ---- types and constants ------------------------------------------------- */

LLVMTypeRef ptx_int_type(const struct ptx_emit *emit, unsigned bits)
{
	return LLVMIntTypeInContext(emit->context, bits);
}

LLVMTypeRef ptx_llvm_type(const struct ptx_emit *emit, enum ptx_type type)
{
	switch (type) {
	case PTX_F16: return LLVMHalfTypeInContext(emit->context);
	case PTX_BF16: return LLVMBFloatTypeInContext(emit->context);
	case PTX_F32: return LLVMFloatTypeInContext(emit->context);
	case PTX_F64: return LLVMDoubleTypeInContext(emit->context);
	case PTX_F16X2: return LLVMVectorType(LLVMHalfTypeInContext(emit->context), 2);
	case PTX_BF16X2: return LLVMVectorType(LLVMBFloatTypeInContext(emit->context), 2);
	case PTX_U16X2:
	case PTX_S16X2: return LLVMVectorType(ptx_int_type(emit, 16), 2);
	default: return ptx_int_type(emit, ptx_bits(type));
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
	case LLVMIntegerTypeKind: return value;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind: bits = 16; break;
	case LLVMFloatTypeKind:
	case LLVMVectorTypeKind: bits = 32; break; /* of pairs of 16 bits */
	case LLVMDoubleTypeKind: bits = 64; break;
	case LLVMPointerTypeKind:
		return LLVMBuildPtrToInt(emit->builder, value, ptx_int_type(emit, 64), "");
	default:
		assert(!"a value that no PTX register holds");
		return value;
	}
	return bitcast(emit, value, ptx_int_type(emit, bits));
}

/* An integer as one of another width. */
static LLVMValueRef resize(struct ptx_emit *emit, LLVMValueRef value, unsigned bits,
			   bool is_signed)
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

/* ---- registers ----------------------------------------------------------- */

LLVMValueRef ptx_entry_alloca(struct ptx_emit *emit, LLVMTypeRef type)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(emit->function);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(emit->context);
	LLVMValueRef first = LLVMGetFirstInstruction(entry), memory;

	if (first)
		LLVMPositionBuilderBefore(builder, first);
	else
		LLVMPositionBuilderAtEnd(builder, entry);
	memory = LLVMBuildAlloca(builder, type, "");
	LLVMDisposeBuilder(builder);
	return memory;
}

/* A new register; in strings with labels its alloca stands in the entry block. */
struct ptx_register *ptx_register_add(struct ptx_emit *emit, unsigned scope, const char *name,
					 enum ptx_type type, uint32_t n_family, uint32_t n_lanes)
{
	struct ptx_register *reg;

	if (emit->n_registers == emit->n_register_room) {
		uint32_t room = emit->n_register_room ? 2 * emit->n_register_room : 32;
		struct ptx_register *bigger =
			realloc(emit->registers, room * sizeof(*bigger));

		if (!bigger) {
			ptx_nomem(emit);
			return NULL;
		}
		emit->registers = bigger;
		emit->n_register_room = room;
	}
	reg = &emit->registers[emit->n_registers++];
	*reg = (struct ptx_register){ .name = name, .type = type, .n_family = n_family,
				      .n_lanes = n_lanes, .scope = scope };
	if (emit->uses_memory && !n_family)
		reg->memory = ptx_entry_alloca(emit, ptx_int_type(emit, ptx_bits(type)));
	return reg;
}

/* Which member of the family is name? -1 if none. */
static int64_t family_member(const struct ptx_register *family, const char *name)
{
	size_t length = strlen(family->name);
	int64_t member = 0;

	if (strncmp(family->name, name, length) || !name[length] || strlen(name + length) > 7)
		return -1;
	for (const char *c = name + length; *c; c++) {
		if (*c < '0' || *c > '9')
			return -1;
		member = 10 * member + (*c - '0');
	}
	return member < family->n_family ? member : -1;
}

/* A register of one scope. Members of a family are made when they are met. */
static struct ptx_register *find_in_scope(struct ptx_emit *emit, unsigned scope, const char *name)
{
	for (uint32_t i = 0; i < emit->n_registers; i++)
		if (emit->registers[i].scope == scope && !emit->registers[i].n_family &&
		    !strcmp(emit->registers[i].name, name))
			return &emit->registers[i];
	for (uint32_t i = 0; i < emit->n_registers; i++)
		if (emit->registers[i].scope == scope && emit->registers[i].n_family &&
		    family_member(&emit->registers[i], name) >= 0)
			return ptx_register_add(emit, scope, name, emit->registers[i].type, 0, 1);
	return NULL;
}

static struct ptx_register *find_register(struct ptx_emit *emit, const char *name)
{
	struct ptx_register *reg = NULL;

	for (uint32_t depth = emit->n_scopes; depth-- > 0 && !reg;)
		reg = find_in_scope(emit, emit->scopes[depth], name);
	return reg;
}

/* The slot of a name with an optional lane (v.x). */
static struct ptx_register *find_slot(struct ptx_emit *emit, const struct ptx_operand *operand)
{
	static const char lanes[] = "xyzwrgba";
	struct ptx_register *reg = find_register(emit, operand->name);
	const char *lane;

	if (!reg || !operand->component)
		return reg && reg->n_lanes > 1 ? NULL : reg;
	lane = strchr(lanes, operand->component[0]);
	if (!lane || !*lane || operand->component[1] || (lane - lanes) % 4 >= reg->n_lanes)
		return NULL;
	return reg + (lane - lanes) % 4;
}

static LLVMValueRef zero(struct ptx_emit *emit, enum ptx_type type)
{
	return LLVMConstNull(ptx_llvm_type(emit, type));
}

/* Registers that were never written are 0: PTX leaves them undefined, but
 * LLVM's undef would spread to what does not depend on them. */
LLVMValueRef ptx_register_get(struct ptx_emit *emit, const struct ptx_register *reg)
{
	if (reg->memory)
		return LLVMBuildLoad2(emit->builder, ptx_int_type(emit, ptx_bits(reg->type)),
				      reg->memory, "");
	return reg->value ? reg->value
			  : LLVMConstNull(ptx_int_type(emit, ptx_bits(reg->type)));
}

void ptx_register_set(struct ptx_emit *emit, struct ptx_register *reg, LLVMValueRef bits)
{
	if (reg->memory)
		LLVMBuildStore(emit->builder, bits, reg->memory);
	else
		reg->value = bits;
}

LLVMValueRef ptx_carry_read(struct ptx_emit *emit)
{
	return ptx_register_get(emit, &emit->registers[0]);
}

void ptx_carry_write(struct ptx_emit *emit, LLVMValueRef value)
{
	ptx_register_set(emit, &emit->registers[0], value);
}

/* ---- operands ------------------------------------------------------------ */

bool ptx_is(const struct ptx_emit *emit, const char *modifier)
{
	return ptx_has(emit->at, modifier);
}

const struct ptx_operand *ptx_operand(const struct ptx_emit *emit, uint32_t i)
{
	return i < emit->at->n_operands ? &emit->at->operands[i] : NULL;
}

static struct ptx_register *operand_register(struct ptx_emit *emit,
					     const struct ptx_operand *operand)
{
	if (operand->kind == PTX_ASM)
		return operand->number < emit->n_operands && !operand->component
			       ? &emit->registers[1 + operand->number]
			       : NULL;
	return operand->kind == PTX_NAME ? find_slot(emit, operand) : NULL;
}

uint32_t ptx_vector_lanes(struct ptx_emit *emit, const struct ptx_operand *operand)
{
	const struct ptx_register *reg;

	if (operand->kind != PTX_NAME || operand->component || operand->second)
		return 0;
	reg = find_register(emit, operand->name);
	if (reg)
		return reg->n_lanes > 1 ? reg->n_lanes : 0;
	return ptx_special_is_vector(operand->name) ? 4 : 0;
}

enum ptx_type ptx_operand_type(struct ptx_emit *emit, const struct ptx_operand *operand)
{
	const struct ptx_register *reg = operand_register(emit, operand);

	return reg ? reg->type : PTX_NONE;
}

/* The address of a device variable that the string names, as an integer. */
static LLVMValueRef variable_address(struct ptx_emit *emit, const struct ptx_operand *operand)
{
	LLVMValueRef global = operand->kind == PTX_NAME && !operand->component
				      ? LLVMGetNamedGlobal(emit->module, operand->name)
				      : NULL;

	return global ? LLVMBuildPtrToInt(emit->builder, global, ptx_int_type(emit, 64), "")
		      : NULL;
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

static LLVMValueRef read_plain(struct ptx_emit *emit, const struct ptx_operand *operand,
			       enum ptx_type type)
{
	struct ptx_register *reg;
	LLVMValueRef value;

	switch (operand->kind) {
	case PTX_INTEGER:
		if (ptx_is_float(type))
			ptx_fail(emit, "has a whole number where its type wants a real one");
		return ptx_from_bits(emit, type,
				     ptx_int(emit, ptx_bits(type), (uint64_t)operand->value));
	case PTX_FLOAT:
		return ptx_from_bits(emit, type, real_bits(emit, operand->real, type));
	case PTX_NAME:
	case PTX_ASM:
		reg = operand_register(emit, operand);
		if (reg)
			return ptx_from_bits(emit, type, ptx_register_get(emit, reg));
		value = operand->kind == PTX_NAME
				? ptx_special(emit, operand->name, operand->component)
				: NULL;
		if (!value)
			value = variable_address(emit, operand);
		if (value)
			return ptx_from_bits(emit, type, value);
		ptx_fail(emit, "names a register that is not declared here");
		return zero(emit, type);
	default:
		ptx_unsupported(emit);
		return zero(emit, type);
	}
}

LLVMValueRef ptx_read(struct ptx_emit *emit, const struct ptx_operand *operand,
		      enum ptx_type type)
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
	if (!reg) {
		ptx_fail(emit, "writes to what is no register declared here");
		return;
	}
	ptx_register_set(emit, reg, resize(emit, ptx_to_bits(emit, value), ptx_bits(reg->type),
				       ptx_is_signed(type)));
}

void ptx_dest(struct ptx_emit *emit, uint32_t i, enum ptx_type type, LLVMValueRef value)
{
	const struct ptx_operand *operand = ptx_operand(emit, i);

	if (operand && operand->second)
		ptx_unsupported(emit);
	ptx_write(emit, operand, type, value);
}

LLVMValueRef ptx_address(struct ptx_emit *emit, const struct ptx_operand *operand, unsigned space)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(emit->context, space);
	LLVMValueRef address = ptx_int(emit, 64, 0);

	if (!operand || operand->kind != PTX_ADDRESS || operand->n_parts > 2 ||
	    (operand->n_parts == 2 && operand->parts[1].kind == PTX_VECTOR)) {
		ptx_unsupported(emit);
		return LLVMConstNull(pointer);
	}
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
	return LLVMBuildIntToPtr(emit->builder, address, pointer, "");
}
