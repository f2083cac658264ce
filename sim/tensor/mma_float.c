/* SPDX-License-Identifier: Apache-2.0 */
/* mma_float.c - the sums of tensor cores.
 *
 * Products are exact. They and c are aligned to the largest exponent among them, that of a
 * product being the sum of its factors' exponents, whether or not the significands' product
 * has a carry; what is then further right than 25 bits behind the point is cut off. The sum
 * is exact again and is rounded once: to f32 toward zero, to f16 to nearest even.
 *
 * Source: Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores" (2021)
 * for the scheme; Xie et al., "MMA-Sim: bit-accurate reference model of tensor cores and
 * matrix cores" (2025) for the numbers of bits by generation; compared with an H200. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "mma.h"

enum { FRACTION = 25 };

struct number {
	int64_t significand; /* with sign */
	int32_t exponent;    /* of the bit `fraction` of the significand */
	int32_t fraction;
	enum { FINITE, INFINITE, NOT_A_NUMBER } kind;
};

struct format {
	uint8_t exponent_bits, fraction_bits;
};

static const struct format formats[CUDASIM_MMA_N_TYPES] = {
	[CUDASIM_MMA_F16] = {5, 10}, [CUDASIM_MMA_BF16] = {8, 7}, [CUDASIM_MMA_TF32] = {8, 10},
	[CUDASIM_MMA_F32] = {8, 23}, [CUDASIM_MMA_E4M3] = {4, 3}, [CUDASIM_MMA_E5M2] = {5, 2},
};

/* A subnormal number as one of a type with more exponents, where it is none. */
static struct number normal(struct number n)
{
	int64_t one = 1ll << n.fraction;
	while (n.significand && n.significand > -one && n.significand < one) {
		n.significand *= 2;
		n.exponent--;
	}
	return n;
}

static struct number decode(enum cudasim_mma_type type, uint32_t bits)
{
	struct format f = formats[type];
	if (type == CUDASIM_MMA_TF32)
		bits >>= 13;
	uint32_t top = (1u << f.exponent_bits) - 1, bias = top >> 1;
	uint32_t fraction = bits & ((1u << f.fraction_bits) - 1), e = bits >> f.fraction_bits & top;
	bool negative = bits >> (f.exponent_bits + f.fraction_bits) & 1;
	struct number n = {.fraction = f.fraction_bits, .kind = FINITE};
	if (type == CUDASIM_MMA_E4M3) { /* no infinities, one NaN */
		if (e == top && fraction == 7)
			n.kind = NOT_A_NUMBER;
	} else if (e == top) {
		n.kind = fraction ? NOT_A_NUMBER : INFINITE;
	}
	n.significand = e ? (int64_t)(fraction | 1u << f.fraction_bits) : (int64_t)fraction;
	n.exponent = (int32_t)(e ? e : 1) - (int32_t)bias;
	if (negative)
		n.significand = -n.significand;
	return type == CUDASIM_MMA_E4M3 ? normal(n) : n; /* it becomes an f16 */
}

static struct number product(struct number a, struct number b)
{
	struct number p = {
		.significand = a.significand * b.significand,
		.exponent = a.exponent + b.exponent,
		.fraction = a.fraction + b.fraction,
	};
	if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER)
		p.kind = NOT_A_NUMBER;
	else if (a.kind == INFINITE || b.kind == INFINITE)
		p.kind = p.significand ? INFINITE : NOT_A_NUMBER;
	return p;
}

/* The significand with FRACTION bits behind the point at `exponent`, cut off. */
static int64_t align(const struct number *n, int32_t exponent)
{
	int32_t shift = FRACTION - n->fraction - (exponent - n->exponent);
	int64_t magnitude = n->significand < 0 ? -n->significand : n->significand;
	magnitude = shift >= 0 ? magnitude << shift : shift > -63 ? magnitude >> -shift : 0;
	return n->significand < 0 ? -magnitude : magnitude;
}

