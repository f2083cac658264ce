/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_compare.c - setp, set, selp and slct.
 *
 * Integers know eq ne lt le gt ge and lo ls hi hs (unsigned ones); floats know
 * the ordered eq..ge, the unordered equ..geu, num and nan. */
#include "ptx_emit.h"

#include <stdio.h>
#include <string.h>

#define EQUALITY "eq|ne"
#define SIGNED_COMPARISONS "eq|ne|lt|le|gt|ge"
#define UNSIGNED_COMPARISONS SIGNED_COMPARISONS "|lo|ls|hi|hs"
#define FLOAT_COMPARISONS "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"

static const struct comparison {
	const char *name;
	LLVMIntPredicate is_signed, is_unsigned;
	LLVMRealPredicate real;
} comparisons[] = {
	{"eq", LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ},
	{"ne", LLVMIntNE, LLVMIntNE, LLVMRealONE},
	{"lt", LLVMIntSLT, LLVMIntULT, LLVMRealOLT},
	{"le", LLVMIntSLE, LLVMIntULE, LLVMRealOLE},
	{"gt", LLVMIntSGT, LLVMIntUGT, LLVMRealOGT},
	{"ge", LLVMIntSGE, LLVMIntUGE, LLVMRealOGE},
	{"lo", LLVMIntULT, LLVMIntULT, LLVMRealPredicateFalse},
	{"ls", LLVMIntULE, LLVMIntULE, LLVMRealPredicateFalse},
	{"hi", LLVMIntUGT, LLVMIntUGT, LLVMRealPredicateFalse},
	{"hs", LLVMIntUGE, LLVMIntUGE, LLVMRealPredicateFalse},
	{"equ", 0, 0, LLVMRealUEQ},
	{"neu", 0, 0, LLVMRealUNE},
	{"ltu", 0, 0, LLVMRealULT},
	{"leu", 0, 0, LLVMRealULE},
	{"gtu", 0, 0, LLVMRealUGT},
	{"geu", 0, 0, LLVMRealUGE},
	{"num", 0, 0, LLVMRealORD},
	{"nan", 0, 0, LLVMRealUNO},
};

static const struct comparison *find_comparison(const char *name)
{
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(*comparisons); i++)
		if (!strcmp(comparisons[i].name, name))
			return &comparisons[i];
	return NULL;
}

/* One number of a float type as f32 or f64: halfs widen exactly. */
static LLVMValueRef widen(struct ptx_emit *emit, enum ptx_type type, LLVMValueRef bits)
{
	LLVMTypeRef single = LLVMFloatTypeInContext(emit->context);

	switch (type) {
	case PTX_F16:
	case PTX_F16X2:
		bits = LLVMBuildBitCast(emit->builder, bits, LLVMHalfTypeInContext(emit->context),
					"");
		return LLVMBuildFPExt(emit->builder, bits, single, "");
	case PTX_BF16:
	case PTX_BF16X2:
		bits = LLVMBuildZExt(emit->builder, bits, ptx_int_type(emit, 32), "");
		bits = LLVMBuildShl(emit->builder, bits, ptx_int(emit, 32, 16), "");
		return LLVMBuildBitCast(emit->builder, bits, single, "");
	default:
		return LLVMBuildBitCast(emit->builder, bits, ptx_llvm_type(emit, type), "");
	}
}

static LLVMValueRef flushed(struct ptx_emit *emit, enum ptx_type type, LLVMValueRef bits)
{
	LLVMValueRef value;

	if (!ptx_is(emit, "ftz"))
		return widen(emit, type, bits);
	if (type == PTX_F32) {
		value = widen(emit, type, bits);
		return ptx_nvvm(emit, "flush.f", LLVMTypeOf(value), &value, 1);
	}
	return widen(emit, type, ptx_nvvm(emit, "half.flush.f16", LLVMTypeOf(bits), &bits, 1));
}

/* Compares one lane, given as integers. */
static LLVMValueRef compare(struct ptx_emit *emit, enum ptx_type type, LLVMValueRef a,
			    LLVMValueRef b)
{
	const struct comparison *by = find_comparison(emit->match.modifiers[0]);

	if (!ptx_is_float(type))
		return LLVMBuildICmp(emit->builder,
				     ptx_is_signed(type) ? by->is_signed : by->is_unsigned, a, b,
				     "");
	return LLVMBuildFCmp(emit->builder, by->real, flushed(emit, type, a),
			     flushed(emit, type, b), "");
}

