/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_atomic.c - atom and red.
 *
 * Integers, f32 and f64 are LLVM's atomicrmw and cmpxchg. Halfs and pairs of
 * them loop around a compare-and-swap, since the sum must round as PTX's half
 * arithmetic does, not as the host's compiler library. */
#include <stdio.h>
#include <string.h>

#include "llvm_functions.h"
#include "ptx_memory.h"

/* Neither an order nor .relaxed: PTX counts it as relaxed. */
static LLVMAtomicOrdering ordering(const struct ptx_emit *emit)
{
	return ptx_ordering(emit, LLVMAtomicOrderingMonotonic);
}

/* Which operand the address is: red has no destination. */
static uint32_t address_index(const struct ptx_emit *emit)
{
	return strcmp(emit->at->opcode, "red") ? 1 : 0;
}

static LLVMValueRef address(struct ptx_emit *emit)
{
	return ptx_address(emit, ptx_operand(emit, address_index(emit)), ptx_space(emit));
}

LLVMAtomicRMWBinOp ptx_atomic_operation(const struct ptx_emit *emit, enum ptx_type type)
{
	bool is_signed = ptx_is_signed(type);

	if (ptx_is(emit, "add"))
		return ptx_is_float(type) ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd;
	if (ptx_is(emit, "min"))
		return is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
	if (ptx_is(emit, "max"))
		return is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
	if (ptx_is(emit, "and"))
		return LLVMAtomicRMWBinOpAnd;
	if (ptx_is(emit, "or"))
		return LLVMAtomicRMWBinOpOr;
	if (ptx_is(emit, "xor"))
		return LLVMAtomicRMWBinOpXor;
	if (ptx_is(emit, "inc"))
		return LLVMAtomicRMWBinOpUIncWrap;
	return ptx_is(emit, "dec") ? LLVMAtomicRMWBinOpUDecWrap : LLVMAtomicRMWBinOpXchg;
}

/* Integers, f32 and f64. */
static LLVMValueRef update(struct ptx_emit *emit, LLVMValueRef pointer, enum ptx_type type,
			   LLVMValueRef operand)
{
	LLVMValueRef old = LLVMBuildAtomicRMW(emit->builder, ptx_atomic_operation(emit, type),
					      pointer, operand, ordering(emit), false);

	instruction_set_sync_scope(old, ptx_scope(emit));
	return old;
}

static unsigned n_elements(const struct ptx_emit *emit)
{
	return ptx_is(emit, "v2") ? 2 : ptx_is(emit, "v4") ? 4 : ptx_is(emit, "v8") ? 8 : 1;
}

typedef LLVMValueRef (*updater)(struct ptx_emit *emit, LLVMValueRef pointer, enum ptx_type type,
				LLVMValueRef operand);

/* One update per element of a vector, of which each is atomic by itself. */
static void update_all(struct ptx_emit *emit, enum ptx_type type, updater update_one)
{
	unsigned n = n_elements(emit);
	uint32_t at = address_index(emit);
	LLVMValueRef base = address(emit);

	if (n > 1)
		base = ptx_aligned(emit, base, n * ptx_bits(type) / 8);
	for (unsigned i = 0; i < n; i++) {
		const struct ptx_operand *from = ptx_element(emit, at + 1, i, n);
		const struct ptx_operand *to = at ? ptx_element(emit, 0, i, n) : NULL;
		LLVMValueRef index = ptx_int(emit, 64, i), pointer = base, old;

		if (!from || (at && !to))
			return;
		if (i)
			pointer = LLVMBuildGEP2(emit->builder, ptx_llvm_type(emit, type), base,
						&index, 1, "");
		old = update_one(emit, pointer, type, ptx_read(emit, from, type));
		if (to)
			ptx_write(emit, to, type, old);
	}
}

static void emit_update(struct ptx_emit *emit, const struct ptx_row *row)
{
	(void)row;
	update_all(emit, emit->match.types[0], update);
}

static LLVMValueRef compare_exchange(struct ptx_emit *emit, LLVMValueRef pointer,
				     LLVMValueRef expected, LLVMValueRef desired)
{
	LLVMAtomicOrdering success = ordering(emit), failure = success;
	LLVMValueRef pair;

	if (success == LLVMAtomicOrderingAcquireRelease)
		failure = LLVMAtomicOrderingAcquire;
	else if (success == LLVMAtomicOrderingRelease)
		failure = LLVMAtomicOrderingMonotonic;
	pair = LLVMBuildAtomicCmpXchg(emit->builder, pointer, expected, desired, success, failure,
				      false);
	instruction_set_sync_scope(pair, ptx_scope(emit));
	return pair;
}

/* atom.cas d, [a], b, c: c where memory holds b. */
static void emit_cas(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = ptx_type_of_bits(ptx_bits(emit->match.types[0]));
	LLVMValueRef pair = compare_exchange(emit, address(emit), ptx_source(emit, 2, type),
					     ptx_source(emit, 3, type));

	(void)row;
	ptx_dest(emit, 0, type, LLVMBuildExtractValue(emit->builder, pair, 0, ""));
}

/* The new value of a half, a pair or a float that no subnormal is flushed of, as
 * integers. */
