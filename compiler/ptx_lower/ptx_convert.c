/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_convert.c - cvt, cvt.pack, cvta and isspacep.
 *
 * cvt goes source -> (integer | f32 | f64) -> destination. Halfs widen to f32
 * exactly; conversions to halfs round once, in builtins/half.c. */
#include "ptx_emit.h"

#include <stdio.h>
#include <string.h>

static enum ptx_type to_type(const struct ptx_emit *emit)
{
	return emit->match.types[0];
}

static enum ptx_type from_type(const struct ptx_emit *emit)
{
	return emit->match.types[1];
}

/* "rz" of "rzi". */
static void mode_of(const struct ptx_emit *emit, char mode[3])
{
	const char *name = emit->match.modifiers[0];

	snprintf(mode, 3, "%s", name ? name : "rn");
}

static LLVMValueRef one(struct ptx_emit *emit, const char *name, LLVMTypeRef result,
			LLVMValueRef arg)
{
	return ptx_nvvm(emit, name, result, &arg, 1);
}

static bool is_half(enum ptx_type type)
{
	return type == PTX_F16 || type == PTX_BF16;
}

/* A half, as 16 bits, to f32. */
static LLVMValueRef half_to_float(struct ptx_emit *emit, enum ptx_type type, LLVMValueRef bits)
{
	return one(emit, type == PTX_F16 ? "half.to.f32.f16" : "half.to.f32.bf16",
		   LLVMFloatTypeInContext(emit->context), bits);
}

/* ---- integers ------------------------------------------------------------ */

/* Clamps a wide signed integer (64 or 128 bits) to the range of a type. */
static LLVMValueRef clamp(struct ptx_emit *emit, LLVMValueRef value, enum ptx_type type)
{
	LLVMTypeRef wide = LLVMTypeOf(value);
	unsigned bits = ptx_bits(type) - ptx_is_signed(type);
	uint64_t words[2] = {bits == 64 ? UINT64_MAX : (1ull << bits) - 1, 0};
	LLVMValueRef high = LLVMConstIntOfArbitraryPrecision(wide, 2, words);
	LLVMValueRef args[2] = {value, high};

	args[0] = ptx_intrinsic(emit, "llvm.smin", wide, args, 2);
	args[1] = ptx_is_signed(type) ? LLVMConstNot(high) : LLVMConstNull(wide);
	return ptx_intrinsic(emit, "llvm.smax", wide, args, 2);
}

/* An integer of one type as an integer of another; both in LLVM's widths. */
static LLVMValueRef integer_to_integer(struct ptx_emit *emit, LLVMValueRef value,
				       enum ptx_type from, enum ptx_type to, bool saturate)
{
	if (saturate) {
		value = LLVMBuildIntCast2(emit->builder, value, ptx_int_type(emit, 128),
					  ptx_is_signed(from), "");
		value = clamp(emit, value, to);
	}
	return LLVMBuildIntCast2(emit->builder, value, ptx_llvm_type(emit, to), ptx_is_signed(from),
				 "");
}

static void emit_integers(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef value = ptx_source(emit, 1, from_type(emit));

	(void)row;
	ptx_dest(emit, 0, to_type(emit),
		 integer_to_integer(emit, value, from_type(emit), to_type(emit),
				    ptx_is(emit, "sat")));
}

/* ---- float to integer, integer to float ---------------------------------- */

/* Builtins exist for 32 and 64 bits: f2i, f2ui, f2ll, f2ull and from d. The
 * narrow types take the 32-bit one's answer, clamped. */
static void emit_to_integer(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type to = to_type(emit), from = from_type(emit);
	enum ptx_type via = ptx_bits(to) == 64 ? to : ptx_is_signed(to) ? PTX_S32 : PTX_U32;
	LLVMValueRef source = ptx_source(emit, 1, is_half(from) ? PTX_B16 : from), value = source;
	const char *suffix = via == PTX_S32   ? "i"
			     : via == PTX_U32 ? "ui"
			     : via == PTX_S64 ? "ll"
					      : "ull";
	char name[40], mode[3];

	(void)row;
	mode_of(emit, mode);
	if (is_half(from))
		value = half_to_float(emit, from, value);
	snprintf(name, sizeof(name), "%s2%s.%s%s", from == PTX_F64 ? "d" : "f", suffix, mode,
		 ptx_is(emit, "ftz") ? ".ftz" : "");
	value = one(emit, name, ptx_llvm_type(emit, via), value);
	if (ptx_bits(to) < 32) {
		LLVMValueRef nan;

		/* Unsigned answers reach past i32's positive half: clamp in 64 bits. */
		value = LLVMBuildIntCast2(emit->builder, value, ptx_int_type(emit, 64),
					  ptx_is_signed(to), "");
		value = LLVMBuildTrunc(emit->builder, clamp(emit, value, to),
				       ptx_llvm_type(emit, to), "");
		/* The top bit is what a NaN of double precision gives in any size. */
		if (from == PTX_F64) {
			nan = LLVMBuildFCmp(emit->builder, LLVMRealUNO, source, source, "");
			value = LLVMBuildSelect(
				emit->builder, nan,
				ptx_int(emit, ptx_bits(to), 1u << (ptx_bits(to) - 1)), value, "");
		}
	}
	ptx_dest(emit, 0, to, value);
}

