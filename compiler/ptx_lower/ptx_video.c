/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_video.c - the video instructions, scalar (vadd, vmad, ...) and SIMD (vadd2,
 * vabsdiff4, ...).
 *
 * All sums are formed in 64 bits, where none can overflow, and then clamped or
 * cut. A selector (r.b2, r.h1) is an operand's component. Current GPUs have no
 * such instructions: ptxas writes a few others for each, which in corners differ from
 * the manual. What they do there is read off the machine code for sm_90 and agrees with
 * an H200's answers:
 *
 *   sums with .sat in u32     are not clamped above, they wrap
 *   shifts with .sat          look at 34 bits of the result, as a signed number
 *   .min and .max in u32      compare as unsigned numbers of 64 bits what the sign of a
 *                             sum's 32 bits, or of a clamped shift's, was extended to
 *   vmad                      takes whole words for signed, and shifts a product of
 *                             two unsigned sources to the right as an unsigned number
 *
 * .sat into a part of the destination has no row: an H200's answers follow no rule
 * that is known. */
#include "ptx_emit.h"

#include <string.h>

enum operation { ADD, SUB, ABSDIFF, MIN, MAX, SHL, SHR, AVRG };

static LLVMValueRef constant(struct ptx_emit *emit, int64_t value)
{
	return ptx_int(emit, 64, (uint64_t)value);
}

static LLVMValueRef two(struct ptx_emit *emit, const char *name, LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef args[2] = {a, b};

	return ptx_intrinsic(emit, name, LLVMTypeOf(a), args, 2);
}

/* `width` bits of a word, from bit `from` on, as a 64-bit number. */
static LLVMValueRef field(struct ptx_emit *emit, LLVMValueRef word, unsigned from, unsigned width,
			  bool is_signed)
{
	word = LLVMBuildLShr(emit->builder, word, LLVMConstInt(LLVMTypeOf(word), from, false), "");
	word = LLVMBuildIntCast2(emit->builder, word, ptx_int_type(emit, width), false, "");
	return LLVMBuildIntCast2(emit->builder, word, ptx_int_type(emit, 64), is_signed, "");
}

/* What a selector picks; the whole word for NULL. */
static bool selector(const char *name, unsigned *from, unsigned *width)
{
	*from = 0;
	*width = 32;
	if (!name)
		return true;
	*width = name[0] == 'b' ? 8 : 16;
	*from = (unsigned)(name[1] - '0') * *width;
	return (name[0] == 'b' || name[0] == 'h') && name[1] >= '0' && !name[2] && *from < 32;
}

/* Source i with its selector applied; a minus sign negates it (vmad). */
static LLVMValueRef source(struct ptx_emit *emit, uint32_t i, bool is_signed)
{
	struct ptx_operand plain = *ptx_operand(emit, i);
	unsigned from, width;
	LLVMValueRef value;

	if (!selector(plain.component, &from, &width))
		ptx_unsupported(emit);
	if (emit->error)
		return constant(emit, 0);
	plain.component = NULL;
	plain.negated = false;
	value = field(emit, ptx_read(emit, &plain, PTX_B32), from, width, is_signed);
	return ptx_operand(emit, i)->negated ? LLVMBuildNeg(emit->builder, value, "") : value;
}

static LLVMValueRef clamp(struct ptx_emit *emit, LLVMValueRef value, unsigned width, bool is_signed)
{
	int64_t high = ((int64_t)1 << (is_signed ? width - 1 : width)) - 1;
	int64_t low = is_signed ? -high - 1 : 0;

	value = two(emit, "llvm.smin", value, constant(emit, high));
	return two(emit, "llvm.smax", value, constant(emit, low));
}

static LLVMValueRef shift(struct ptx_emit *emit, enum operation op, LLVMValueRef a, LLVMValueRef b)
{
	if (ptx_is(emit, "wrap"))
		b = LLVMBuildAnd(emit->builder, b, constant(emit, 31), "");
	else
		b = two(emit, "llvm.umin", b, constant(emit, 32));
	return op == SHL ? LLVMBuildShl(emit->builder, a, b, "")
			 : LLVMBuildAShr(emit->builder, a, b, "");
}

