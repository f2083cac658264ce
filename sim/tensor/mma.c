/* SPDX-License-Identifier: Apache-2.0 */
/* mma.c - a warp's matrix product: gathers the matrices from the lanes' registers,
 * multiplies them, and gives each lane its part of the result. */
#include "mma.h"

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "mma_layout.h"

enum { LANES = 32, BLOCKS = 4 };

/* Elements as their types' bits, 64 each; one after the other along k, so that a row of A
 * and a column of B are arrays. Bits of B1 are words of 32 of them. Small, as they lie on a CUDA
 * thread's stack: the largest are 16 x 64, 8 x 64 (or 32 x 16), 16 x 16 (or 32 x 8). */
struct matrices {
	uint64_t a[1024], b[512], c[256];
};

typedef uint32_t registers[LANES];

static uint64_t element(registers *words, uint32_t lane, uint32_t bits, uint32_t i)
{
	if (bits == 64)
		return words[2 * i][lane] | (uint64_t)words[2 * i + 1][lane] << 32;
	if (bits == 32)
		return words[i][lane];
	return words[i * bits / 32][lane] >> (i * bits % 32) & ((1u << bits) - 1);
}

static void set_element(registers *words, uint32_t lane, uint32_t bits, uint32_t i, uint64_t value)
{
	if (bits == 64) {
		words[2 * i][lane] = (uint32_t)value;
		words[2 * i + 1][lane] = (uint32_t)(value >> 32);
	} else if (bits == 32) {
		words[i][lane] = (uint32_t)value;
	} else {
		uint32_t *word = &words[i * bits / 32][lane], shift = i * bits % 32;
		uint32_t mask = ((1u << bits) - 1) << shift;
		*word = (*word & ~mask) | ((uint32_t)value << shift & mask);
	}
}

/* Elements of an operand in a lane, those of B1 by words. */
static uint32_t n_elements(uint32_t form, enum cudasim_mma_operand of, uint32_t bits)
{
	return cudasim_mma_words(form, of) * 32 / bits;
}

static void gather(uint32_t form, registers *words, uint32_t block, enum cudasim_mma_operand of,
		   uint64_t *matrix, uint32_t row_step, uint32_t column_step)
{
	enum cudasim_mma_type type = cudasim_mma_type(form, of);
	bool by_words = type == CUDASIM_MMA_B1;
	uint32_t bits = by_words ? 32 : cudasim_mma_bits(type), n = n_elements(form, of, bits);
	for (uint32_t lane = 0; lane < LANES; lane++)
		for (uint32_t i = n; i--;) { /* of an element that a lane has twice, the first */
			struct mma_place p = mma_place(form, of, lane, by_words ? 32 * i : i);
			uint32_t row = p.row, column = p.column;
			if (p.block != block)
				continue;
			if (by_words && of == CUDASIM_MMA_A)
				column /= 32;
			else if (by_words)
				row /= 32;
			matrix[row * row_step + column * column_step] = element(words, lane, bits,
										i);
		}
}

static void scatter(uint32_t form, registers *words, uint32_t block, const uint64_t *d)
{
	uint32_t columns = cudasim_mma_n(form);
	uint32_t bits = cudasim_mma_bits(cudasim_mma_type(form, CUDASIM_MMA_D));
	uint32_t n = n_elements(form, CUDASIM_MMA_D, bits);
	for (uint32_t lane = 0; lane < LANES; lane++)
		for (uint32_t i = 0; i < n; i++) {
			struct mma_place p = mma_place(form, CUDASIM_MMA_D, lane, i);
			if (p.block == block)
				set_element(words, lane, bits, i, d[p.row * columns + p.column]);
		}
}

/* ---- integers -------------------------------------------------------------- */

static int64_t widen(enum cudasim_mma_type type, uint64_t bits)
{
	switch (type) {
	case CUDASIM_MMA_S8:
		return (int8_t)bits;
	case CUDASIM_MMA_S4:
		return (int8_t)(bits << 4) >> 4;
	default:
		return (int64_t)bits;
	}
}

