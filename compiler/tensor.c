/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.c - see tensor.h. */
#include "tensor.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "mma_layout.h"
#include "names.h"

#define PRODUCT "__cudasim_mma."

/* ---- names ------------------------------------------------------------------ */

enum cudasim_mma_type tensor_type(const char *name)
{
	static const char *const names[CUDASIM_MMA_N_TYPES] = {
		[CUDASIM_MMA_F16] = "f16", [CUDASIM_MMA_BF16] = "bf16", [CUDASIM_MMA_TF32] = "tf32",
		[CUDASIM_MMA_F32] = "f32", [CUDASIM_MMA_F64] = "f64", [CUDASIM_MMA_E4M3] = "e4m3",
		[CUDASIM_MMA_E5M2] = "e5m2", [CUDASIM_MMA_S8] = "s8", [CUDASIM_MMA_U8] = "u8",
		[CUDASIM_MMA_S4] = "s4", [CUDASIM_MMA_U4] = "u4", [CUDASIM_MMA_B1] = "b1",
		[CUDASIM_MMA_S32] = "s32",
	};
	unsigned i = 0;
	while (i < CUDASIM_MMA_N_TYPES && strcmp(names[i], name))
		i++;
	return (enum cudasim_mma_type)i;
}

static bool is_power(unsigned x, unsigned least, unsigned most)
{
	return x >= least && x <= most && !(x & (x - 1));
}

uint32_t tensor_shape(const char *name)
{
	unsigned m, n, k;
	char rest;
	if (sscanf(name, "m%un%uk%u%c", &m, &n, &k, &rest) != 3 || !is_power(m, 8, 32) ||
	    !is_power(n, 8, 32) || !is_power(k, 4, 256))
		return UINT32_MAX;
	return (uint32_t)(__builtin_ctz(m) - 3) << CUDASIM_MMA_M_SHIFT |
	       (uint32_t)(__builtin_ctz(n) - 3) << CUDASIM_MMA_N_SHIFT |
	       (uint32_t)(__builtin_ctz(k) - 2) << CUDASIM_MMA_K_SHIFT;
}

static uint32_t with_types(uint32_t form, const enum cudasim_mma_type types[4])
{
	for (unsigned i = 0; i < 4; i++)
		form |= (uint32_t)types[i] << (CUDASIM_MMA_TYPE_SHIFT + 4 * i);
	return form;
}

uint32_t tensor_form_of(uint32_t shape, enum cudasim_mma_type type)
{
	const enum cudasim_mma_type types[4] = {type, type, type, type};
	return with_types(shape | CUDASIM_MMA_WMMA, types);
}

static enum cudasim_mma_type accumulator_of(enum cudasim_mma_type type)
{
	switch (type) {
	case CUDASIM_MMA_BF16:
	case CUDASIM_MMA_TF32: return CUDASIM_MMA_F32;
	case CUDASIM_MMA_F64: return CUDASIM_MMA_F64;
	default: return CUDASIM_MMA_S32;
	}
}

/* The types of A, B, C and D from those that a name has. LLVM's names have D and C for
 * half precision, A and B where these differ, else A's. */
static bool complete_types(const enum cudasim_mma_type *given, unsigned n,
			   enum cudasim_mma_type types[4])
{
	enum cudasim_mma_type d = given[0], a = given[0], b = given[0], c;
	if (n == 4) {
		a = given[1];
		b = given[2];
		c = given[3];
	} else if (n == 2 && (d == CUDASIM_MMA_F16 || d == CUDASIM_MMA_F32)) {
		a = b = CUDASIM_MMA_F16;
		c = given[1];
	} else if (n == 1 || n == 2) {
		b = given[n - 1];
		c = d = accumulator_of(a);
	} else {
		return false;
	}
	types[CUDASIM_MMA_A] = a;
	types[CUDASIM_MMA_B] = b;
	types[CUDASIM_MMA_C] = c;
	types[CUDASIM_MMA_D] = d;
	return true;
}