static LLVMValueRef saturate_half(struct ptx_emit *emit, enum ptx_type type, LLVMValueRef bits)
{
	if (ptx_is(emit, "sat"))
		bits = one(emit, type == PTX_F16 ? "half.saturate.f16" : "half.saturate.bf16",
			   LLVMTypeOf(bits), bits);
	if (ptx_is(emit, "relu"))
		bits = one(emit, type == PTX_F16 ? "half.relu.f16" : "half.relu.bf16",
			   LLVMTypeOf(bits), bits);
	if (ptx_is(emit, "satfinite"))
		bits = one(emit, type == PTX_F16 ? "half.finite.f16" : "half.finite.bf16",
			   LLVMTypeOf(bits), bits);
	return bits;
}

/* half.from.<source>.<mode>.<half>(source) -> 16 bits */
static LLVMValueRef to_half(struct ptx_emit *emit, const char *source, enum ptx_type type,
			    LLVMValueRef value)
{
	char name[40], mode[3];

	mode_of(emit, mode);
	snprintf(name, sizeof(name), "half.from.%s.%s.%s", source, mode, ptx_types[type].name);
	return saturate_half(emit, type, one(emit, name, ptx_int_type(emit, 16), value));
}

static LLVMValueRef saturate_float(struct ptx_emit *emit, LLVMValueRef value)
{
	bool is_single = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMFloatTypeKind;

	if (ptx_is(emit, "sat"))
		value = one(emit, is_single ? "saturate.f" : "saturate.d", LLVMTypeOf(value),
			    value);
	return value;
}

static void emit_from_integer(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type to = to_type(emit), from = from_type(emit);
	bool is_signed = ptx_is_signed(from), wide = ptx_bits(from) == 64 || is_half(to);
	LLVMValueRef value = ptx_source(emit, 1, from);
	char name[40], mode[3];

	(void)row;
	value = LLVMBuildIntCast2(emit->builder, value, ptx_int_type(emit, wide ? 64 : 32),
				  is_signed, "");
	if (is_half(to)) {
		ptx_dest(emit, 0, ptx_type_of_bits(16),
			 to_half(emit, is_signed ? "s64" : "u64", to, value));
		return;
	}
	mode_of(emit, mode);
	snprintf(name, sizeof(name), "%s%s2%s.%s", is_signed ? "" : "u", wide ? "ll" : "i",
		 to == PTX_F32 ? "f" : "d", mode);
	value = one(emit, name, ptx_llvm_type(emit, to), value);
	ptx_dest(emit, 0, to, saturate_float(emit, value));
}

/* ---- float to float ------------------------------------------------------ */

static LLVMValueRef flush(struct ptx_emit *emit, LLVMValueRef value)
{
	if (ptx_is(emit, "ftz") && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMFloatTypeKind)
		value = one(emit, "flush.f", LLVMTypeOf(value), value);
	return value;
}

/* rni, rzi, rmi, rpi: to a whole number in the same format. */
static LLVMValueRef round_whole(struct ptx_emit *emit, LLVMValueRef value)
{
	const char *mode = emit->match.modifiers[0];
	const char *name;

	if (!mode || strlen(mode) != 3)
		return value;
	name = mode[1] == 'n'   ? "llvm.roundeven"
	       : mode[1] == 'z' ? "llvm.trunc"
	       : mode[1] == 'm' ? "llvm.floor"
				: "llvm.ceil";
	return ptx_intrinsic(emit, name, LLVMTypeOf(value), &value, 1);
}

