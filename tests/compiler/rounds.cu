/* SPDX-License-Identifier: Apache-2.0 */
/* A hash whose rounds are written out, each with a loop of its own whose length is not
 * known: 512 loops among many thousand instructions. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

static __device__ __attribute__((always_inline)) unsigned mix(const unsigned *words, int n,
							       unsigned state)
{
	unsigned sum = state;
	for (int i = 0; i < n; i++)
		sum += words[i] ^ (state << 7 | state >> 25);
	return sum;
}

#define ROUND                                                          \
	a += mix(words, n, b) + (c ^ (d & (c ^ b)));                   \
	d ^= a << 13 | a >> 19;                                        \
	{ unsigned old = a; a = b; b = c; c = d; d = old; }
#define EIGHT(x) x x x x x x x x

__global__ void rounds(const unsigned *words, int n, unsigned *out)
{
	unsigned a = 0x01234567, b = 0x89abcdef, c = 0xfedcba98, d = 0x76543210;
	EIGHT(EIGHT(EIGHT(ROUND)))
	*out = a ^ b ^ c ^ d;
}
