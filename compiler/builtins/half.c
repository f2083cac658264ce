/* SPDX-License-Identifier: Apache-2.0 */
/* half.c - arithmetic and conversions of f16 and bf16, for the PTX translator:
 * llvm.nvvm.half.<operation>.<type>, numbers as 16 bits.
 *
 * add, sub and mul go through f32, whose 24 bits of precision make the second
 * rounding harmless (24 >= 2 * 11 + 2). fma is exact in double but for the
 * addition, which is rounded to odd, so that the rounding to a half is the only
 * one that counts. Every NaN that arithmetic makes is 0x7fff. */
#include "half.h"
#include "rounding.h"

#define NAN_HALF 0x7fffu

struct format {
	int precision, emin; /* bits with the hidden one; least normal exponent */
	uint16_t infinity;
};

static const struct format f16 = {11, -14, 0x7c00};
static const struct format bf16 = {8, -126, 0x7f80};

INLINE bool is_nan(uint16_t x, struct format f)
{
	return (x & 0x7fff) > f.infinity;
}

INLINE float widen_f16(uint16_t x)
{
	return is_nan(x, f16) ? NAN_F : (float)__builtin_bit_cast(_Float16, x);
}

INLINE float widen_bf16(uint16_t x)
{
	return bits_float((uint32_t)x << 16);
}

/* The same for arithmetic, which makes its own NaN in the end. */
INLINE float value_f16(uint16_t x)
{
	return (float)__builtin_bit_cast(_Float16, x);
}

INLINE float value_bf16(uint16_t x)
{
	return widen_bf16(x);
}

/* x rounded once to a half. */
INLINE uint16_t narrow(double x, enum rounding mode, struct format f)
{
	uint64_t b = double_bits(x);
	uint16_t sign = (uint16_t)(b >> 48 & 0x8000);
	int exponent = (int)(b >> 52 & 0x7ff) - 1023, quantum;
	double scaled;
	uint32_t bits;
	bool up = mode == RP ? !sign : mode == RM ? sign : false;

	if (x != x)
		return NAN_HALF;
	if (exponent == 1024)
		return sign | f.infinity;
	exponent = exponent < f.emin ? f.emin : exponent;
	quantum = exponent - (f.precision - 1);
	scaled = __builtin_fabs(x) * bits_double((uint64_t)(1023 - quantum) << 52);
	scaled = mode == RN ? __builtin_roundeven(scaled)
		 : up       ? __builtin_ceil(scaled)
			    : __builtin_floor(scaled);
	/* The hidden bit of a normal number is the lowest of its exponent. */
	bits = ((uint32_t)(exponent - f.emin) << (f.precision - 1)) + (uint32_t)scaled;
	if (bits >= f.infinity)
		return sign | (uint16_t)(mode == RN || up ? f.infinity : f.infinity - 1);
	return sign | (uint16_t)bits;
}

/* A NaN of double precision keeps its sign and the top of its payload. */
INLINE uint16_t narrow_nan(double x, struct format f)
{
	uint64_t b = double_bits(x);
	unsigned fraction = (unsigned)f.precision - 1;

	return (uint16_t)((b >> 48 & 0x8000) | f.infinity | 1u << (fraction - 1) |
			  (b >> (52 - fraction) & ((1u << fraction) - 1)));
}

INLINE uint16_t nearest_f16(float x)
{
	return x != x ? NAN_HALF : __builtin_bit_cast(uint16_t, (_Float16)x);
}

