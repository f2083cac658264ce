/* SPDX-License-Identifier: Apache-2.0 */
/* The special function unit against an H200: each table row is a run of operands,
 * `count` float bit patterns from `start` in steps of `step`, and the FNV-1a hash
 * (64 bits, one step for each result's 32 bits) of what the GPU's .approx.ftz
 * instruction answered for them. Together with a comparison on the GPU of all
 * 2^32 operands, which found no difference, they keep the tables from rotting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtins/unit.h"

struct run {
	const char *name;
	float (*unit)(float);
	uint32_t start, step, count;
	uint64_t hash;
};

#define UNIT(name)                                                                                 \
	static float name(float a)                                                                 \
	{                                                                                          \
		return unit_##name(flush(a));                                                      \
	}
UNIT(rcp)
UNIT(rsqrt)
UNIT(sqrt)
UNIT(lg2)
UNIT(ex2)
UNIT(sin)
UNIT(cos)

static float tanh(float a)
{
	return unit_tanh(a);
}

#define BINADE (1u << 23)
#define EDGES 0, 0x8000, 131072 /* all signs and exponents, 256 mantissas each */

static const struct run runs[] = {
	{"rcp [1, 2)", rcp, 0x3f800000, 1, BINADE, 0xfa72a6c698274964},
	{"rsqrt [1, 2)", rsqrt, 0x3f800000, 1, BINADE, 0x0c40b0bdf554807c},
	{"rsqrt [2, 4)", rsqrt, 0x40000000, 1, BINADE, 0xac1e22b0ce75548b},
	{"sqrt [1, 2)", sqrt, 0x3f800000, 2, BINADE / 2, 0x5b800c8f57a2ab33},
	{"sqrt [2, 4)", sqrt, 0x40000000, 2, BINADE / 2, 0xb68fb1580b163fec},
	{"lg2 [1, 2)", lg2, 0x3f800000, 1, BINADE, 0x5ca43d6b0d176848},
	{"lg2 [0.5, 1)", lg2, 0x3f000000, 2, BINADE / 2, 0x3529222a5412fef9},
	{"lg2 [0.25, 0.5)", lg2, 0x3e800000, 4, BINADE / 4, 0x55e00258ec01dd73},
	{"ex2 [1, 2)", ex2, 0x3f800000, 1, BINADE, 0x3f0f3852f2fa7edb},
	{"ex2 [0.5, 1)", ex2, 0x3f000000, 1, BINADE, 0x1938ae1ca053e4e7},
	{"ex2 [-1, -2)", ex2, 0xbf800000, 2, BINADE / 2, 0x4b08985715bb645e},
	{"sin [0.5, 1)", sin, 0x3f000000, 1, BINADE, 0x751f616942de2910},
	{"sin [2, 4)", sin, 0x40000000, 1, BINADE, 0x5c6b19fd65eecc06},
	{"sin, large", sin, 0x41000000, 64, BINADE / 4, 0xcc67b8cce6bd7371},
	{"cos [0.5, 1)", cos, 0x3f000000, 1, BINADE, 0xa6f02f9fbaf8b936},
	{"cos [2, 4)", cos, 0x40000000, 2, BINADE / 2, 0x5faa1c19f0bed884},
	{"tanh [1, 2)", tanh, 0x3f800000, 1, BINADE, 0x84573e3df0ccdcc5},
	{"tanh [2^-31, 32)", tanh, 0x30000000, 16, 18874368, 0xede621ed3eecb543},
	{"rcp, edges", rcp, EDGES, 0x8c97b8d02a6b2fc5},
	{"rsqrt, edges", rsqrt, EDGES, 0xaeef4075a3328158},
	{"sqrt, edges", sqrt, EDGES, 0x30cf2ac0a985b64f},
	{"lg2, edges", lg2, EDGES, 0x81a8ffa922573cdd},
	{"ex2, edges", ex2, EDGES, 0x24ec40be76ee7418},
	{"sin, edges", sin, EDGES, 0xf552c974ec370e89},
	{"cos, edges", cos, EDGES, 0x5a23b2990e5200d9},
	{"tanh, edges", tanh, EDGES, 0x353d5d24a9b31165},
};

/* Four results whose bits were read off the H200 one by one; sqrt's are between
 * the operands of its runs above. */
static void single_results(void **state)
{
	(void)state;
	assert_int_equal(float_bits(unit_sqrt(bits_float(0x0080cf03))), 0x20006758);
	assert_int_equal(float_bits(unit_sqrt(bits_float(0x00844d2d))), 0x2002220a);
	assert_int_equal(float_bits(unit_sqrt(bits_float(0x0085b2bb))), 0x2002d16d);
	assert_int_equal(float_bits(unit_lg2(1.0f)), 0);
}

static void runs_of_operands(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(runs) / sizeof(runs[0]); k++) {
		const struct run *run = &runs[k];
		uint64_t hash = 14695981039346656037u;
		for (uint32_t i = 0; i < run->count; i++) {
			float x = bits_float(run->start + i * run->step);
			hash = (hash ^ float_bits(run->unit(x))) * 1099511628211u;
		}
		if (hash != run->hash)
			fail_msg("%s: other bits than an H200's", run->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_results),
		cmocka_unit_test(runs_of_operands),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
