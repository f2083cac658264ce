/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_float.c - single and double precision arithmetic.
 *
 * An add, sub or mul without a rounding mode may be contracted, as ptxas does
 * with it; one that says .rn may not. Whatever NaN goes in, the single precision
 * units answer 0x7fffffff; those of double precision pass one on. (nan_canonical.c
 * sees to that for what is plain LLVM arithmetic here.) */
#include "ptx_emit.h"

#include <stdio.h>
#include <string.h>

static enum ptx_type type0(const struct ptx_emit *emit)
{
	return emit->match.types[0];
}

/* Calls op.mode.ftz.f or op.mode.d; absent parts of the name fall away. */
static LLVMValueRef call(struct ptx_emit *emit, const char *op, const char *mode, bool ftz,
			 LLVMValueRef *args, unsigned n_args)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s%s.%s", op, mode ? "." : "", mode ? mode : "",
		 ftz ? ".ftz" : "", type0(emit) == PTX_F32 ? "f" : "d");
	return ptx_nvvm(emit, name, ptx_llvm_type(emit, type0(emit)), args, n_args);
}

static void write_result(struct ptx_emit *emit, LLVMValueRef value)
{
	if (ptx_is(emit, "sat"))
		value = call(emit, "saturate", NULL, ptx_is(emit, "ftz"), &value, 1);
	ptx_dest(emit, 0, type0(emit), value);
}

static unsigned read_sources(struct ptx_emit *emit, LLVMValueRef *args)
{
	unsigned n = emit->at->n_operands - 1;

	for (unsigned i = 0; i < n; i++)
		args[i] = ptx_source(emit, i + 1, type0(emit));
	return n;
}

/* row->function: the operation; its first group of modifiers is the rounding
 * mode, "rn" when absent; row->data: the LLVMOpcode of the contractible form. */
static void emit_rounded(struct ptx_emit *emit, const struct ptx_row *row)
{
	const char *mode = emit->match.modifiers[0];
	/* Double precision knows no flushing; rcp takes the word all the same. */
	bool ftz = ptx_is(emit, "ftz") && type0(emit) == PTX_F32;
	LLVMValueRef args[3], value;
	unsigned n = read_sources(emit, args);

	if (!mode && !ftz && row->data) {
		value = LLVMBuildBinOp(emit->builder, (LLVMOpcode)row->data, args[0], args[1], "");
		/* Constants fold to what is no instruction. */
		if (LLVMIsAInstruction(value))
			LLVMSetFastMathFlags(value, LLVMFastMathAllowContract);
	} else {
		value = call(emit, row->function, mode ? mode : "rn", ftz, args, n);
	}
	write_result(emit, value);
}

/* Instructions whose name is the builtin's: sin.approx.ftz. */
static void emit_named(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef args[3];
	unsigned n = read_sources(emit, args);

	write_result(emit, call(emit, row->opcode, emit->match.modifiers[0], ptx_is(emit, "ftz"),
				args, n));
}

static void emit_minmax(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef args[2];
	char name[64];

	read_sources(emit, args);
	snprintf(name, sizeof(name), "%s%s%s%s.%s", row->function,
		 ptx_is(emit, "ftz") ? ".ftz" : "", ptx_is(emit, "NaN") ? ".nan" : "",
		 ptx_is(emit, "xorsign") ? ".xorsign.abs" : "", type0(emit) == PTX_F32 ? "f" : "d");
	ptx_dest(emit, 0, type0(emit),
		 ptx_nvvm(emit, name, ptx_llvm_type(emit, type0(emit)), args, 2));
}

/* neg and abs are arithmetic: a NaN keeps its sign. */
static void emit_sign(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef source = ptx_source(emit, 1, type0(emit)), value, nan;

	if (row->data)
		value = ptx_intrinsic(emit, "llvm.fabs", LLVMTypeOf(source), &source, 1);
	else
		value = LLVMBuildFNeg(emit->builder, source, "");
	if (ptx_is(emit, "ftz"))
		value = call(emit, "flush", NULL, false, &value, 1);
	nan = LLVMBuildFCmp(emit->builder, LLVMRealUNO, source, source, "");
	source = call(emit, "canonical", NULL, false, &source, 1);
	ptx_dest(emit, 0, type0(emit), LLVMBuildSelect(emit->builder, nan, source, value, ""));
}

