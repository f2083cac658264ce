/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_mma.c - tensor cores: mma, wmma, ldmatrix, stmatrix, movmatrix.
 *
 * Products become calls of llvm.nvvm.tensor.mma.FORM with registers as words (tensor.h).
 * ldmatrix and its like move addresses and values between lanes by shuffles and access
 * memory themselves, so that checkers see each lane's accesses. */
#include <stdio.h>
#include <string.h>

#include "cudasim/abi.h"
#include "ptx_memory.h"
#include "tensor.h"

enum { MOST = CUDASIM_MMA_MOST_WORDS, ROW_BYTES = 16 };

static LLVMTypeRef i32_type(struct ptx_emit *emit)
{
	return ptx_int_type(emit, 32);
}

/* The statement's own lane, i32. */
static LLVMValueRef own_lane(struct ptx_emit *emit)
{
	return ptx_special(emit, "%laneid", NULL);
}

/* The parts of operand i, which is one register or n of them in braces; false with an error
 * if there are not n. */
static bool parts_of(struct ptx_emit *emit, uint32_t i, uint32_t n, const struct ptx_operand **ret)
{
	const struct ptx_operand *operand = ptx_operand(emit, i);
	if (operand->kind == PTX_VECTOR && operand->n_parts == n) {
		for (uint32_t k = 0; k < n; k++)
			ret[k] = &operand->parts[k];
		return true;
	}
	if (operand->kind != PTX_VECTOR && n == 1) {
		ret[0] = operand;
		return true;
	}
	ptx_fail(emit, "has an operand of another number of registers");
	return false;
}

/* How many words an operand of that form has, and its parts, which hold two each if wide; 0 with an
 * error where operand i has others. */
static uint32_t words_of(struct ptx_emit *emit, uint32_t i, uint32_t form,
			 enum cudasim_mma_operand of, const struct ptx_operand **parts, bool *wide)
{
	uint32_t n = cudasim_mma_words(form, of);
	*wide = cudasim_mma_type(form, of) == CUDASIM_MMA_F64;
	return parts_of(emit, i, *wide ? n / 2 : n, parts) ? n : 0;
}

/* Operand i as words, halves of 64-bit registers lower first. */
static bool read_words(struct ptx_emit *emit, uint32_t i, uint32_t form,
		       enum cudasim_mma_operand of, LLVMValueRef *words)
{
	const struct ptx_operand *parts[MOST];
	bool wide;
	uint32_t n = words_of(emit, i, form, of, parts, &wide);
	if (!n)
		return false;
	for (uint32_t k = 0; k < n; k++) {
		if (!wide) {
			words[k] = ptx_read(emit, parts[k], PTX_B32);
			continue;
		}
		LLVMValueRef value = ptx_read(emit, parts[k / 2], PTX_B64);
		words[k++] = LLVMBuildTrunc(emit->builder, value, i32_type(emit), "");
		value = LLVMBuildLShr(emit->builder, value, ptx_int(emit, 64, 32), "");
		words[k] = LLVMBuildTrunc(emit->builder, value, i32_type(emit), "");
	}
	return true;
}

static void write_words(struct ptx_emit *emit, uint32_t i, uint32_t form,
			enum cudasim_mma_operand of, LLVMValueRef *words)
{
	const struct ptx_operand *parts[MOST];
	bool wide;
	uint32_t n = words_of(emit, i, form, of, parts, &wide);
	if (!n)
		return;
	for (uint32_t k = 0; k < n; k++) {
		if (!wide) {
			ptx_write(emit, parts[k], PTX_B32, words[k]);
			continue;
		}
		LLVMTypeRef type = ptx_int_type(emit, 64);
		LLVMValueRef low = LLVMBuildZExt(emit->builder, words[k++], type, "");
		LLVMValueRef high = LLVMBuildZExt(emit->builder, words[k], type, "");
		high = LLVMBuildShl(emit->builder, high, ptx_int(emit, 64, 32), "");
		ptx_write(emit, parts[k / 2], PTX_B64, LLVMBuildOr(emit->builder, low, high, ""));
	}
}

/* The statement's instruction with its modifiers. */
static void name_of_statement(const struct ptx_emit *emit, char *name, size_t size)
{
	size_t n = (size_t)snprintf(name, size, "%s", emit->at->opcode);
	for (uint32_t i = 0; i < emit->at->n_modifiers && n < size; i++)
		n += (size_t)snprintf(name + n, size - n, ".%s", emit->at->modifiers[i]);
}

