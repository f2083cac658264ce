/* SPDX-License-Identifier: Apache-2.0 */
/* narrow.c - arithmetic and conversions of half, bfloat16 and pairs of them.
 *
 * Names after NVVM's intrinsics (fma.rn.f16, fmin.nan.f16x2, ff2bf16x2.rn) and,
 * for what only PTX has (add.f16, cvt), by the same pattern. A pair is the
 * operation on each half of a word. */
#include "narrow.h"
#include "unit.h"

/* ---- the modifiers ------------------------------------------------------------------- */

INLINE half sat_h(half x)
{
	return x > (half)0 ? (x < (half)1 ? x : (half)1) : (half)0;
}

INLINE half relu_h(half x)
{
	return x != x ? NAN_H : x > (half)0 ? x : (half)0;
}

INLINE uint16_t sat_bf(uint16_t x)
{
	float f = bf_to_float(x);

	return f > 0 ? (f < 1 ? x : 0x3f80) : 0;
}

INLINE uint16_t relu_bf(uint16_t x)
{
	float f = bf_to_float(x);

	return f != f ? NAN_BF : f > 0 ? x : 0;
}

#define SAME(x) (x)

/* Pairs: fn on both halves of the words. */
#define PAIR1(name, fn, unpack, pack)                                                              \
	uint32_t NVVM(name)(uint32_t a)                                                            \
	{                                                                                          \
		return pack(fn(unpack((uint16_t)a))) |                                             \
		       (uint32_t)pack(fn(unpack((uint16_t)(a >> 16)))) << 16;                      \
	}
#define PAIR2(name, fn, unpack, pack)                                                              \
	uint32_t NVVM(name)(uint32_t a, uint32_t b)                                                \
	{                                                                                          \
		return pack(fn(unpack((uint16_t)a), unpack((uint16_t)b))) |                        \
		       (uint32_t)pack(                                                             \
			       fn(unpack((uint16_t)(a >> 16)), unpack((uint16_t)(b >> 16))))       \
			       << 16;                                                              \
	}
#define PAIR3(name, fn, unpack, pack)                                                              \
	uint32_t NVVM(name)(uint32_t a, uint32_t b, uint32_t c)                                    \
	{                                                                                          \
		return pack(fn(unpack((uint16_t)a), unpack((uint16_t)b), unpack((uint16_t)c))) |   \
		       (uint32_t)pack(fn(unpack((uint16_t)(a >> 16)), unpack((uint16_t)(b >> 16)), \
					 unpack((uint16_t)(c >> 16))))                             \
			       << 16;                                                              \
	}

/* ---- half: add, sub, mul, fma ------------------------------------------------------------ */

INLINE half add_h(half a, half b)
{
	return canonical_h((half)((float)a + (float)b));
}

INLINE half sub_h(half a, half b)
{
	return canonical_h((half)((float)a - (float)b));
}

INLINE half mul_h(half a, half b)
{
	return canonical_h((half)((float)a * (float)b));
}

/* A product of halves is exact in single precision, the sum in double. */
INLINE half fma_h(half a, half b, half c)
{
	return double_to_half((double)((float)a * (float)b) + (double)(float)c, RN);
}

