/* SPDX-License-Identifier: Apache-2.0 */
/* integer.c - integer and bit instructions, as "Integer Arithmetic
 * Instructions" and "Data Movement" of the PTX manual define them. Names that
 * are not NVVM intrinsics serve the PTX translator. */
#include "builtins.h"

/* ---- products -------------------------------------------------------------- */

int16_t NVVM(mulhi_s)(int16_t a, int16_t b)
{
	return (int16_t)((a * b) >> 16);
}

uint16_t NVVM(mulhi_us)(uint16_t a, uint16_t b)
{
	return (uint16_t)(((uint32_t)a * b) >> 16);
}

int32_t NVVM(mulhi_i)(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)a * b) >> 32);
}

uint32_t NVVM(mulhi_ui)(uint32_t a, uint32_t b)
{
	return (uint32_t)(((uint64_t)a * b) >> 32);
}

int64_t NVVM(mulhi_ll)(int64_t a, int64_t b)
{
	return (int64_t)(((__int128)a * b) >> 64);
}

uint64_t NVVM(mulhi_ull)(uint64_t a, uint64_t b)
{
	return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

/* The low 24 bits of x with their sign. */
INLINE int64_t signed24(uint32_t x)
{
	return (int32_t)(x << 8) >> 8;
}

int32_t NVVM(mul24_i)(int32_t a, int32_t b)
{
	return (int32_t)(signed24((uint32_t)a) * signed24((uint32_t)b));
}

uint32_t NVVM(mul24_ui)(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff));
}

int32_t NVVM(mul24_hi_i)(int32_t a, int32_t b)
{
	return (int32_t)((signed24((uint32_t)a) * signed24((uint32_t)b)) >> 16);
}

uint32_t NVVM(mul24_hi_ui)(uint32_t a, uint32_t b)
{
	return (uint32_t)(((uint64_t)(a & 0xffffff) * (b & 0xffffff)) >> 16);
}

/* Byte products: the letters say whether a's and b's bytes are signed. */
INLINE int32_t byte_of(uint32_t x, unsigned i, bool is_signed)
{
	uint32_t b = x >> (8 * i) & 0xff;

	return is_signed ? (int8_t)b : (int32_t)b;
}

#define DP4A(name, sa, sb)                                                                         \
	uint32_t NVVM(dp4a_##name)(uint32_t a, uint32_t b, uint32_t c)                             \
	{                                                                                          \
		_Pragma("unroll") for (unsigned i = 0; i < 4; i++)                                 \
			c += (uint32_t)(byte_of(a, i, sa) * byte_of(b, i, sb));                    \
		return c;                                                                          \
	}
DP4A(ss, true, true)
DP4A(su, true, false)
DP4A(us, false, true)
DP4A(uu, false, false)

INLINE uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, unsigned first)
{
#pragma unroll
	for (unsigned i = 0; i < 2; i++) {
		uint32_t h = a >> (16 * i) & 0xffff;
		int64_t x = sa ? (int16_t)h : (int64_t)h;

		c += (uint32_t)(x * byte_of(b, first + i, sb));
	}
	return c;
}

