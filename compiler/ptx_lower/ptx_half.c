/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_half.c - arithmetic of f16, bf16 and pairs of them.
 *
 * The arithmetic itself is in builtins/half.c, on one number at a time as 16
 * bits: half.add.f16 and so on. Pairs are taken apart here; LLVM puts them into
 * vector registers where that pays. */
#include "ptx_emit.h"

#include <stdio.h>
#include <string.h>

/* f16 of f16x2. */
static const char *lane_name(enum ptx_type type)
{
	return type == PTX_F16 || type == PTX_F16X2 ? "f16" : "bf16";
}

static LLVMValueRef call(struct ptx_emit *emit, const char *op, LLVMValueRef *args, unsigned n)
{
	char name[64];

	snprintf(name, sizeof(name), "half.%s.%s", op, lane_name(emit->match.types[0]));
	return ptx_nvvm(emit, name, ptx_int_type(emit, 16), args, n);
}

/* ex2 and tanh go through the unit for f32, whose result is cut off to fit, but
 * is infinite where f16 has no such exponent; row->data tells the row so. */
static LLVMValueRef approximate(struct ptx_emit *emit, const struct ptx_row *row, LLVMValueRef bits)
{
	LLVMTypeRef single = LLVMFloatTypeInContext(emit->context);
	char name[64];
	LLVMValueRef value;

	snprintf(name, sizeof(name), "half.to.f32.%s", lane_name(emit->match.types[0]));
	value = ptx_nvvm(emit, name, single, &bits, 1);
	value = ptx_nvvm(emit, row->function, single, &value, 1);
	return call(emit, "cut", &value, 1);
}

/* add, sub and mul that may not be fused with each other have names of their own
 * (contract_half.c): those that say .rn, and those whose modifiers come between. */
static LLVMValueRef compute(struct ptx_emit *emit, const char *op, LLVMValueRef *args, unsigned n)
{
	bool apart = ptx_is(emit, "rn") || ptx_is(emit, "ftz") || ptx_is(emit, "sat");
	char name[32];

	/* These round, and are flushed before they do. */
	if (ptx_is(emit, "ftz") && (!strcmp(op, "mul") || !strcmp(op, "fma"))) {
		snprintf(name, sizeof(name), "%s.ftz", op);
		return call(emit, name, args, n);
	}
	if (apart && n == 2 && (!strcmp(op, "add") || !strcmp(op, "sub") || !strcmp(op, "mul"))) {
		snprintf(name, sizeof(name), "%s.rn", op);
		return call(emit, name, args, n);
	}
	return call(emit, op, args, n);
}

static LLVMValueRef one_lane(struct ptx_emit *emit, const struct ptx_row *row, LLVMValueRef *args,
			     unsigned n)
{
	LLVMValueRef value;

	for (unsigned i = 0; ptx_is(emit, "ftz") && i < n; i++)
		args[i] = call(emit, "flush", &args[i], 1);
	value = row->data ? approximate(emit, row, args[0]) : compute(emit, row->function, args, n);
	if (ptx_is(emit, "ftz"))
		value = call(emit, "flush", &value, 1);
	if (ptx_is(emit, "sat"))
		value = call(emit, "saturate", &value, 1);
	if (ptx_is(emit, "relu"))
		value = call(emit, "relu", &value, 1);
	return value;
}

static LLVMValueRef lane_of(struct ptx_emit *emit, LLVMValueRef bits, unsigned lane)
{
	if (lane)
		bits = LLVMBuildLShr(emit->builder, bits, LLVMConstInt(LLVMTypeOf(bits), 16, false),
				     "");
	return LLVMBuildIntCast2(emit->builder, bits, ptx_int_type(emit, 16), false, "");
}