/* Where a row has one layout only, that of A must come first. */
static bool has_layouts(const struct ptx_emit *emit, const struct ptx_row *row)
{
	const char *first = NULL;

	for (uint32_t i = 0; i < emit->at->n_modifiers && !first; i++)
		if (!strcmp(emit->at->modifiers[i], "row") ||
		    !strcmp(emit->at->modifiers[i], "col"))
			first = emit->at->modifiers[i];
	return !strstr(row->modifiers, " row col") || !strcmp(first, "row");
}

/* mma.sync, wmma.mma.sync: d, a, b, c */
static void emit_product(struct ptx_emit *emit, const struct ptx_row *row)
{
	char name[160];
	LLVMValueRef words[MOST];
	uint32_t form, n = 0;

	name_of_statement(emit, name, sizeof(name));
	if (!has_layouts(emit, row) || !tensor_parse(name, &form)) {
		ptx_unsupported(emit);
		return;
	}
	for (unsigned i = 0; i < 3; i++) {
		enum cudasim_mma_operand of = (enum cudasim_mma_operand)i;
		if (!read_words(emit, i + 1, form, of, words + n))
			return;
		n += cudasim_mma_words(form, of);
	}
	uint32_t n_results = cudasim_mma_words(form, CUDASIM_MMA_D);
	LLVMTypeRef result = LLVMArrayType2(i32_type(emit), n_results);
	snprintf(name, sizeof(name), "tensor.mma.%u", form);
	LLVMValueRef d = ptx_nvvm_convergent(emit, name, result, words, n);
	for (uint32_t i = 0; i < n_results; i++)
		words[i] = LLVMBuildExtractValue(emit->builder, d, i, "");
	write_words(emit, 0, form, CUDASIM_MMA_D, words);
}

/* wmma.load.x.sync: r, [p] {, stride}; wmma.store.d.sync: [p], r {, stride} */
static void emit_transfer(struct ptx_emit *emit, const struct ptx_row *row)
{
	bool stores = row->data;
	enum cudasim_mma_operand of = stores              ? CUDASIM_MMA_D
				      : ptx_is(emit, "a") ? CUDASIM_MMA_A
				      : ptx_is(emit, "b") ? CUDASIM_MMA_B
							  : CUDASIM_MMA_C;
	uint32_t shape = UINT32_MAX;
	LLVMValueRef words[MOST];

	for (uint32_t i = 0; i < emit->at->n_modifiers && shape == UINT32_MAX; i++)
		shape = tensor_shape(emit->at->modifiers[i]);
	uint32_t form = tensor_form_of(shape, tensor_type(ptx_types[emit->match.types[0]].name));
	uint32_t m = cudasim_mma_m(form), n = cudasim_mma_n(form), k = cudasim_mma_k(form);
	uint32_t rows = of == CUDASIM_MMA_B ? k : m, columns = of == CUDASIM_MMA_A ? k : n;
	struct tensor_memory memory = {
		.address = ptx_address(emit, ptx_operand(emit, stores ? 0 : 1), ptx_space(emit)),
		.by_columns = ptx_is(emit, "col"),
	};
	memory.stride = ptx_operand(emit, 2)
				? ptx_source(emit, 2, PTX_B32)
				: ptx_int(emit, 32, memory.by_columns ? rows : columns);
	if (stores) {
		if (read_words(emit, 1, form, of, words))
			tensor_store(emit->builder, form, &memory, own_lane(emit), words);
		return;
	}
	tensor_load(emit->builder, form, of, &memory, own_lane(emit), words);
	write_words(emit, 0, form, of, words);
}

/* ---- matrices of 8 x 8 16-bit elements ---------------------------------------------- */

/* What lane `from` has, of all lanes. */
static LLVMValueRef shuffle(struct ptx_emit *emit, LLVMValueRef value, LLVMValueRef from)
{
	LLVMValueRef args[4] = {ptx_int(emit, 32, UINT32_MAX), value, from, ptx_int(emit, 32, 31)};

	return ptx_nvvm_convergent(emit, "shfl.sync.idx.i32", i32_type(emit), args, 4);
}

static uint32_t n_matrices(const struct ptx_emit *emit)
{
	return ptx_is(emit, "x4") ? 4 : ptx_is(emit, "x2") ? 2 : 1;
}

/* A lane and the places of its two elements: row lane / 4, columns lane % 4 * 2 and the next;
 * transposed, rows and columns change places. */