static uint32_t option(const char *word)
{
	static const struct {
		const char *word;
		uint32_t bits;
	} options[] = {
		{"wmma", CUDASIM_MMA_WMMA}, {"satfinite", CUDASIM_MMA_SATFINITE},
		{"and", CUDASIM_MMA_AND}, {"rz", 1u << CUDASIM_MMA_ROUND_SHIFT},
		{"rm", 2u << CUDASIM_MMA_ROUND_SHIFT}, {"rp", 3u << CUDASIM_MMA_ROUND_SHIFT},
	};
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(options[i].word, word))
			return options[i].bits;
	return 0;
}

bool tensor_parse(const char *name, uint32_t *ret)
{
	enum cudasim_mma_type given[4], types[4];
	uint32_t form = 0, shape = UINT32_MAX;
	unsigned n = 0, n_layouts = 0;
	char copy[160], *next = NULL;
	if (snprintf(copy, sizeof(copy), "%s", name) >= (int)sizeof(copy))
		return false;
	for (char *word = strtok_r(copy, ".", &next); word; word = strtok_r(NULL, ".", &next)) {
		enum cudasim_mma_type type = tensor_type(word);
		bool is_column = !strcmp(word, "col");
		if (type < CUDASIM_MMA_N_TYPES && n < 4)
			given[n++] = type;
		else if (tensor_shape(word) != UINT32_MAX)
			shape = tensor_shape(word);
		else if (is_column || !strcmp(word, "row"))
			form |= (is_column ? CUDASIM_MMA_A_COL : 0u) << n_layouts++;
		else
			form |= option(word);
	}
	if (shape == UINT32_MAX || !complete_types(given, n, types))
		return false;
	form = with_types(form | shape, types);
	if (!cudasim_mma_is_quad(form)) /* fragments do not depend on the layouts */
		form &= ~(uint32_t)(CUDASIM_MMA_A_COL | CUDASIM_MMA_B_COL);
	*ret = form;
	return true;
}

bool tensor_is_product(const char *name, uint32_t *form)
{
	if (strncmp(name, PRODUCT, strlen(PRODUCT)))
		return false;
	*form = (uint32_t)strtoul(name + strlen(PRODUCT), NULL, 10);
	return true;
}

/* ---- memory ------------------------------------------------------------------- */

/* A lane's part of an operand in memory. */
struct part {
	LLVMBuilderRef builder;
	const struct tensor_memory *memory;
	uint32_t form, bits;
	enum cudasim_mma_operand of;
	LLVMTypeRef i8, i32, i64;
	LLVMValueRef start;  /* address of what would be the lane's element 0 */
	LLVMValueRef stride; /* i64, bits */
};

static LLVMValueRef number(LLVMTypeRef type, uint64_t value)
{
	return LLVMConstInt(type, value, 0);
}

/* row * (bits from row to row) + column * ..., i64; in bits, as an element may be one. */
static LLVMValueRef bits_to(struct part *p, LLVMValueRef row, LLVMValueRef column)
{
	LLVMValueRef major = p->memory->by_columns ? column : row;
	LLVMValueRef minor = p->memory->by_columns ? row : column;
	LLVMValueRef far = LLVMBuildMul(p->builder, major, p->stride, "");
	LLVMValueRef near = LLVMBuildMul(p->builder, minor, number(p->i64, p->bits), "");
	return LLVMBuildAdd(p->builder, far, near, "");
}

static LLVMValueRef address_at(struct part *p, LLVMValueRef from, LLVMValueRef bits)
{
	LLVMValueRef bytes = LLVMBuildLShr(p->builder, bits, number(p->i64, 3), "");
	return LLVMBuildGEP2(p->builder, p->i8, from, &bytes, 1, "");
}

