/* SPDX-License-Identifier: Apache-2.0 */
/* rounding.h - directed rounding to single precision without a mode register.
 *
 * A single precision operation is first done in double precision and rounded
 * to odd: toward zero, with the last bit set when anything was lost. Rounding
 * that to 24 bits or fewer, in any mode, gives the exact operation's result,
 * because 53 >= 24 + 2 (Boldo and Melquiond, "Emulation of FMA and correctly
 * rounded sums: proved algorithms using rounding to odd", 2008). What was lost
 * is known exactly: by TwoSum for sums, by one fma for quotients and roots;
 * products of two singles lose nothing. No branches, so loops over it become
 * vectors. */
#ifndef CUDASIM_BUILTINS_ROUNDING_H
#define CUDASIM_BUILTINS_ROUNDING_H

#include "builtins.h"

/* The neighbour of x toward -inf or +inf; x is no NaN and not that infinity. */
INLINE float next_down(float x)
{
	uint32_t b = float_bits(x);

	return bits_float(b == 0 ? 0x80000001u : b >> 31 ? b + 1 : b - 1);
}

INLINE float next_up(float x)
{
	uint32_t b = float_bits(x);

	return bits_float(b == 0x80000000u ? 1 : b >> 31 ? b - 1 : b + 1);
}

/* x rounded to single precision in the given mode. */
INLINE float round_to_float(double x, enum rounding mode)
{
	float f = (float)x;

	if (mode == RN)
		return f;
	if ((double)f > x && (mode == RM || (mode == RZ && x > 0)))
		return next_down(f);
	if ((double)f < x && (mode == RP || (mode == RZ && x < 0)))
		return next_up(f);
	return f;
}

/* Whether .ftz flushes the result x: what is tiny after a rounding to 24 bits
 * that knows no smallest exponent (seen on an H200). */
INLINE bool is_tiny_rounded(double x, enum rounding mode)
{
	return __builtin_fabsf(round_to_float(x * 0x1p64, mode)) < 0x1p-62f;
}

/* The exact value x + lost, |lost| at most half a unit of x, rounded to odd;
 * a lost that is NaN counts as 0. */
INLINE double to_odd(double x, double lost)
{
	uint64_t b = double_bits(x);
	bool away = (lost > 0) == (x > 0);

	if ((lost > 0 || lost < 0) && (b & 1) == 0)
		b += away ? 1 : -1ull;
	return bits_double(b);
}

/* a + b rounded to odd, for a and b in the range of products of singles. */
INLINE double add_odd(double a, double b)
{
	double s = a + b, bb = s - a;

	return to_odd(s, (a - (s - bb)) + (b - bb));
}

/* A sum that is zero is -0 when rounding down, unless both were +0. */
INLINE float zero_sum(float sum, double a, double b, enum rounding mode)
{
	bool both_plus = ((double_bits(a) | double_bits(b)) >> 63) == 0;

	return mode == RM && sum == 0 && a + b == 0 && !both_plus ? -0.0f : sum;
}

/* A result's NaN is the GPU's; conversions pass theirs on. */
INLINE float canonical(float r)
{
	return r != r ? NAN_F : r;
}

INLINE float add_f(float a, float b, enum rounding mode)
{
	if (mode == RN)
		return a + b;
	return canonical(zero_sum(round_to_float(add_odd(a, b), mode), a, b, mode));
}

INLINE float mul_f(float a, float b, enum rounding mode)
{
	return mode == RN ? a * b : canonical(round_to_float((double)a * (double)b, mode));
}

INLINE float fma_f(float a, float b, float c, enum rounding mode)
{
	double p = (double)a * (double)b;

	if (mode == RN)
		return __builtin_fmaf(a, b, c);
	return canonical(zero_sum(round_to_float(add_odd(p, c), mode), p, c, mode));
}

INLINE float div_f(float a, float b, enum rounding mode)
{
	double q = (double)a / (double)b, r = __builtin_fma(-q, b, a);

	if (mode == RN)
		return a / b;
	/* r is what a has too much, so q's error has r's sign over b's. */
	return canonical(round_to_float(to_odd(q, b < 0 ? -r : r), mode));
}

INLINE float sqrt_f(float a, enum rounding mode)
{
	double q = __builtin_sqrt((double)a);

	if (mode == RN)
		return __builtin_sqrtf(a);
	return canonical(round_to_float(to_odd(q, __builtin_fma(-q, q, a)), mode));
}

#endif
