/* SPDX-License-Identifier: Apache-2.0 */
/* unit.h - the special function unit of an H200, bit for bit.
 *
 * The unit interpolates by quadratics: the upper bits of an operand choose a
 * row of a table, the lower 17 bits x give c0 + c1 x + c2 q(x), where q(x) is
 * the upper part of x squared, made by a multiplier without its lower columns
 * (the scheme of Oberman and Siu, "A high-performance area-efficient
 * multifunction interpolator", 2005). The sum is exact, then rounded down.
 *
 * Rejected: correctly rounded functions (1 or 2 units off in the last place in
 * half of all cases, which programs print), and recorded answers (8 Mi for each
 * function). */
#ifndef CUDASIM_BUILTINS_UNIT_H
#define CUDASIM_BUILTINS_UNIT_H

#include <stddef.h>

#include "builtins.h"
#include "unit_tables.h"

/* A single's exponent counts in these. */
enum { EXPONENT_UNIT = 1 << 23 };

/* The square of x, 17 bits, in units of 2^19: of the products of two bits i < j
 * (weight 2^(i+j+1)) and of a bit with itself (2^2i) those below 2^19 are left
 * out. Bits 9 to 16 lose only the square of bit 9; of the rest, bit i meets the
 * bits from 18 - i on. */
INLINE uint32_t unit_square(uint32_t x)
{
	uint32_t high = x >> 9, q = (high * high - (high & 1)) >> 1;

	for (unsigned i = 2; i < 9; i++)
		q += -(x >> i & 1) & x >> (18 - i);
	return q;
}

/* Lanes gather c1 and c2 as one: what a gather costs is its loads. */
INLINE int64_t unit_sum(const struct unit_row *row, uint32_t x)
{
	uint64_t both;
	__builtin_memcpy(&both, (const char *)row + offsetof(struct unit_row, c1), sizeof both);
	int32_t c1 = (int32_t)both, c2 = (int32_t)(both >> 32), square = (int32_t)unit_square(x);

	return row->c0 + (int64_t)c1 * (int64_t)(int32_t)x + (int64_t)c2 * (int64_t)square;
}

/* The same with the row in the top bits of a 23-bit operand. */
INLINE int64_t unit_sum23(const struct unit_row *rows, uint32_t operand)
{
	return unit_sum(&rows[operand >> 17], operand & 0x1ffff);
}

/* The float sum * 2^-point, rounded to zero; 0 <= sum < 2^53. */
INLINE float unit_float(uint64_t sum, int point)
{
	double exact = (double)(int64_t)sum;
	float f = (float)exact;

	if (sum == 0)
		return 0.0f;
	if ((double)f > exact)
		f = bits_float(float_bits(f) - 1);
	return bits_float(float_bits(f) - ((uint32_t)point << 23));
}

/* A result's bits from its magnitude's bits as if exponents had no bounds. */
INLINE float unit_pack(uint32_t sign, int32_t bits)
{
	if (bits < 0x00800000)
		bits = 0;
	if (bits > 0x7f800000)
		bits = 0x7f800000;
	return bits_float(sign | (uint32_t)bits);
}

/* All take and give flushed values, as the .ftz forms do. */

INLINE float unit_rcp(float a)
{
	uint32_t b = float_bits(a), sign = b & 0x80000000u, m = b & 0x7fffff;
	int32_t e = (int32_t)(b >> 23 & 0xff);
	int64_t sum = unit_sum(&rcp_rows[m >> 16], (m & 0xffff) << 1);

	if (e == 0)
		return bits_float(sign | 0x7f800000u);
	if (e == 255)
		return m ? NAN_F : bits_float(sign);
	return unit_pack(sign, 0x3f000000 + (int32_t)(sum >> 17) - (e - 127) * EXPONENT_UNIT);
}

INLINE float unit_rsqrt(float a)
{
	uint32_t b = float_bits(a), m = b & 0x7fffff;
	int32_t e = (int32_t)(b >> 23 & 0xff);
	int32_t half = (e - 127) >> 1;
	int64_t sum = unit_sum23(e & 1 ? rsqrt_even_rows : rsqrt_odd_rows, m);

	if (e == 0)
		return bits_float((b & 0x80000000u) | 0x7f800000u);
	if ((e == 255 && m) || b >> 31)
		return NAN_F;
	if (e == 255)
		return 0.0f;
	if ((e & 1) && m == 0)
		return bits_float((uint32_t)(0x3f800000 - half * EXPONENT_UNIT));
	return bits_float((uint32_t)(0x3f000000 + (int32_t)(sum >> 17) - half * EXPONENT_UNIT));
}

