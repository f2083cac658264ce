/* SPDX-License-Identifier: Apache-2.0 */
/* mma.cu - products of matrices by tensor cores: each form in inline PTX over whole warps'
 * registers, which hold random bits, numbers of near and of far exponents, sums that cancel,
 * subnormal numbers, edges, the largest numbers, and sparse ones. A case's line is a hash of
 * all results, and one digit for each kind of numbers. */
#include "case.cuh"

#include <cuda_runtime.h>

enum { TESTS = 48, LANES = 32, KINDS = 8 };

enum format { F16, BF16, TF32, F32, F64, E4M3, E5M2, WORD };
struct layout {
	int bits, exponent, fraction;
};
__constant__ layout layouts[] = {{16, 5, 10}, {16, 8, 7}, {32, 8, 23}, {32, 8, 23},
				 {64, 11, 52}, {8, 4, 3}, {8, 5, 2}, {32, 0, 0}};

/* splitmix64 */
__device__ static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

__device__ static uint64_t edge(const layout &l, uint64_t r)
{
	uint64_t top = (1ull << l.exponent) - 1, one = (top >> 1) << l.fraction, n = r % 64 == 0 ? 11 : 8;
	switch (r / 64 % n) {
	case 0: return one;
	case 1: return one + 1;
	case 2: return 1;
	case 3: return (1ull << l.fraction) - 1;
	case 4: return 1ull << l.fraction;
	case 5: return (top << l.fraction) - 1;
	case 8: return top << l.fraction; /* infinity */
	case 9: return (top << l.fraction) + 1;
	case 10: return (top << l.fraction) | 1ull << (l.fraction - 1);
	default: return 0;
	}
}

/* An element of the kind of numbers `kind`. */
__device__ static uint64_t element(format f, int kind, uint64_t seed)
{
	layout l = layouts[f];
	uint64_t r = mix(seed), s = mix(r), fraction = r & ((1ull << l.fraction) - 1);
	uint64_t sign = (r >> 63) << (l.bits - 1);
	int top = (1 << l.exponent) - 1, bias = top >> 1, pick = (int)(s % 1000003);
	int wide = l.exponent >= 8 ? 24 : l.exponent == 5 ? 20 : 12, exponent = bias;
	if (f == WORD)
		return kind % 4 == 1 ? (r & 0x0101010101010101ull) * 0x7f ^ 0x80808080u
				     : kind % 4 == 2 ? (uint64_t)((int64_t)r >> 60) : r;
	switch (kind) {
	case 0: exponent = pick & top; break;
	case 1: exponent = bias - 2 + pick % 4; break;
	case 2: exponent = bias - wide / 2 + pick % wide; break;
	case 3:
		exponent = bias + pick % 2;
		fraction &= 7ull << (l.fraction > 3 ? l.fraction - 3 : 0);
		break;
	case 4: exponent = pick % 3; break;
	case 5: return edge(l, s) | sign;
	case 6: exponent = top - 1 - pick % 3; break;
	default:
		if (pick % 4)
			return sign;
		exponent = bias - wide / 2 + (int)((s >> 24) % wide);
		break;
	}
	exponent = exponent < 0 ? 0 : exponent > top ? top : exponent;
	return sign | (uint64_t)exponent << l.fraction | fraction;
}

/* Of a form's text, so that its numbers do not depend on its place here. */
static uint64_t text_hash(const char *text)
{
	uint64_t hash = 14695981039346656037ull;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211ull;
	return hash >> 16;
}

union operand {
	unsigned u[32];
	float f[32];
	double d[16];
};

__device__ static void fill(operand &o, format f, int kind, uint64_t seed)
{
	int bits = layouts[f].bits;
	for (int i = 0; i < 16; i++) {
		uint64_t v = 0;
		if (bits == 64) {
			v = element(f, kind, seed * 64 + i);
		} else {
			for (int k = 0; k < 64; k += bits)
				v |= element(f, kind, (seed * 64 + i) * 16 + k / bits) << k;
		}
		o.u[2 * i] = (unsigned)v;
		o.u[2 * i + 1] = (unsigned)(v >> 32);
	}
}

