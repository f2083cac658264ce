/* SPDX-License-Identifier: Apache-2.0 */
/* narrow.h - half and bfloat16 to and from single precision.
 *
 * half uses the compiler's type (F16C in a body); bfloat16 is the upper half of
 * a float. An operation on either is one on floats, or on doubles rounded to odd
 * (rounding.h), and one rounding. */
#ifndef CUDASIM_BUILTINS_NARROW_H
#define CUDASIM_BUILTINS_NARROW_H

#include "rounding.h"

typedef _Float16 half;

union half_word {
	half h;
	uint16_t u;
};

INLINE uint16_t half_bits(half x)
{
	return (union half_word){.h = x}.u;
}

INLINE half bits_half(uint16_t x)
{
	return (union half_word){.u = x}.h;
}

#define NAN_H bits_half(0x7fff)
#define NAN_BF 0x7fff

INLINE half flush_h(half x)
{
	uint16_t b = half_bits(x);

	return (b & 0x7c00) == 0 ? bits_half(b & 0x8000) : x;
}

/* A NaN of any kind becomes the GPU's. */
INLINE half canonical_h(half x)
{
	return x != x ? NAN_H : x;
}

/* x rounded to half in the given mode; from double so that what was rounded to
 * odd before is rounded once. */
INLINE half double_to_half(double x, enum rounding mode)
{
	/* Round to odd at 24 bits first: half needs 11, and 24 >= 11 + 2. */
	float f = (float)x;
	half h;
	uint16_t b;

	if (x != x)
		return NAN_H;
	if ((double)f != x) {
		uint32_t w = float_bits(f);

		if (__builtin_fabs((double)f) > __builtin_fabs(x))
			w--;
		f = bits_float(w | 1);
	}
	h = (half)f;
	b = half_bits(h);
	if (mode == RN)
		return h;
	if ((float)h > f && (mode == RM || (mode == RZ && f > 0)))
		return bits_half((uint16_t)(b == 0 ? 0x8001 : b >> 15 ? b + 1 : b - 1));
	if ((float)h < f && (mode == RP || (mode == RZ && f < 0)))
		return bits_half((uint16_t)(b == 0x8000 ? 1 : b >> 15 ? b - 1 : b + 1));
	return h;
}

INLINE float bf_to_float(uint16_t x)
{
	return bits_float((uint32_t)x << 16);
}

/* x rounded to bfloat16; RN and RZ are all there are. */
INLINE uint16_t float_to_bf(float x, enum rounding mode)
{
	uint32_t b = float_bits(x);

	if (x != x)
		return NAN_BF;
	if (mode == RN)
		b += 0x7fff + (b >> 16 & 1);
	return (uint16_t)(b >> 16);
}

/* A double, rounded to odd before, to bfloat16. */
INLINE uint16_t double_to_bf(double x)
{
	float f = (float)x;

	if (x == x && (double)f != x) {
		uint32_t w = float_bits(f);

		if (__builtin_fabs((double)f) > __builtin_fabs(x))
			w--;
		f = bits_float(w | 1);
	}
	return float_to_bf(f, RN);
}

#endif