static LLVMValueRef compute(struct ptx_emit *emit, enum operation op, LLVMValueRef a,
			    LLVMValueRef b)
{
	LLVMValueRef sum, up;

	switch (op) {
	case ADD:
		return LLVMBuildAdd(emit->builder, a, b, "");
	case SUB:
		return LLVMBuildSub(emit->builder, a, b, "");
	case ABSDIFF:
		return LLVMBuildSub(emit->builder, two(emit, "llvm.smax", a, b),
				    two(emit, "llvm.smin", a, b), "");
	case MIN:
		return two(emit, "llvm.smin", a, b);
	case MAX:
		return two(emit, "llvm.smax", a, b);
	case AVRG: /* rounds halves away from zero */
		sum = LLVMBuildAdd(emit->builder, a, b, "");
		up = LLVMBuildICmp(emit->builder, LLVMIntSGE, sum, constant(emit, 0), "");
		up = LLVMBuildZExt(emit->builder, up, ptx_int_type(emit, 64), "");
		return LLVMBuildAShr(emit->builder, LLVMBuildAdd(emit->builder, sum, up, ""),
				     constant(emit, 1), "");
	default:
		return shift(emit, op, a, b);
	}
}

static LLVMValueRef compare(struct ptx_emit *emit, LLVMValueRef a, LLVMValueRef b)
{
	static const struct {
		const char *name;
		LLVMIntPredicate predicate;
	} by[] = {{"eq", LLVMIntEQ},  {"ne", LLVMIntNE},  {"lt", LLVMIntSLT},
		  {"le", LLVMIntSLE}, {"gt", LLVMIntSGT}, {"ge", LLVMIntSGE}};
	LLVMIntPredicate predicate = LLVMIntEQ;

	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++)
		if (ptx_is(emit, by[i].name))
			predicate = by[i].predicate;
	return LLVMBuildZExt(emit->builder, LLVMBuildICmp(emit->builder, predicate, a, b, ""),
			     ptx_int_type(emit, 64), "");
}

static bool has_second(const struct ptx_emit *emit)
{
	return ptx_is(emit, "add") || ptx_is(emit, "min") || ptx_is(emit, "max");
}

/* The second operation, or the merge into a part of c; writes the result. The
 * comparisons of .min and .max look at all bits of what the first one gave, and
 * take c for signed where the result is (of vset: where the first operand is).
 * extends: they look at the sign of its 32 bits instead of those above. */
static void finish(struct ptx_emit *emit, LLVMValueRef value, bool is_signed, bool extends)
{
	struct ptx_operand dest = *ptx_operand(emit, 0);
	unsigned from, width;
	LLVMValueRef c;

	if (!selector(dest.component, &from, &width) ||
	    (!dest.component && (emit->at->n_operands == 4) != has_second(emit)) ||
	    (dest.component &&
	     (emit->at->n_operands != 4 || ptx_is(emit, "sat") || has_second(emit)))) {
		ptx_unsupported(emit);
		return;
	}
	/* Above, u32 wraps nevertheless. */
	if (ptx_is(emit, "sat"))
		value = is_signed ? clamp(emit, value, 32, true)
				  : two(emit, "llvm.smax", value, constant(emit, 0));
	if (ptx_is(emit, "min") || ptx_is(emit, "max")) {
		c = LLVMBuildIntCast2(emit->builder, ptx_source(emit, 3, PTX_B32),
				      ptx_int_type(emit, 64), is_signed, "");
		if (extends)
			value = field(emit, value, 0, 32, true);
		if (is_signed)
			value = two(emit, ptx_is(emit, "min") ? "llvm.smin" : "llvm.smax", value,
				    c);
		else
			value = two(emit, ptx_is(emit, "min") ? "llvm.umin" : "llvm.umax", value,
				    c);
	}
	value = LLVMBuildTrunc(emit->builder, value, ptx_int_type(emit, 32), "");
	if (dest.component) {
		uint32_t mask = ((1u << width) - 1) << from;

		/* Into .h1 the GPU puts the result's own upper half. */
		if (width < 16 || !from)
			value = LLVMBuildShl(emit->builder, value, ptx_int(emit, 32, from), "");
		value = LLVMBuildAnd(emit->builder, value, ptx_int(emit, 32, mask), "");
		c = LLVMBuildAnd(emit->builder, ptx_source(emit, 3, PTX_B32),
				 ptx_int(emit, 32, ~mask), "");
		value = LLVMBuildOr(emit->builder, value, c, "");
	} else if (ptx_is(emit, "add")) {
		c = ptx_source(emit, 3, PTX_B32);
		value = LLVMBuildAdd(emit->builder, value, c, "");
	}
	dest.component = NULL;
	ptx_write(emit, &dest, PTX_B32, value);
}