/* What each lane brings. */
struct operands {
	operand a, b, c;
};
__global__ void fill_all(operands *all, format fa, format fb, format fc, uint64_t own)
{
	int test = blockIdx.x, lane = threadIdx.x;
	operands *o = &all[test * LANES + lane];
	uint64_t seed = own + ((uint64_t)test * LANES + lane) * 3;
	fill(o->a, fa, test % KINDS, seed);
	fill(o->b, fb, test % KINDS, seed + 1);
	fill(o->c, fc, (test + test / KINDS * 3) % KINDS, seed + 2);
}

#define R4_R2_R2_R4(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, " \
		"{%6, %7}, {%8, %9, %10, %11};" \
		: "=r"(d.u[0]), "=r"(d.u[1]), "=r"(d.u[2]), "=r"(d.u[3]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(b.u[0]), "r"(b.u[1]), "r"(c.u[0]), \
		  "r"(c.u[1]), "r"(c.u[2]), "r"(c.u[3]))
#define F8_R2_R2_R4(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, " \
		"{%10, %11}, {%12, %13, %14, %15};" \
		: "=f"(d.f[0]), "=f"(d.f[1]), "=f"(d.f[2]), "=f"(d.f[3]), "=f"(d.f[4]), \
		  "=f"(d.f[5]), "=f"(d.f[6]), "=f"(d.f[7]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(b.u[0]), "r"(b.u[1]), "r"(c.u[0]), \
		  "r"(c.u[1]), "r"(c.u[2]), "r"(c.u[3]))
#define F8_R2_R2_F8(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, " \
		"{%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" \
		: "=f"(d.f[0]), "=f"(d.f[1]), "=f"(d.f[2]), "=f"(d.f[3]), "=f"(d.f[4]), \
		  "=f"(d.f[5]), "=f"(d.f[6]), "=f"(d.f[7]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(b.u[0]), "r"(b.u[1]), "f"(c.f[0]), \
		  "f"(c.f[1]), "f"(c.f[2]), "f"(c.f[3]), "f"(c.f[4]), "f"(c.f[5]), \
		  "f"(c.f[6]), "f"(c.f[7]))
#define R2_R2_R1_R2(text) \
	asm volatile(text " {%0, %1}, {%2, %3}, " \
		"{%4}, {%5, %6};" \
		: "=r"(d.u[0]), "=r"(d.u[1]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(b.u[0]), "r"(c.u[0]), "r"(c.u[1]))
#define F4_R2_R1_F4(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, " \
		"{%6}, {%7, %8, %9, %10};" \
		: "=f"(d.f[0]), "=f"(d.f[1]), "=f"(d.f[2]), "=f"(d.f[3]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(b.u[0]), "f"(c.f[0]), "f"(c.f[1]), \
		  "f"(c.f[2]), "f"(c.f[3]))
#define R2_R4_R2_R2(text) \
	asm volatile(text " {%0, %1}, {%2, %3, %4, %5}, " \
		"{%6, %7}, {%8, %9};" \
		: "=r"(d.u[0]), "=r"(d.u[1]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(b.u[0]), \
		  "r"(b.u[1]), "r"(c.u[0]), "r"(c.u[1]))
#define F4_R4_R2_F4(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, " \
		"{%8, %9}, {%10, %11, %12, %13};" \
		: "=f"(d.f[0]), "=f"(d.f[1]), "=f"(d.f[2]), "=f"(d.f[3]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(b.u[0]), \
		  "r"(b.u[1]), "f"(c.f[0]), "f"(c.f[1]), "f"(c.f[2]), "f"(c.f[3]))
#define D2_D1_D1_D2(text) \
	asm volatile(text " {%0, %1}, {%2}, " \
		"{%3}, {%4, %5};" \
		: "=d"(d.d[0]), "=d"(d.d[1]) \
		: "d"(a.d[0]), "d"(b.d[0]), "d"(c.d[0]), "d"(c.d[1]))
#define D4_D2_D1_D4(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, " \
		"{%6}, {%7, %8, %9, %10};" \
		: "=d"(d.d[0]), "=d"(d.d[1]), "=d"(d.d[2]), "=d"(d.d[3]) \
		: "d"(a.d[0]), "d"(a.d[1]), "d"(b.d[0]), "d"(c.d[0]), "d"(c.d[1]), \
		  "d"(c.d[2]), "d"(c.d[3]))
#define D4_D4_D2_D4(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, " \
		"{%8, %9}, {%10, %11, %12, %13};" \
		: "=d"(d.d[0]), "=d"(d.d[1]), "=d"(d.d[2]), "=d"(d.d[3]) \
		: "d"(a.d[0]), "d"(a.d[1]), "d"(a.d[2]), "d"(a.d[3]), "d"(b.d[0]), \
		  "d"(b.d[1]), "d"(c.d[0]), "d"(c.d[1]), "d"(c.d[2]), "d"(c.d[3]))