static void begin(struct part *p, LLVMValueRef lane)
{
	LLVMBuilderRef b = p->builder;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(p->memory->address));
	struct mma_place low = mma_place(p->form, p->of, 1, 0), high = mma_place(p->form, p->of, 4, 0);
	p->i8 = LLVMInt8TypeInContext(context);
	p->i32 = LLVMInt32TypeInContext(context);
	p->i64 = LLVMInt64TypeInContext(context);
	p->bits = cudasim_mma_bits(cudasim_mma_type(p->form, p->of));
	p->stride = LLVMBuildMul(b, LLVMBuildZExt(b, p->memory->stride, p->i64, ""),
				 number(p->i64, p->bits), "");
	LLVMValueRef l = LLVMBuildZExt(b, LLVMBuildAnd(b, lane, number(p->i32, 3), ""), p->i64, "");
	LLVMValueRef h = LLVMBuildZExt(b, LLVMBuildLShr(b, lane, number(p->i32, 2), ""), p->i64, "");
	LLVMValueRef row = LLVMBuildAdd(b, LLVMBuildMul(b, l, number(p->i64, low.row), ""),
					LLVMBuildMul(b, h, number(p->i64, high.row), ""), "");
	LLVMValueRef column = LLVMBuildAdd(b, LLVMBuildMul(b, l, number(p->i64, low.column), ""),
					   LLVMBuildMul(b, h, number(p->i64, high.column), ""), "");
	p->start = address_at(p, p->memory->address, bits_to(p, row, column));
}

static LLVMValueRef element_address(struct part *p, uint32_t i)
{
	struct mma_place place = mma_place(p->form, p->of, 0, i);
	if (!place.row && !place.column)
		return p->start;
	return address_at(p, p->start,
			  bits_to(p, number(p->i64, place.row), number(p->i64, place.column)));
}

/* Elements i and the next lie side by side. */
static bool side_by_side(const struct part *p, uint32_t i)
{
	struct mma_place a = mma_place(p->form, p->of, 0, i), b = mma_place(p->form, p->of, 0, i + 1);
	return p->memory->by_columns ? a.row != b.row : a.column != b.column;
}

/* Bits of one access: an element, or a register full of them. */
static uint32_t access_bits(const struct part *p)
{
	return p->bits >= 32 ? p->bits : side_by_side(p, 0) ? 32 : p->bits;
}

static LLVMTypeRef access_type(struct part *p)
{
	return LLVMIntTypeInContext(LLVMGetTypeContext(p->i32), access_bits(p));
}

static bool is_same_place(const struct part *p, uint32_t i, uint32_t j)
{
	struct mma_place a = mma_place(p->form, p->of, 0, i), b = mma_place(p->form, p->of, 0, j);
	return a.row == b.row && a.column == b.column;
}

/* The register that has the same elements as the one at `word`, itself if there is none
 * before it. */
static uint32_t first_like(const struct part *p, uint32_t word)
{
	uint32_t per = p->bits < 32 ? 32 / p->bits : 1;
	for (uint32_t i = 0; i < word && p->bits < 32; i++)
		if (is_same_place(p, i * per, word * per))
			return i;
	return word;
}

/* One register of up to 32 bits an element. */
static LLVMValueRef load_word(struct part *p, uint32_t word)
{
	uint32_t bits = access_bits(p), n = 32 / bits, per = p->bits < 32 ? 32 / p->bits : 1;
	LLVMValueRef whole = NULL;
	for (uint32_t i = 0; i < n; i++) {
		LLVMValueRef v = LLVMBuildLoad2(p->builder, access_type(p),
						element_address(p, word * per + i), "");
		LLVMSetAlignment(v, bits / 8);
		if (bits < 32)
			v = LLVMBuildShl(p->builder, LLVMBuildZExt(p->builder, v, p->i32, ""),
					 number(p->i32, i * bits), "");
		whole = whole ? LLVMBuildOr(p->builder, whole, v, "") : v;
	}
	return whole;
}

