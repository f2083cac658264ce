/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_integer.c - integer arithmetic, logic and shifts.
 *
 * Division stays LLVM's udiv and sdiv: pass_arithmetic.c gives them the GPU's
 * answer to a divisor of zero, for PTX as for C++. */
#include "ptx_emit.h"

#include <string.h>

#define INTEGERS "u16|u32|u64|s16|s32|s64"
#define PAIRS "u16x2|s16x2"

static LLVMBuilderRef builder(struct ptx_emit *emit)
{
	return emit->builder;
}

static enum ptx_type type0(const struct ptx_emit *emit)
{
	return emit->match.types[0];
}

/* row->data is an LLVMOpcode. */
static void emit_binary(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef a = ptx_source(emit, 1, type0(emit)), b = ptx_source(emit, 2, type0(emit));

	ptx_dest(emit, 0, type0(emit),
		 LLVMBuildBinOp(builder(emit), (LLVMOpcode)row->data, a, b, ""));
}

/* function: an intrinsic of LLVM with two operands of the type. */
static LLVMValueRef two(struct ptx_emit *emit, const char *function, LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef args[2] = {a, b};

	return ptx_intrinsic(emit, function, LLVMTypeOf(a), args, 2);
}

static void emit_saturated(struct ptx_emit *emit, const struct ptx_row *row)
{
	ptx_dest(emit, 0, PTX_S32,
		 two(emit, row->function, ptx_source(emit, 1, PTX_S32),
		     ptx_source(emit, 2, PTX_S32)));
}

/* The product of operands 1 and 2 with twice their bits. */
static LLVMValueRef wide_product(struct ptx_emit *emit)
{
	enum ptx_type type = type0(emit);
	LLVMTypeRef wide = ptx_int_type(emit, 2 * ptx_bits(type));
	LLVMValueRef a = ptx_source(emit, 1, type), b = ptx_source(emit, 2, type);

	a = ptx_is_signed(type) ? LLVMBuildSExt(builder(emit), a, wide, "")
				: LLVMBuildZExt(builder(emit), a, wide, "");
	b = ptx_is_signed(type) ? LLVMBuildSExt(builder(emit), b, wide, "")
				: LLVMBuildZExt(builder(emit), b, wide, "");
	return LLVMBuildMul(builder(emit), a, b, "");
}

/* The type of an s32 product .wide, and so on. */
static enum ptx_type widened(enum ptx_type type)
{
	switch (type) {
	case PTX_U16:
		return PTX_U32;
	case PTX_S16:
		return PTX_S32;
	case PTX_U32:
		return PTX_U64;
	default:
		return PTX_S64;
	}
}

/* .lo, .hi or .wide part of the product of operands 1 and 2. */
static LLVMValueRef product(struct ptx_emit *emit)
{
	unsigned bits = ptx_bits(type0(emit));

	if (ptx_is(emit, "lo"))
		return LLVMBuildMul(builder(emit), ptx_source(emit, 1, type0(emit)),
				    ptx_source(emit, 2, type0(emit)), "");
	if (ptx_is(emit, "wide"))
		return wide_product(emit);
	return LLVMBuildTrunc(
		builder(emit),
		LLVMBuildLShr(builder(emit), wide_product(emit), ptx_int(emit, 2 * bits, bits), ""),
		ptx_int_type(emit, bits), "");
}

static void emit_mul(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = ptx_is(emit, "wide") ? widened(type0(emit)) : type0(emit);

	(void)row;
	ptx_dest(emit, 0, type, product(emit));
}

static LLVMValueRef add_maybe_saturated(struct ptx_emit *emit, LLVMValueRef a, LLVMValueRef b)
{
	return ptx_is(emit, "sat") ? two(emit, "llvm.sadd.sat", a, b)
				   : LLVMBuildAdd(builder(emit), a, b, "");
}

static void emit_mad(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = ptx_is(emit, "wide") ? widened(type0(emit)) : type0(emit);

	(void)row;
	ptx_dest(emit, 0, type,
		 add_maybe_saturated(emit, product(emit), ptx_source(emit, 3, type)));
}

