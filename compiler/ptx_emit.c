/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_emit.c - walks the statements and knows registers, operands and calls.
 *
 * A guarded statement (@p) is emitted in a block of its own, and registers that
 * changed there meet in phis behind it. */
#include "ptx_emit.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The scope of what has no name. */
#define NO_SCOPE UINT_MAX

/* ---- errors -------------------------------------------------------------- */

void ptx_fail(struct ptx_emit *emit, const char *what)
{
	if (!emit->error)
		emit->error = cudasim_error_new(CUDASIM_E_UNSUPPORTED, "PTX instruction '%s' %s",
						emit->at ? emit->at->text : "", what);
}

void ptx_unsupported(struct ptx_emit *emit)
{
	ptx_fail(emit, "is not supported");
}

static void nomem(struct ptx_emit *emit)
{
	if (!emit->error)
		emit->error = &cudasim_error_nomem;
}

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

/* A new register; in strings with labels its alloca stands in the entry block. */
static struct ptx_register *add_register(struct ptx_emit *emit, unsigned scope, const char *name,
					 enum ptx_type type, uint32_t n_family, uint32_t n_lanes)
{
	struct ptx_register *reg;

	if (emit->n_registers == emit->n_register_room) {
		uint32_t room = emit->n_register_room ? 2 * emit->n_register_room : 32;
		struct ptx_register *bigger =
			realloc(emit->registers, room * sizeof(*bigger));

		if (!bigger) {
			nomem(emit);
			return NULL;
		}
		emit->registers = bigger;
		emit->n_register_room = room;
	}
	reg = &emit->registers[emit->n_registers++];
	*reg = (struct ptx_register){ .name = name, .type = type, .n_family = n_family,
				      .n_lanes = n_lanes, .scope = scope };
	if (emit->uses_memory && !n_family) {
		LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(emit->function);
		LLVMBuilderRef builder = LLVMCreateBuilderInContext(emit->context);
		LLVMValueRef first = LLVMGetFirstInstruction(entry);

		if (first)
			LLVMPositionBuilderBefore(builder, first);
		else
			LLVMPositionBuilderAtEnd(builder, entry);
		reg->memory = LLVMBuildAlloca(builder, ptx_int_type(emit, ptx_bits(type)), "");
		LLVMDisposeBuilder(builder);
	}
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
			return add_register(emit, scope, name, emit->registers[i].type, 0, 1);
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
static LLVMValueRef register_get(struct ptx_emit *emit, const struct ptx_register *reg)
{
	if (reg->memory)
		return LLVMBuildLoad2(emit->builder, ptx_int_type(emit, ptx_bits(reg->type)),
				      reg->memory, "");
	return reg->value ? reg->value
			  : LLVMConstNull(ptx_int_type(emit, ptx_bits(reg->type)));
}

static void register_set(struct ptx_emit *emit, struct ptx_register *reg, LLVMValueRef bits)
{
	if (reg->memory)
		LLVMBuildStore(emit->builder, bits, reg->memory);
	else
		reg->value = bits;
}

LLVMValueRef ptx_carry_read(struct ptx_emit *emit)
{
	return register_get(emit, &emit->registers[0]);
}

void ptx_carry_write(struct ptx_emit *emit, LLVMValueRef value)
{
	register_set(emit, &emit->registers[0], value);
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
		if (type == PTX_F32 || type == PTX_F64)
			return LLVMConstReal(ptx_llvm_type(emit, type), (double)operand->value);
		return ptx_from_bits(emit, type,
				     ptx_int(emit, ptx_bits(type), (uint64_t)operand->value));
	case PTX_FLOAT:
		return ptx_from_bits(emit, type, real_bits(emit, operand->real, type));
	case PTX_NAME:
	case PTX_ASM:
		reg = operand_register(emit, operand);
		if (reg)
			return ptx_from_bits(emit, type, register_get(emit, reg));
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
	register_set(emit, reg, resize(emit, ptx_to_bits(emit, value), ptx_bits(reg->type),
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

/* ---- calls --------------------------------------------------------------- */

static LLVMValueRef call(struct ptx_emit *emit, LLVMValueRef function, LLVMTypeRef type,
			 LLVMValueRef *args, unsigned n_args)
{
	return LLVMBuildCall2(emit->builder, type, function, args, n_args, "");
}

LLVMValueRef ptx_intrinsic(struct ptx_emit *emit, const char *name, LLVMTypeRef overload,
			   LLVMValueRef *args, unsigned n_args)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef function;

	assert(id && "an intrinsic that LLVM does not know");
	function = LLVMGetIntrinsicDeclaration(emit->module, id, &overload, overload ? 1 : 0);
	return call(emit, function,
		    LLVMIntrinsicGetType(emit->context, id, &overload, overload ? 1 : 0), args,
		    n_args);
}

LLVMValueRef ptx_nvvm(struct ptx_emit *emit, const char *name, LLVMTypeRef result,
		      LLVMValueRef *args, unsigned n_args)
{
	char full[160] = "llvm.nvvm.";
	LLVMTypeRef params[16], type;
	LLVMValueRef function;

	assert(n_args <= 16 && strlen(name) < 140);
	strcat(full, name);
	function = LLVMGetNamedFunction(emit->module, full);
	for (unsigned i = 0; i < n_args; i++)
		params[i] = LLVMTypeOf(args[i]);
	type = LLVMFunctionType(result, params, n_args, false);
	if (!function) {
		unsigned id = LLVMLookupIntrinsicID(full, strlen(full));

		if (id && !LLVMIntrinsicIsOverloaded(id)) {
			/* Only where the builtin's signature is the intrinsic's. */
			assert(LLVMIntrinsicGetType(emit->context, id, NULL, 0) == type);
			function = LLVMGetIntrinsicDeclaration(emit->module, id, NULL, 0);
		} else {
			function = LLVMAddFunction(emit->module, full, type);
		}
	}
	assert(LLVMGlobalGetValueType(function) == type && "a builtin called in two ways");
	return call(emit, function, type, args, n_args);
}

LLVMValueRef ptx_nvvm_convergent(struct ptx_emit *emit, const char *name, LLVMTypeRef result,
				 LLVMValueRef *args, unsigned n_args)
{
	LLVMValueRef value = ptx_nvvm(emit, name, result, args, n_args);
	unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);

	LLVMAddCallSiteAttribute(value, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(emit->context, kind, 0));
	return value;
}

/* The type that a row's operand letter stands for. */
static enum ptx_type letter_type(const struct ptx_emit *emit, char letter)
{
	switch (letter) {
	case 's': return emit->match.types[0];
	case 't': return emit->match.types[1];
	case 'u': return emit->match.types[2];
	case 'h': return PTX_B16;
	case 'w': return PTX_B32;
	case 'l': return PTX_B64;
	case 'p': return PTX_PRED;
	default: return PTX_NONE;
	}
}

/* How builtins take a type: f32 and f64 by value, all else as integers. */
static enum ptx_type passed_type(enum ptx_type type)
{
	if (type == PTX_F32 || type == PTX_F64 || ptx_types[type].lanes == 1)
		if (type != PTX_F16 && type != PTX_BF16)
			return type;
	return ptx_type_of_bits(ptx_bits(type));
}

static void expand_name(const struct ptx_emit *emit, const char *from, char *to, size_t size)
{
	size_t n = 0;

	for (; *from && n + 1 < size; from++) {
		const char *piece;

		if (*from != '%') {
			to[n++] = *from;
			continue;
		}
		from++;
		if (*from >= '0' && *from < '0' + PTX_MAX_TYPES) {
			piece = ptx_types[emit->match.types[*from - '0']].name;
		} else {
			piece = emit->match.modifiers[*from - 'a'];
			if (piece)
				to[n++] = '.';
		}
		for (; piece && *piece && n + 1 < size; piece++)
			to[n++] = *piece;
	}
	to[n] = '\0';
}

static void emit_call(struct ptx_emit *emit, const struct ptx_row *row, bool convergent)
{
	LLVMValueRef args[16], value;
	LLVMTypeRef result = LLVMVoidTypeInContext(emit->context);
	enum ptx_type type = PTX_NONE;
	const char *letter = row->operands;
	bool has_dest = *letter && letter[1] == ':';
	uint32_t i = 0, n_args = 0;
	char name[140];

	if (has_dest) {
		type = passed_type(letter_type(emit, *letter));
		result = ptx_llvm_type(emit, type);
		letter += 2;
		i++;
	}
	for (; *letter && i < emit->at->n_operands; letter++) {
		if (*letter != '?' && *letter != ':')
			args[n_args++] = ptx_source(emit, i++,
						    passed_type(letter_type(emit, *letter)));
	}
	expand_name(emit, row->function, name, sizeof(name));
	value = convergent ? ptx_nvvm_convergent(emit, name, result, args, n_args)
			   : ptx_nvvm(emit, name, result, args, n_args);
	if (has_dest)
		ptx_dest(emit, 0, letter_type(emit, row->operands[0]), value);
}

void ptx_emit_call(struct ptx_emit *emit, const struct ptx_row *row)
{
	emit_call(emit, row, false);
}

void ptx_emit_call_convergent(struct ptx_emit *emit, const struct ptx_row *row)
{
	emit_call(emit, row, true);
}

void ptx_emit_nothing(struct ptx_emit *emit, const struct ptx_row *row)
{
	(void)emit;
	(void)row;
}

/* ---- statements ---------------------------------------------------------- */

static LLVMBasicBlockRef new_block(struct ptx_emit *emit)
{
	return LLVMAppendBasicBlockInContext(emit->context, emit->function, "");
}

void ptx_emit_unreachable(struct ptx_emit *emit)
{
	LLVMBuildUnreachable(emit->builder);
	LLVMPositionBuilderAtEnd(emit->builder, new_block(emit));
}

struct ptx_label *ptx_label_find(struct ptx_emit *emit, const char *name)
{
	for (uint32_t depth = emit->n_scopes; depth-- > 0;)
		for (uint32_t i = 0; i < emit->n_labels; i++)
			if (emit->labels[i].scope == emit->scopes[depth] &&
			    !strcmp(emit->labels[i].name, name))
				return &emit->labels[i];
	ptx_fail(emit, "jumps to a label outside of this asm statement");
	return NULL;
}

static void emit_instruction(struct ptx_emit *emit)
{
	if (!ptx_table_find(emit->at, &emit->match)) {
		ptx_unsupported(emit);
		return;
	}
	emit->match.row->emit(emit, emit->match.row);
}

/* Registers that changed since `before` was copied get phis of both values. */
static void merge_registers(struct ptx_emit *emit, LLVMValueRef *before, uint32_t n_before,
			    LLVMBasicBlockRef from, LLVMBasicBlockRef then)
{
	for (uint32_t i = 0; i < emit->n_registers; i++) {
		struct ptx_register *reg = &emit->registers[i];
		LLVMValueRef old = i < n_before ? before[i] : NULL;
		LLVMValueRef values[2];
		LLVMBasicBlockRef blocks[2] = { from, then };

		if (reg->n_family || reg->value == old || reg->memory)
			continue;
		values[0] = old ? old : LLVMConstNull(LLVMTypeOf(reg->value));
		values[1] = reg->value;
		reg->value = LLVMBuildPhi(emit->builder, LLVMTypeOf(values[1]), "");
		LLVMAddIncoming(reg->value, values, blocks, 2);
	}
}

static void emit_guarded(struct ptx_emit *emit)
{
	LLVMValueRef guard = ptx_read(emit, emit->at->guard, PTX_PRED);
	LLVMBasicBlockRef from = LLVMGetInsertBlock(emit->builder);
	LLVMBasicBlockRef then = new_block(emit), behind = new_block(emit);
	uint32_t n_before = emit->n_registers;
	LLVMValueRef *before = malloc((n_before + 1) * sizeof(LLVMValueRef));

	if (!before) {
		nomem(emit);
		return;
	}
	for (uint32_t i = 0; i < n_before; i++)
		before[i] = emit->registers[i].value;
	LLVMBuildCondBr(emit->builder, guard, then, behind);
	LLVMPositionBuilderAtEnd(emit->builder, then);
	emit_instruction(emit);
	then = LLVMGetInsertBlock(emit->builder);
	LLVMBuildBr(emit->builder, behind);
	LLVMPositionBuilderAtEnd(emit->builder, behind);
	merge_registers(emit, before, n_before, from, then);
	free(before);
}

static void emit_declaration(struct ptx_emit *emit)
{
	enum ptx_type type = ptx_type_find(emit->at->type);

	if (type == PTX_NONE) {
		ptx_fail(emit, "declares registers of an unknown type");
		return;
	}
	if (emit->at->n_lanes > 1 && emit->at->n_family) {
		ptx_unsupported(emit);
		return;
	}
	for (uint32_t lane = 0; lane < emit->at->n_lanes; lane++)
		add_register(emit, emit->scopes[emit->n_scopes - 1], lane ? "" : emit->at->name,
			     type, emit->at->n_family, lane ? 1 : emit->at->n_lanes);
}

static void open_scope(struct ptx_emit *emit)
{
	emit->scopes[emit->n_scopes++] = emit->n_scopes_seen++;
}

static void emit_label(struct ptx_emit *emit)
{
	struct ptx_label *label = ptx_label_find(emit, emit->at->name);

	if (!label)
		return;
	if (label->is_placed) {
		ptx_fail(emit, "stands twice: labels must be unique");
		return;
	}
	label->is_placed = true;
	LLVMBuildBr(emit->builder, label->block);
	LLVMMoveBasicBlockAfter(label->block, LLVMGetInsertBlock(emit->builder));
	LLVMPositionBuilderAtEnd(emit->builder, label->block);
}

static void emit_statements(struct ptx_emit *emit)
{
	for (size_t i = 0; i < emit->program->n_statements && !emit->error; i++) {
		emit->at = &emit->program->statements[i];
		switch (emit->at->kind) {
		case PTX_OPEN: open_scope(emit); break;
		case PTX_CLOSE: emit->n_scopes--; break;
		case PTX_LABEL: emit_label(emit); break;
		case PTX_REGISTER: emit_declaration(emit); break;
		case PTX_INSTRUCTION:
			if (emit->at->guard)
				emit_guarded(emit);
			else
				emit_instruction(emit);
			break;
		}
	}
	emit->at = NULL;
}

/* Labels may be used before they stand, so their blocks are made first. */
static bool collect_labels(struct ptx_emit *emit)
{
	const struct ptx_program *program = emit->program;
	size_t n = program->n_statements + 1;

	emit->labels = calloc(n, sizeof(*emit->labels));
	emit->scopes = calloc(n + 1, sizeof(*emit->scopes));
	if (!emit->labels || !emit->scopes) {
		nomem(emit);
		return false;
	}
	open_scope(emit);
	for (size_t i = 0; i < program->n_statements; i++) {
		const struct ptx_statement *statement = &program->statements[i];

		if (statement->kind == PTX_OPEN)
			open_scope(emit);
		else if (statement->kind == PTX_CLOSE)
			emit->n_scopes--;
		else if (statement->kind == PTX_LABEL)
			emit->labels[emit->n_labels++] = (struct ptx_label){
				statement->name, emit->scopes[emit->n_scopes - 1],
				new_block(emit), false
			};
	}
	emit->n_scopes = emit->n_scopes_seen = 0;
	emit->uses_memory = emit->n_labels > 0;
	return true;
}

static void add_operands(struct ptx_emit *emit, const struct ptx_asm_operand *operands,
			 LLVMValueRef carry_in)
{
	struct ptx_register *reg = add_register(emit, NO_SCOPE, "", PTX_PRED, 0, 1);

	if (reg && (carry_in || reg->memory))
		register_set(emit, reg, carry_in ? carry_in : ptx_int(emit, 1, 0));
	for (uint32_t i = 0; i < emit->n_operands && !emit->error; i++) {
		reg = add_register(emit, NO_SCOPE, "", operands[i].type, 0, 1);
		if (reg && (operands[i].input || reg->memory))
			register_set(emit, reg,
				     operands[i].input
					     ? operands[i].input
					     : ptx_int(emit, ptx_bits(operands[i].type), 0));
	}
}

struct cudasim_error *ptx_emit_program(LLVMModuleRef module, LLVMBuilderRef builder,
				       LLVMValueRef function, const struct ptx_program *program,
				       const struct ptx_asm_operand *operands, uint32_t n_operands,
				       LLVMValueRef carry_in, LLVMValueRef *outputs,
				       LLVMValueRef *carry_out)
{
	struct ptx_emit emit = {
		.context = LLVMGetModuleContext(module), .module = module, .builder = builder,
		.function = function, .program = program, .n_operands = n_operands,
	};

	if (collect_labels(&emit)) {
		add_operands(&emit, operands, carry_in);
		open_scope(&emit);
		emit_statements(&emit);
	}
	for (uint32_t i = 0; i < n_operands; i++)
		outputs[i] = emit.error || !operands[i].is_output
				     ? NULL
				     : register_get(&emit, &emit.registers[1 + i]);
	if (carry_out)
		*carry_out = emit.error ? NULL : ptx_carry_read(&emit);
	/* Labels that the error kept from being placed must still be blocks that end. */
	for (uint32_t i = 0; emit.error && i < emit.n_labels; i++)
		if (!emit.labels[i].is_placed) {
			LLVMBuilderRef other = LLVMCreateBuilderInContext(emit.context);

			LLVMPositionBuilderAtEnd(other, emit.labels[i].block);
			LLVMBuildUnreachable(other);
			LLVMDisposeBuilder(other);
		}
	free(emit.registers);
	free(emit.labels);
	free(emit.scopes);
	return emit.error;
}