static LLVMValueRef combine(struct ptx_emit *emit, enum ptx_type type, LLVMValueRef old,
			    LLVMValueRef operand)
{
	bool is_f16 = type == PTX_F16 || type == PTX_F16X2;
	const char *op = ptx_is(emit, "add") ? "add" : ptx_is(emit, "min") ? "min" : "max";
	LLVMTypeRef half = ptx_int_type(emit, 16);
	LLVMValueRef result = NULL;
	char name[40];

	if (type == PTX_F32)
		return ptx_to_bits(emit,
				   LLVMBuildFAdd(emit->builder, ptx_from_bits(emit, type, old),
						 ptx_from_bits(emit, type, operand), ""));
	snprintf(name, sizeof(name), "half.%s.%s", op, is_f16 ? "f16" : "bf16");
	for (unsigned lane = 0; lane < ptx_types[type].lanes; lane++) {
		LLVMValueRef shift = LLVMConstInt(LLVMTypeOf(old), lane * 16u, false);
		LLVMValueRef args[2] = {LLVMBuildLShr(emit->builder, old, shift, ""),
					LLVMBuildLShr(emit->builder, operand, shift, "")};

		for (unsigned i = 0; i < 2; i++)
			args[i] = LLVMBuildIntCast2(emit->builder, args[i], half, false, "");
		args[0] = ptx_nvvm(emit, name, half, args, 2);
		args[0] = LLVMBuildIntCast2(emit->builder, args[0], LLVMTypeOf(old), false, "");
		args[0] = LLVMBuildShl(emit->builder, args[0], shift, "");
		result = result ? LLVMBuildOr(emit->builder, result, args[0], "") : args[0];
	}
	return result;
}

static LLVMValueRef update_by_exchange(struct ptx_emit *emit, LLVMValueRef pointer,
				       enum ptx_type type, LLVMValueRef operand)
{
	LLVMTypeRef word = ptx_int_type(emit, ptx_bits(type));
	LLVMBasicBlockRef before = LLVMGetInsertBlock(emit->builder), again, behind, end;
	LLVMValueRef first, old, pair, seen, bits = ptx_to_bits(emit, operand);

	first = LLVMBuildLoad2(emit->builder, word, pointer, "");
	LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
	LLVMSetAlignment(first, ptx_bits(type) / 8);
	instruction_set_sync_scope(first, ptx_scope(emit));
	again = LLVMAppendBasicBlockInContext(emit->context, emit->function, "");
	behind = LLVMAppendBasicBlockInContext(emit->context, emit->function, "");
	LLVMBuildBr(emit->builder, again);
	LLVMPositionBuilderAtEnd(emit->builder, again);
	old = LLVMBuildPhi(emit->builder, word, "");
	pair = compare_exchange(emit, pointer, old, combine(emit, type, old, bits));
	seen = LLVMBuildExtractValue(emit->builder, pair, 0, "");
	end = LLVMGetInsertBlock(emit->builder);
	LLVMBuildCondBr(emit->builder, LLVMBuildExtractValue(emit->builder, pair, 1, ""), behind,
			again);
	LLVMAddIncoming(old, &first, &before, 1);
	LLVMAddIncoming(old, &seen, &end, 1);
	LLVMPositionBuilderAtEnd(emit->builder, behind);
	return ptx_from_bits(emit, type, old);
}

LLVMValueRef ptx_atomic_update(struct ptx_emit *emit, LLVMValueRef pointer, enum ptx_type type,
			       LLVMValueRef operand)
{
	bool by_exchange = type == PTX_F16 || type == PTX_BF16 || type == PTX_F32;

	return by_exchange ? update_by_exchange(emit, pointer, type, operand)
			   : update(emit, pointer, type, operand);
}

static void emit_halfs(struct ptx_emit *emit, const struct ptx_row *row)
{
	(void)row;
	update_all(emit, emit->match.types[0], update_by_exchange);
}

#define SCOPES " cta|cluster|gpu|sys? "
#define SHARED "shared|shared::cta|shared::cluster"
#define SPACES "global|" SHARED "? L2::cache_hint? "
#define ATOM_ORDERS "relaxed|acquire|release|acq_rel?" SCOPES
#define RED_ORDERS "relaxed|release?" SCOPES
#define ATOM(modifiers, types, emitter)                                                            \
	{"atom", ATOM_ORDERS SPACES modifiers, types, "s:axl?", emitter, NULL, 0},                 \
		{"red", RED_ORDERS SPACES modifiers, types, "a:xl?", emitter, NULL, 0}
#define VECTOR(modifiers, types, emitter)                                                          \
	{"atom", ATOM_ORDERS "global L2::cache_hint? " modifiers, types, "s:axl?", emitter, NULL,  \
	 0},                                                                                       \
		{"red",   RED_ORDERS "global L2::cache_hint? " modifiers,                          \
		 types,   "a:xl?",                                                                 \
		 emitter, NULL,                                                                    \
		 0}
#define HALFS "f16|f16x2|bf16|bf16x2"

const struct ptx_row ptx_rows_atomic[] = {
	ATOM("and|or|xor", "b32|b64", emit_update),
	ATOM("add", "u32|s32|u64|f32|f64", emit_update),
	VECTOR("add v2|v4", "f32", emit_update),
	ATOM("inc|dec", "u32", emit_update),
	ATOM("min|max", "u32|s32|u64|s64", emit_update),
	ATOM("add noftz", HALFS, emit_halfs),
	VECTOR("add|min|max noftz v2|v4|v8", "f16|bf16", emit_halfs),
	VECTOR("add|min|max noftz v2|v4", "f16x2|bf16x2", emit_halfs),
	{"atom", ATOM_ORDERS SPACES "exch", "b32|b64|b128", "s:axl?", emit_update, NULL, 0},
	{"atom", ATOM_ORDERS "global|" SHARED "? cas", "b16|b32|b64|b128", "s:axx", emit_cas, NULL,
	 0},
	{0},
};