/* (a cmp b) and/or/xor c, where the statement says so. */
static LLVMValueRef combine(struct ptx_emit *emit, LLVMValueRef p, uint32_t i)
{
	LLVMOpcode op = ptx_is(emit, "and") ? LLVMAnd : ptx_is(emit, "or") ? LLVMOr : LLVMXor;

	if (op == LLVMXor && !ptx_is(emit, "xor"))
		return p;
	return LLVMBuildBinOp(emit->builder, op, p, ptx_source(emit, i, PTX_PRED), "");
}

static LLVMValueRef lane_of(struct ptx_emit *emit, LLVMValueRef bits, unsigned lane, unsigned width)
{
	if (lane)
		bits = LLVMBuildLShr(emit->builder, bits,
				     LLVMConstInt(LLVMTypeOf(bits), lane * width, false), "");
	return LLVMBuildIntCast2(emit->builder, bits, ptx_int_type(emit, width), false, "");
}

/* The comparison of operands 1 and 2 in one lane of the type. */
static LLVMValueRef compare_lane(struct ptx_emit *emit, enum ptx_type type, unsigned lane)
{
	enum ptx_type raw = ptx_type_of_bits(ptx_bits(type));
	unsigned width = ptx_bits(type) / ptx_types[type].lanes;
	/* Reals among the operands need the float type to be read. */
	enum ptx_type read = type == PTX_F32 || type == PTX_F64 ? type : raw;
	LLVMValueRef a = ptx_to_bits(emit, ptx_source(emit, 1, read));
	LLVMValueRef b = ptx_to_bits(emit, ptx_source(emit, 2, read));

	return compare(emit, type, lane_of(emit, a, lane, width), lane_of(emit, b, lane, width));
}

/* setp p|q, a, b, c: q is the complement; of pairs p and q are the two lanes. */
static void emit_setp(struct ptx_emit *emit, const struct ptx_row *row)
{
	const struct ptx_operand *dest = ptx_operand(emit, 0);
	enum ptx_type type = emit->match.types[0];
	LLVMValueRef p = compare_lane(emit, type, 0), q;
	bool pairs = ptx_types[type].lanes == 2;

	(void)row;
	q = pairs ? compare_lane(emit, type, 1) : LLVMBuildNot(emit->builder, p, "");
	p = combine(emit, p, 3);
	q = combine(emit, q, 3);
	/* Pairs need two predicates, halfs take one. */
	if (pairs ? !dest->second : dest->second && (type == PTX_F16 || type == PTX_BF16))
		ptx_unsupported(emit);
	ptx_write(emit, dest, PTX_PRED, p);
	if (dest->second)
		ptx_write(emit, dest->second, PTX_PRED, q);
}

/* What set writes for true: all ones, or 1.0 in a float type. */
static uint64_t true_bits(enum ptx_type type)
{
	switch (type) {
	case PTX_F32:
		return 0x3f800000;
	case PTX_F16:
	case PTX_F16X2:
		return 0x3c00;
	case PTX_BF16:
	case PTX_BF16X2:
		return 0x3f80;
	case PTX_U16:
	case PTX_S16:
		return 0xffff;
	default:
		return 0xffffffff;
	}
}

/* set.cmp.dtype.stype d, a, b, c. From pairs: each lane its half of d. */
static void emit_set(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type to = emit->match.types[0], from = emit->match.types[1];
	enum ptx_type raw = ptx_type_of_bits(ptx_bits(to));
	unsigned lanes = ptx_types[from].lanes, width = ptx_bits(to) / lanes;
	uint64_t yes = lanes == 2 && !ptx_is_float(to) ? 0xffff : true_bits(to);
	LLVMValueRef result = ptx_int(emit, ptx_bits(to), 0);

	(void)row;
	for (unsigned lane = 0; lane < lanes; lane++) {
		LLVMValueRef p = combine(emit, compare_lane(emit, from, lane), 3);

		p = LLVMBuildSelect(emit->builder, p,
				    ptx_int(emit, ptx_bits(to), yes << lane * width),
				    ptx_int(emit, ptx_bits(to), 0), "");
		result = LLVMBuildOr(emit->builder, result, p, "");
	}
	ptx_dest(emit, 0, raw, result);
}

static void emit_selp(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0];

	(void)row;
	ptx_dest(emit, 0, type,
		 LLVMBuildSelect(emit->builder, ptx_source(emit, 3, PTX_PRED),
				 ptx_source(emit, 1, type), ptx_source(emit, 2, type), ""));
}