void tensor_load(LLVMBuilderRef builder, uint32_t form, enum cudasim_mma_operand of,
		 const struct tensor_memory *from, LLVMValueRef lane, LLVMValueRef *words)
{
	struct part p = {.builder = builder, .memory = from, .form = form, .of = of};
	uint32_t n = cudasim_mma_words(form, of);
	begin(&p, lane);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t like = first_like(&p, i);
		if (p.bits < 64) {
			words[i] = like < i ? words[like] : load_word(&p, i);
			continue;
		}
		LLVMValueRef v = LLVMBuildLoad2(builder, p.i64, element_address(&p, i / 2), "");
		LLVMSetAlignment(v, 8);
		words[i++] = LLVMBuildTrunc(builder, v, p.i32, "");
		v = LLVMBuildLShr(builder, v, number(p.i64, 32), "");
		words[i] = LLVMBuildTrunc(builder, v, p.i32, "");
	}
}

static void store(struct part *p, LLVMValueRef value, uint32_t i)
{
	LLVMValueRef s = LLVMBuildStore(p->builder, value, element_address(p, i));
	LLVMSetAlignment(s, access_bits(p) / 8);
}

/* Two words as an i64. */
static LLVMValueRef pair(LLVMBuilderRef b, LLVMValueRef low, LLVMValueRef high)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(low)));
	high = LLVMBuildShl(b, LLVMBuildZExt(b, high, i64, ""), number(i64, 32), "");
	return LLVMBuildOr(b, LLVMBuildZExt(b, low, i64, ""), high, "");
}

void tensor_store(LLVMBuilderRef builder, uint32_t form, const struct tensor_memory *to,
		  LLVMValueRef lane, LLVMValueRef *words)
{
	struct part p = {.builder = builder, .memory = to, .form = form, .of = CUDASIM_MMA_D};
	uint32_t n = cudasim_mma_words(form, CUDASIM_MMA_D);
	begin(&p, lane);
	uint32_t bits = access_bits(&p);
	for (uint32_t i = 0; i < n; i++) {
		if (p.bits == 64) {
			store(&p, pair(builder, words[i], words[i + 1]), i / 2);
			i++;
		} else if (bits == 32) {
			store(&p, words[i], p.bits < 32 ? i * 32 / p.bits : i);
		} else {
			for (uint32_t k = 0; k < 32 / bits; k++) {
				LLVMValueRef v = LLVMBuildLShr(builder, words[i],
							       number(p.i32, k * bits), "");
				v = LLVMBuildTrunc(builder, v, access_type(&p), "");
				store(&p, v, i * 32 / bits + k);
			}
		}
	}
}

/* ---- intrinsics ---------------------------------------------------------------- */

enum { MOST = CUDASIM_MMA_MOST_WORDS };

/* A value in a register of an intrinsic as one or two words. */
static unsigned to_words(LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef *words)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMDoubleTypeKind) {
		words[0] = LLVMBuildBitCast(b, value, i32, "");
		return 1;
	}
	value = LLVMBuildBitCast(b, value, i64, "");
	words[0] = LLVMBuildTrunc(b, value, i32, "");
	words[1] = LLVMBuildTrunc(b, LLVMBuildLShr(b, value, number(i64, 32), ""), i32, "");
	return 2;
}

static LLVMValueRef from_words(LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef *words,
			       unsigned *n)
{
	if (LLVMGetTypeKind(type) != LLVMDoubleTypeKind) {
		*n = 1;
		return LLVMBuildBitCast(b, words[0], type, "");
	}
	*n = 2;
	return LLVMBuildBitCast(b, pair(b, words[0], words[1]), type, "");
}

/* Words as an intrinsic's result: a single register, or a structure or array of them. */
static LLVMValueRef result_of(LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef *words)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	unsigned n = kind == LLVMStructTypeKind  ? LLVMCountStructElementTypes(type)
		     : kind == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type) : 0;
	unsigned used;
	if (!n)
		return from_words(b, type, words, &used);
	LLVMValueRef all = LLVMGetPoison(type);
	for (unsigned i = 0; i < n; i++, words += used) {
		LLVMTypeRef part = kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i)
							      : LLVMGetElementType(type);
		all = LLVMBuildInsertValue(b, all, from_words(b, part, words, &used), i, "");
	}
	return all;
}