#define D4_D8_D4_D4(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, " \
		"{%12, %13, %14, %15}, {%16, %17, %18, %19};" \
		: "=d"(d.d[0]), "=d"(d.d[1]), "=d"(d.d[2]), "=d"(d.d[3]) \
		: "d"(a.d[0]), "d"(a.d[1]), "d"(a.d[2]), "d"(a.d[3]), "d"(a.d[4]), \
		  "d"(a.d[5]), "d"(a.d[6]), "d"(a.d[7]), "d"(b.d[0]), "d"(b.d[1]), \
		  "d"(b.d[2]), "d"(b.d[3]), "d"(c.d[0]), "d"(c.d[1]), "d"(c.d[2]), \
		  "d"(c.d[3]))
#define R2_R1_R1_R2(text) \
	asm volatile(text " {%0, %1}, {%2}, " \
		"{%3}, {%4, %5};" \
		: "=r"(d.u[0]), "=r"(d.u[1]) \
		: "r"(a.u[0]), "r"(b.u[0]), "r"(c.u[0]), "r"(c.u[1]))
#define R4_R2_R1_R4(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, " \
		"{%6}, {%7, %8, %9, %10};" \
		: "=r"(d.u[0]), "=r"(d.u[1]), "=r"(d.u[2]), "=r"(d.u[3]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(b.u[0]), "r"(c.u[0]), "r"(c.u[1]), \
		  "r"(c.u[2]), "r"(c.u[3]))
#define R4_R4_R2_R4(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, " \
		"{%8, %9}, {%10, %11, %12, %13};" \
		: "=r"(d.u[0]), "=r"(d.u[1]), "=r"(d.u[2]), "=r"(d.u[3]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(b.u[0]), \
		  "r"(b.u[1]), "r"(c.u[0]), "r"(c.u[1]), "r"(c.u[2]), "r"(c.u[3]))
#define R4_R8_R8_R4(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, " \
		"{%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" \
		: "=r"(d.u[0]), "=r"(d.u[1]), "=r"(d.u[2]), "=r"(d.u[3]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(a.u[4]), \
		  "r"(a.u[5]), "r"(a.u[6]), "r"(a.u[7]), "r"(b.u[0]), "r"(b.u[1]), \
		  "r"(b.u[2]), "r"(b.u[3]), "r"(b.u[4]), "r"(b.u[5]), "r"(b.u[6]), \
		  "r"(b.u[7]), "r"(c.u[0]), "r"(c.u[1]), "r"(c.u[2]), "r"(c.u[3]))