/* f32 and f64 among each other. */
static void emit_floats(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type to = to_type(emit), from = from_type(emit);
	LLVMValueRef value = flush(emit, ptx_source(emit, 1, from));
	char name[40], mode[3];

	(void)row;
	if (to == from) {
		value = round_whole(emit, value);
		if (to == PTX_F32 && emit->at->n_modifiers > 2) /* else a mere move */
			value = one(emit, "canonical.f", LLVMTypeOf(value), value);
	} else if (to == PTX_F64) {
		if (ptx_is(emit, "ftz"))
			value = one(emit, "canonical.f", LLVMTypeOf(value), value);
		value = LLVMBuildFPExt(emit->builder, value, ptx_llvm_type(emit, to), "");
	} else {
		mode_of(emit, mode);
		snprintf(name, sizeof(name), "d2f.%s%s", mode, ptx_is(emit, "ftz") ? ".ftz" : "");
		value = one(emit, name, ptx_llvm_type(emit, to), value);
	}
	ptx_dest(emit, 0, to, saturate_float(emit, value));
}

/* A half from f32, f64 or a half. */
static void emit_to_half(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type to = to_type(emit), from = from_type(emit);
	LLVMValueRef value = ptx_source(emit, 1, is_half(from) ? PTX_B16 : from);

	(void)row;
	if (is_half(from))
		value = round_whole(emit, half_to_float(emit, from, value));
	/* .ftz has no effect on what becomes f16, as an H200 shows. A rounded whole
	 * number of a half's size is a half again: any mode will do. */
	if (to == PTX_BF16 && from == PTX_F32)
		value = flush(emit, value);
	ptx_dest(emit, 0, PTX_B16, to_half(emit, from == PTX_F64 ? "f64" : "f32", to, value));
}

static void emit_from_half(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type to = to_type(emit);
	LLVMValueRef value;

	(void)row;
	if (to == PTX_F64 && from_type(emit) == PTX_F16) { /* NaNs keep their payload */
		value = ptx_source(emit, 1, PTX_F16);
		value = LLVMBuildFPExt(emit->builder, value, ptx_llvm_type(emit, to), "");
		ptx_dest(emit, 0, to, saturate_float(emit, value));
		return;
	}
	value = half_to_float(emit, from_type(emit), ptx_source(emit, 1, PTX_B16));
	value = flush(emit, value);
	if (ptx_is(emit, "ftz"))
		value = one(emit, "canonical.f", LLVMTypeOf(value), value);
	if (to == PTX_F64)
		value = LLVMBuildFPExt(emit->builder, value, ptx_llvm_type(emit, to), "");
	ptx_dest(emit, 0, to, saturate_float(emit, value));
}

/* cvt.rn.f16x2.f32 d, a, b: a in the upper half, b in the lower. */
static void emit_pack_halfs(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type half = to_type(emit) == PTX_F16X2 ? PTX_F16 : PTX_BF16;
	LLVMValueRef high = to_half(emit, "f32", half, ptx_source(emit, 1, PTX_F32));
	LLVMValueRef low = to_half(emit, "f32", half, ptx_source(emit, 2, PTX_F32));
	LLVMTypeRef word = ptx_int_type(emit, 32);

	(void)row;
	high = LLVMBuildShl(emit->builder, LLVMBuildZExt(emit->builder, high, word, ""),
			    ptx_int(emit, 32, 16), "");
	low = LLVMBuildZExt(emit->builder, low, word, "");
	ptx_dest(emit, 0, PTX_B32, LLVMBuildOr(emit->builder, high, low, ""));
}

/* To a pair of 8-bit floats, from two f32 or from f16x2; and from them to f16x2. */
static void emit_fp8(struct ptx_emit *emit, const struct ptx_row *row)
{
	char name[48];
	LLVMValueRef args[3];
	unsigned n = 0;

	(void)row;
	snprintf(name, sizeof(name), "fp8.%s.%s", ptx_types[to_type(emit)].name,
		 ptx_types[from_type(emit)].name);
	if (from_type(emit) == PTX_F32) {
		args[n++] = ptx_source(emit, 1, PTX_F32);
		args[n++] = ptx_source(emit, 2, PTX_F32);
	} else {
		args[n++] = ptx_source(emit, 1, ptx_type_of_bits(ptx_bits(from_type(emit))));
	}
	args[n++] = ptx_int(emit, 1, ptx_is(emit, "relu"));
	ptx_dest(emit, 0, ptx_type_of_bits(ptx_bits(to_type(emit))),
		 ptx_nvvm(emit, name, ptx_int_type(emit, ptx_bits(to_type(emit))), args, n));
}