/* llvm.nvvm.wmma.SHAPE.load.OPERAND.LAYOUT[.stride].TYPE.pN and its like; the words behind
 * the shape. */
struct transfer {
	uint32_t form;
	enum cudasim_mma_operand of;
	bool by_columns, has_stride;
};

static bool parse_transfer(const char *name, struct transfer *ret)
{
	char copy[160], *next = NULL;
	uint32_t shape = UINT32_MAX;
	enum cudasim_mma_type type = CUDASIM_MMA_N_TYPES;
	*ret = (struct transfer){0};
	snprintf(copy, sizeof(copy), "%s", name);
	for (char *word = strtok_r(copy, ".", &next); word; word = strtok_r(NULL, ".", &next)) {
		if (tensor_shape(word) != UINT32_MAX)
			shape = tensor_shape(word);
		else if (strlen(word) == 1 && *word >= 'a' && *word <= 'd')
			ret->of = (enum cudasim_mma_operand)(*word - 'a');
		else if (tensor_type(word) < CUDASIM_MMA_N_TYPES)
			type = tensor_type(word);
		ret->by_columns |= !strcmp(word, "col");
		ret->has_stride |= !strcmp(word, "stride");
	}
	if (shape == UINT32_MAX || type == CUDASIM_MMA_N_TYPES)
		return false;
	ret->form = tensor_form_of(shape, type);
	return true;
}

/* From row to row (column to column) of a matrix without anything between. */
static uint32_t own_stride(const struct transfer *t)
{
	uint32_t m = cudasim_mma_m(t->form), n = cudasim_mma_n(t->form), k = cudasim_mma_k(t->form);
	uint32_t rows = t->of == CUDASIM_MMA_B ? k : m, columns = t->of == CUDASIM_MMA_A ? k : n;
	return t->by_columns ? rows : columns;
}

static LLVMValueRef build_transfer(LLVMBuilderRef b, LLVMValueRef call, const struct transfer *t,
				   LLVMValueRef lane)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(lane)));
	unsigned n = LLVMGetNumArgOperands(call), n_words = 0;
	LLVMValueRef words[MOST];
	struct tensor_memory memory = {
		LLVMGetOperand(call, 0),
		t->has_stride ? LLVMGetOperand(call, n - 1) : number(i32, own_stride(t)),
		t->by_columns,
	};
	if (t->of != CUDASIM_MMA_D) {
		tensor_load(b, t->form, t->of, &memory, lane, words);
		return result_of(b, LLVMTypeOf(call), words);
	}
	for (unsigned i = 1; i < n - t->has_stride; i++)
		n_words += to_words(b, LLVMGetOperand(call, i), &words[n_words]);
	assert(n_words == cudasim_mma_words(t->form, CUDASIM_MMA_D));
	tensor_store(b, t->form, &memory, lane, words);
	return NULL;
}

/* The function that stands for the product. */
static LLVMValueRef product_function(struct device_module *dm, uint32_t form)
{
	char name[40];
	snprintf(name, sizeof(name), PRODUCT "%u", form);
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, name);
	if (function)
		return function;
	unsigned n = cudasim_mma_c_at(form) + cudasim_mma_words(form, CUDASIM_MMA_C);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(dm->context), params[MOST + 1];
	for (unsigned i = 0; i < n; i++)
		params[i] = i32;
	params[n] = LLVMPointerTypeInContext(dm->context, 0);
	LLVMTypeRef result = LLVMArrayType2(i32, cudasim_mma_words(form, CUDASIM_MMA_D));
	function = LLVMAddFunction(dm->module, name, LLVMFunctionType(result, params, n + 1, 0));
	static const char *const attributes[] = {"nounwind", "convergent"};
	for (unsigned i = 0; i < 2; i++) {
		const char *text = attributes[i];
		unsigned kind = LLVMGetEnumAttributeKindForName(text, strlen(text));
		LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(dm->context, kind, 0));
	}
	return function;
}

