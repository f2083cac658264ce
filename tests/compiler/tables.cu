/* SPDX-License-Identifier: Apache-2.0 */
/* A hash whose rounds are written out, with the instruction for any function of three bits:
 * 1024 of them, none of which may bring a loop. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

static __device__ __attribute__((always_inline)) unsigned choose(unsigned a, unsigned b, unsigned c)
{
	unsigned d;
	asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}

static __device__ __attribute__((always_inline)) unsigned most(unsigned a, unsigned b, unsigned c)
{
	unsigned d;
	asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}

#define ROUND                                                             \
	d += (a << 9 | a >> 23) + choose(a, b, c) + most(c, words[d & 7], a); \
	{ unsigned old = a; a = d; d = c; c = b; b = old; }
#define EIGHT(x) x x x x x x x x

extern "C" __global__ void rounds(const unsigned *words, unsigned *out)
{
	unsigned a = 0x01234567, b = 0x89abcdef, c = 0xfedcba98, d = 0x76543210;
	EIGHT(EIGHT(EIGHT(ROUND)))
	*out = a ^ b ^ c ^ d;
}