/* slct.dtype.ctype d, a, b, c: a where c >= 0 (never for a NaN), else b. */
static void emit_slct(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0], by = emit->match.types[1];
	LLVMValueRef c = ptx_source(emit, 3, by), p;

	(void)row;
	if (by == PTX_F32) {
		if (ptx_is(emit, "ftz"))
			c = ptx_nvvm(emit, "flush.f", LLVMTypeOf(c), &c, 1);
		p = LLVMBuildFCmp(emit->builder, LLVMRealOGE, c, LLVMConstNull(LLVMTypeOf(c)), "");
	} else {
		p = LLVMBuildICmp(emit->builder, LLVMIntSGE, c, LLVMConstNull(LLVMTypeOf(c)), "");
	}
	ptx_dest(emit, 0, type,
		 LLVMBuildSelect(emit->builder, p, ptx_source(emit, 1, type),
				 ptx_source(emit, 2, type), ""));
}

#define BITS "b16|b32|b64"
#define UNSIGNED "u16|u32|u64"
#define SIGNED "s16|s32|s64"
#define SELECTABLE BITS "|" UNSIGNED "|" SIGNED "|f32|f64"
#define SETP(comparisons, ftz, types)                                                              \
	{"setp", comparisons ftz, types, "p:ss", emit_setp, NULL, 0},                              \
		{"setp", comparisons " and|or|xor" ftz, types, "p:ssp", emit_setp, NULL, 0}
#define SET(comparisons, ftz, types)                                                               \
	{"set", comparisons ftz, types, "s:tt", emit_set, NULL, 0},                                \
		{"set", comparisons " and|or|xor" ftz, types, "s:ttp", emit_set, NULL, 0}

const struct ptx_row ptx_rows_compare[] = {
	SETP(EQUALITY, "", BITS),
	SETP(SIGNED_COMPARISONS, "", SIGNED),
	SETP(UNSIGNED_COMPARISONS, "", UNSIGNED),
	SETP(FLOAT_COMPARISONS, "", "f64|bf16|bf16x2"),
	{"setp", FLOAT_COMPARISONS " ftz?", "f32|f16|f16x2", "p:ss", emit_setp, NULL, 0},
	{"setp", FLOAT_COMPARISONS " and|or|xor ftz?", "f32|f16|f16x2", "p:ssp", emit_setp, NULL,
	 0},
	SET(EQUALITY, "", "u32|s32|f32," BITS),
	SET(SIGNED_COMPARISONS, "", "u32|s32|f32|f16," SIGNED),
	SET(UNSIGNED_COMPARISONS, "", "u32|s32|f32|f16," UNSIGNED),
	SET(FLOAT_COMPARISONS, "", "u32|s32|f32,f64"),
	{"set", FLOAT_COMPARISONS " ftz?", "u32|s32|f32,f32", "s:tt", emit_set, NULL, 0},
	{"set", FLOAT_COMPARISONS " and|or|xor ftz?", "u32|s32|f32,f32", "s:ttp", emit_set, NULL,
	 0},
	{"set", FLOAT_COMPARISONS " ftz?", "f16|u16|s16|u32|s32,f16", "s:tt", emit_set, NULL, 0},
	{"set", FLOAT_COMPARISONS " and|or|xor ftz?", "f16|u16|s16|u32|s32,f16", "s:ttp", emit_set,
	 NULL, 0},
	{"set", FLOAT_COMPARISONS " ftz?", "f16x2|u32|s32,f16x2", "s:tt", emit_set, NULL, 0},
	{"set", FLOAT_COMPARISONS " and|or|xor ftz?", "f16x2|u32|s32,f16x2", "s:ttp", emit_set,
	 NULL, 0},
	SET(FLOAT_COMPARISONS, "", "bf16|u16|s16|u32|s32,bf16"),
	SET(FLOAT_COMPARISONS, "", "bf16,f16"),
	SET(FLOAT_COMPARISONS, "", "bf16x2|u32|s32,bf16x2"),
	{"selp", "", SELECTABLE, "s:ssp", emit_selp, NULL, 0},
	{"slct", "", SELECTABLE ",s32", "s:sst", emit_slct, NULL, 0},
	{"slct", "ftz?", SELECTABLE ",f32", "s:sst", emit_slct, NULL, 0},
	{0},
};
