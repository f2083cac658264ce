/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c - conversions between number formats with a rounding mode.
 *
 * Float to integer saturates. A NaN becomes 0 where source and target are at
 * most 32 bits wide, else the target's top bit alone (recorded on an H200, see
 * tests/data/h200-convert.txt). */
#include "rounding.h"

INLINE float round_f(float x, enum rounding mode)
{
	switch (mode) {
	case RN:
		return __builtin_roundevenf(x);
	case RM:
		return __builtin_floorf(x);
	case RP:
		return __builtin_ceilf(x);
	default:
		return __builtin_truncf(x);
	}
}

INLINE double round_d(double x, enum rounding mode)
{
	switch (mode) {
	case RN:
		return __builtin_roundeven(x);
	case RM:
		return __builtin_floor(x);
	case RP:
		return __builtin_ceil(x);
	default:
		return __builtin_trunc(x);
	}
}

/* x is a whole number, an infinity or NaN; lo is the least of the target's range, hi one past
 * its end, last the largest number below hi that x's type has. Choices instead of branches:
 * what libdevice's functions convert of the same argument then is converted once. */
#define SATURATE(type, x, lo, last, hi, nan, max)                                                  \
	({                                                                                         \
		__typeof__(x) at_least = (x) > (lo) ? (x) : (lo);                                  \
		type t = (type)(at_least < (last) ? at_least : (last));                            \
		t = (x) >= (hi) ? (max) : t;                                                       \
		(x) != (x) ? (nan) : t;                                                            \
	})

/* The same where last is the target's largest number and a NaN becomes lo. */
#define CLAMP(type, x, lo, last)                                                                   \
	({                                                                                         \
		__typeof__(x) at_least = (x) > (lo) ? (x) : (lo);                                  \
		(type)(at_least < (last) ? at_least : (last));                                     \
	})

