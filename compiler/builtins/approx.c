/* SPDX-License-Identifier: Apache-2.0 */
/* approx.c - the approximate instructions, from the special function unit's own
 * results (unit.h) and the scaling that PTX's forms without .ftz put around the
 * unit, which flushes subnormals. */
#include "unit.h"

/* ---- flushing forms: the unit as it is ------------------------------------------- */

#define FLUSHING(name, unit)                                                                       \
	float NVVM(name##_approx_ftz_f)(float a)                                                   \
	{                                                                                          \
		return unit(flush(a));                                                             \
	}
FLUSHING(rcp, unit_rcp)
FLUSHING(rsqrt, unit_rsqrt)
FLUSHING(sqrt, unit_sqrt)
FLUSHING(lg2, unit_lg2)
FLUSHING(ex2, unit_ex2)
FLUSHING(sin, unit_sin)
FLUSHING(cos, unit_cos)

float NVVM(tanh_approx_f32)(float a)
{
	return unit_tanh(a);
}

/* ---- forms that keep subnormals ------------------------------------------------------ */

INLINE bool is_tiny(float a)
{
	return __builtin_fabsf(a) < 0x1p-126f;
}

/* The true quotient's scale is put back by a product that may round. */
float NVVM(rcp_approx_f)(float a)
{
	float magnitude = __builtin_fabsf(a);

	if (is_tiny(a))
		return unit_rcp(a * 0x1p24f) * 0x1p24f;
	if (magnitude > 0x1p126f && magnitude < __builtin_inff())
		return unit_rcp(a * 0.25f) * 0.25f;
	return unit_rcp(a);
}

float NVVM(rsqrt_approx_f)(float a)
{
	return is_tiny(a) ? unit_rsqrt(a * 0x1p24f) * 0x1p12f : unit_rsqrt(a);
}

float NVVM(sqrt_approx_f)(float a)
{
	return is_tiny(a) ? unit_sqrt(a * 0x1p24f) * 0x1p-12f : unit_sqrt(a);
}

float NVVM(lg2_approx_f)(float a)
{
	return is_tiny(a) ? unit_lg2(a * 0x1p24f) - 24.0f : unit_lg2(a);
}

float NVVM(ex2_approx_f)(float a)
{
	float r;

	if (!(a < -126.0f))
		return unit_ex2(flush(a));
	r = unit_ex2(a * 0.5f);
	return r * r;
}

float NVVM(sin_approx_f)(float a)
{
	return unit_sin(a);
}

float NVVM(cos_approx_f)(float a)
{
	return unit_cos(a);
}

/* ---- division -------------------------------------------------------------------------- */

/* A product is 0 where it is subnormal when it is rounded without a smallest exponent. */
INLINE float product_ftz(float x, float y)
{
	return __builtin_fabsf((x + x) * y) < 0x1p-125f ? __builtin_copysignf(0.0f, x * y) : x * y;
}

float NVVM(div_approx_ftz_f)(float a, float b)
{
	return product_ftz(flush(a), unit_rcp(flush(b)));
}

/* A subnormal divisor is scaled; one above 2^126 has the reciprocal 0. */
float NVVM(div_approx_f)(float a, float b)
{
	if (is_tiny(b))
		return a * 0x1p24f * unit_rcp(b * 0x1p24f);
	return a * unit_rcp(b);
}

float NVVM(div_full_ftz_f)(float a, float b)
{
	float x = flush(a), y = flush(b);

	if (__builtin_fabsf(y) > 0x1p126f) {
		x = flush(x * 0.25f);
		y *= 0.25f;
	}
	return product_ftz(x, unit_rcp(y));
}

float NVVM(div_full_f)(float a, float b)
{
	float scale = 1.0f;

	if (__builtin_fabsf(b) > 0x1p126f)
		scale = 0.25f;
	else if (is_tiny(b))
		scale = 0x1p24f;
	return a * scale * unit_rcp(b * scale);
}

/* ---- double precision: the upper word alone goes in and comes out ----------------------- */

/* The upper word's sign, exponent and 20 mantissa bits from a unit's result for
 * the operand scaled into [1, 4), whose exponent is moved by e. */
INLINE double unit_wide(uint32_t sign, float r, int32_t e)
{
	int32_t high = (int32_t)(float_bits(r) >> 3) + ((1023 - 127 + e) << 20);

	return bits_double((uint64_t)(sign | (high < 0x00100000 ? 0 : (uint32_t)high)) << 32);
}

#define NAN_WIDE bits_double(0x7fffffff00000000ull)

double NVVM(rcp_approx_ftz_d)(double a)
{
	uint32_t high = (uint32_t)(double_bits(a) >> 32), sign = high & 0x80000000u;
	uint32_t m = high & 0xfffff;
	int32_t e = (int32_t)(high >> 20 & 0x7ff);

	if (e == 0)
		return bits_double((uint64_t)(sign | 0x7ff00000u) << 32);
	if (e == 0x7ff)
		return m ? NAN_WIDE : bits_double((uint64_t)sign << 32);
	return unit_wide(sign, unit_rcp(bits_float(0x3f800000u | m << 3)), 1023 - e);
}

double NVVM(rsqrt_approx_ftz_d)(double a)
{
	uint32_t high = (uint32_t)(double_bits(a) >> 32), m = high & 0xfffff;
	int32_t e = (int32_t)(high >> 20 & 0x7ff);
	uint32_t operand = (e & 1 ? 0x3f800000u : 0x40000000u) | m << 3;

	if (e == 0)
		return bits_double((uint64_t)((high & 0x80000000u) | 0x7ff00000u) << 32);
	if ((e == 0x7ff && m) || high >> 31)
		return NAN_WIDE;
	if (e == 0x7ff)
		return 0.0;
	return unit_wide(0, unit_rsqrt(bits_float(operand)), -((e - 1023) >> 1));
}

/* One step of third order from the unit's result. */
double NVVM(rsqrt_approx_d)(double a)
{
	bool tiny = a < 0x1p-1022;
	double x = tiny ? a * 0x1p54 : a, y, e;

	if (!(a > 0 && a < __builtin_inf())) {
		if (a != a)
			return bits_double(double_bits(a) | 1ull << 51);
		if (a == 0)
			return bits_double(double_bits(a) | 0x7ff0000000000000ull);
		return a < 0 ? bits_double(0xfff8000000000000ull) : 0.0;
	}
	y = NVVM(rsqrt_approx_ftz_d)(x);
	e = __builtin_fma(x, -(y * y), 1.0);
	y = __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
	return tiny ? y * 0x1p27 : y;
}