static LLVMValueRef build_product(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
				  uint32_t form)
{
	LLVMValueRef words[2 * MOST], function = product_function(dm, form);
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	unsigned n = 0, n_args = LLVMGetNumArgOperands(call);
	for (unsigned i = 0; i < n_args; i++)
		n += to_words(b, LLVMGetOperand(call, i), &words[n]);
	if (n + 1 != LLVMCountParamTypes(type))
		return NULL;
	words[n++] = site_for(dm, call, CUDASIM_SITE_SYNC);
	LLVMValueRef d = LLVMBuildCall2(b, type, function, words, n, "");
	unsigned n_results = cudasim_mma_words(form, CUDASIM_MMA_D);
	for (unsigned i = 0; i < n_results; i++)
		words[i] = LLVMBuildExtractValue(b, d, i, "");
	return result_of(b, LLVMTypeOf(call), words);
}

LLVMValueRef tensor_build(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef call,
			  const char *name, LLVMValueRef (*lane)(struct device_module *, LLVMBuilderRef),
			  bool *known)
{
	static const char own[] = "llvm.nvvm.tensor.mma.";
	struct transfer transfer;
	uint32_t form;
	LLVMValueRef r = NULL;
	*known = false;
	if (!strncmp(name, own, strlen(own))) {
		r = build_product(dm, builder, call, (uint32_t)strtoul(name + strlen(own), NULL, 10));
		*known = r != NULL;
	} else if (strncmp(name, "llvm.nvvm.wmma.", 15) && strncmp(name, "llvm.nvvm.mma.", 14)) {
		return NULL;
	} else if (strstr(name, ".load.") || strstr(name, ".store.")) {
		*known = parse_transfer(name, &transfer);
		if (*known)
			r = build_transfer(builder, call, &transfer, lane(dm, builder));
	} else if (tensor_parse(name, &form)) {
		r = build_product(dm, builder, call, form);
		*known = r != NULL;
	}
	return r;
}

/* ---- for one thread --------------------------------------------------------------- */

bool tensor_lower(struct device_module *dm, LLVMValueRef call)
{
	uint32_t form;
	if (!LLVMIsACallInst(call) || !LLVMIsAFunction(LLVMGetCalledValue(call)) ||
	    !tensor_is_product(name_of(LLVMGetCalledValue(call)), &form))
		return false;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(dm->context);
	LLVMTypeRef type = LLVMArrayType2(i32, cudasim_mma_n_words(form));
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	LLVMBuilderRef b = LLVMCreateBuilderInContext(dm->context);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
	LLVMValueRef registers = LLVMBuildAlloca(b, type, "registers");
	LLVMPositionBuilderBefore(b, call);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
	unsigned n = LLVMGetNumArgOperands(call) - 1, c = cudasim_mma_c_at(form);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef index = number(i32, i);
		LLVMBuildStore(b, LLVMGetOperand(call, i),
			       LLVMBuildInBoundsGEP2(b, i32, registers, &index, 1, ""));
	}
	LLVMValueRef args[] = {number(i32, form), registers, LLVMGetOperand(call, n)};
	LLVMValueRef f = device_runtime(dm, "__cudasim_mma"), d = LLVMGetPoison(LLVMTypeOf(call));
	LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, 3, "");
	for (unsigned i = 0; i < cudasim_mma_words(form, CUDASIM_MMA_D); i++) {
		LLVMValueRef index = number(i32, c + i);
		LLVMValueRef at = LLVMBuildInBoundsGEP2(b, i32, registers, &index, 1, "");
		d = LLVMBuildInsertValue(b, d, LLVMBuildLoad2(b, i32, at, ""), i, "");
	}
	LLVMReplaceAllUsesWith(call, d);
	LLVMInstructionEraseFromParent(call);
	LLVMDisposeBuilder(b);
	return true;
}