static void emit_lanes(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = emit->match.types[0], raw = ptx_type_of_bits(ptx_bits(type));
	unsigned n = emit->at->n_operands - 1;
	LLVMValueRef sources[3], result = NULL;

	for (unsigned i = 0; i < n; i++)
		sources[i] = ptx_source(emit, i + 1, raw);
	for (unsigned lane = 0; lane < ptx_types[type].lanes; lane++) {
		LLVMValueRef args[3], value;

		for (unsigned i = 0; i < n; i++)
			args[i] = lane_of(emit, sources[i], lane);
		value = one_lane(emit, row, args, n);
		value = LLVMBuildIntCast2(emit->builder, value, ptx_int_type(emit, ptx_bits(raw)),
					  false, "");
		if (lane)
			value = LLVMBuildOr(
				emit->builder, result,
				LLVMBuildShl(emit->builder, value, ptx_int(emit, 32, 16), ""), "");
		result = value;
	}
	ptx_dest(emit, 0, raw, result);
}

#define F16 "f16|f16x2"
#define BF16 "bf16|bf16x2"
#define ROW(opcode, modifiers, types, operands, op)                                                \
	{opcode, modifiers, types, operands, emit_lanes, op, 0}

const struct ptx_row ptx_rows_half[] = {
	ROW("add", "rn? ftz? sat?", F16, "s:ss", "add"),
	ROW("add", "rn?", BF16, "s:ss", "add"),
	ROW("sub", "rn? ftz? sat?", F16, "s:ss", "sub"),
	ROW("sub", "rn?", BF16, "s:ss", "sub"),
	ROW("mul", "rn? ftz? sat?", F16, "s:ss", "mul"),
	ROW("mul", "rn?", BF16, "s:ss", "mul"),
	ROW("fma", "rn ftz? sat|relu?", F16, "s:sss", "fma"),
	ROW("fma", "rn relu?", BF16, "s:sss", "fma"),
	/* .oob makes no difference on an H200, not even for a factor 0xffff. */
	ROW("fma", "rn oob relu?", F16 "|" BF16, "s:sss", "fma"),
	ROW("min", "ftz?", F16, "s:ss", "min"),
	ROW("min", "ftz? NaN", F16, "s:ss", "min.nan"),
	ROW("min", "ftz? xorsign abs", F16, "s:ss", "min.xorsign"),
	ROW("min", "ftz? NaN xorsign abs", F16, "s:ss", "min.nan.xorsign"),
	ROW("min", "", BF16, "s:ss", "min"),
	ROW("min", "NaN", BF16, "s:ss", "min.nan"),
	ROW("min", "xorsign abs", BF16, "s:ss", "min.xorsign"),
	ROW("min", "NaN xorsign abs", BF16, "s:ss", "min.nan.xorsign"),
	ROW("max", "ftz?", F16, "s:ss", "max"),
	ROW("max", "ftz? NaN", F16, "s:ss", "max.nan"),
	ROW("max", "ftz? xorsign abs", F16, "s:ss", "max.xorsign"),
	ROW("max", "ftz? NaN xorsign abs", F16, "s:ss", "max.nan.xorsign"),
	ROW("max", "", BF16, "s:ss", "max"),
	ROW("max", "NaN", BF16, "s:ss", "max.nan"),
	ROW("max", "xorsign abs", BF16, "s:ss", "max.xorsign"),
	ROW("max", "NaN xorsign abs", BF16, "s:ss", "max.nan.xorsign"),
	ROW("neg", "ftz?", F16, "s:s", "neg"),
	ROW("neg", "", BF16, "s:s", "neg"),
	ROW("abs", "ftz?", F16, "s:s", "abs"),
	ROW("abs", "", BF16, "s:s", "abs"),
	{"ex2", "approx", F16, "s:s", emit_lanes, "ex2.approx.f", 1},
	{"ex2", "approx ftz", BF16, "s:s", emit_lanes, "ex2.approx.ftz.f", 1},
	{"tanh", "approx", F16 "|" BF16, "s:s", emit_lanes, "tanh.approx.f32", 1},
	{0},
};
