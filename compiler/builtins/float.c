/* SPDX-License-Identifier: Apache-2.0 */
/* float.c - absolute values, minima and maxima, saturation, rounding to whole
 * numbers, in single and double precision. */
#include "builtins.h"

/* ---- min and max ------------------------------------------------------------------
 *
 * A NaN loses against a number, -0 is less than +0, and two NaNs give the
 * canonical one. The .nan forms answer the canonical NaN when either is one;
 * .xorsign.abs compares magnitudes and gives the result the product's sign. */

INLINE float min_f(float a, float b)
{
	float r = a < b ? a : b;

	r = a == b ? bits_float(float_bits(a) | float_bits(b)) : r;
	r = b != b ? a : r; /* b itself came out when a alone is NaN */
	return r != r ? NAN_F : r;
}

INLINE float max_f(float a, float b)
{
	float r = a > b ? a : b;

	r = a == b ? bits_float(float_bits(a) & float_bits(b)) : r;
	r = b != b ? a : r;
	return r != r ? NAN_F : r;
}

INLINE float min_nan_f(float a, float b)
{
	return a != a || b != b ? NAN_F : min_f(a, b);
}

INLINE float max_nan_f(float a, float b)
{
	return a != a || b != b ? NAN_F : max_f(a, b);
}

INLINE float xorsign(float r, float a, float b)
{
	return bits_float((float_bits(r) & 0x7fffffffu) |
			  ((float_bits(a) ^ float_bits(b)) & 0x80000000u));
}

#define MINMAX(name, op)                                                                           \
	float NVVM(name##_f)(float a, float b)                                                     \
	{                                                                                          \
		return op##_f(a, b);                                                               \
	}                                                                                          \
	float NVVM(name##_ftz_f)(float a, float b)                                                 \
	{                                                                                          \
		return op##_f(flush(a), flush(b));                                                 \
	}                                                                                          \
	float NVVM(name##_nan_f)(float a, float b)                                                 \
	{                                                                                          \
		return op##_nan_f(a, b);                                                           \
	}                                                                                          \
	float NVVM(name##_ftz_nan_f)(float a, float b)                                             \
	{                                                                                          \
		return op##_nan_f(flush(a), flush(b));                                             \
	}                                                                                          \
	float NVVM(name##_xorsign_abs_f)(float a, float b)                                         \
	{                                                                                          \
		float r = op##_f(__builtin_fabsf(a), __builtin_fabsf(b));                          \
		return r != r ? r : xorsign(r, a, b);                                              \
	}                                                                                          \
	float NVVM(name##_nan_xorsign_abs_f)(float a, float b)                                     \
	{                                                                                          \
		float r = op##_nan_f(__builtin_fabsf(a), __builtin_fabsf(b));                      \
		return r != r ? r : xorsign(r, a, b);                                              \
	}                                                                                          \
	float NVVM(name##_ftz_xorsign_abs_f)(float a, float b)                                     \
	{                                                                                          \
		return NVVM(name##_xorsign_abs_f)(flush(a), flush(b));                             \
	}                                                                                          \
	float NVVM(name##_ftz_nan_xorsign_abs_f)(float a, float b)                                 \
	{                                                                                          \
		return NVVM(name##_nan_xorsign_abs_f)(flush(a), flush(b));                         \
	}
MINMAX(fmin, min)
MINMAX(fmax, max)

/* Of two NaNs the double precision forms answer the first, made quiet. */
#define QUIET(x) bits_double(double_bits(x) | 1ull << 51)

double NVVM(fmin_d)(double a, double b)
{
	double r = a < b ? a : b;

	r = a == b ? bits_double(double_bits(a) | double_bits(b)) : r;
	r = b != b ? a : r;
	return r != r ? QUIET(r) : r;
}

double NVVM(fmax_d)(double a, double b)
{
	double r = a > b ? a : b;

	r = a == b ? bits_double(double_bits(a) & double_bits(b)) : r;
	r = b != b ? a : r;
	return r != r ? QUIET(r) : r;
}

/* ---- saturation to [0, 1]: a NaN becomes +0 ------------------------------------------ */

float NVVM(saturate_f)(float a)
{
	return a > 0 ? (a < 1 ? a : 1.0f) : 0.0f;
}

float NVVM(saturate_ftz_f)(float a)
{
	return NVVM(saturate_f)(flush(a));
}

double NVVM(saturate_d)(double a)
{
	return a > 0 ? (a < 1 ? a : 1.0) : 0.0;
}

/* ---- signs ------------------------------------------------------------------------------ */

float NVVM(fabs_f)(float a)
{
	return __builtin_fabsf(a);
}

float NVVM(fabs_ftz_f)(float a)
{
	return __builtin_fabsf(flush(a));
}

double NVVM(fabs_d)(double a)
{
	return a != a ? QUIET(a) : __builtin_fabs(a); /* a NaN keeps its sign */
}

/* ---- whole numbers -------------------------------------------------------------------------- */

#define WHOLE(name, function)                                                                      \
	float NVVM(name##_f)(float a)                                                              \
	{                                                                                          \
		return __builtin_##function##f(a);                                                 \
	}                                                                                          \
	float NVVM(name##_ftz_f)(float a)                                                          \
	{                                                                                          \
		return __builtin_##function##f(flush(a));                                          \
	}                                                                                          \
	double NVVM(name##_d)(double a)                                                            \
	{                                                                                          \
		return __builtin_##function(a);                                                    \
	}
WHOLE(floor, floor)
WHOLE(ceil, ceil)
WHOLE(trunc, trunc)
/* PTX's cvt.rni: ties to even, unlike C's round. */
WHOLE(round, roundeven)