struct own_place {
	LLVMValueRef major, pair; /* lane / 4; lane % 4 * 2 */
};

static struct own_place place_of_lane(struct ptx_emit *emit)
{
	LLVMBuilderRef b = emit->builder;
	LLVMValueRef lane = own_lane(emit);
	LLVMValueRef low = LLVMBuildAnd(b, lane, ptx_int(emit, 32, 3), "");

	return (struct own_place){LLVMBuildLShr(b, lane, ptx_int(emit, 32, 2), ""),
				  LLVMBuildShl(b, low, ptx_int(emit, 32, 1), "")};
}

static LLVMValueRef plus(struct ptx_emit *emit, LLVMValueRef a, uint64_t n)
{
	return n ? LLVMBuildAdd(emit->builder, a, ptx_int(emit, 32, n), "") : a;
}

/* The address operand i as an offset in shared memory: the lane's own row of 16 bytes. */
static LLVMValueRef row_offset(struct ptx_emit *emit, uint32_t i)
{
	LLVMValueRef address = ptx_address(emit, ptx_operand(emit, i), ptx_space(emit));
	LLVMTypeRef shared = LLVMPointerTypeInContext(emit->context, 3);

	if (LLVMTypeOf(address) != shared)
		address = LLVMBuildAddrSpaceCast(emit->builder, address, shared, "");
	return LLVMBuildPtrToInt(emit->builder, address, i32_type(emit), "");
}

/* Element `column` of the row that begins at the offset, a multiple of 16. */
static LLVMValueRef element_of_row(struct ptx_emit *emit, LLVMValueRef offset, LLVMValueRef column)
{
	LLVMTypeRef shared = LLVMPointerTypeInContext(emit->context, 3);
	LLVMValueRef bytes = LLVMBuildShl(emit->builder, column, ptx_int(emit, 32, 1), "");

	LLVMValueRef row = LLVMBuildIntToPtr(emit->builder, offset, shared, "");
	LLVMValueRef low = LLVMBuildAnd(emit->builder, offset, ptx_int(emit, 32, ROW_BYTES - 1),
					"");

	/* The row's, as ptx_aligned() has it. */
	low = LLVMBuildZExt(emit->builder, low, ptx_int_type(emit, 64), "");
	low = LLVMBuildShl(emit->builder, low, ptx_int(emit, 64, CUDASIM_MISALIGNED_SHIFT), "");
	row = LLVMBuildGEP2(emit->builder, ptx_int_type(emit, 8), row, &low, 1, "");
	return LLVMBuildGEP2(emit->builder, ptx_int_type(emit, 8), row, &bytes, 1, "");
}

static LLVMValueRef load_bits(struct ptx_emit *emit, LLVMValueRef address, unsigned bits)
{
	LLVMValueRef v = LLVMBuildLoad2(emit->builder, ptx_int_type(emit, bits), address, "");

	LLVMSetAlignment(v, bits / 8);
	return LLVMBuildZExt(emit->builder, v, i32_type(emit), "");
}

static LLVMValueRef join(struct ptx_emit *emit, LLVMValueRef low, LLVMValueRef high)
{
	high = LLVMBuildShl(emit->builder, high, ptx_int(emit, 32, 16), "");
	return LLVMBuildOr(emit->builder, low, high, "");
}

/* All lanes have loaded or stored before one goes on: on a GPU it is one access of the
 * warp, and programs read back, or overwrite, other lanes' rows at once. */
static void access_is_over(struct ptx_emit *emit)
{
	LLVMValueRef all = ptx_int(emit, 32, 0xffffffff);

	ptx_nvvm_convergent(emit, "bar.warp.sync", LLVMVoidTypeInContext(emit->context), &all, 1);
}

/* ldmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 r, [p]: lane 8 * i + r has the address
 * of row r of matrix i. */
static void emit_ldmatrix(struct ptx_emit *emit, const struct ptx_row *row)
{
	const struct ptx_operand *to[4];
	uint32_t n = n_matrices(emit);
	struct own_place own = place_of_lane(emit);
	LLVMValueRef offset = row_offset(emit, 1), values[4];
	LLVMValueRef rows[8];
	bool transposed = ptx_is(emit, "trans");

	(void)row;
	if (!parts_of(emit, 0, n, to))
		return;
	/* all shuffles first, so that the lanes meet once */
	for (uint32_t i = 0; i < n; i++) {
		LLVMValueRef first = plus(emit, transposed ? own.pair : own.major, 8 * i);

		rows[2 * i] = shuffle(emit, offset, first);
		rows[2 * i + 1] = transposed ? shuffle(emit, offset, plus(emit, first, 1)) : NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (transposed)
			values[i] = join(
				emit,
				load_bits(emit, element_of_row(emit, rows[2 * i], own.major), 16),
				load_bits(emit, element_of_row(emit, rows[2 * i + 1], own.major),
					  16));
		else
			values[i] = load_bits(emit, element_of_row(emit, rows[2 * i], own.pair),
					      32);
	}
	access_is_over(emit);
	for (uint32_t i = 0; i < n; i++)
		ptx_write(emit, to[i], PTX_B32, values[i]);
}