#define R4_R8_R8_F8(text) \
	asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, " \
		"{%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" \
		: "=r"(d.u[0]), "=r"(d.u[1]), "=r"(d.u[2]), "=r"(d.u[3]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(a.u[4]), \
		  "r"(a.u[5]), "r"(a.u[6]), "r"(a.u[7]), "r"(b.u[0]), "r"(b.u[1]), \
		  "r"(b.u[2]), "r"(b.u[3]), "r"(b.u[4]), "r"(b.u[5]), "r"(b.u[6]), \
		  "r"(b.u[7]), "f"(c.f[0]), "f"(c.f[1]), "f"(c.f[2]), "f"(c.f[3]), \
		  "f"(c.f[4]), "f"(c.f[5]), "f"(c.f[6]), "f"(c.f[7]))
#define F8_R8_R8_R4(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, " \
		"{%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" \
		: "=f"(d.f[0]), "=f"(d.f[1]), "=f"(d.f[2]), "=f"(d.f[3]), "=f"(d.f[4]), \
		  "=f"(d.f[5]), "=f"(d.f[6]), "=f"(d.f[7]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(a.u[4]), \
		  "r"(a.u[5]), "r"(a.u[6]), "r"(a.u[7]), "r"(b.u[0]), "r"(b.u[1]), \
		  "r"(b.u[2]), "r"(b.u[3]), "r"(b.u[4]), "r"(b.u[5]), "r"(b.u[6]), \
		  "r"(b.u[7]), "r"(c.u[0]), "r"(c.u[1]), "r"(c.u[2]), "r"(c.u[3]))
#define F8_R8_R8_F8(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, " \
		"{%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" \
		: "=f"(d.f[0]), "=f"(d.f[1]), "=f"(d.f[2]), "=f"(d.f[3]), "=f"(d.f[4]), \
		  "=f"(d.f[5]), "=f"(d.f[6]), "=f"(d.f[7]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(a.u[4]), \
		  "r"(a.u[5]), "r"(a.u[6]), "r"(a.u[7]), "r"(b.u[0]), "r"(b.u[1]), \
		  "r"(b.u[2]), "r"(b.u[3]), "r"(b.u[4]), "r"(b.u[5]), "r"(b.u[6]), \
		  "r"(b.u[7]), "f"(c.f[0]), "f"(c.f[1]), "f"(c.f[2]), "f"(c.f[3]), \
		  "f"(c.f[4]), "f"(c.f[5]), "f"(c.f[6]), "f"(c.f[7]))
#define F8_R4_R4_F8(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, " \
		"{%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" \
		: "=f"(d.f[0]), "=f"(d.f[1]), "=f"(d.f[2]), "=f"(d.f[3]), "=f"(d.f[4]), \
		  "=f"(d.f[5]), "=f"(d.f[6]), "=f"(d.f[7]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(b.u[0]), \
		  "r"(b.u[1]), "r"(b.u[2]), "r"(b.u[3]), "f"(c.f[0]), "f"(c.f[1]), \
		  "f"(c.f[2]), "f"(c.f[3]), "f"(c.f[4]), "f"(c.f[5]), "f"(c.f[6]), \
		  "f"(c.f[7]))
#define R8_R2_R2_R8(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, " \
		"{%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" \
		: "=r"(d.u[0]), "=r"(d.u[1]), "=r"(d.u[2]), "=r"(d.u[3]), "=r"(d.u[4]), \
		  "=r"(d.u[5]), "=r"(d.u[6]), "=r"(d.u[7]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(b.u[0]), "r"(b.u[1]), "r"(c.u[0]), \
		  "r"(c.u[1]), "r"(c.u[2]), "r"(c.u[3]), "r"(c.u[4]), "r"(c.u[5]), \
		  "r"(c.u[6]), "r"(c.u[7]))
#define F8_R8_R2_F8(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, " \
		"{%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" \
		: "=f"(d.f[0]), "=f"(d.f[1]), "=f"(d.f[2]), "=f"(d.f[3]), "=f"(d.f[4]), \
		  "=f"(d.f[5]), "=f"(d.f[6]), "=f"(d.f[7]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(a.u[4]), \
		  "r"(a.u[5]), "r"(a.u[6]), "r"(a.u[7]), "r"(b.u[0]), "r"(b.u[1]), \
		  "f"(c.f[0]), "f"(c.f[1]), "f"(c.f[2]), "f"(c.f[3]), "f"(c.f[4]), \
		  "f"(c.f[5]), "f"(c.f[6]), "f"(c.f[7]))
#define R8_R4_R1_R8(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, " \
		"{%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" \
		: "=r"(d.u[0]), "=r"(d.u[1]), "=r"(d.u[2]), "=r"(d.u[3]), "=r"(d.u[4]), \
		  "=r"(d.u[5]), "=r"(d.u[6]), "=r"(d.u[7]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(a.u[2]), "r"(a.u[3]), "r"(b.u[0]), \
		  "r"(c.u[0]), "r"(c.u[1]), "r"(c.u[2]), "r"(c.u[3]), "r"(c.u[4]), \
		  "r"(c.u[5]), "r"(c.u[6]), "r"(c.u[7]))
#define F8_R2_R8_F8(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, " \
		"{%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" \
		: "=f"(d.f[0]), "=f"(d.f[1]), "=f"(d.f[2]), "=f"(d.f[3]), "=f"(d.f[4]), \
		  "=f"(d.f[5]), "=f"(d.f[6]), "=f"(d.f[7]) \
		: "r"(a.u[0]), "r"(a.u[1]), "r"(b.u[0]), "r"(b.u[1]), "r"(b.u[2]), \
		  "r"(b.u[3]), "r"(b.u[4]), "r"(b.u[5]), "r"(b.u[6]), "r"(b.u[7]), \
		  "f"(c.f[0]), "f"(c.f[1]), "f"(c.f[2]), "f"(c.f[3]), "f"(c.f[4]), \
		  "f"(c.f[5]), "f"(c.f[6]), "f"(c.f[7]))