/* sum * 2^(exponent - FRACTION) */
static uint32_t to_f32(int64_t sum, int32_t exponent)
{
	uint32_t sign = sum < 0 ? 0x80000000u : 0;
	uint64_t magnitude = sum < 0 ? (uint64_t)-sum : (uint64_t)sum;
	if (!magnitude)
		return 0;
	int32_t top = 63 - __builtin_clzll(magnitude), e = exponent - FRACTION + top;
	int32_t unit = e < -126 ? -149 : e - 23;
	int32_t shift = exponent - FRACTION - unit;
	magnitude = shift >= 0 ? magnitude << shift : shift > -64 ? magnitude >> -shift : 0;
	if (e > 127)
		return sign | 0x7f800000u;
	if (!magnitude)
		return 0;
	return sign | (e < -126 ? (uint32_t)magnitude
				: (uint32_t)(e + 127) << 23 | ((uint32_t)magnitude & 0x7fffffu));
}

static uint32_t to_f16(int64_t sum, int32_t exponent)
{
	uint32_t sign = sum < 0 ? 0x8000u : 0;
	uint64_t magnitude = sum < 0 ? (uint64_t)-sum : (uint64_t)sum;
	if (!magnitude)
		return 0;
	int32_t top = 63 - __builtin_clzll(magnitude), e = exponent - FRACTION + top;
	int32_t unit = e < -14 ? -24 : e - 10;
	int32_t shift = unit - (exponent - FRACTION);
	if (shift > 62)
		return 0;
	uint64_t rounded = shift > 0 ? magnitude >> shift : magnitude << -shift;
	if (shift > 0) {
		uint64_t rest = magnitude & ((1ull << shift) - 1), half = 1ull << (shift - 1);
		rounded += rest > half || (rest == half && (rounded & 1));
	}
	if (e > 15)
		return sign | 0x7c00u;
	/* a carry out of the fraction counts the exponent up */
	uint32_t bits = e < -14 ? (uint32_t)rounded
				: ((uint32_t)(e + 14) << 10) + (uint32_t)rounded;
	return bits ? sign | (bits > 0x7c00u ? 0x7c00u : bits) : 0;
}

/* c + a[0] * b[0] + ..., to f32 or f16. */
static uint32_t sum_of(enum cudasim_mma_type ta, enum cudasim_mma_type tb, enum cudasim_mma_type tc,
		       bool half, const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t c)
{
	enum { MOST = 16 };
	struct number terms[MOST + 1];
	terms[0] = decode(tc, c);
	if (tc == CUDASIM_MMA_F16 && !half)
		terms[0] = normal(terms[0]);
	for (uint32_t i = 0; i < n; i++)
		terms[i + 1] = product(decode(ta, a[i]), decode(tb, b[i]));
	int32_t exponent = INT_MIN;
	bool nan = false, up = false, down = false;
	for (uint32_t i = 0; i <= n; i++) {
		nan |= terms[i].kind == NOT_A_NUMBER;
		up |= terms[i].kind == INFINITE && terms[i].significand > 0;
		down |= terms[i].kind == INFINITE && terms[i].significand < 0;
		if (terms[i].significand && terms[i].exponent > exponent)
			exponent = terms[i].exponent;
	}
	if (nan || (up && down))
		return half ? 0x7fffu : 0x7fffffffu;
	if (up || down)
		return half ? (up ? 0x7c00u : 0xfc00u) : (up ? 0x7f800000u : 0xff800000u);
	if (exponent == INT_MIN)
		return 0;
	int64_t sum = 0;
	for (uint32_t i = 0; i <= n; i++)
		sum += align(&terms[i], exponent);
	return half ? to_f16(sum, exponent) : to_f32(sum, exponent);
}

/* ---- what consists of several sums ------------------------------------------------ */

static float float_of(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return isnan(f) ? 0x7fffffffu : bits;
}

static float f16_to_float(uint32_t bits)
{
	struct number n = decode(CUDASIM_MMA_F16, bits);
	if (n.kind == NOT_A_NUMBER)
		return NAN;
	if (n.kind == INFINITE)
		return bits & 0x8000u ? -INFINITY : INFINITY;
	return copysignf(ldexpf((float)n.significand, n.exponent - n.fraction),
			 bits & 0x8000u ? -1.0f : 1.0f);
}

