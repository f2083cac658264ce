/* SPDX-License-Identifier: Apache-2.0 */
/* fp8.c - the small formats: e4m3 and e5m2 (PTX ISA, "Alternate Floating-Point
 * Data Formats") and tf32; and a few PTX instructions that NVVM does not name. */
#include "half.h"

/* x rounded to nearest even with `precision` bits, the largest number where it
 * would overflow (.satfinite), 0x7f for NaN. */
INLINE uint8_t to_fp8(float x, int precision, int emin, uint8_t largest, bool relu)
{
	uint32_t b = float_bits(x);
	uint8_t sign = (uint8_t)(b >> 24 & 0x80);
	int exponent = (int)(b >> 23 & 0xff) - 127;
	uint32_t bits;
	float scaled;

	if (x != x)
		return 0x7f;
	if (relu && sign)
		return 0;
	if (exponent == 128)
		return sign | largest;
	exponent = exponent < emin ? emin : exponent;
	scaled = __builtin_fabsf(x) *
		 bits_float((uint32_t)(127 - (exponent - (precision - 1))) << 23);
	bits = ((uint32_t)(exponent - emin) << (precision - 1)) +
	       (uint32_t)__builtin_roundevenf(scaled);
	return sign | (uint8_t)(bits > largest ? largest : bits);
}

INLINE uint8_t to_e4m3(float x, bool relu)
{
	return to_fp8(x, 4, -6, 0x7e, relu);
}

INLINE uint8_t to_e5m2(float x, bool relu)
{
	return to_fp8(x, 3, -14, 0x7b, relu);
}

INLINE uint16_t from_e4m3(uint8_t x, bool relu)
{
	uint8_t magnitude = x & 0x7f;
	float value;

	if (magnitude == 0x7f)
		return 0x7fff;
	if (relu && x >> 7)
		return 0;
	/* As an f32 whose exponent is 120 too small. */
	value = bits_float((uint32_t)magnitude << 20) * 0x1p120f;
	return NVVM(half_from_f32_rn_f16)(x >> 7 ? -value : value);
}

INLINE uint16_t from_e5m2(uint8_t x, bool relu)
{
	if ((x & 0x7f) > 0x7c)
		return 0x7fff;
	return relu && x >> 7 ? 0 : (uint16_t)(x << 8);
}

#define FP8(type)                                                                                  \
	uint16_t NVVM(fp8_##type##x2_f32)(float high, float low, bool relu)                        \
	{                                                                                          \
		return (uint16_t)(to_##type(high, relu) << 8 | to_##type(low, relu));              \
	}                                                                                          \
	uint16_t NVVM(fp8_##type##x2_f16x2)(uint32_t x, bool relu)                                 \
	{                                                                                          \
		float high = NVVM(half_to_f32_f16)((uint16_t)(x >> 16));                           \
		float low = NVVM(half_to_f32_f16)((uint16_t)x);                                    \
		return NVVM(fp8_##type##x2_f32)(high, low, relu);                                  \
	}                                                                                          \
	uint32_t NVVM(fp8_f16x2_##type##x2)(uint16_t x, bool relu)                                 \
	{                                                                                          \
		return (uint32_t)from_##type((uint8_t)(x >> 8), relu) << 16 |                      \
		       from_##type((uint8_t)x, relu);                                              \
	}
FP8(e4m3)
FP8(e5m2)

/* ---- tf32: f32 with 10 bits after the point ---------------------------------- */

INLINE bool is_special(float x)
{
	return (float_bits(x) & 0x7f800000) == 0x7f800000;
}

#define TF32(name, relu)                                                                           \
	uint32_t NVVM(tf32_rn##name)(float x)                                                      \
	{                                                                                          \
		uint32_t b = x != x ? 0x7fffffff : float_bits(x);                                  \
		if (relu && b >> 31)                                                               \
			return 0;                                                                  \
		return (b + (is_special(x) ? 0 : 0xfff + (b >> 13 & 1))) & ~0x1fffu;               \
	}                                                                                          \
	uint32_t NVVM(tf32_rz##name)(float x)                                                      \
	{                                                                                          \
		uint32_t b = x != x ? 0x7fffffff : float_bits(x);                                  \
		return relu && b >> 31 ? 0 : b & ~0x1fffu;                                         \
	}
TF32(, false)
TF32(_relu, true)

/* .rna takes the bits as they are, NaNs too; .satfinite takes one unit off what
 * has the exponent of infinities. */
uint32_t NVVM(tf32_rna)(float x)
{
	return (float_bits(x) + (is_special(x) ? 0 : 0x1000)) & ~0x1fffu;
}

uint32_t NVVM(tf32_rna_satfinite)(float x)
{
	uint32_t b = NVVM(tf32_rna)(x);

	return (b & 0x7f800000) == 0x7f800000 ? b - 0x2000 : b;
}

/* ---- instructions without a name in NVVM -------------------------------------- */

/* What a unit answers when x comes out of it. */
float NVVM(canonical_f)(float x)
{
	return x != x ? NAN_F : x;
}

/* Units of double precision pass a NaN on, quiet. */
double NVVM(canonical_d)(double x)
{
	return x != x ? bits_double(double_bits(x) | 1ull << 51) : x;
}

float NVVM(flush_f)(float x)
{
	return flush(x);
}

/* The low n bits of a, extended; n past the width counts as the width (clamp)
 * or by its low five bits (wrap). */
INLINE uint32_t szext(uint32_t a, uint32_t n, bool is_signed)
{
	if (n == 0)
		return 0;
	if (n > 31)
		return a;
	a <<= 32 - n;
	return is_signed ? (uint32_t)((int32_t)a >> (32 - n)) : a >> (32 - n);
}

uint32_t NVVM(szext_clamp_u32)(uint32_t a, uint32_t n)
{
	return szext(a, n, false);
}

uint32_t NVVM(szext_clamp_s32)(uint32_t a, uint32_t n)
{
	return szext(a, n, true);
}

uint32_t NVVM(szext_wrap_u32)(uint32_t a, uint32_t n)
{
	return szext(a, n & 31, false);
}

uint32_t NVVM(szext_wrap_s32)(uint32_t a, uint32_t n)
{
	return szext(a, n & 31, true);
}