INLINE float unit_sqrt(float a)
{
	uint32_t b = float_bits(a), m = b & 0x7fffff;
	int32_t e = (int32_t)(b >> 23 & 0xff);
	int32_t half = (e - 127) >> 1;
	int64_t sum = unit_sum23(e & 1 ? sqrt_even_rows : sqrt_odd_rows, m);

	if (e == 0)
		return bits_float(b & 0x80000000u);
	if ((e == 255 && m) || b >> 31)
		return NAN_F;
	if (e == 255)
		return a;
	return bits_float((uint32_t)(0x3f800000 + (int32_t)(sum >> 17) + half * EXPONENT_UNIT));
}

/* The logarithm is a fixed point number of 36 fraction bits; a negative one is
 * complemented bit by bit. */
INLINE float unit_lg2(float a)
{
	uint32_t b = float_bits(a), m = b & 0x7fffff;
	int32_t e = (int32_t)(b >> 23 & 0xff);
	int64_t sum = (unit_sum23(lg2_rows, m) >> 4) + (int64_t)(e - 127) * ((int64_t)1 << 36);
	float r = unit_float((uint64_t)(sum < 0 ? ~sum : sum), 36);

	if (e == 0)
		return bits_float(0xff800000u);
	if ((e == 255 && m) || b >> 31)
		return NAN_F;
	if (e == 255)
		return a;
	if (b == 0x3f800000u)
		return 0.0f;
	return sum < 0 ? -r : r;
}

/* The operand becomes fixed point with 23 fraction bits, by truncation; a
 * negative one that has a fraction is complemented bit by bit. */
INLINE float unit_ex2(float a)
{
	uint32_t b = float_bits(a);
	float magnitude = __builtin_fabsf(a);
	int32_t fixed = magnitude < 128.0f ? (int32_t)(magnitude * 0x1p23f) : 0;

	if (a != a)
		return NAN_F;
	if (magnitude >= 128.0f)
		return b >> 31 ? 0.0f : bits_float(0x7f800000u);
	if (b >> 31)
		fixed = fixed & 0x7fffff ? ~fixed : -fixed;
	if ((fixed & 0x7fffff) == 0)
		return unit_pack(0, 0x3f800000 + (fixed >> 23) * 0x800000);
	return unit_pack(0, 0x3f800000 + (int32_t)(unit_sum23(ex2_rows, fixed & 0x7fffff) >> 17) +
				    (fixed >> 23) * 0x800000);
}

/* sin(2 pi turns), turns = a quarter's fraction of 23 bits below two bits of
 * quadrant; the odd quadrants run backwards, by complement. */
INLINE float unit_sine(uint32_t turns)
{
	uint32_t f = (turns & 1u << 23 ? ~turns : turns) & 0x7fffff;
	float r = unit_float((uint64_t)unit_sum23(sin_rows, f), 41);

	return turns & 1u << 24 ? -r : r;
}

/* |a| / (2 pi), rounded to zero as a float, as a fixed point number of turns. */
INLINE uint32_t unit_turns(float a)
{
	double p = (double)__builtin_fabsf(a) * (double)0.15915494f;
	float f = (float)p;
	uint32_t b, e;

	if ((double)f > p)
		f = bits_float(float_bits(f) - 1);
	b = float_bits(f);
	e = b >> 23;
	/* 25 fraction bits: the last bit of a float with exponent e weighs
	 * 2^(e - 150), so shift by e - 125 and keep what is below one turn. */
	if (e >= 125 + 25)
		return 0;
	b = (b & 0x7fffff) | 0x800000;
	return (e >= 125 ? b << (e - 125) : e > 100 ? b >> (125 - e) : 0) & 0x1ffffff;
}

INLINE float unit_sin(float a)
{
	float r = unit_sine(unit_turns(a));

	if (!(__builtin_fabsf(a) < __builtin_inff()))
		return NAN_F;
	return float_bits(a) >> 31 ? -r : r;
}

INLINE float unit_cos(float a)
{
	if (!(__builtin_fabsf(a) < __builtin_inff()))
		return NAN_F;
	return unit_sine(unit_turns(a) + (1u << 23));
}

/* Below 2^-8 tanh x is x. From there each binade has its number of segments. */
INLINE float unit_tanh(float a)
{
	static const struct {
		uint8_t first, log2n;
	} segments[11] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {5, 1}, {7, 2},
			  {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
	uint32_t b = float_bits(a), sign = b & 0x80000000u, m = b & 0x7fffff;
	int32_t e = (int32_t)(b >> 23 & 0xff) - 0x77;
	uint32_t log2n, row;

	if (a != a)
		return NAN_F;
	if (e < 0)
		return a;
	if (e > 10)
		return bits_float(sign | 0x3f800000u);
	log2n = segments[e].log2n;
	row = segments[e].first + (m >> (23 - log2n));
	m = (m & ((1u << (23 - log2n)) - 1)) >> (6 - log2n);
	return bits_float(sign |
			  float_bits(unit_float((uint64_t)unit_sum(&tanh_rows[row], m), 41)));
}

#endif