static void store_bits(struct ptx_emit *emit, LLVMValueRef address, LLVMValueRef value,
		       unsigned bits)
{
	value = LLVMBuildTrunc(emit->builder, value, ptx_int_type(emit, bits), "");
	LLVMSetAlignment(LLVMBuildStore(emit->builder, value, address), bits / 8);
}

/* stmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 [p], r */
static void emit_stmatrix(struct ptx_emit *emit, const struct ptx_row *row)
{
	const struct ptx_operand *from[4];
	uint32_t n = n_matrices(emit);
	struct own_place own = place_of_lane(emit);
	LLVMValueRef offset = row_offset(emit, 0), values[4], rows[8];
	bool transposed = ptx_is(emit, "trans");

	(void)row;
	if (!parts_of(emit, 1, n, from))
		return;
	for (uint32_t i = 0; i < n; i++) {
		LLVMValueRef first = plus(emit, transposed ? own.pair : own.major, 8 * i);

		values[i] = ptx_read(emit, from[i], PTX_B32);
		rows[2 * i] = shuffle(emit, offset, first);
		rows[2 * i + 1] = transposed ? shuffle(emit, offset, plus(emit, first, 1)) : NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!transposed) {
			store_bits(emit, element_of_row(emit, rows[2 * i], own.pair), values[i],
				   32);
			continue;
		}
		store_bits(emit, element_of_row(emit, rows[2 * i], own.major), values[i], 16);
		store_bits(emit, element_of_row(emit, rows[2 * i + 1], own.major),
			   LLVMBuildLShr(emit->builder, values[i], ptx_int(emit, 32, 16), ""), 16);
	}
	access_is_over(emit);
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a: element (r, c) is in lane 4 * r + c / 2. */
static void emit_movmatrix(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMBuilderRef b = emit->builder;
	struct own_place own = place_of_lane(emit);
	LLVMValueRef value = ptx_source(emit, 1, PTX_B32), halves[2];
	LLVMValueRef odd = LLVMBuildAnd(b, own.major, ptx_int(emit, 32, 1), "");
	LLVMValueRef shift = LLVMBuildShl(b, odd, ptx_int(emit, 32, 4), "");
	LLVMValueRef column = LLVMBuildLShr(b, own.major, ptx_int(emit, 32, 1), "");
	LLVMValueRef from = LLVMBuildShl(b, own.pair, ptx_int(emit, 32, 2), "");

	(void)row;
	from = LLVMBuildAdd(b, from, column, "");
	halves[0] = shuffle(emit, value, from);
	halves[1] = shuffle(emit, value, plus(emit, from, 4));
	for (unsigned i = 0; i < 2; i++) {
		halves[i] = LLVMBuildLShr(b, halves[i], shift, "");
		halves[i] = LLVMBuildAnd(b, halves[i], ptx_int(emit, 32, 0xffff), "");
	}
	ptx_dest(emit, 0, PTX_B32, join(emit, halves[0], halves[1]));
}

#define SPACE "global|shared|shared::cta?"
#define WMMA "m16n16k16|m32n8k16|m8n32k16"
#define LAYOUTS "row|col row|col"

#define PRODUCT(opcode, modifiers, types) {opcode, modifiers, types, "xxxx", emit_product, NULL, 0}
#define LOAD(what, shapes, types)                                                                  \
	{                                                                                          \
		"wmma",                                                                            \
		"load " what " sync aligned " shapes " " SPACE,                                    \
		types,                                                                             \
		"xa?w",                                                                            \
		emit_transfer,                                                                     \
		NULL,                                                                              \
		0}
#define STORE(shapes, types)                                                                       \
	{"wmma",                                                                                   \
	 "store d sync aligned row|col " shapes " " SPACE,                                         \
	 types,                                                                                    \
	 "ax?w",                                                                                   \
	 emit_transfer,                                                                            \
	 NULL,                                                                                     \
	 1}