/* v<op>.dtype.atype.btype{.sat}{.op2} d, a, b {, c}; row->data: the operation. */
static void emit_scalar(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef a = source(emit, 1, ptx_is_signed(emit->match.types[1]));
	LLVMValueRef b = source(emit, 2, ptx_is_signed(emit->match.types[2])), value;

	enum operation op = (enum operation)row->data;
	bool is_signed = ptx_is_signed(emit->match.types[0]), sat = ptx_is(emit, "sat");

	value = compute(emit, op, a, b);
	if (sat && (op == SHL || op == SHR)) {
		value = LLVMBuildShl(emit->builder, value, constant(emit, 30), "");
		value = LLVMBuildAShr(emit->builder, value, constant(emit, 30), "");
		value = clamp(emit, value, 32, is_signed);
	}
	finish(emit, value, is_signed,
	       op <= SUB ? !sat || !is_signed : sat && (op == SHL || op == SHR));
}

/* vset.atype.btype.cmp{.op2} d, a, b {, c} */
static void emit_vset(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMValueRef a = source(emit, 1, ptx_is_signed(emit->match.types[0]));
	LLVMValueRef b = source(emit, 2, ptx_is_signed(emit->match.types[1]));

	(void)row;
	finish(emit, compare(emit, a, b), ptx_is_signed(emit->match.types[0]), false);
}

/* A factor or addend of vmad: whole words are signed whatever their type says. */
static LLVMValueRef vmad_source(struct ptx_emit *emit, uint32_t i, bool is_signed)
{
	return source(emit, i, is_signed || !ptx_operand(emit, i)->component);
}

/* vmad.dtype.atype.btype{.sat}{.shr7|.shr15} d, {-}a, {-}b, {-}c; .po adds one.
 * .sat clamps to s32 unless all is unsigned but c. */
static void emit_vmad(struct ptx_emit *emit, const struct ptx_row *row)
{
	bool is_signed = ptx_is_signed(emit->match.types[1]) ||
			 ptx_is_signed(emit->match.types[2]) || ptx_operand(emit, 1)->negated ||
			 ptx_operand(emit, 2)->negated || ptx_operand(emit, 3)->negated;
	LLVMValueRef a = vmad_source(emit, 1, ptx_is_signed(emit->match.types[1]));
	LLVMValueRef b = vmad_source(emit, 2, ptx_is_signed(emit->match.types[2]));
	LLVMValueRef c = vmad_source(emit, 3, true), sum;
	unsigned down = ptx_is(emit, "shr7") ? 7 : ptx_is(emit, "shr15") ? 15 : 0;

	(void)row;
	sum = LLVMBuildAdd(emit->builder, LLVMBuildMul(emit->builder, a, b, ""), c, "");
	if (ptx_is(emit, "po"))
		sum = LLVMBuildAdd(emit->builder, sum, constant(emit, 1), "");
	sum = is_signed ? LLVMBuildAShr(emit->builder, sum, constant(emit, down), "")
			: LLVMBuildLShr(emit->builder, sum, constant(emit, down), "");
	if (ptx_is(emit, "sat"))
		sum = clamp(emit, sum, 32, is_signed);
	ptx_dest(emit, 0, PTX_B32, LLVMBuildTrunc(emit->builder, sum, ptx_int_type(emit, 32), ""));
}

/* Which lanes d.mask names: b310 is lanes 3, 1 and 0; all without a mask. */
static bool lane_mask(const char *name, unsigned lanes, unsigned *ret)
{
	*ret = (1u << lanes) - 1;
	if (!name)
		return true;
	if (name[0] != (lanes == 2 ? 'h' : 'b') || !name[1])
		return false;
	*ret = 0;
	for (name++; *name; name++) {
		if (*name < '0' || *name >= (char)('0' + lanes))
			return false;
		*ret |= 1u << (*name - '0');
	}
	return true;
}

/* Lane `lane` of source i with its selector: a digit for each lane, the highest
 * first, counts the lanes of both sources, those of operand 1 first. */
static LLVMValueRef simd_source(struct ptx_emit *emit, uint32_t i, unsigned lane, unsigned lanes,
				bool is_signed)
{
	const char *digits = ptx_operand(emit, i)->component;
	unsigned width = 32 / lanes, pick = lane + (i - 1) * lanes;
	struct ptx_operand plain;

	if (digits) {
		if (strlen(digits) != lanes + 1 || digits[0] != (lanes == 2 ? 'h' : 'b') ||
		    digits[lanes - lane] < '0' || digits[lanes - lane] >= (char)('0' + 2 * lanes)) {
			ptx_unsupported(emit);
			return constant(emit, 0);
		}
		pick = (unsigned)(digits[lanes - lane] - '0');
	}
	plain = *ptx_operand(emit, 1 + pick / lanes);
	plain.component = NULL;
	return field(emit, ptx_read(emit, &plain, PTX_B32), pick % lanes * width, width, is_signed);
}