#define R8_R1_R4_R8(text) \
	asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, " \
		"{%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" \
		: "=r"(d.u[0]), "=r"(d.u[1]), "=r"(d.u[2]), "=r"(d.u[3]), "=r"(d.u[4]), \
		  "=r"(d.u[5]), "=r"(d.u[6]), "=r"(d.u[7]) \
		: "r"(a.u[0]), "r"(b.u[0]), "r"(b.u[1]), "r"(b.u[2]), "r"(b.u[3]), \
		  "r"(c.u[0]), "r"(c.u[1]), "r"(c.u[2]), "r"(c.u[3]), "r"(c.u[4]), \
		  "r"(c.u[5]), "r"(c.u[6]), "r"(c.u[7]))

#define FORM(shape, text, n, fa, fb, fc) FORM_(__LINE__, shape, text, n, fa, fb, fc)
#define FORM_(line, shape, text, n, fa, fb, fc) FORM__(line, shape, text, n, fa, fb, fc)
#define FORM__(line, shape, text, n, fa, fb, fc)                               \
	__global__ void form_##line(const operands *all, unsigned *out)        \
	{                                                                      \
		int i = blockIdx.x * LANES + threadIdx.x;                      \
		const operand &a = all[i].a, &b = all[i].b, &c = all[i].c;     \
		operand d;                                                     \
		shape(text);                                                   \
		for (int k = 0; k < n; k++)                                    \
			out[i * n + k] = d.u[k];                               \
	}                                                                      \
	static const int added_##line = add({text, form_##line, n, fa, fb, fc});

struct form {
	const char *text;
	void (*kernel)(const operands *, unsigned *);
	int n;
	format fa, fb, fc;
};
static std::vector<form> &forms()
{
	static std::vector<form> all;
	return all;
}
static int add(const form &f)
{
	forms().push_back(f);
	return 0;
}

FORM(R4_R2_R2_R4, "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16", 4, F16, F16, F16)
FORM(F8_R2_R2_R4, "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f16", 8, F16, F16, F16)
FORM(F8_R2_R2_F8, "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32", 8, F16, F16, F32)
FORM(R4_R2_R2_R4, "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", 4, F16, F16, F16)
FORM(F8_R2_R2_R4, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16", 8, F16, F16, F16)
FORM(F8_R2_R2_F8, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8, F16, F16, F32)
FORM(R4_R2_R2_R4, "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", 4, F16, F16, F16)
FORM(F8_R2_R2_R4, "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16", 8, F16, F16, F16)
FORM(F8_R2_R2_F8, "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", 8, F16, F16, F32)
FORM(R4_R2_R2_R4, "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16", 4, F16, F16, F16)
FORM(F8_R2_R2_R4, "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f16", 8, F16, F16, F16)
FORM(F8_R2_R2_F8, "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32", 8, F16, F16, F32)
FORM(R2_R2_R1_R2, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, F16, F16, F16)
FORM(F4_R2_R1_F4, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 4, F16, F16, F32)
FORM(F4_R2_R1_F4, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 4, BF16, BF16, F32)
FORM(R2_R4_R2_R2, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 2, F16, F16, F16)
FORM(F4_R4_R2_F4, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, F16, F16, F32)
FORM(F4_R4_R2_F4, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, BF16, BF16, F32)
FORM(F4_R2_R1_F4, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 4, TF32, TF32, F32)
FORM(F4_R4_R2_F4, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, TF32, TF32, F32)
FORM(D2_D1_D1_D2, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 4, F64, F64, F64)
FORM(D4_D2_D1_D4, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 8, F64, F64, F64)
FORM(D4_D4_D2_D4, "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 8, F64, F64, F64)
FORM(D4_D8_D4_D4, "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 8, F64, F64, F64)
FORM(D2_D1_D1_D2, "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64", 4, F64, F64, F64)
FORM(D4_D2_D1_D4, "mma.sync.aligned.m16n8k4.row.col.rz.f64.f64.f64.f64", 8, F64, F64, F64)
FORM(D4_D4_D2_D4, "mma.sync.aligned.m16n8k8.row.col.rz.f64.f64.f64.f64", 8, F64, F64, F64)
FORM(D4_D8_D4_D4, "mma.sync.aligned.m16n8k16.row.col.rz.f64.f64.f64.f64", 8, F64, F64, F64)
FORM(D2_D1_D1_D2, "mma.sync.aligned.m8n8k4.row.col.rp.f64.f64.f64.f64", 4, F64, F64, F64)
FORM(D4_D2_D1_D4, "mma.sync.aligned.m16n8k4.row.col.rp.f64.f64.f64.f64", 8, F64, F64, F64)
FORM(D4_D4_D2_D4, "mma.sync.aligned.m16n8k8.row.col.rp.f64.f64.f64.f64", 8, F64, F64, F64)
FORM(D4_D8_D4_D4, "mma.sync.aligned.m16n8k16.row.col.rp.f64.f64.f64.f64", 8, F64, F64, F64)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32", 2, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32", 4, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.u4.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.u4.s32", 2, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.u4.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32", 4, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 2, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 4, WORD, WORD, WORD)
FORM(R4_R2_R1_R4, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, WORD, WORD, WORD)
FORM(R4_R4_R2_R4, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, WORD, WORD, WORD)
FORM(R2_R2_R1_R2, "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16", 2, E4M3, E4M3, F16)
FORM(F4_R2_R1_F4, "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", 4, E4M3, E4M3, F32)
FORM(R2_R2_R1_R2, "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16", 2, E4M3, E5M2, F16)
FORM(F4_R2_R1_F4, "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32", 4, E4M3, E5M2, F32)
FORM(R2_R2_R1_R2, "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16", 2, E5M2, E4M3, F16)
FORM(F4_R2_R1_F4, "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32", 4, E5M2, E4M3, F32)
FORM(R2_R2_R1_R2, "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16", 2, E5M2, E5M2, F16)
FORM(F4_R2_R1_F4, "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32", 4, E5M2, E5M2, F32)
FORM(R2_R4_R2_R2, "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", 2, E4M3, E4M3, F16)
FORM(F4_R4_R2_F4, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, E4M3, E4M3, F32)
FORM(R2_R4_R2_R2, "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", 2, E4M3, E5M2, F16)
FORM(F4_R4_R2_F4, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, E4M3, E5M2, F32)
FORM(R2_R4_R2_R2, "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16", 2, E5M2, E4M3, F16)
FORM(F4_R4_R2_F4, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", 4, E5M2, E4M3, F32)
FORM(R2_R4_R2_R2, "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16", 2, E5M2, E5M2, F16)
FORM(F4_R4_R2_F4, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, E5M2, E5M2, F32)
FORM(R4_R8_R8_R4, "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16", 4, F16, F16, F16)
FORM(R4_R8_R8_F8, "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32", 4, F16, F16, F32)
FORM(F8_R8_R8_R4, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16", 8, F16, F16, F16)
FORM(F8_R8_R8_F8, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, F16, F16, F32)
FORM(F8_R4_R4_F8, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32", 8, BF16, BF16, F32)
FORM(R8_R2_R2_R8, "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32", 8, WORD, WORD, WORD)
FORM(R8_R2_R2_R8, "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32.satfinite", 8, WORD, WORD, WORD)
FORM(R8_R2_R2_R8, "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32", 8, WORD, WORD, WORD)
FORM(R8_R2_R2_R8, "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32.satfinite", 8, WORD, WORD, WORD)
FORM(R4_R8_R8_R4, "wmma.mma.sync.aligned.col.row.m16n16k16.f16.f16", 4, F16, F16, F16)
FORM(R4_R8_R8_F8, "wmma.mma.sync.aligned.col.row.m16n16k16.f16.f32", 4, F16, F16, F32)
FORM(F8_R8_R8_R4, "wmma.mma.sync.aligned.col.row.m16n16k16.f32.f16", 8, F16, F16, F16)
FORM(F8_R8_R8_F8, "wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32", 8, F16, F16, F32)
FORM(F8_R4_R4_F8, "wmma.mma.sync.aligned.col.row.m16n16k16.f32.bf16.bf16.f32", 8, BF16, BF16, F32)
FORM(R8_R2_R2_R8, "wmma.mma.sync.aligned.col.row.m16n16k16.s32.s8.s8.s32", 8, WORD, WORD, WORD)
FORM(R8_R2_R2_R8, "wmma.mma.sync.aligned.col.row.m16n16k16.s32.s8.s8.s32.satfinite", 8, WORD, WORD, WORD)
FORM(R8_R2_R2_R8, "wmma.mma.sync.aligned.col.row.m16n16k16.s32.u8.u8.s32", 8, WORD, WORD, WORD)
FORM(R8_R2_R2_R8, "wmma.mma.sync.aligned.col.row.m16n16k16.s32.u8.u8.s32.satfinite", 8, WORD, WORD, WORD)
FORM(R4_R8_R8_R4, "wmma.mma.sync.aligned.row.col.m32n8k16.f16.f16", 4, F16, F16, F16)
FORM(R4_R8_R8_F8, "wmma.mma.sync.aligned.row.col.m32n8k16.f16.f32", 4, F16, F16, F32)
FORM(F8_R8_R8_R4, "wmma.mma.sync.aligned.row.col.m32n8k16.f32.f16", 8, F16, F16, F16)
FORM(F8_R8_R8_F8, "wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32", 8, F16, F16, F32)
FORM(F8_R8_R2_F8, "wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32", 8, BF16, BF16, F32)
FORM(R8_R4_R1_R8, "wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32", 8, WORD, WORD, WORD)
FORM(R8_R4_R1_R8, "wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32.satfinite", 8, WORD, WORD, WORD)
FORM(R8_R4_R1_R8, "wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32", 8, WORD, WORD, WORD)
FORM(R8_R4_R1_R8, "wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32.satfinite", 8, WORD, WORD, WORD)
FORM(R4_R8_R8_R4, "wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16", 4, F16, F16, F16)
FORM(R4_R8_R8_F8, "wmma.mma.sync.aligned.row.col.m8n32k16.f16.f32", 4, F16, F16, F32)
FORM(F8_R8_R8_R4, "wmma.mma.sync.aligned.row.col.m8n32k16.f32.f16", 8, F16, F16, F16)
FORM(F8_R8_R8_F8, "wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32", 8, F16, F16, F32)
FORM(F8_R2_R8_F8, "wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32", 8, BF16, BF16, F32)
FORM(R8_R1_R4_R8, "wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32", 8, WORD, WORD, WORD)
FORM(R8_R1_R4_R8, "wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32.satfinite", 8, WORD, WORD, WORD)
FORM(R8_R1_R4_R8, "wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32", 8, WORD, WORD, WORD)
FORM(R8_R1_R4_R8, "wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32.satfinite", 8, WORD, WORD, WORD)
FORM(F8_R4_R4_F8, "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", 8, TF32, TF32, F32)
FORM(D2_D1_D1_D2, "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64", 4, F64, F64, F64)
FORM(D2_D1_D1_D2, "wmma.mma.sync.aligned.row.col.m8n8k4.rz.f64.f64.f64.f64", 4, F64, F64, F64)
FORM(D2_D1_D1_D2, "wmma.mma.sync.aligned.row.col.m8n8k4.rp.f64.f64.f64.f64", 4, F64, F64, F64)
FORM(R2_R1_R1_R2, "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32.satfinite", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, WORD, WORD, WORD)
FORM(R2_R1_R1_R2, "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, WORD, WORD, WORD)

int main()
{
	memory<operands> in(TESTS * LANES);
	for (const form &f : forms()) {
		int n = TESTS * LANES * f.n;
		memory<unsigned> out(n);
		fill_all<<<TESTS, LANES>>>(in.there, f.fa, f.fb, f.fc, text_hash(f.text));
		f.kernel<<<TESTS, LANES>>>(in.there, out.there);
		CHECK(cudaDeviceSynchronize());
		std::vector<unsigned> all(n);
		CHECK(cudaMemcpy(all.data(), out.there, n * 4, cudaMemcpyDeviceToHost));
		char digits[KINDS + 1] = "";
		for (int kind = 0; kind < KINDS; kind++) {
			uint64_t hash = 0;
			for (int test = kind; test < TESTS; test += KINDS)
				hash = hash * 31 + hash_of(&all[test * LANES * f.n], LANES * f.n);
			digits[kind] = "0123456789abcdef"[hash >> 60];
		}
		say(f.text, "%016llx %s", (unsigned long long)hash_of(all.data(), n), digits);
	}
	return 0;
}