#define DP2A(name, sa, sb)                                                                         \
	uint32_t NVVM(dp2a_lo_##name)(uint32_t a, uint32_t b, uint32_t c)                          \
	{                                                                                          \
		return dp2a(a, b, c, sa, sb, 0);                                                   \
	}                                                                                          \
	uint32_t NVVM(dp2a_hi_##name)(uint32_t a, uint32_t b, uint32_t c)                          \
	{                                                                                          \
		return dp2a(a, b, c, sa, sb, 2);                                                   \
	}
DP2A(ss, true, true)
DP2A(su, true, false)
DP2A(us, false, true)
DP2A(uu, false, false)

/* ---- sums of absolute differences ------------------------------------------ */

#define SAD(name, type, wide)                                                                      \
	type NVVM(sad_##name)(type a, type b, type c)                                              \
	{                                                                                          \
		return (type)((wide)c + (a > b ? (wide)a - (wide)b : (wide)b - (wide)a));          \
	}
SAD(s, int16_t, uint32_t)
SAD(us, uint16_t, uint32_t)
SAD(i, int32_t, uint32_t)
SAD(ui, uint32_t, uint32_t)
SAD(ll, int64_t, uint64_t)
SAD(ull, uint64_t, uint64_t)

/* ---- bytes and bits ---------------------------------------------------------- */

/* prmt in its default mode: each nibble of s picks one of the eight bytes of
 * b:a, and with its top bit the byte's sign instead, eight times over. */
uint32_t NVVM(prmt)(uint32_t a, uint32_t b, uint32_t s)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t r = 0;

#pragma unroll
	for (unsigned i = 0; i < 4; i++) {
		uint32_t n = s >> (4 * i);
		uint32_t byte = (uint32_t)(bytes >> (8 * (n & 7))) & 0xff;

		if (n & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << (8 * i);
	}
	return r;
}

/* The other modes pick by the low two bits of s alone. */
#define PRMT(mode, index)                                                                          \
	uint32_t NVVM(prmt_##mode)(uint32_t a, uint32_t b, uint32_t s)                             \
	{                                                                                          \
		uint64_t bytes = (uint64_t)b << 32 | a;                                            \
		uint32_t r = 0;                                                                    \
		int k = (int)(s & 3);                                                              \
		(void)k;                                                                           \
		_Pragma("unroll") for (int i = 0; i < 4; i++)                                      \
			r |= ((uint32_t)(bytes >> (8 * (index))) & 0xff) << (8 * i);               \
		return r;                                                                          \
	}
PRMT(f4e, k + i)
PRMT(b4e, (k - i) & 7)
PRMT(rc8, k)
PRMT(ecl, i < k ? k : i)
PRMT(ecr, i < k ? i : k)
PRMT(rc16, 2 * (k & 1) + (i & 1))

/* Position of the most significant bit that differs from the sign, or all ones. */
uint32_t NVVM(bfind_u32)(uint32_t a)
{
	return a == 0 ? 0xffffffffu : 31u - (uint32_t)__builtin_clz(a);
}

uint32_t NVVM(bfind_s32)(int32_t a)
{
	return NVVM(bfind_u32)((uint32_t)(a < 0 ? ~a : a));
}

uint32_t NVVM(bfind_u64)(uint64_t a)
{
	return a == 0 ? 0xffffffffu : 63u - (uint32_t)__builtin_clzll(a);
}

uint32_t NVVM(bfind_s64)(int64_t a)
{
	return NVVM(bfind_u64)((uint64_t)(a < 0 ? ~a : a));
}

/* The same as the number of places to shift left. */
uint32_t NVVM(bfind_shiftamt_u32)(uint32_t a)
{
	return a == 0 ? 0xffffffffu : (uint32_t)__builtin_clz(a);
}

uint32_t NVVM(bfind_shiftamt_s32)(int32_t a)
{
	return NVVM(bfind_shiftamt_u32)((uint32_t)(a < 0 ? ~a : a));
}

uint32_t NVVM(bfind_shiftamt_u64)(uint64_t a)
{
	return a == 0 ? 0xffffffffu : (uint32_t)__builtin_clzll(a);
}

uint32_t NVVM(bfind_shiftamt_s64)(int64_t a)
{
	return NVVM(bfind_shiftamt_u64)((uint64_t)(a < 0 ? ~a : a));
}

/* Bit fields: start and length are taken modulo 256 by the 32-bit forms, and as
 * they are by the 64-bit ones (seen on an H200); what lies past the top
 * reads as zero, or as the sign, which is the top bit of the field or, where
 * the field reaches past the top, of a. */
uint64_t NVVM(bfe_u64)(uint64_t a, uint32_t start, uint32_t n)
{
	a = start > 63 ? 0 : a >> start;
	return n > 63 ? a : a & ((1ull << n) - 1);
}

int64_t NVVM(bfe_s64)(int64_t a, uint32_t start, uint32_t n)
{
	if (n == 0)
		return 0;
	a >>= start > 63 ? 63 : start;
	return n > 63 ? a : (int64_t)((uint64_t)a << (64 - n)) >> (64 - n);
}

uint32_t NVVM(bfe_u32)(uint32_t a, uint32_t start, uint32_t n)
{
	return (uint32_t)NVVM(bfe_u64)(a, start & 0xff, n & 0xff);
}

int32_t NVVM(bfe_s32)(int32_t a, uint32_t start, uint32_t n)
{
	return (int32_t)NVVM(bfe_s64)(a, start & 0xff, n & 0xff);
}

/* b with the low n bits of a put at start. */
uint64_t NVVM(bfi_b64)(uint64_t a, uint64_t b, uint32_t start, uint32_t n)
{
	uint64_t mask = n > 63 ? ~0ull : (1ull << n) - 1;
	if (start > 63)
		return b;
	return (b & ~(mask << start)) | (a & mask) << start;
}

uint32_t NVVM(bfi_b32)(uint32_t a, uint32_t b, uint32_t start, uint32_t n)
{
	return (uint32_t)NVVM(bfi_b64)(a, b, start & 0xff, n & 0xff);
}

/* Position of the n-th set bit of mask from base upwards (n > 0) or downwards
 * (n < 0), or all ones. */
uint32_t NVVM(fns)(uint32_t mask, uint32_t base, int32_t n)
{
	if (n == INT32_MIN) /* as an H200 has it */
		return 0;
	if (n == 0)
		return base < 32 && (mask >> base & 1) ? base : 0xffffffffu;
	for (uint32_t i = base; i < 32; i += n > 0 ? 1 : -1u) {
		if (!(mask >> i & 1))
			continue;
		if (n == 1 || n == -1)
			return i;
		n += n > 0 ? -1 : 1;
	}
	return 0xffffffffu;
}

/* Any function of three bits: bit 4a+2b+c of table is its value. As a polynomial over
 * bits (Reed-Muller form): where the table is known, as PTX demands, no more is left than the
 * terms that it has. A loop over the table's rows would be one more loop in the kernel for each
 * of the hundreds of such instructions of a hash. */
uint32_t NVVM(lop3)(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t t = table;

	t ^= t << 1 & 0xaa;
	t ^= t << 2 & 0xcc;
	t ^= t << 4 & 0xf0;
#define TERM(i, product) (-(t >> (i) & 1) & (product))
	return TERM(0, ~0u) ^ TERM(1, c) ^ TERM(2, b) ^ TERM(3, b & c) ^ TERM(4, a) ^
	       TERM(5, a & c) ^ TERM(6, a & b) ^ TERM(7, a & b & c);
#undef TERM
}

/* Funnel shifts of hi:lo; clamp stops at 32, wrap counts modulo 32. */
uint32_t NVVM(shf_l_clamp)(uint32_t lo, uint32_t hi, uint32_t n)
{
	return n > 31 ? lo : (uint32_t)(((uint64_t)hi << 32 | lo) << n >> 32);
}

uint32_t NVVM(shf_r_clamp)(uint32_t lo, uint32_t hi, uint32_t n)
{
	return n > 31 ? hi : (uint32_t)(((uint64_t)hi << 32 | lo) >> n);
}

uint32_t NVVM(shf_l_wrap)(uint32_t lo, uint32_t hi, uint32_t n)
{
	return (uint32_t)(((uint64_t)hi << 32 | lo) << (n & 31) >> 32);
}

uint32_t NVVM(shf_r_wrap)(uint32_t lo, uint32_t hi, uint32_t n)
{
	return (uint32_t)(((uint64_t)hi << 32 | lo) >> (n & 31));
}

uint32_t NVVM(rotate_b32)(uint32_t a, uint32_t n)
{
	return a << (n & 31) | a >> (-n & 31);
}

uint64_t NVVM(rotate_b64)(uint64_t a, uint32_t n)
{
	return a << (n & 63) | a >> (-n & 63);
}

uint64_t NVVM(rotate_right_b64)(uint64_t a, uint32_t n)
{
	return a >> (n & 63) | a << (-n & 63);
}

uint64_t NVVM(swap_lo_hi_b64)(uint64_t a)
{
	return a << 32 | a >> 32;
}

/* ---- shifts, with PTX's answer past the width -------------------------------- */

#define SHIFTS(width, u, s)                                                                        \
	u NVVM(shl_b##width)(u a, uint32_t n)                                                      \
	{                                                                                          \
		return n >= width ? 0 : (u)(a << n);                                               \
	}                                                                                          \
	u NVVM(shr_u##width)(u a, uint32_t n)                                                      \
	{                                                                                          \
		return n >= width ? 0 : (u)(a >> n);                                               \
	}                                                                                          \
	s NVVM(shr_s##width)(s a, uint32_t n)                                                      \
	{                                                                                          \
		return (s)(a >> (n >= width ? width - 1 : n));                                     \
	}
SHIFTS(16, uint16_t, int16_t)
SHIFTS(32, uint32_t, int32_t)
SHIFTS(64, uint64_t, int64_t)

/* bmsk: n ones from position a upwards. */
uint32_t NVVM(bmsk_clamp)(uint32_t a, uint32_t n)
{
	uint32_t mask = n > 31 ? ~0u : (1u << n) - 1;

	return a > 31 ? 0 : mask << a;
}

uint32_t NVVM(bmsk_wrap)(uint32_t a, uint32_t n)
{
	return ((1u << (n & 31)) - 1) << (a & 31);
}