static LLVMValueRef product24(struct ptx_emit *emit)
{
	enum ptx_type type = type0(emit);
	const char *name = ptx_is(emit, "hi") ? (ptx_is_signed(type) ? "mul24.hi.i" : "mul24.hi.ui")
					      : (ptx_is_signed(type) ? "mul24.i" : "mul24.ui");
	LLVMValueRef args[2] = {ptx_source(emit, 1, type), ptx_source(emit, 2, type)};

	return ptx_nvvm(emit, name, ptx_int_type(emit, 32), args, 2);
}

static void emit_mul24(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef value = product24(emit);

	if (!strcmp(row->opcode, "mad24"))
		value = add_maybe_saturated(emit, value, ptx_source(emit, 3, type0(emit)));
	ptx_dest(emit, 0, type0(emit), value);
}

static LLVMValueRef lesser(struct ptx_emit *emit, LLVMValueRef a, LLVMValueRef b, bool greater)
{
	if (ptx_is_signed(type0(emit)))
		return two(emit, greater ? "llvm.smax" : "llvm.smin", a, b);
	return two(emit, greater ? "llvm.umax" : "llvm.umin", a, b);
}

static void emit_sad(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = type0(emit);
	LLVMValueRef a = ptx_source(emit, 1, type), b = ptx_source(emit, 2, type);
	LLVMValueRef distance = LLVMBuildSub(builder(emit), lesser(emit, a, b, true),
					     lesser(emit, a, b, false), "");

	(void)row;
	ptx_dest(emit, 0, type,
		 LLVMBuildAdd(builder(emit), distance, ptx_source(emit, 3, type), ""));
}

/* Division: signed or unsigned by the type; row->data tells / from %. By zero it
 * gives all ones in PTX, where nvcc's own way to divide 64 bits does not always. */
static void emit_div(struct ptx_emit *emit, const struct ptx_row *row)
{
	bool is_signed = ptx_is_signed(type0(emit));
	LLVMOpcode op = row->data ? (is_signed ? LLVMSRem : LLVMURem)
				  : (is_signed ? LLVMSDiv : LLVMUDiv);
	LLVMValueRef a = ptx_source(emit, 1, type0(emit)), b = ptx_source(emit, 2, type0(emit));
	LLVMTypeRef type = LLVMTypeOf(b);
	LLVMValueRef by_zero = LLVMBuildICmp(builder(emit), LLVMIntEQ, b, LLVMConstNull(type), "");
	LLVMValueRef value = LLVMBuildBinOp(builder(emit), op, a, b, "");

	if (ptx_bits(type0(emit)) == 64)
		value = LLVMBuildSelect(builder(emit), by_zero, LLVMConstAllOnes(type), value, "");
	ptx_dest(emit, 0, type0(emit), value);
}

static void emit_abs(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef args[2] = {ptx_source(emit, 1, type0(emit)), ptx_int(emit, 1, 0)};

	(void)row;
	ptx_dest(emit, 0, type0(emit),
		 ptx_intrinsic(emit, "llvm.abs", LLVMTypeOf(args[0]), args, 2));
}

static void emit_neg(struct ptx_emit *emit, const struct ptx_row *row)
{
	(void)row;
	ptx_dest(emit, 0, type0(emit),
		 LLVMBuildNeg(builder(emit), ptx_source(emit, 1, type0(emit)), ""));
}

/* row->data: max rather than min. */
static void emit_minmax(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef value = lesser(emit, ptx_source(emit, 1, type0(emit)),
				    ptx_source(emit, 2, type0(emit)), row->data);

	if (ptx_is(emit, "relu"))
		value = two(emit, "llvm.smax", value, LLVMConstNull(LLVMTypeOf(value)));
	ptx_dest(emit, 0, type0(emit), value);
}

/* popc and clz: a count of 32 bits, whatever the source. */
static void emit_count(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef args[2] = {ptx_source(emit, 1, type0(emit)), ptx_int(emit, 1, 0)};
	LLVMValueRef count = ptx_intrinsic(emit, row->function, LLVMTypeOf(args[0]), args,
					   row->data ? 2 : 1);

	ptx_dest(emit, 0, PTX_U32,
		 LLVMBuildIntCast2(builder(emit), count, ptx_int_type(emit, 32), false, ""));
}

static void emit_brev(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef value = ptx_source(emit, 1, type0(emit));

	(void)row;
	ptx_dest(emit, 0, type0(emit),
		 ptx_intrinsic(emit, "llvm.bitreverse", LLVMTypeOf(value), &value, 1));
}