/* cvt.pack.sat.to.from d, a, b [, c]: b lowest, a above it, then c's low bits. */
static void emit_pack(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type to = to_type(emit), from = from_type(emit);
	LLVMTypeRef word = ptx_int_type(emit, 32);
	LLVMValueRef result = ptx_int(emit, 32, 0);
	unsigned width = ptx_bits(to);

	(void)row;
	if (emit->at->n_operands == 4)
		result = LLVMBuildShl(emit->builder, ptx_source(emit, 3, PTX_B32),
				      ptx_int(emit, 32, 2 * width), "");
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef part = integer_to_integer(emit, ptx_source(emit, 2 - i, from), from,
						       to, true);

		part = LLVMBuildShl(emit->builder, LLVMBuildZExt(emit->builder, part, word, ""),
				    ptx_int(emit, 32, i * width), "");
		result = LLVMBuildOr(emit->builder, result, part, "");
	}
	ptx_dest(emit, 0, PTX_B32, result);
}

/* ---- address spaces ------------------------------------------------------ */

/* Only shared addresses have numbers of their own (the offset in the block's
 * window); the other spaces' addresses are generic ones already. */
static void emit_cvta(struct ptx_emit *emit, const struct ptx_row *row)
{
	enum ptx_type type = to_type(emit);
	LLVMValueRef value = ptx_source(emit, 1, type);
	bool to_shared = ptx_is(emit, "to");
	LLVMTypeRef generic = LLVMPointerTypeInContext(emit->context, 0);
	LLVMTypeRef shared = LLVMPointerTypeInContext(emit->context, 3);

	if (ptx_is(emit, "local"))
		value = ptx_widen_local(emit, value, false);
	if (row->data) {
		value = LLVMBuildIntCast2(emit->builder, value, ptx_int_type(emit, 64), !to_shared,
					  "");
		value = LLVMBuildIntToPtr(emit->builder, value, to_shared ? generic : shared, "");
		value = LLVMBuildAddrSpaceCast(emit->builder, value, to_shared ? shared : generic,
					       "");
		value = LLVMBuildPtrToInt(emit->builder, value, ptx_llvm_type(emit, type), "");
	}
	ptx_dest(emit, 0, type, value);
}

/* row->function: the builtin, of a generic pointer. */
static void emit_isspacep(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef address = LLVMBuildIntToPtr(emit->builder, ptx_source(emit, 1, PTX_B64),
						 LLVMPointerTypeInContext(emit->context, 0), "");

	ptx_dest(emit, 0, PTX_PRED, one(emit, row->function, ptx_int_type(emit, 1), address));
}

/* The space of a kernel's parameters: they lie in memory of the thread's or the launch's, and no
 * generic address counts as one of theirs. */
static void emit_isspacep_param(struct ptx_emit *emit, const struct ptx_row *row)
{
	(void)row;
	(void)ptx_source(emit, 1, PTX_B64);
	ptx_dest(emit, 0, PTX_PRED, ptx_int(emit, 1, 0));
}

#define INTEGERS "u8|u16|u32|u64|s8|s16|s32|s64"
#define WIDE "u16|u32|u64|s16|s32|s64"
#define MODES "rn|rz|rm|rp"
#define WHOLE "rni|rzi|rmi|rpi"

