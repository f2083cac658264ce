/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_inputs.h - the operands of the recorded PTX cases (registers.txt, machine.txt), the same
 * on the GPU that recorded them and in the test that compares.
 *
 * A quarter of them are edges of integers and of every float format, the rest
 * random bits, small numbers, and floats of moderate size. */
#ifndef CUDASIM_TESTS_PTX_INPUTS_H
#define CUDASIM_TESTS_PTX_INPUTS_H

#include <stdint.h>
#include <string.h>

#define PTX_N_INPUTS 1024
#define PTX_N_SLOTS 4 /* source operands of one instruction, at most */

struct ptx_inputs {
	uint16_t h[PTX_N_SLOTS][PTX_N_INPUTS];
	uint32_t r[PTX_N_SLOTS][PTX_N_INPUTS];
	uint64_t l[PTX_N_SLOTS][PTX_N_INPUTS];
};

static inline uint64_t ptx_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint16_t ptx_input_h(uint64_t *state)
{
	static const uint16_t edges[] = {
		0, 1, 2, 5, 15, 16, 17, 31, 32, 33, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000,
		0x8001, 0xffff, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe00, 0x0400,
		0x03ff, 0x83ff, 0x7bff, 0xfbff, 0x3800, 0x3e00, 0x4100, 0x3f80, 0xbf80, 0x7f80,
		0xff80, 0x7f7f, 0x7fc0, 0x0080, 0x007f, 0x3f00, 0x3fc0, 0x4020, 0x5bf8, 0x77ff,
	};
	uint64_t x = ptx_random(state);

	switch (x & 3) {
	case 0: return edges[(x >> 8) % (sizeof(edges) / sizeof(edges[0]))];
	case 1: return (uint16_t)(x >> 8);
	case 2: return (uint16_t)((x >> 8 & 0x8fff) | 0x3000);
	default: return (uint16_t)(x >> 8 & 0x3f);
	}
}

static inline uint32_t ptx_input_r(uint64_t *state)
{
	static const uint32_t edges[] = {
		0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 100, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
		0x10000, 0x7fffff, 0x800000, 0xffffff, 0x7fffffff, 0x80000000, 0x80000001,
		0xffffffff, 0xfffffffe, 0xffffff80, 0xffff8000, 0x3f800000, 0xbf800000,
		0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc00000, 0x807fffff, 0x7f7fffff,
		0xff7fffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4effffff,
		0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f800000,
		0x437f0000, 0x43800000, 0x42fe0000, 0xc3000000, 0x477fe000, 0x477ff000, 0x47000000,
		0x477fff00, 0x33000000, 0x33000001, 0x387fc000, 0x38800000, 0x7c003c00, 0x7e00fc00,
		0x03ff0400, 0x7bff8001, 0x43e00000, 0x43e80000, 0x3c800000, 0x7f7f8000, 0x7f7f7fff,
	};
	uint64_t x = ptx_random(state);

	switch (x & 3) {
	case 0: return edges[(x >> 8) % (sizeof(edges) / sizeof(edges[0]))];
	case 1: return (uint32_t)(x >> 8);
	case 2: return (uint32_t)(x >> 8 & 0x80ffffff) | (uint32_t)(0x3a + (x >> 50) % 14) << 24;
	default: return (uint32_t)(x >> 8 & 0x7f);
	}
}

static inline uint64_t ptx_input_l(uint64_t *state)
{
	static const uint64_t edges[] = {
		0, 1, 2, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xffffffffffffffff,
		0xffffffff80000000, 0xfffffffffffffffe, 0x3ff0000000000000, 0xbff0000000000000,
		0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000,
		0xfff8000000000000, 0x000fffffffffffff, 0x0010000000000000, 0x800fffffffffffff,
		0x7fefffffffffffff, 0xffefffffffffffff, 0x3fe0000000000000, 0x3ff8000000000000,
		0x4004000000000000, 0xc004000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
		0xc1e0000000000000, 0x41efffffffe00000, 0x43dfffffffffffff, 0x43e0000000000000,
		0xc3e0000000000000, 0x43f0000000000000, 0x40effc0000000000, 0x40effe0000000000,
		0x3690000000000000, 0x36a0000000000001, 0x380fffffe0000000, 0x47efffffe0000000,
		0x47effffff0000000, 0x20000000000001, 0x3fffffffffffff,
	};
	uint64_t x = ptx_random(state), y = ptx_random(state);

	switch (x & 3) {
	case 0: return edges[(x >> 8) % (sizeof(edges) / sizeof(edges[0]))];
	case 1: return y;
	case 2: return (y & 0x800fffffffffffff) | (0x3a8 + (x >> 8) % 0xa0) << 52;
	default: return y & 0xff;
	}
}

static inline void ptx_inputs_fill(struct ptx_inputs *in)
{
	uint64_t state = 0x50545821;

	for (int slot = 0; slot < PTX_N_SLOTS; slot++)
		for (int i = 0; i < PTX_N_INPUTS; i++) {
			in->h[slot][i] = ptx_input_h(&state);
			in->r[slot][i] = ptx_input_r(&state);
			in->l[slot][i] = ptx_input_l(&state);
		}
}

/* One result, as letter's register holds it. Of double precision all NaNs are the
 * same here: PTX leaves the payload open, and which of two NaNs comes through is
 * not worth a branch at every operation. */
static inline uint64_t ptx_canonical(char letter, uint64_t bits)
{
	switch (letter) {
	case 'h': return bits & 0xffff;
	case 'r':
	case 'f': return bits & 0xffffffff;
	case 'd':
		return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000 ? 0x7fffffffffffffff : bits;
	default: return bits;
	}
}

/* FNV-1a over 64-bit words. */
static inline uint64_t ptx_hash(uint64_t hash, uint64_t word)
{
	for (int i = 0; i < 8; i++)
		hash = (hash ^ (word >> (8 * i) & 0xff)) * 0x100000001b3u;
	return hash;
}

#define PTX_HASH_START 0xcbf29ce484222325u

#endif