#define TO_INTEGERS(mode, MODE)                                                                    \
	int32_t NVVM(d2i_##mode)(double x)                                                         \
	{                                                                                          \
		double r = round_d(x, MODE);                                                       \
		return CLAMP(int32_t, r, -0x1p31, 2147483647.0);                                   \
	}                                                                                          \
	uint32_t NVVM(d2ui_##mode)(double x)                                                       \
	{                                                                                          \
		double r = round_d(x, MODE);                                                       \
		return SATURATE(uint32_t, r, 0.0, 4294967295.0, 0x1p32, 0x80000000u, UINT32_MAX);  \
	}                                                                                          \
	int64_t NVVM(d2ll_##mode)(double x)                                                        \
	{                                                                                          \
		double r = round_d(x, MODE);                                                       \
		return SATURATE(int64_t, r, -0x1p63, 0x1.fffffffffffffp62, 0x1p63, INT64_MIN,      \
				INT64_MAX);                                                        \
	}                                                                                          \
	uint64_t NVVM(d2ull_##mode)(double x)                                                      \
	{                                                                                          \
		double r = round_d(x, MODE);                                                       \
		return SATURATE(uint64_t, r, 0.0, 0x1.fffffffffffffp63, 0x1p64, 1ull << 63,        \
				UINT64_MAX);                                                       \
	}                                                                                          \
	int32_t NVVM(f2i_##mode)(float x)                                                          \
	{                                                                                          \
		float r = round_f(x, MODE);                                                        \
		return SATURATE(int32_t, r, -0x1p31f, 0x1.fffffep30f, 0x1p31f, 0, INT32_MAX);      \
	}                                                                                          \
	uint32_t NVVM(f2ui_##mode)(float x)                                                        \
	{                                                                                          \
		float r = round_f(x, MODE);                                                        \
		return SATURATE(uint32_t, r, 0.0f, 0x1.fffffep31f, 0x1p32f, 0, UINT32_MAX);        \
	}                                                                                          \
	int64_t NVVM(f2ll_##mode)(float x)                                                         \
	{                                                                                          \
		float r = round_f(x, MODE);                                                        \
		return SATURATE(int64_t, r, -0x1p63f, 0x1.fffffep62f, 0x1p63f, INT64_MIN,          \
				INT64_MAX);                                                        \
	}                                                                                          \
	uint64_t NVVM(f2ull_##mode)(float x)                                                       \
	{                                                                                          \
		float r = round_f(x, MODE);                                                        \
		return SATURATE(uint64_t, r, 0.0f, 0x1.fffffep63f, 0x1p64f, 1ull << 63,            \
				UINT64_MAX);                                                       \
	}                                                                                          \
	int32_t NVVM(f2i_##mode##_ftz)(float x)                                                    \
	{                                                                                          \
		return NVVM(f2i_##mode)(flush(x));                                                 \
	}                                                                                          \
	uint32_t NVVM(f2ui_##mode##_ftz)(float x)                                                  \
	{                                                                                          \
		return NVVM(f2ui_##mode)(flush(x));                                                \
	}                                                                                          \
	int64_t NVVM(f2ll_##mode##_ftz)(float x)                                                   \
	{                                                                                          \
		return NVVM(f2ll_##mode)(flush(x));                                                \
	}                                                                                          \
	uint64_t NVVM(f2ull_##mode##_ftz)(float x)                                                 \
	{                                                                                          \
		return NVVM(f2ull_##mode)(flush(x));                                               \
	}                                                                                          \
	float NVVM(d2f_##mode)(double x)                                                           \
	{                                                                                          \
		return round_to_float(x, MODE);                                                    \
	}                                                                                          \
	float NVVM(d2f_##mode##_ftz)(double x)                                                     \
	{                                                                                          \
		if (is_tiny_rounded(x, MODE))                                                      \
			return __builtin_copysignf(0, (float)x);                                   \
		return round_to_float(x, MODE);                                                    \
	}
TO_INTEGERS(rn, RN)
TO_INTEGERS(rz, RZ)
TO_INTEGERS(rm, RM)
TO_INTEGERS(rp, RP)

/* ---- integers to floating point ------------------------------------------------ */

/* Whether a magnitude has to grow when inexact. */
INLINE bool grows(bool negative, enum rounding mode)
{
	return negative ? mode == RM : mode == RP;
}

/* The magnitude m rounded to 53 bits, negated where negative is set. */
INLINE double wide_to_double(uint64_t m, bool negative, enum rounding mode)
{
	int shift = m >> 53 ? 11 - __builtin_clzll(m) : 0;
	uint64_t kept = m >> shift << shift;
	double r = (double)kept;

	if (kept != m && grows(negative, mode))
		r += (double)(1ull << shift);
	return negative ? -r : r;
}

/* The magnitude m as a double, rounded to odd. */
INLINE double wide_odd(uint64_t m, bool negative)
{
	int shift = m >> 53 ? 11 - __builtin_clzll(m) : 0;
	uint64_t kept = m >> shift;
	double r = (double)((kept | (kept << shift != m)) << shift);

	return negative ? -r : r;
}

INLINE uint64_t magnitude(int64_t x)
{
	return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

#define FROM_INTEGERS(mode, MODE)                                                                  \
	double NVVM(i2d_##mode)(int32_t x)                                                         \
	{                                                                                          \
		return (double)x;                                                                  \
	}                                                                                          \
	double NVVM(ui2d_##mode)(uint32_t x)                                                       \
	{                                                                                          \
		return (double)x;                                                                  \
	}                                                                                          \
	float NVVM(i2f_##mode)(int32_t x)                                                          \
	{                                                                                          \
		return MODE == RN ? (float)x : round_to_float((double)x, MODE);                    \
	}                                                                                          \
	float NVVM(ui2f_##mode)(uint32_t x)                                                        \
	{                                                                                          \
		return MODE == RN ? (float)x : round_to_float((double)x, MODE);                    \
	}                                                                                          \
	double NVVM(ll2d_##mode)(int64_t x)                                                        \
	{                                                                                          \
		return MODE == RN ? (double)x : wide_to_double(magnitude(x), x < 0, MODE);         \
	}                                                                                          \
	double NVVM(ull2d_##mode)(uint64_t x)                                                      \
	{                                                                                          \
		return MODE == RN ? (double)x : wide_to_double(x, false, MODE);                    \
	}                                                                                          \
	float NVVM(ll2f_##mode)(int64_t x)                                                         \
	{                                                                                          \
		return MODE == RN ? (float)x                                                       \
				  : round_to_float(wide_odd(magnitude(x), x < 0), MODE);           \
	}                                                                                          \
	float NVVM(ull2f_##mode)(uint64_t x)                                                       \
	{                                                                                          \
		return MODE == RN ? (float)x : round_to_float(wide_odd(x, false), MODE);           \
	}
FROM_INTEGERS(rn, RN)
FROM_INTEGERS(rz, RZ)
FROM_INTEGERS(rm, RM)
FROM_INTEGERS(rp, RP)

/* ---- bits ------------------------------------------------------------------------ */

double NVVM(lohi_i2d)(uint32_t lo, uint32_t hi)
{
	return bits_double((uint64_t)hi << 32 | lo);
}

uint32_t NVVM(d2i_lo)(double x)
{
	return (uint32_t)double_bits(x);
}

uint32_t NVVM(d2i_hi)(double x)
{
	return (uint32_t)(double_bits(x) >> 32);
}

uint32_t NVVM(bitcast_f2i)(float x)
{
	return float_bits(x);
}

float NVVM(bitcast_i2f)(uint32_t x)
{
	return bits_float(x);
}

uint64_t NVVM(bitcast_d2ll)(double x)
{
	return double_bits(x);
}

double NVVM(bitcast_ll2d)(uint64_t x)
{
	return bits_double(x);
}