/* copysign d, a, b: the sign of a, the magnitude of b. */
static void emit_copysign(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef args[2] = {ptx_source(emit, 2, type0(emit)), ptx_source(emit, 1, type0(emit))};

	(void)row;
	ptx_dest(emit, 0, type0(emit),
		 ptx_intrinsic(emit, "llvm.copysign", LLVMTypeOf(args[0]), args, 2));
}

/* row->data: the classes of llvm.is.fpclass. Zero counts as normal. */
static void emit_testp(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef args[2] = {ptx_source(emit, 1, type0(emit)), ptx_int(emit, 32, row->data)};

	ptx_dest(emit, 0, PTX_PRED,
		 ptx_intrinsic(emit, "llvm.is.fpclass", LLVMTypeOf(args[0]), args, 2));
}

#define MODES "rn|rz|rm|rp"
#define BINARY(opcode, op)                                                                         \
	{opcode, MODES "? ftz? sat?", "f32", "s:ss", emit_rounded, opcode, op},                    \
	{                                                                                          \
		opcode, MODES "?", "f64", "s:ss", emit_rounded, opcode, op                         \
	}
#define UNARY(opcode, modifiers, types) {opcode, modifiers, types, "s:s", emit_named, NULL, 0}
#define TESTP(class, mask) {"testp", class, "f32|f64", "p:s", emit_testp, NULL, mask}

const struct ptx_row ptx_rows_float[] = {
	BINARY("add", LLVMFAdd),
	BINARY("sub", LLVMFSub),
	BINARY("mul", LLVMFMul),
	{"fma", MODES " ftz? sat?", "f32", "s:sss", emit_rounded, "fma", 0},
	{"fma", MODES, "f64", "s:sss", emit_rounded, "fma", 0},
	{"mad", MODES " ftz? sat?", "f32", "s:sss", emit_rounded, "fma", 0},
	{"mad", MODES, "f64", "s:sss", emit_rounded, "fma", 0},
	{"div", MODES " ftz?", "f32", "s:ss", emit_rounded, "div", 0},
	{"div", MODES, "f64", "s:ss", emit_rounded, "div", 0},
	{"div", "approx|full ftz?", "f32", "s:ss", emit_named, NULL, 0},
	{"rcp", MODES " ftz?", "f32", "s:s", emit_rounded, "rcp", 0},
	{"rcp", MODES " ftz?", "f64", "s:s", emit_rounded, "rcp", 0},
	{"sqrt", MODES " ftz?", "f32", "s:s", emit_rounded, "sqrt", 0},
	{"sqrt", MODES, "f64", "s:s", emit_rounded, "sqrt", 0},
	UNARY("rcp", "approx ftz?", "f32"),
	UNARY("rcp", "approx ftz", "f64"),
	UNARY("sqrt", "approx ftz?", "f32"),
	UNARY("rsqrt", "approx ftz?", "f32|f64"),
	UNARY("sin", "approx ftz?", "f32"),
	UNARY("cos", "approx ftz?", "f32"),
	UNARY("lg2", "approx ftz?", "f32"),
	UNARY("ex2", "approx ftz?", "f32"),
	{"tanh", "approx", "f32", "s:s", ptx_emit_call, "tanh.approx.f32", 0},
	{"min", "ftz? NaN?", "f32", "s:ss", emit_minmax, "fmin", 0},
	{"min", "ftz? NaN? xorsign abs", "f32", "s:ss", emit_minmax, "fmin", 0},
	{"min", "", "f64", "s:ss", emit_minmax, "fmin", 0},
	{"max", "ftz? NaN?", "f32", "s:ss", emit_minmax, "fmax", 0},
	{"max", "ftz? NaN? xorsign abs", "f32", "s:ss", emit_minmax, "fmax", 0},
	{"max", "", "f64", "s:ss", emit_minmax, "fmax", 0},
	{"neg", "ftz?", "f32", "s:s", emit_sign, NULL, 0},
	{"neg", "", "f64", "s:s", emit_sign, NULL, 0},
	{"abs", "ftz?", "f32", "s:s", emit_sign, NULL, 1},
	{"abs", "", "f64", "s:s", emit_sign, NULL, 1},
	{"copysign", "", "f32|f64", "s:ss", emit_copysign, NULL, 0},
	TESTP("finite", 0x1f8),
	TESTP("infinite", 0x204),
	TESTP("number", 0x3fc),
	TESTP("notanumber", 0x003),
	TESTP("normal", 0x168),
	TESTP("subnormal", 0x090),
	{0},
};
