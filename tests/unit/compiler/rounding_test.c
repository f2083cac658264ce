/* SPDX-License-Identifier: Apache-2.0 */
/* Directed rounding without a mode register (builtins/rounding.h) against the
 * host processor's own, which IEEE 754 binds as it binds the GPU. Operands: pairs
 * of edges, and bits drawn by a fixed hash. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtins/rounding.h"

enum { N = 200000 };

static const struct {
	enum rounding mode;
	int host;
} modes[] = {{RN, FE_TONEAREST}, {RZ, FE_TOWARDZERO}, {RM, FE_DOWNWARD}, {RP, FE_UPWARD}};

static const uint32_t edges[] = {
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
	0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000,
	0xbf800000, 0x3f7fffff, 0x3f800001, 0x34000000, 0xb3ffffff, 0x4b800000,
};
enum { N_EDGES = sizeof(edges) / sizeof(edges[0]) };

static uint64_t hash(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static float operand(unsigned i, unsigned k)
{
	if (i < N_EDGES * N_EDGES * N_EDGES) {
		unsigned at[] = {i % N_EDGES, i / N_EDGES % N_EDGES, i / (N_EDGES * N_EDGES)};
		return bits_float(edges[at[k]]);
	}
	uint32_t bits = (uint32_t)hash(3ull * i + k + 1);
	/* Every other time exponents near each other, where digits meet. */
	if (i & 1)
		bits = (bits & 0x807fffff) | (120 + (bits >> 23 & 15)) << 23;
	return bits_float(bits);
}

static bool same(float a, float b)
{
	return (a != a && b != b) || float_bits(a) == float_bits(b);
}

/* A double from two hashes, so that its lower bits are there to be rounded. */
static double wide(unsigned i)
{
	return i & 1 ? (double)operand(i, 0) * (1 + (double)operand(i, 1) * 0x1p-30)
		     : bits_double(hash(i + 7));
}
#define COMPARE(name, ours, hosts)                                                                 \
	static void name(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		for (unsigned m = 0; m < 4; m++) {                                                 \
			enum rounding mode = modes[m].mode;                                        \
			for (unsigned i = 0; i < N; i++) {                                         \
				volatile float a = operand(i, 0), b = operand(i, 1);               \
				volatile float c = operand(i, 2);                                  \
				volatile double w = wide(i);                                       \
				float r = (ours);                                                  \
				volatile float wanted;                                             \
				(void)b, (void)c, (void)w;                                         \
				fesetround(modes[m].host);                                         \
				wanted = (hosts);                                                  \
				fesetround(FE_TONEAREST);                                          \
				if (!same(r, wanted))                                              \
					fail_msg("mode %u: %a %a %a: %a, not %a", m, (double)a,    \
						 (double)b, (double)c, (double)r, (double)wanted); \
			}                                                                          \
		}                                                                                  \
	}

COMPARE(add, add_f(a, b, mode), a + b)
COMPARE(multiply, mul_f(a, b, mode), a *b)
COMPARE(divide, div_f(a, b, mode), a / b)
COMPARE(fused, fma_f(a, b, c, mode), fmaf(a, b, c))
COMPARE(root, sqrt_f(a, mode), sqrtf(a))

COMPARE(narrow, round_to_float(w, mode), (float)w)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(add),   cmocka_unit_test(multiply), cmocka_unit_test(divide),
		cmocka_unit_test(fused), cmocka_unit_test(root),     cmocka_unit_test(narrow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