#define HALF2(op, suffix, in, out)                                                                 \
	half NVVM(op##_rn##suffix##_f16)(half a, half b)                                           \
	{                                                                                          \
		return out(op##_h(in(a), in(b)));                                                  \
	}                                                                                          \
	PAIR2(op##_rn##suffix##_f16x2, NVVM(op##_rn##suffix##_f16), bits_half, half_bits)
#define HALF3(op, suffix, in, out)                                                                 \
	half NVVM(op##_rn##suffix##_f16)(half a, half b, half c)                                   \
	{                                                                                          \
		return out(op##_h(in(a), in(b), in(c)));                                           \
	}                                                                                          \
	PAIR3(op##_rn##suffix##_f16x2, NVVM(op##_rn##suffix##_f16), bits_half, half_bits)

#define SAT_FLUSH(x) sat_h(flush_h(x))
#define RELU_FLUSH(x) relu_h(flush_h(x))
#define ALL_HALF(M, op)                                                                            \
	M(op, , SAME, SAME)                                                                        \
	M(op, _ftz, flush_h, flush_h)                                                              \
	M(op, _sat, SAME, sat_h)                                                                   \
	M(op, _ftz_sat, flush_h, SAT_FLUSH)                                                        \
	M(op, _relu, SAME, relu_h)                                                                 \
	M(op, _ftz_relu, flush_h, RELU_FLUSH)
ALL_HALF(HALF2, add)
ALL_HALF(HALF2, sub)
ALL_HALF(HALF2, mul)
ALL_HALF(HALF3, fma)

/* ---- bfloat16 -------------------------------------------------------------------------- */

INLINE uint16_t add_b(uint16_t a, uint16_t b)
{
	return double_to_bf(add_odd((double)bf_to_float(a), (double)bf_to_float(b)));
}

INLINE uint16_t sub_b(uint16_t a, uint16_t b)
{
	return add_b(a, b ^ 0x8000);
}

INLINE uint16_t mul_b(uint16_t a, uint16_t b)
{
	return double_to_bf((double)bf_to_float(a) * (double)bf_to_float(b));
}

INLINE uint16_t fma_b(uint16_t a, uint16_t b, uint16_t c)
{
	double p = (double)bf_to_float(a) * (double)bf_to_float(b);

	return double_to_bf(add_odd(p, (double)bf_to_float(c)));
}

/* .ftz exists for the intrinsics' sake; bfloat16 has a single's exponents. */
INLINE uint16_t flush_b(uint16_t x)
{
	return (x & 0x7f80) == 0 ? x & 0x8000 : x;
}

#define BF2(op, suffix, in, out)                                                                   \
	uint16_t NVVM(op##_rn##suffix##_bf16)(uint16_t a, uint16_t b)                              \
	{                                                                                          \
		return out(op##_b(in(a), in(b)));                                                  \
	}                                                                                          \
	PAIR2(op##_rn##suffix##_bf16x2, NVVM(op##_rn##suffix##_bf16), SAME, SAME)
#define BF3(op, suffix, in, out)                                                                   \
	uint16_t NVVM(op##_rn##suffix##_bf16)(uint16_t a, uint16_t b, uint16_t c)                  \
	{                                                                                          \
		return out(op##_b(in(a), in(b), in(c)));                                           \
	}                                                                                          \
	PAIR3(op##_rn##suffix##_bf16x2, NVVM(op##_rn##suffix##_bf16), SAME, SAME)
#define SAT_FLUSH_B(x) sat_bf(flush_b(x))
#define RELU_FLUSH_B(x) relu_bf(flush_b(x))
#define ALL_BF(M, op)                                                                              \
	M(op, , SAME, SAME)                                                                        \
	M(op, _ftz, flush_b, flush_b)                                                              \
	M(op, _sat, SAME, sat_bf)                                                                  \
	M(op, _ftz_sat, flush_b, SAT_FLUSH_B)                                                      \
	M(op, _relu, SAME, relu_bf)                                                                \
	M(op, _ftz_relu, flush_b, RELU_FLUSH_B)
ALL_BF(BF2, add)
ALL_BF(BF2, sub)
ALL_BF(BF2, mul)
ALL_BF(BF3, fma)

/* ---- signs ------------------------------------------------------------------------------ */

INLINE uint16_t abs_w(uint16_t x)
{
	return x & 0x7fff;
}

INLINE uint16_t neg_w(uint16_t x)
{
	return x ^ 0x8000;
}

INLINE uint16_t abs_flush_w(uint16_t x)
{
	return half_bits(flush_h(bits_half(x))) & 0x7fff;
}

INLINE uint16_t neg_flush_w(uint16_t x)
{
	return half_bits(flush_h(bits_half(x))) ^ 0x8000;
}

#define SIGNS(name, fn)                                                                            \
	uint16_t NVVM(name)(uint16_t a)                                                            \
	{                                                                                          \
		return fn(a);                                                                      \
	}                                                                                          \
	PAIR1(name##x2, fn, SAME, SAME)
SIGNS(abs_bf16, abs_w)
SIGNS(neg_bf16, neg_w)
SIGNS(abs_f16, abs_w)
SIGNS(neg_f16, neg_w)
SIGNS(abs_ftz_f16, abs_flush_w)
SIGNS(neg_ftz_f16, neg_flush_w)

/* ---- min and max, as in float.c ------------------------------------------------------------ */

INLINE uint16_t pick_w(uint16_t a, uint16_t b, float x, float y, bool is_max, bool nan)
{
	if (nan ? x != x || y != y : x != x && y != y)
		return 0x7fff;
	if (x != x || y != y)
		return x != x ? b : a;
	if (x == y)
		return is_max ? a & b : a | b;
	return (x < y) != is_max ? a : b;
}

INLINE uint16_t sign_w(uint16_t r, uint16_t a, uint16_t b)
{
	return r == 0x7fff ? r : (uint16_t)((r & 0x7fff) | ((a ^ b) & 0x8000));
}

#define HALF_VALUE(x) ((float)bits_half(x))
#define FLUSH_W(x) half_bits(flush_h(bits_half(x)))

#define PICK(name, type, value, in, is_max, nan)                                                   \
	uint16_t NVVM(name##_##type)(uint16_t a, uint16_t b)                                       \
	{                                                                                          \
		return pick_w(in(a), in(b), value(in(a)), value(in(b)), is_max, nan);              \
	}                                                                                          \
	PAIR2(name##_##type##x2, NVVM(name##_##type), SAME, SAME)                                  \
	uint16_t NVVM(name##_xorsign_abs_##type)(uint16_t a, uint16_t b)                           \
	{                                                                                          \
		uint16_t x = in(a) & 0x7fff, y = in(b) & 0x7fff;                                   \
		return sign_w(pick_w(x, y, value(x), value(y), is_max, nan), a, b);                \
	}                                                                                          \
	PAIR2(name##_xorsign_abs_##type##x2, NVVM(name##_xorsign_abs_##type), SAME, SAME)
#define PICKS(name, is_max)                                                                        \
	PICK(name, f16, HALF_VALUE, SAME, is_max, false)                                           \
	PICK(name##_nan, f16, HALF_VALUE, SAME, is_max, true)                                      \
	PICK(name##_ftz, f16, HALF_VALUE, FLUSH_W, is_max, false)                                  \
	PICK(name##_ftz_nan, f16, HALF_VALUE, FLUSH_W, is_max, true)                               \
	PICK(name, bf16, bf_to_float, SAME, is_max, false)                                         \
	PICK(name##_nan, bf16, bf_to_float, SAME, is_max, true)                                    \
	PICK(name##_ftz, bf16, bf_to_float, flush_b, is_max, false)                                \
	PICK(name##_ftz_nan, bf16, bf_to_float, flush_b, is_max, true)
PICKS(fmin, false)
PICKS(fmax, true)

/* ---- conversions --------------------------------------------------------------------------- */

#define F2H(mode, MODE)                                                                            \
	uint16_t NVVM(f2h_##mode)(float x)                                                         \
	{                                                                                          \
		return half_bits(double_to_half((double)x, MODE));                                 \
	}                                                                                          \
	uint16_t NVVM(f2h_##mode##_ftz)(float x)                                                   \
	{                                                                                          \
		return NVVM(f2h_##mode)(flush(x));                                                 \
	}                                                                                          \
	uint16_t NVVM(d2h_##mode)(double x)                                                        \
	{                                                                                          \
		return half_bits(double_to_half(x, MODE));                                         \
	}
F2H(rn, RN)
F2H(rz, RZ)
F2H(rm, RM)
F2H(rp, RP)

float NVVM(h2f)(uint16_t x)
{
	float r = (float)bits_half(x);

	return r != r ? NAN_F : r;
}

#define F2BF(mode, MODE)                                                                           \
	uint16_t NVVM(f2bf16_##mode)(float x)                                                      \
	{                                                                                          \
		return float_to_bf(x, MODE);                                                       \
	}                                                                                          \
	uint16_t NVVM(f2bf16_##mode##_relu)(float x)                                               \
	{                                                                                          \
		return relu_bf(float_to_bf(x, MODE));                                              \
	}                                                                                          \
	/* The first operand goes to the upper half. */                                            \
	uint32_t NVVM(ff2bf16x2_##mode)(float a, float b)                                          \
	{                                                                                          \
		return (uint32_t)float_to_bf(a, MODE) << 16 | float_to_bf(b, MODE);                \
	}                                                                                          \
	uint32_t NVVM(ff2bf16x2_##mode##_relu)(float a, float b)                                   \
	{                                                                                          \
		return (uint32_t)relu_bf(float_to_bf(a, MODE)) << 16 |                             \
		       relu_bf(float_to_bf(b, MODE));                                              \
	}                                                                                          \
	uint32_t NVVM(ff2f16x2_##mode)(float a, float b)                                           \
	{                                                                                          \
		return (uint32_t)NVVM(f2h_##mode)(a) << 16 | NVVM(f2h_##mode)(b);                  \
	}                                                                                          \
	uint16_t NVVM(f2h_##mode##_relu)(float x)                                                  \
	{                                                                                          \
		return half_bits(relu_h(double_to_half((double)x, MODE)));                         \
	}                                                                                          \
	uint32_t NVVM(ff2f16x2_##mode##_relu)(float a, float b)                                    \
	{                                                                                          \
		return (uint32_t)NVVM(f2h_##mode##_relu)(a) << 16 | NVVM(f2h_##mode##_relu)(b);    \
	}
F2BF(rn, RN)
F2BF(rz, RZ)

/* tf32: 10 mantissa bits, ties away from zero. */
uint32_t NVVM(f2tf32_rna)(float x)
{
	uint32_t b = float_bits(x);

	if (x != x)
		return 0x7fffffff;
	return (b & 0x7f800000u) == 0x7f800000u ? b : (b + 0x1000) & ~0x1fffu;
}

uint16_t NVVM(bf2h_rn)(uint16_t x)
{
	return NVVM(f2h_rn)(bf_to_float(x));
}

uint16_t NVVM(bf2h_rn_ftz)(uint16_t x)
{
	return NVVM(f2h_rn)(flush(bf_to_float(x)));
}

/* ---- approximations ----------------------------------------------------------------------- */

/* The unit's result is cut off to fit, but what is too large is infinite. */
uint16_t NVVM(half_cut_f16)(float x)
{
	return x >= 65536.0f ? 0x7c00 : half_bits(double_to_half((double)x, RZ));
}

uint16_t NVVM(half_cut_bf16)(float x)
{
	return float_to_bf(x, RZ);
}

INLINE half ex2_h(half x)
{
	return bits_half(NVVM(half_cut_f16)(unit_ex2((float)x)));
}

INLINE half tanh_h(half x)
{
	return double_to_half((double)unit_tanh((float)x), RZ);
}

INLINE uint16_t ex2_b(uint16_t x)
{
	return float_to_bf(unit_ex2(flush(bf_to_float(x))), RZ);
}

INLINE uint16_t tanh_b(uint16_t x)
{
	return float_to_bf(unit_tanh(bf_to_float(x)), RZ);
}

half NVVM(ex2_approx_f16)(half x)
{
	return ex2_h(x);
}

half NVVM(tanh_approx_f16)(half x)
{
	return tanh_h(x);
}

uint16_t NVVM(ex2_approx_ftz_bf16)(uint16_t x)
{
	return ex2_b(x);
}

uint16_t NVVM(tanh_approx_bf16)(uint16_t x)
{
	return tanh_b(x);
}

PAIR1(ex2_approx_f16x2, ex2_h, bits_half, half_bits)
PAIR1(tanh_approx_f16x2, tanh_h, bits_half, half_bits)
PAIR1(ex2_approx_ftz_bf16x2, ex2_b, SAME, SAME)
PAIR1(tanh_approx_bf16x2, tanh_b, SAME, SAME)