const struct ptx_row ptx_rows_mma[] = {
	PRODUCT("mma", "sync aligned m8n8k4 " LAYOUTS, "f16,f16,f16,f16"),
	PRODUCT("mma", "sync aligned m8n8k4 " LAYOUTS, "f32,f16,f16,f16|f32"),
	PRODUCT("mma", "sync aligned m16n8k8|m16n8k16 row col", "f16,f16,f16,f16"),
	PRODUCT("mma", "sync aligned m16n8k8|m16n8k16 row col", "f32,f16,f16,f32"),
	PRODUCT("mma", "sync aligned m16n8k8|m16n8k16 row col", "f32,bf16,bf16,f32"),
	PRODUCT("mma", "sync aligned m16n8k4|m16n8k8 row col", "f32,tf32,tf32,f32"),
	PRODUCT("mma", "sync aligned m8n8k4|m16n8k4|m16n8k8|m16n8k16 row col rn|rz|rm|rp?",
		"f64,f64,f64,f64"),
	PRODUCT("mma", "sync aligned m8n8k16|m16n8k16|m16n8k32 row col satfinite?",
		"s32,s8|u8,s8|u8,s32"),
	PRODUCT("mma", "sync aligned m8n8k32|m16n8k32|m16n8k64 row col satfinite?",
		"s32,s4|u4,s4|u4,s32"),
	PRODUCT("mma", "sync aligned m8n8k128|m16n8k128|m16n8k256 row col xor|and popc",
		"s32,b1,b1,s32"),
	PRODUCT("mma", "sync aligned m16n8k16|m16n8k32 row col", "f32,e4m3|e5m2,e4m3|e5m2,f32"),
	PRODUCT("mma", "sync aligned m16n8k16|m16n8k32 row col", "f16,e4m3|e5m2,e4m3|e5m2,f16"),
	PRODUCT("wmma", "mma sync aligned " WMMA " " LAYOUTS, "f16|f32,f16|f32"),
	PRODUCT("wmma", "mma sync aligned " WMMA " " LAYOUTS, "f32,bf16,bf16,f32"),
	PRODUCT("wmma", "mma sync aligned m16n16k8 " LAYOUTS, "f32,tf32,tf32,f32"),
	PRODUCT("wmma", "mma sync aligned m8n8k4 " LAYOUTS " rn|rz|rm|rp?", "f64,f64,f64,f64"),
	PRODUCT("wmma", "mma sync aligned " WMMA " " LAYOUTS " satfinite?", "s32,s8,s8,s32"),
	PRODUCT("wmma", "mma sync aligned " WMMA " " LAYOUTS " satfinite?", "s32,u8,u8,s32"),
	PRODUCT("wmma", "mma sync aligned m8n8k32 row col satfinite?", "s32,s4,s4,s32"),
	PRODUCT("wmma", "mma sync aligned m8n8k32 row col satfinite?", "s32,u4,u4,s32"),
	PRODUCT("wmma", "mma sync aligned m8n8k128 row col xor|and popc", "s32,b1,b1,s32"),
	LOAD("a|b row|col", WMMA, "f16|bf16|s8|u8"),
	LOAD("a|b row|col", "m16n16k8", "tf32"),
	LOAD("a|b row|col", "m8n8k4", "f64"),
	LOAD("a row", "m8n8k32", "s4|u4"),
	LOAD("b col", "m8n8k32", "s4|u4"),
	LOAD("a row", "m8n8k128", "b1"),
	LOAD("b col", "m8n8k128", "b1"),
	LOAD("c row|col", WMMA, "f16|f32|s32"),
	LOAD("c row|col", "m16n16k8", "f32"),
	LOAD("c row|col", "m8n8k4", "f64"),
	LOAD("c row|col", "m8n8k32|m8n8k128", "s32"),
	STORE(WMMA, "f16|f32|s32"),
	STORE("m16n16k8", "f32"),
	STORE("m8n8k4", "f64"),
	STORE("m8n8k32|m8n8k128", "s32"),
	{"ldmatrix", "sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta?", "b16", "xa",
	 emit_ldmatrix, NULL, 0},
	{"stmatrix", "sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta?", "b16", "ax",
	 emit_stmatrix, NULL, 0},
	{"movmatrix", "sync aligned m8n8 trans", "b16", "w:w", emit_movmatrix, NULL, 0},
	{0},
};