static void emit_not(struct ptx_emit *emit, const struct ptx_row *row)
{
	(void)row;
	ptx_dest(emit, 0, type0(emit),
		 LLVMBuildNot(builder(emit), ptx_source(emit, 1, type0(emit)), ""));
}

static void emit_cnot(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef value = ptx_source(emit, 1, type0(emit));

	(void)row;
	value = LLVMBuildICmp(builder(emit), LLVMIntEQ, value, LLVMConstNull(LLVMTypeOf(value)),
			      "");
	ptx_dest(emit, 0, type0(emit),
		 LLVMBuildZExt(builder(emit), value, ptx_llvm_type(emit, type0(emit)), ""));
}

/* Amounts count as unsigned 32-bit numbers; past the width a shift gives what
 * shifting step by step would: 0, or the sign. row->data is the opcode for
 * types that are not signed. */
static void emit_shift(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = type0(emit);
	unsigned bits = ptx_bits(type);
	LLVMTypeRef result = ptx_llvm_type(emit, type);
	LLVMValueRef a = ptx_source(emit, 1, type), n = ptx_source(emit, 2, PTX_U32), value;
	LLVMValueRef last = ptx_int(emit, 32, bits - 1);
	LLVMValueRef past = LLVMBuildICmp(builder(emit), LLVMIntUGT, n, last, "");

	n = LLVMBuildSelect(builder(emit), past, last, n, "");
	n = LLVMBuildIntCast2(builder(emit), n, result, false, "");
	if (row->data == LLVMLShr && ptx_is_signed(type))
		value = LLVMBuildAShr(builder(emit), a, n, "");
	else
		value = LLVMBuildSelect(
			builder(emit), past, LLVMConstNull(result),
			LLVMBuildBinOp(builder(emit), (LLVMOpcode)row->data, a, n, ""), "");
	ptx_dest(emit, 0, type, value);
}

/* dp4a.atype.btype, dp2a.mode.atype.btype d, a, b, c. row->function: the
 * builtin's name up to the signs. */
static void emit_dot(struct ptx_emit *emit, const struct ptx_row *row)
{
	static const char *const signs[] = {".uu", ".us", ".su", ".ss"};
	bool sa = ptx_is_signed(type0(emit)), sb = ptx_is_signed(emit->match.types[1]);
	LLVMValueRef args[3] = {ptx_source(emit, 1, PTX_B32), ptx_source(emit, 2, PTX_B32),
				ptx_source(emit, 3, PTX_B32)};
	char name[40];

	strcpy(name, row->function);
	strcat(name, signs[2 * sa + sb]);
	ptx_dest(emit, 0, PTX_B32, ptx_nvvm(emit, name, ptx_int_type(emit, 32), args, 3));
}

/* lop3.and.b32 d|p, a, b, c, table, q: p is (d != 0) and q. */
static void emit_lop3_predicate(struct ptx_emit *emit, const struct ptx_row *row)
{
	const struct ptx_operand *dest = ptx_operand(emit, 0);
	LLVMValueRef args[4], value, p, q;

	for (uint32_t i = 0; i < 4; i++)
		args[i] = ptx_source(emit, i + 1, PTX_B32);
	value = ptx_nvvm(emit, "lop3", ptx_int_type(emit, 32), args, 4);
	q = ptx_source(emit, 5, PTX_PRED);
	p = LLVMBuildICmp(builder(emit), LLVMIntNE, value, ptx_int(emit, 32, 0), "");
	p = LLVMBuildBinOp(builder(emit), ptx_is(emit, "and") ? LLVMAnd : LLVMOr, p, q, "");
	(void)row;
	ptx_write(emit, dest, PTX_B32, value);
	if (dest->second)
		ptx_write(emit, dest->second, PTX_PRED, p);
	else
		ptx_unsupported(emit);
}

#define CALL(opcode, modifiers, types, operands, function)                                         \
	{opcode, modifiers, types, operands, ptx_emit_call, function, 0}