const struct ptx_row ptx_rows_convert[] = {
	{"cvt", "", INTEGERS "," INTEGERS, "s:t", emit_integers, NULL, 0},
	/* .sat where it may change something. */
	{"cvt", "sat", "u8|s8," WIDE, "s:t", emit_integers, NULL, 0},
	{"cvt", "sat", "u16|s16,u32|u64|s32|s64", "s:t", emit_integers, NULL, 0},
	{"cvt", "sat", "u32|s32,u64|s64", "s:t", emit_integers, NULL, 0},
	{"cvt", "sat", "u8|u16|u32|u64,s8|s16|s32|s64", "s:t", emit_integers, NULL, 0},
	{"cvt", "sat", "s8,u8", "s:t", emit_integers, NULL, 0},
	{"cvt", "sat", "s16,u16", "s:t", emit_integers, NULL, 0},
	{"cvt", "sat", "s32,u32", "s:t", emit_integers, NULL, 0},
	{"cvt", "sat", "s64,u64", "s:t", emit_integers, NULL, 0},
	{"cvt", WHOLE " ftz? sat?", INTEGERS ",f32", "s:t", emit_to_integer, NULL, 0},
	{"cvt", WHOLE " sat?", INTEGERS ",f64|f16", "s:t", emit_to_integer, NULL, 0},
	{"cvt", WHOLE, INTEGERS ",bf16", "s:t", emit_to_integer, NULL, 0},
	{"cvt", MODES " ftz? sat?", "f32," INTEGERS, "s:t", emit_from_integer, NULL, 0},
	{"cvt", MODES " sat?", "f64|f16," INTEGERS, "s:t", emit_from_integer, NULL, 0},
	{"cvt", MODES, "bf16," INTEGERS, "s:t", emit_from_integer, NULL, 0},
	{"cvt", WHOLE "? ftz? sat?", "f32,f32", "s:t", emit_floats, NULL, 0},
	{"cvt", WHOLE "? sat?", "f64,f64", "s:t", emit_floats, NULL, 0},
	{"cvt", MODES " ftz? sat?", "f32,f64", "s:t", emit_floats, NULL, 0},
	{"cvt", "ftz? sat?", "f64,f32", "s:t", emit_floats, NULL, 0},
	{"cvt", MODES " ftz? sat?", "f16,f32", "s:t", emit_to_half, NULL, 0},
	{"cvt", MODES " sat?", "f16,f64", "s:t", emit_to_half, NULL, 0},
	{"cvt", MODES " ftz?", "bf16,f32", "s:t", emit_to_half, NULL, 0},
	{"cvt", MODES, "bf16,f64", "s:t", emit_to_half, NULL, 0},
	{"cvt", "rn|rz satfinite? relu?", "f16|bf16,f32", "s:t", emit_to_half, NULL, 0},
	{"cvt", WHOLE "? sat?", "f16,f16", "s:t", emit_to_half, NULL, 0},
	{"cvt", WHOLE "?", "bf16,bf16", "s:t", emit_to_half, NULL, 0},
	{"cvt", MODES "?", "f16,bf16", "s:t", emit_to_half, NULL, 0},
	{"cvt", MODES "?", "bf16,f16", "s:t", emit_to_half, NULL, 0},
	{"cvt", "ftz? sat?", "f32,f16", "s:t", emit_from_half, NULL, 0},
	{"cvt", "sat?", "f64,f16", "s:t", emit_from_half, NULL, 0},
	{"cvt", MODES "? ftz?", "f32,bf16", "s:t", emit_from_half, NULL, 0},
	{"cvt", MODES "?", "f64,bf16", "s:t", emit_from_half, NULL, 0},
	{"cvt", "rn|rz satfinite? relu?", "f16x2|bf16x2,f32", "s:tt", emit_pack_halfs, NULL, 0},
	{"cvt", "rna satfinite?", "tf32,f32", "w:t", ptx_emit_call, "tf32.rna%b", 0},
	{"cvt", "rn|rz relu?", "tf32,f32", "w:t", ptx_emit_call, "tf32%a%b", 0},
	{"cvt", "rn satfinite relu?", "e4m3x2|e5m2x2,f32", "s:tt", emit_fp8, NULL, 0},
	{"cvt", "rn satfinite relu?", "e4m3x2|e5m2x2,f16x2", "s:t", emit_fp8, NULL, 0},
	{"cvt", "rn relu?", "f16x2,e4m3x2|e5m2x2", "s:t", emit_fp8, NULL, 0},
	{"cvt", "pack sat", "u16|s16,s32", "w:tt", emit_pack, NULL, 0},
	{"cvt", "pack sat", "u8|s8|u4|s4|u2|s2,s32,b32", "w:ttw", emit_pack, NULL, 0},
	{"cvta", "to? shared|shared::cta|shared::cluster", "u64", "s:s", emit_cvta, NULL, 1},
	{"cvta", "to? global|local|const|param|param::entry", "u64", "s:s", emit_cvta, NULL, 0},
	{"isspacep", "shared|shared::cta", "", "p:l", emit_isspacep, "isspacep.shared", 0},
	{"isspacep", "shared::cluster", "", "p:l", emit_isspacep, "isspacep.shared.cluster", 0},
	{"isspacep", "global", "", "p:l", emit_isspacep, "isspacep.global", 0},
	{"isspacep", "local", "", "p:l", emit_isspacep, "isspacep.local", 0},
	{"isspacep", "const", "", "p:l", emit_isspacep, "isspacep.const", 0},
	{"isspacep", "param|param::entry", "", "p:l", emit_isspacep_param, NULL, 0},
	{0},
};
