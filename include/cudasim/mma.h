/* SPDX-License-Identifier: Apache-2.0 */
/* mma.h - a warp's matrix product as device code asks for it.
 *
 * A form is one word that tells the shape, the types and the options of mma.sync or
 * wmma.mma. Each lane brings its parts of A, B and C as 32-bit registers, one operand
 * behind the other, halves of a 64-bit register lower first; the result D takes C's
 * place. Source: PTX ISA 9.0, "Matrix multiply-accumulate instructions". */
#ifndef CUDASIM_MMA_H
#define CUDASIM_MMA_H

#include <stdint.h>

enum cudasim_mma_type {
	CUDASIM_MMA_F16,
	CUDASIM_MMA_BF16,
	CUDASIM_MMA_TF32,
	CUDASIM_MMA_F32,
	CUDASIM_MMA_F64,
	CUDASIM_MMA_E4M3,
	CUDASIM_MMA_E5M2,
	CUDASIM_MMA_S8,
	CUDASIM_MMA_U8,
	CUDASIM_MMA_S4,
	CUDASIM_MMA_U4,
	CUDASIM_MMA_B1,
	CUDASIM_MMA_S32,
	CUDASIM_MMA_N_TYPES,
};

enum cudasim_mma_operand { CUDASIM_MMA_A, CUDASIM_MMA_B, CUDASIM_MMA_C, CUDASIM_MMA_D };

enum {
	/* bits 0..1, 2..3, 4..6: log2 of m / 8, n / 8, k / 4 */
	CUDASIM_MMA_M_SHIFT = 0,
	CUDASIM_MMA_N_SHIFT = 2,
	CUDASIM_MMA_K_SHIFT = 4,
	/* fragments as those of wmma, in which those of f16 are twice as large */
	CUDASIM_MMA_WMMA = 1u << 7,
	/* bits 8..23: enum cudasim_mma_type of A, B, C and D */
	CUDASIM_MMA_TYPE_SHIFT = 8,
	CUDASIM_MMA_SATFINITE = 1u << 24,
	CUDASIM_MMA_AND = 1u << 25,   /* of B1: the bits of A and B, else of A xor B */
	CUDASIM_MMA_A_COL = 1u << 26, /* of m8n8k4 with f16, whose registers depend on it */
	CUDASIM_MMA_B_COL = 1u << 27,
	/* bits 28..29: of F64, the rounding: rn, rz, rm, rp */
	CUDASIM_MMA_ROUND_SHIFT = 28,
};

/* Registers of a lane, at most, of all operands together. */
#define CUDASIM_MMA_MOST_WORDS 48u

static inline uint32_t cudasim_mma_m(uint32_t form)
{
	return 8u << (form >> CUDASIM_MMA_M_SHIFT & 3);
}

static inline uint32_t cudasim_mma_n(uint32_t form)
{
	return 8u << (form >> CUDASIM_MMA_N_SHIFT & 3);
}

static inline uint32_t cudasim_mma_k(uint32_t form)
{
	return 4u << (form >> CUDASIM_MMA_K_SHIFT & 7);
}

static inline enum cudasim_mma_type cudasim_mma_type(uint32_t form, enum cudasim_mma_operand of)
{
	return (enum cudasim_mma_type)(form >> (CUDASIM_MMA_TYPE_SHIFT + 4 * of) & 15);
}

/* Of an element. */
static inline uint32_t cudasim_mma_bits(enum cudasim_mma_type type)
{
	switch (type) {
	case CUDASIM_MMA_F16:
	case CUDASIM_MMA_BF16:
		return 16;
	case CUDASIM_MMA_F64:
		return 64;
	case CUDASIM_MMA_E4M3:
	case CUDASIM_MMA_E5M2:
	case CUDASIM_MMA_S8:
	case CUDASIM_MMA_U8:
		return 8;
	case CUDASIM_MMA_S4:
	case CUDASIM_MMA_U4:
		return 4;
	case CUDASIM_MMA_B1:
		return 1;
	default:
		return 32;
	}
}

/* m8n8k4 with f16: four products at once, one for each eight lanes. */
static inline uint32_t cudasim_mma_is_quad(uint32_t form)
{
	return cudasim_mma_k(form) == 4 && cudasim_mma_type(form, CUDASIM_MMA_A) == CUDASIM_MMA_F16;
}

/* Registers of a lane that hold an operand. */
static inline uint32_t cudasim_mma_words(uint32_t form, enum cudasim_mma_operand of)
{
	uint32_t m = cudasim_mma_m(form), n = cudasim_mma_n(form), k = cudasim_mma_k(form);
	enum cudasim_mma_type type = cudasim_mma_type(form, of);
	uint32_t elements = of == CUDASIM_MMA_A ? m * k : of == CUDASIM_MMA_B ? n * k : m * n;
	if ((form & CUDASIM_MMA_WMMA) && of <= CUDASIM_MMA_B && type == CUDASIM_MMA_F16)
		return 8;
	if (cudasim_mma_is_quad(form))
		elements *= 4;
	return elements * cudasim_mma_bits(type) / (32 * 32);
}

/* Where C and D begin among a lane's registers. */
static inline uint32_t cudasim_mma_c_at(uint32_t form)
{
	return cudasim_mma_words(form, CUDASIM_MMA_A) + cudasim_mma_words(form, CUDASIM_MMA_B);
}

/* Registers of a lane that hold all operands. */
static inline uint32_t cudasim_mma_n_words(uint32_t form)
{
	uint32_t c = cudasim_mma_words(form, CUDASIM_MMA_C);
	uint32_t d = cudasim_mma_words(form, CUDASIM_MMA_D);
	return cudasim_mma_c_at(form) + (c > d ? c : d);
}

#endif
