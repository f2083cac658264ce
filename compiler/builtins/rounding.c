/* SPDX-License-Identifier: Apache-2.0 */
/* rounding.c - add, mul, fma, div, rcp and sqrt in each rounding mode, with and
 * without flushing of subnormals (.ftz, single precision only).
 *
 * The double precision forms that do not round to nearest change the mode
 * around one operation; they stay functions of their own (strictfp forbids
 * inlining them), which nobody but deliberate interval code calls. */
#include "rounding.h"

#define MODE_rn RN
#define MODE_rz RZ
#define MODE_rm RM
#define MODE_rp RP

#define SINGLE1(op, mode)                                                                          \
	float NVVM(op##_##mode##_f)(float a)                                                       \
	{                                                                                          \
		return canonical(op##_f(a, MODE_##mode));                                          \
	}                                                                                          \
	float NVVM(op##_##mode##_ftz_f)(float a)                                                   \
	{                                                                                          \
		return canonical(flush(op##_f(flush(a), MODE_##mode)));                            \
	}
#define SINGLE2(op, mode)                                                                          \
	float NVVM(op##_##mode##_f)(float a, float b)                                              \
	{                                                                                          \
		return canonical(op##_f(a, b, MODE_##mode));                                       \
	}                                                                                          \
	float NVVM(op##_##mode##_ftz_f)(float a, float b)                                          \
	{                                                                                          \
		return canonical(flush(op##_f(flush(a), flush(b), MODE_##mode)));                  \
	}
INLINE float rcp_f(float a, enum rounding mode)
{
	return div_f(1.0f, a, mode);
}

INLINE float sub_f(float a, float b, enum rounding mode)
{
	return add_f(a, -b, mode);
}

INLINE float tiny_product(float r, double exact, enum rounding mode)
{
	return is_tiny_rounded(exact, mode) ? bits_float(float_bits(r) & 0x80000000u) : r;
}

#define FLUSHED2(op, sign, mode)                                                                   \
	float NVVM(op##_##mode##_f)(float a, float b)                                              \
	{                                                                                          \
		return op##_f(a, b, MODE_##mode);                                                  \
	}                                                                                          \
	float NVVM(op##_##mode##_ftz_f)(float a, float b)                                          \
	{                                                                                          \
		float x = flush(a), y = flush(b);                                                  \
		return tiny_product(op##_f(x, y, MODE_##mode), (double)x sign(double) y,           \
				    MODE_##mode);                                                  \
	}
#define MUL(op, mode) FLUSHED2(mul, *, mode)
#define DIV(op, mode) FLUSHED2(div, /, mode)

/* As is_tiny_rounded() says, by twice the sum, which is rounded to as many bits. */
#define FMA(op, mode)                                                                              \
	float NVVM(op##_##mode##_f)(float a, float b, float c)                                     \
	{                                                                                          \
		return canonical(op##_f(a, b, c, MODE_##mode));                                    \
	}                                                                                          \
	float NVVM(op##_##mode##_ftz_f)(float a, float b, float c)                                 \
	{                                                                                          \
		float x = flush(a), y = flush(b), z = flush(c);                                    \
		float r = op##_f(x, y, z, MODE_##mode),                                            \
		      twice = op##_f(x + x, y, z + z, MODE_##mode);                                \
		return canonical(__builtin_fabsf(twice) < 0x1p-125f ? __builtin_copysignf(0, r)    \
								    : r);                          \
	}

#define ALL_MODES(M, op) M(op, rn) M(op, rz) M(op, rm) M(op, rp)
ALL_MODES(SINGLE2, add)
ALL_MODES(SINGLE2, sub)
ALL_MODES(MUL, mul)
ALL_MODES(DIV, div)
ALL_MODES(FMA, fma)
ALL_MODES(SINGLE1, rcp)
ALL_MODES(SINGLE1, sqrt)

/* sqrt.f is sqrt.rn.f; -prec-sqrt=false is pass_arithmetic.c's business. */
float NVVM(sqrt_f)(float a)
{
	return __builtin_sqrtf(a);
}

/* ---- double precision -------------------------------------------------------- */

double NVVM(add_rn_d)(double a, double b)
{
	return a + b;
}

double NVVM(sub_rn_d)(double a, double b)
{
	return a - b;
}

double NVVM(mul_rn_d)(double a, double b)
{
	return a * b;
}

double NVVM(div_rn_d)(double a, double b)
{
	return a / b;
}

double NVVM(fma_rn_d)(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}

double NVVM(rcp_rn_d)(double a)
{
	return 1.0 / a;
}

double NVVM(sqrt_rn_d)(double a)
{
	return __builtin_sqrt(a);
}

#pragma STDC FENV_ACCESS ON

/* LLVM's numbers of the modes (FLT_ROUNDS). */
#define FLT_rz 0
#define FLT_rp 2
#define FLT_rm 3

#define STRICT __attribute__((noinline))
#define IN_MODE(mode, expression)                                                                  \
	double r;                                                                                  \
	__builtin_set_flt_rounds(FLT_##mode);                                                      \
	r = (expression);                                                                          \
	__builtin_set_flt_rounds(1);                                                               \
	return r;

#define DIRECTED(mode)                                                                             \
	STRICT double NVVM(add_##mode##_d)(double a, double b)                                     \
	{                                                                                          \
		IN_MODE(mode, a + b);                                                              \
	}                                                                                          \
	STRICT double NVVM(sub_##mode##_d)(double a, double b)                                     \
	{                                                                                          \
		IN_MODE(mode, a - b);                                                              \
	}                                                                                          \
	STRICT double NVVM(mul_##mode##_d)(double a, double b)                                     \
	{                                                                                          \
		IN_MODE(mode, a *b);                                                               \
	}                                                                                          \
	STRICT double NVVM(div_##mode##_d)(double a, double b)                                     \
	{                                                                                          \
		IN_MODE(mode, a / b);                                                              \
	}                                                                                          \
	STRICT double NVVM(fma_##mode##_d)(double a, double b, double c)                           \
	{                                                                                          \
		IN_MODE(mode, __builtin_fma(a, b, c));                                             \
	}                                                                                          \
	STRICT double NVVM(rcp_##mode##_d)(double a)                                               \
	{                                                                                          \
		IN_MODE(mode, 1.0 / a);                                                            \
	}                                                                                          \
	STRICT double NVVM(sqrt_##mode##_d)(double a)                                              \
	{                                                                                          \
		IN_MODE(mode, __builtin_sqrt(a));                                                  \
	}
DIRECTED(rz)
DIRECTED(rm)
DIRECTED(rp)