const struct ptx_row ptx_rows_integer[] = {
	{"add", "", INTEGERS "|" PAIRS, "s:ss", emit_binary, NULL, LLVMAdd},
	{"add", "sat", "s32", "s:ss", emit_saturated, "llvm.sadd.sat", 0},
	{"sub", "", INTEGERS, "s:ss", emit_binary, NULL, LLVMSub},
	{"sub", "sat", "s32", "s:ss", emit_saturated, "llvm.ssub.sat", 0},
	{"mul", "lo|hi", INTEGERS, "s:ss", emit_mul, NULL, 0},
	{"mul", "wide", "u16|u32|s16|s32", "x:ss", emit_mul, NULL, 0},
	{"mad", "lo|hi", INTEGERS, "s:sss", emit_mad, NULL, 0},
	{"mad", "hi sat", "s32", "s:sss", emit_mad, NULL, 0},
	{"mad", "wide", "u16|u32|s16|s32", "x:ssx", emit_mad, NULL, 0},
	{"mul24", "lo|hi", "u32|s32", "s:ss", emit_mul24, NULL, 0},
	{"mad24", "lo|hi", "u32|s32", "s:sss", emit_mul24, NULL, 0},
	{"mad24", "hi sat", "s32", "s:sss", emit_mul24, NULL, 0},
	{"sad", "", INTEGERS, "s:sss", emit_sad, NULL, 0},
	{"div", "", INTEGERS, "s:ss", emit_div, NULL, 0},
	{"rem", "", INTEGERS, "s:ss", emit_div, NULL, 1},
	{"abs", "", "s16|s32|s64", "s:s", emit_abs, NULL, 0},
	{"neg", "", "s16|s32|s64", "s:s", emit_neg, NULL, 0},
	{"min", "", INTEGERS "|" PAIRS, "s:ss", emit_minmax, NULL, 0},
	{"min", "relu", "s32|s16x2", "s:ss", emit_minmax, NULL, 0},
	{"max", "", INTEGERS "|" PAIRS, "s:ss", emit_minmax, NULL, 1},
	{"max", "relu", "s32|s16x2", "s:ss", emit_minmax, NULL, 1},
	{"popc", "", "b32|b64", "w:s", emit_count, "llvm.ctpop", 0},
	{"clz", "", "b32|b64", "w:s", emit_count, "llvm.ctlz", 1},
	{"brev", "", "b32|b64", "s:s", emit_brev, NULL, 0},
	CALL("bfind", "shiftamt?", "u32|u64|s32|s64", "w:s", "bfind%a.%0"),
	CALL("fns", "", "b32", "w:www", "fns"),
	CALL("bfe", "", "u32|u64|s32|s64", "s:sww", "bfe.%0"),
	CALL("bfi", "", "b32|b64", "s:ssww", "bfi.%0"),
	CALL("bmsk", "clamp|wrap", "b32", "w:ww", "bmsk%a"),
	CALL("szext", "clamp|wrap", "u32|s32", "s:sw", "szext%a.%0"),
	CALL("prmt", "f4e|b4e|rc8|ecl|ecr|rc16?", "b32", "w:www", "prmt%a"),
	{"dp4a", "", "u32|s32,u32|s32", "w:stw", emit_dot, "dp4a", 0},
	{"dp2a", "lo", "u32|s32,u32|s32", "w:stw", emit_dot, "dp2a.lo", 0},
	{"dp2a", "hi", "u32|s32,u32|s32", "w:stw", emit_dot, "dp2a.hi", 0},
	{"and", "", "pred|b16|b32|b64", "s:ss", emit_binary, NULL, LLVMAnd},
	{"or", "", "pred|b16|b32|b64", "s:ss", emit_binary, NULL, LLVMOr},
	{"xor", "", "pred|b16|b32|b64", "s:ss", emit_binary, NULL, LLVMXor},
	{"not", "", "pred|b16|b32|b64", "s:s", emit_not, NULL, 0},
	{"cnot", "", "b16|b32|b64", "s:s", emit_cnot, NULL, 0},
	CALL("lop3", "", "b32", "w:wwww", "lop3"),
	{"lop3", "or|and", "b32", "w:wwwwp", emit_lop3_predicate, NULL, 0},
	{"shl", "", "b16|b32|b64", "s:sw", emit_shift, NULL, LLVMShl},
	{"shr", "", "b16|b32|b64|u16|u32|u64|s16|s32|s64", "s:sw", emit_shift, NULL, LLVMLShr},
	CALL("shf", "l|r clamp|wrap", "b32", "w:www", "shf%a%b"),
	{0},
};
