/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_carry.c - extended-precision arithmetic: add.cc, addc, sub.cc, subc,
 * mad.cc, madc. A subtraction leaves the carry of a + ~b + 1, which is the opposite
 * of the borrow, and reads it so; programs that mix both kinds can tell. */
#include "ptx_emit.h"

#include <string.h>

#define ADD "llvm.uadd.with.overflow"
#define SUB "llvm.usub.with.overflow"

/* a op b op flag with LLVM's overflow intrinsics; returns the value and sets the
 * carry flag where the statement says .cc. */
static LLVMValueRef chain(struct ptx_emit *emit, const char *function, LLVMValueRef a,
			  LLVMValueRef b, bool reads)
{
	LLVMValueRef args[2] = {a, b}, pair, overflow;
	bool is_sub = !strcmp(function, SUB);

	pair = ptx_intrinsic(emit, function, LLVMTypeOf(a), args, 2);
	overflow = LLVMBuildExtractValue(emit->builder, pair, 1, "");
	args[0] = LLVMBuildExtractValue(emit->builder, pair, 0, "");
	if (reads) {
		args[1] = ptx_carry_read(emit);
		if (is_sub)
			args[1] = LLVMBuildNot(emit->builder, args[1], "");
		args[1] = LLVMBuildZExt(emit->builder, args[1], LLVMTypeOf(a), "");
		pair = ptx_intrinsic(emit, function, LLVMTypeOf(a), args, 2);
		args[0] = LLVMBuildExtractValue(emit->builder, pair, 0, "");
		overflow = LLVMBuildOr(emit->builder, overflow,
				       LLVMBuildExtractValue(emit->builder, pair, 1, ""), "");
	}
	if (ptx_is(emit, "cc"))
		ptx_carry_write(emit,
				is_sub ? LLVMBuildNot(emit->builder, overflow, "") : overflow);
	return args[0];
}

/* row->data: the flag is read too. */
static void emit_sum(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0];

	ptx_dest(emit, 0, type,
		 chain(emit, row->function, ptx_source(emit, 1, type), ptx_source(emit, 2, type),
		       row->data));
}

static LLVMValueRef product(struct ptx_emit *emit)
{
	enum ptx_type type = emit->match.types[0];
	unsigned bits = ptx_bits(type);
	LLVMTypeRef wide = ptx_int_type(emit, 2 * bits);
	LLVMOpcode extend = ptx_is_signed(type) ? LLVMSExt : LLVMZExt;
	LLVMValueRef a = ptx_source(emit, 1, type), b = ptx_source(emit, 2, type);

	if (ptx_is(emit, "lo"))
		return LLVMBuildMul(emit->builder, a, b, "");
	a = LLVMBuildCast(emit->builder, extend, a, wide, "");
	b = LLVMBuildCast(emit->builder, extend, b, wide, "");
	a = LLVMBuildLShr(emit->builder, LLVMBuildMul(emit->builder, a, b, ""),
			  ptx_int(emit, 2 * bits, bits), "");
	return LLVMBuildTrunc(emit->builder, a, ptx_int_type(emit, bits), "");
}

static void emit_mad(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0];

	ptx_dest(emit, 0, type,
		 chain(emit, ADD, product(emit), ptx_source(emit, 3, type), row->data));
}

#define TYPES "u32|s32|u64|s64|b32|b64"

const struct ptx_row ptx_rows_carry[] = {
	{"add", "cc", TYPES, "s:ss", emit_sum, ADD, 0},
	{"addc", "cc?", TYPES, "s:ss", emit_sum, ADD, 1},
	{"sub", "cc", TYPES, "s:ss", emit_sum, SUB, 0},
	{"subc", "cc?", TYPES, "s:ss", emit_sum, SUB, 1},
	{"mad", "lo|hi cc", TYPES, "s:sss", emit_mad, NULL, 0},
	{"madc", "lo|hi cc?", TYPES, "s:sss", emit_mad, NULL, 1},
	{0},
};

void ptx_program_carry(const struct ptx_program *program, bool *reads, bool *writes)
{
	*reads = *writes = false;
	for (size_t i = 0; i < program->n_statements; i++) {
		const struct ptx_statement *statement = &program->statements[i];
		bool is_guarded = statement->guard;

		if (statement->kind != PTX_INSTRUCTION)
			continue;
		if (!*writes &&
		    (!strcmp(statement->opcode, "addc") || !strcmp(statement->opcode, "subc") ||
		     !strcmp(statement->opcode, "madc")))
			*reads = true;
		if (ptx_has(statement, "cc")) {
			/* A guarded write may not happen: what was before shines through. */
			*reads |= is_guarded && !*writes;
			*writes = true;
		}
	}
}
