/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.c - forms by their names, and the way of a matrix between memory and lanes' registers:
 * plain loads and stores, as mma_layout.h says. */
#include "tensor.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mma_layout.h"

/* ---- names ------------------------------------------------------------------ */

enum cudasim_mma_type tensor_type(const char *name)
{
	static const char *const names[CUDASIM_MMA_N_TYPES] = {
		[CUDASIM_MMA_F16] = "f16",   [CUDASIM_MMA_BF16] = "bf16",
		[CUDASIM_MMA_TF32] = "tf32", [CUDASIM_MMA_F32] = "f32",
		[CUDASIM_MMA_F64] = "f64",   [CUDASIM_MMA_E4M3] = "e4m3",
		[CUDASIM_MMA_E5M2] = "e5m2", [CUDASIM_MMA_S8] = "s8",
		[CUDASIM_MMA_U8] = "u8",     [CUDASIM_MMA_S4] = "s4",
		[CUDASIM_MMA_U4] = "u4",     [CUDASIM_MMA_B1] = "b1",
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
	case CUDASIM_MMA_TF32:
		return CUDASIM_MMA_F32;
	case CUDASIM_MMA_F64:
		return CUDASIM_MMA_F64;
	default:
		return CUDASIM_MMA_S32;
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
		{"wmma", CUDASIM_MMA_WMMA},
		{"satfinite", CUDASIM_MMA_SATFINITE},
		{"and", CUDASIM_MMA_AND},
		{"rz", 1u << CUDASIM_MMA_ROUND_SHIFT},
		{"rm", 2u << CUDASIM_MMA_ROUND_SHIFT},
		{"rp", 3u << CUDASIM_MMA_ROUND_SHIFT},
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
	if (strncmp(name, TENSOR_PRODUCT, strlen(TENSOR_PRODUCT)))
		return false;
	*form = (uint32_t)strtoul(name + strlen(TENSOR_PRODUCT), NULL, 10);
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
	struct mma_place low = mma_place(p->form, p->of, 1, 0),
			 high = mma_place(p->form, p->of, 4, 0);
	p->i8 = LLVMInt8TypeInContext(context);
	p->i32 = LLVMInt32TypeInContext(context);
	p->i64 = LLVMInt64TypeInContext(context);
	p->bits = cudasim_mma_bits(cudasim_mma_type(p->form, p->of));
	p->stride = LLVMBuildMul(b, LLVMBuildZExt(b, p->memory->stride, p->i64, ""),
				 number(p->i64, p->bits), "");
	LLVMValueRef l = LLVMBuildZExt(b, LLVMBuildAnd(b, lane, number(p->i32, 3), ""), p->i64, "");
	LLVMValueRef h = LLVMBuildZExt(b, LLVMBuildLShr(b, lane, number(p->i32, 2), ""), p->i64,
				       "");
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
	struct mma_place a = mma_place(p->form, p->of, 0, i),
			 b = mma_place(p->form, p->of, 0, i + 1);
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

LLVMValueRef tensor_pair(LLVMBuilderRef b, LLVMValueRef low, LLVMValueRef high)
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
			store(&p, tensor_pair(builder, words[i], words[i + 1]), i / 2);
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