INLINE uint16_t nearest_bf16(float x)
{
	uint32_t b = float_bits(x);

	return x != x ? NAN_HALF : (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

/* ---- from other types -------------------------------------------------------- */

/* m as a double whose lowest bit stands for all that is lost. */
INLINE double whole(uint64_t m)
{
	if (m >> 53)
		return (double)(m >> 11 | ((m & 0x7ff) != 0)) * 0x1p11;
	return (double)m;
}

INLINE double whole_signed(int64_t x)
{
	double m = whole(x < 0 ? 0 - (uint64_t)x : (uint64_t)x);

	return x < 0 ? -m : m;
}

#define FROM(type, mode, MODE)                                                                     \
	uint16_t NVVM(half_from_f64_##mode##_##type)(double x)                                     \
	{                                                                                          \
		return x != x ? narrow_nan(x, type) : narrow(x, MODE, type);                       \
	}                                                                                          \
	uint16_t NVVM(half_from_s64_##mode##_##type)(int64_t x)                                    \
	{                                                                                          \
		return narrow(whole_signed(x), MODE, type);                                        \
	}                                                                                          \
	uint16_t NVVM(half_from_u64_##mode##_##type)(uint64_t x)                                   \
	{                                                                                          \
		return narrow(whole(x), MODE, type);                                               \
	}
#define FROM_FLOAT(type, mode, MODE)                                                               \
	uint16_t NVVM(half_from_f32_##mode##_##type)(float x)                                      \
	{                                                                                          \
		return narrow(x, MODE, type);                                                      \
	}
/* A list of calls without semicolons. */
/* clang-format off */
#define HALF_TYPE(type)                                                              \
	FROM(type, rn, RN) FROM(type, rz, RZ) FROM(type, rm, RM) FROM(type, rp, RP)  \
	FROM_FLOAT(type, rz, RZ) FROM_FLOAT(type, rm, RM) FROM_FLOAT(type, rp, RP)   \
	uint16_t NVVM(half_from_f32_rn_##type)(float x)                              \
	{                                                                            \
		return nearest_##type(x);                                            \
	}                                                                            \
	float NVVM(half_to_f32_##type)(uint16_t x)                                   \
	{                                                                            \
		return widen_##type(x);                                              \
	}
/* clang-format on */
HALF_TYPE(f16)
HALF_TYPE(bf16)

/* ---- arithmetic -------------------------------------------------------------- */

/* x as a float, to odd: exact where it can be, else the neighbour whose last bit
 * is set. */
INLINE float odd_float(double x)
{
	float f = (float)x;
	uint32_t b = float_bits(f);

	if ((double)f == x || x != x || (b & 1))
		return f;
	return bits_float(__builtin_fabsf(f) < __builtin_fabs(x) ? b + 1 : b - 1);
}

INLINE float fma_odd(float a, float b, float c)
{
	return odd_float(add_odd((double)a * b, c));
}

/* The lesser of two numbers; -0 is less than +0. */
INLINE float lesser(float a, float b)
{
	if (a != a)
		return b;
	if (b != b)
		return a;
	if (a == b)
		return float_bits(a) >> 31 ? a : b;
	return a < b ? a : b;
}

INLINE float greater(float a, float b)
{
	return -lesser(-a, -b);
}

#define MINMAX(type, name, choose)                                                                 \
	uint16_t NVVM(half_##name##_##type)(uint16_t a, uint16_t b)                                \
	{                                                                                          \
		return nearest_##type(choose(value_##type(a), value_##type(b)));                   \
	}                                                                                          \
	uint16_t NVVM(half_##name##_nan_##type)(uint16_t a, uint16_t b)                            \
	{                                                                                          \
		return is_nan(a, type) || is_nan(b, type) ? NAN_HALF                               \
							  : NVVM(half_##name##_##type)(a, b);      \
	}                                                                                          \
	uint16_t NVVM(half_##name##_xorsign_##type)(uint16_t a, uint16_t b)                        \
	{                                                                                          \
		uint16_t r = NVVM(half_##name##_##type)(a & 0x7fff, b & 0x7fff);                   \
		return r == NAN_HALF ? r : r | ((a ^ b) & 0x8000);                                 \
	}                                                                                          \
	uint16_t NVVM(half_##name##_nan_xorsign_##type)(uint16_t a, uint16_t b)                    \
	{                                                                                          \
		uint16_t r = NVVM(half_##name##_nan_##type)(a & 0x7fff, b & 0x7fff);               \
		return r == NAN_HALF ? r : r | ((a ^ b) & 0x8000);                                 \
	}

#define ARITHMETIC(type, one)                                                                      \
	uint16_t NVVM(half_add_##type)(uint16_t a, uint16_t b)                                     \
	{                                                                                          \
		return nearest_##type(value_##type(a) + value_##type(b));                          \
	}                                                                                          \
	uint16_t NVVM(half_sub_##type)(uint16_t a, uint16_t b)                                     \
	{                                                                                          \
		return nearest_##type(value_##type(a) - value_##type(b));                          \
	}                                                                                          \
	uint16_t NVVM(half_mul_##type)(uint16_t a, uint16_t b)                                     \
	{                                                                                          \
		return nearest_##type(value_##type(a) * value_##type(b));                          \
	}                                                                                          \
	uint16_t NVVM(half_fma_##type)(uint16_t a, uint16_t b, uint16_t c)                         \
	{                                                                                          \
		return nearest_##type(fma_odd(value_##type(a), value_##type(b), value_##type(c))); \
	}                                                                                          \
	MINMAX(type, min, lesser)                                                                  \
	MINMAX(type, max, greater)                                                                 \
	uint16_t NVVM(half_neg_##type)(uint16_t a)                                                 \
	{                                                                                          \
		return is_nan(a, type) ? NAN_HALF : a ^ 0x8000;                                    \
	}                                                                                          \
	uint16_t NVVM(half_abs_##type)(uint16_t a)                                                 \
	{                                                                                          \
		return is_nan(a, type) ? NAN_HALF : a & 0x7fff;                                    \
	}                                                                                          \
	uint16_t NVVM(half_flush_##type)(uint16_t a)                                               \
	{                                                                                          \
		return a & type.infinity ? a : a & 0x8000;                                         \
	}                                                                                          \
	/* To [0, 1]; NaN and -0 become 0. */                                                      \
	uint16_t NVVM(half_saturate_##type)(uint16_t a)                                            \
	{                                                                                          \
		return is_nan(a, type) || a >> 15 ? 0 : a > one ? one : a;                         \
	}                                                                                          \
	uint16_t NVVM(half_relu_##type)(uint16_t a)                                                \
	{                                                                                          \
		return is_nan(a, type) ? NAN_HALF : a >> 15 ? 0 : a;                               \
	}                                                                                          \
	/* Infinity becomes the largest number. */                                                 \
	uint16_t NVVM(half_finite_##type)(uint16_t a)                                              \
	{                                                                                          \
		return (a & 0x7fff) == type.infinity ? (uint16_t)(a - 1) : a;                      \
	}
ARITHMETIC(f16, 0x3c00)
ARITHMETIC(bf16, 0x3f80)

/* With .ftz, what is too small before it is rounded is 0 (add and sub of such
 * numbers round nothing). */
INLINE float flush_wide(float x)
{
	return __builtin_fabsf(x) < 0x1p-14f ? __builtin_copysignf(0, x) : x;
}

uint16_t NVVM(half_mul_ftz_f16)(uint16_t a, uint16_t b)
{
	return nearest_f16(flush_wide(value_f16(a) * value_f16(b)));
}

uint16_t NVVM(half_fma_ftz_f16)(uint16_t a, uint16_t b, uint16_t c)
{
	return nearest_f16(flush_wide(fma_odd(value_f16(a), value_f16(b), value_f16(c))));
}

/* What contract_half.c leaves alone. */
#define APART(op, type)                                                                            \
	uint16_t NVVM(half_##op##_rn_##type)(uint16_t a, uint16_t b)                               \
	{                                                                                          \
		return NVVM(half_##op##_##type)(a, b);                                             \
	}
APART(add, f16) APART(sub, f16) APART(mul, f16) APART(add, bf16) APART(sub, bf16) APART(mul, bf16)