/* v<op>2 and v<op>4 .dtype.atype.btype{.sat|.add} d{.mask}, a, b, c: by lanes.
 * .add adds all lanes to c. row->data: operation + 16 * lanes; set has no dtype. */
static void emit_simd(struct ptx_emit *emit, const struct ptx_row *row)
{
	unsigned lanes = (unsigned)row->data / 16, width = 32 / lanes, mask,
		 set = row->data % 16 == 15;
	bool sd = !set && ptx_is_signed(emit->match.types[0]);
	bool sa = ptx_is_signed(emit->match.types[set ? 0 : 1]);
	bool sb = ptx_is_signed(emit->match.types[set ? 1 : 2]);
	struct ptx_operand dest = *ptx_operand(emit, 0);
	LLVMValueRef c = ptx_source(emit, 3, PTX_B32), result = c;

	if (!lane_mask(dest.component, lanes, &mask)) {
		ptx_unsupported(emit);
		return;
	}
	for (unsigned lane = 0; lane < lanes; lane++) {
		unsigned at = lane * width;
		uint32_t bits = (uint32_t)(((1ull << width) - 1) << at);
		LLVMValueRef x, y;

		if (!(mask >> lane & 1))
			continue;
		x = simd_source(emit, 1, lane, lanes, sa);
		y = simd_source(emit, 2, lane, lanes, sb);
		x = set ? compare(emit, x, y)
			: compute(emit, (enum operation)(row->data % 16), x, y);
		if (ptx_is(emit, "sat"))
			x = clamp(emit, x, width, sd);
		if (ptx_is(emit, "add")) {
			/* The accumulated lanes are as wide as the type says. */
			x = LLVMBuildTrunc(emit->builder, x, ptx_int_type(emit, 32), "");
			result = LLVMBuildAdd(emit->builder, result, x, "");
			continue;
		}
		x = LLVMBuildTrunc(emit->builder, x, ptx_int_type(emit, 32), "");
		x = LLVMBuildAnd(emit->builder,
				 LLVMBuildShl(emit->builder, x, ptx_int(emit, 32, at), ""),
				 ptx_int(emit, 32, bits), "");
		result = LLVMBuildAnd(emit->builder, result, ptx_int(emit, 32, ~bits), "");
		result = LLVMBuildOr(emit->builder, result, x, "");
	}
	dest.component = NULL;
	ptx_write(emit, &dest, PTX_B32, result);
}

#define W "u32|s32"
#define SCALAR(name, op) {name, "sat? add|min|max?", W "," W "," W, "w:xxx?", emit_scalar, NULL, op}
#define SHIFT(name, op)                                                                            \
	{name, "sat? clamp|wrap add|min|max?", W "," W ",u32", "w:xxx?", emit_scalar, NULL, op}
#define SIMD(name, op, lanes)                                                                      \
	{name, "sat|add?", W "," W "," W, "x:www", emit_simd, NULL, op + 16 * lanes}
#define COMPARISONS "eq|ne|lt|le|gt|ge"

const struct ptx_row ptx_rows_video[] = {
	SCALAR("vadd", ADD),
	SCALAR("vsub", SUB),
	SCALAR("vabsdiff", ABSDIFF),
	SCALAR("vmin", MIN),
	SCALAR("vmax", MAX),
	SHIFT("vshl", SHL),
	SHIFT("vshr", SHR),
	{"vset", COMPARISONS " add|min|max?", W "," W, "w:xxx?", emit_vset, NULL, 0},
	{"vmad", "po? sat? shr7|shr15?", W "," W "," W, "w:xxx", emit_vmad, NULL, 0},
	SIMD("vadd2", ADD, 2),
	SIMD("vsub2", SUB, 2),
	SIMD("vavrg2", AVRG, 2),
	SIMD("vabsdiff2", ABSDIFF, 2),
	SIMD("vmin2", MIN, 2),
	SIMD("vmax2", MAX, 2),
	SIMD("vadd4", ADD, 4),
	SIMD("vsub4", SUB, 4),
	SIMD("vavrg4", AVRG, 4),
	SIMD("vabsdiff4", ABSDIFF, 4),
	SIMD("vmin4", MIN, 4),
	SIMD("vmax4", MAX, 4),
	{"vset2", COMPARISONS " add?", W "," W, "x:www", emit_simd, NULL, 15 + 16 * 2},
	{"vset4", COMPARISONS " add?", W "," W, "x:www", emit_simd, NULL, 15 + 16 * 4},
	{0},
};