static uint32_t float_to_f16(uint32_t bits)
{
	uint32_t sign = bits >> 16 & 0x8000u;
	struct number n = decode(CUDASIM_MMA_F32, bits);
	if (n.kind == NOT_A_NUMBER)
		return 0x7fffu;
	if (n.kind == INFINITE)
		return sign | 0x7c00u;
	return sign | to_f16(n.significand << (FRACTION - n.fraction), n.exponent);
}

/* m8n8k4 with f16, which GPUs since Turing have no unit for: fused multiply-adds of f32, whose
 * order depends on the type of D. */
static uint32_t chain(uint32_t form, const uint32_t *a, const uint32_t *b, uint32_t c)
{
	float x[4], y[4], z, sum;
	for (uint32_t i = 0; i < 4; i++) {
		x[i] = f16_to_float(a[i]);
		y[i] = f16_to_float(b[i]);
	}
	z = cudasim_mma_type(form, CUDASIM_MMA_C) == CUDASIM_MMA_F16 ? f16_to_float(c)
								     : float_of(c);
	if (cudasim_mma_type(form, CUDASIM_MMA_D) == CUDASIM_MMA_F16) {
		sum = z + fmaf(x[1], y[1], x[0] * y[0]) + fmaf(x[3], y[3], x[2] * y[2]);
		return float_to_f16(bits_of(sum));
	}
	sum = 0;
	for (uint32_t i = 0; i < 4; i++)
		sum = fmaf(x[i], y[i], sum);
	return bits_of(z + sum);
}

/* 8-bit floats become f16 and are summed apart: first those of the lower halves of the
 * registers, two of four, then the others. c is added last. */
static uint32_t sum_of_bytes(uint32_t form, const uint32_t *a, const uint32_t *b, uint32_t n,
			     uint32_t c)
{
	enum cudasim_mma_type ta = cudasim_mma_type(form, CUDASIM_MMA_A);
	enum cudasim_mma_type tb = cudasim_mma_type(form, CUDASIM_MMA_B);
	bool half = cudasim_mma_type(form, CUDASIM_MMA_D) == CUDASIM_MMA_F16;
	uint32_t left[16], right[16], sum = 0;
	for (uint32_t part = 0; part < 4; part += 2) {
		uint32_t m = 0;
		for (uint32_t i = part; i < n; i += i % 2 ? 3 : 1, m++) {
			left[m] = a[i];
			right[m] = b[i];
		}
		sum = sum_of(ta, tb, half ? CUDASIM_MMA_F16 : CUDASIM_MMA_F32, half, left, right, m,
			     sum);
	}
	if (!half)
		return bits_of(float_of(sum) + float_of(c));
	return float_to_f16(bits_of(f16_to_float(sum) + f16_to_float(c)));
}

uint32_t mma_dot(uint32_t form, const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t c)
{
	enum cudasim_mma_type ta = cudasim_mma_type(form, CUDASIM_MMA_A);
	enum cudasim_mma_type tb = cudasim_mma_type(form, CUDASIM_MMA_B);
	enum cudasim_mma_type tc = cudasim_mma_type(form, CUDASIM_MMA_C);
	bool half = cudasim_mma_type(form, CUDASIM_MMA_D) == CUDASIM_MMA_F16;
	if (cudasim_mma_is_quad(form))
		return chain(form, a, b, c);
	if (ta == CUDASIM_MMA_E4M3 || ta == CUDASIM_MMA_E5M2)
		return sum_of_bytes(form, a, b, n, c);
	if (half && tc == CUDASIM_MMA_F32)
		return float_to_f16(sum_of(ta, tb, tc, false, a, b, n, c));
	if (ta == CUDASIM_MMA_TF32 && (form & CUDASIM_MMA_WMMA)) /* in two steps */
		return sum_of(ta, tb, tc, half, a + 4, b + 4, 4,
			      sum_of(ta, tb, tc, half, a, b, 4, c));
	return sum_of(ta, tb, tc, half, a, b, n, c);
}