static uint64_t dot_integer(uint32_t form, const uint64_t *a, const uint64_t *b, uint32_t n,
			    uint64_t c)
{
	enum cudasim_mma_type ta = cudasim_mma_type(form, CUDASIM_MMA_A);
	enum cudasim_mma_type tb = cudasim_mma_type(form, CUDASIM_MMA_B);
	int64_t sum = (int32_t)c;
	if (ta == CUDASIM_MMA_B1) {
		for (uint32_t i = 0; i < n / 32; i++)
			sum += __builtin_popcountll(form & CUDASIM_MMA_AND ? a[i] & b[i]
									   : a[i] ^ b[i]);
		return (uint32_t)sum;
	}
	for (uint32_t i = 0; i < n; i++)
		sum += widen(ta, a[i]) * widen(tb, b[i]);
	if (form & CUDASIM_MMA_SATFINITE)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

/* ---- double precision -------------------------------------------------------- */

static double to_double(uint64_t bits)
{
	double d;
	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* The first operand that is a NaN, made quiet, looking at b, c, a in this order. */
static double passed_nan(double a, double b, double c)
{
	uint64_t bits;
	double chosen = isnan(b) ? b : isnan(c) ? c : a;
	memcpy(&bits, &chosen, sizeof(bits));
	return to_double(bits | 1ull << 51);
}

/* A fused multiply-add after the other, from the first of k on, in the mode that is set.
 * Not inlined, so that nothing of it moves out of where that mode holds. */
__attribute__((noinline)) static uint64_t dot_double(const uint64_t *a, const uint64_t *b,
						     uint32_t n, uint64_t c)
{
	double sum = to_double(c);
	uint64_t bits;
	for (uint32_t i = 0; i < n; i++) {
		double x = to_double(a[i]), y = to_double(b[i]);
		double next = fma(x, y, sum);
		if (isnan(next))
			next = isnan(x) || isnan(y) || isnan(sum)
				       ? passed_nan(x, y, sum)
				       : to_double(0xfff8000000000000ull);
		sum = next;
	}
	memcpy(&bits, &sum, sizeof(bits));
	return bits;
}

/* ---- all ------------------------------------------------------------------------ */

static uint64_t dot(uint32_t form, const uint64_t *a, const uint64_t *b, uint32_t n, uint64_t c)
{
	uint32_t left[32], right[32];
	switch (cudasim_mma_type(form, CUDASIM_MMA_D)) {
	case CUDASIM_MMA_S32:
		return dot_integer(form, a, b, n, c);
	case CUDASIM_MMA_F64:
		return dot_double(a, b, n, c);
	default:
		for (uint32_t i = 0; i < n; i++) {
			left[i] = (uint32_t)a[i];
			right[i] = (uint32_t)b[i];
		}
		return mma_dot(form, left, right, n, (uint32_t)c);
	}
}

static void multiply(uint32_t form, struct matrices *x)
{
	uint32_t m = cudasim_mma_m(form), n = cudasim_mma_n(form), k = cudasim_mma_k(form);
	uint32_t step = cudasim_mma_type(form, CUDASIM_MMA_A) == CUDASIM_MMA_B1 ? k / 32 : k;
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t j = 0; j < n; j++)
			x->c[i * n + j] = dot(form, &x->a[i * step], &x->b[j * step], k,
					      x->c[i * n + j]);
}

void mma_compute(uint32_t form, uint32_t (*words)[LANES])
{
	static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	uint32_t n = cudasim_mma_n(form), k = cudasim_mma_k(form);
	uint32_t step = cudasim_mma_type(form, CUDASIM_MMA_A) == CUDASIM_MMA_B1 ? k / 32 : k;
	uint32_t blocks = cudasim_mma_is_quad(form) ? BLOCKS : 1;
	registers *b = words + cudasim_mma_words(form, CUDASIM_MMA_A);
	registers *c = words + cudasim_mma_c_at(form);
	struct matrices x;
	if (mma_vector(form, words))
		return;
	int mode = fegetround();
	fesetround(modes[form >> CUDASIM_MMA_ROUND_SHIFT & 3]);
	for (uint32_t block = 0; block < blocks; block++) {
		gather(form, words, block, CUDASIM_MMA_A, x.a, step, 1);
		gather(form, b, block, CUDASIM_MMA_B, x.b, 1, step);
		gather(form, c, block, CUDASIM_MMA_C, x.c, n, 1);
		multiply(form, &x);
		scatter(form, c, block, x.c);
	}
	fesetround(mode);
}
